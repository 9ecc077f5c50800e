"""The public names of a package, read from its source: what its modules list in ``__all__``."""

import ast
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

AUTOMODULE = re.compile(r"^\.\. automodule:: (?P<module>[\w.]+)$", flags=re.MULTILINE)

LONGEST_VALUE = 100  # characters; a longer one is read in the source


@dataclass(frozen=True)
class PublicName:
    module: str
    name: str

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"


def public_names(package: Path) -> list[PublicName]:
    """In the order of the modules, ``imoca`` itself first."""
    found = []
    for path in sorted(package.rglob("*.py"), key=lambda path: path.with_suffix("").parts):
        parts = path.relative_to(package.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found += [PublicName(module, name) for name in listed(path)]
    return sorted(found, key=lambda public: public.module)


def listed(path: Path) -> list[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def shown_once(page: str, names: list[PublicName], home_of: dict[str, str]) -> str:
    """A page of the reference on which a name that is public in several modules is a link to where it is shown."""

    def members(found: re.Match[str]) -> str:
        own = [public for public in names if public.module == found["module"]]
        constants = [
            public for public in own if not canonical(public)
        ]  # autodoc would show the docstrings of their types
        elsewhere = {public: home_of[canonical(public)] for public in own if public not in constants}
        moved = {public: home for public, home in elsewhere.items() if home != public.path}
        left_out = ", ".join(public.name for public in (*constants, *moved))
        lines = [found[0], *([f"   :exclude-members: {left_out}"] if left_out else []), ""]
        lines += [constant(public) for public in constants]
        lines += ["Public here too:\n"] if moved else []
        lines += [f"* :obj:`{public.name} <{home}>`" for public, home in moved.items()]
        return "\n".join(lines)

    return AUTOMODULE.sub(members, page)


def constant(public: PublicName) -> str:
    value = repr(getattr(import_module(public.module), public.name))
    told = [f"   :value: {value}"] if len(value) <= LONGEST_VALUE and "<" not in value else []
    return "\n".join([f".. py:data:: {public.name}", f"   :module: {public.module}", *told, ""])


def canonical(public: PublicName) -> str:
    """Where a class or function of ours is written; nothing for a constant or the name of a type."""
    thing = getattr(import_module(public.module), public.name)
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    return f"{module}.{name}" if name and str(module).startswith("imoca.") else ""


def homes(names: list[PublicName]) -> dict[str, str]:
    """Where a class or function is written -> the shortest name by which it is public."""
    found: dict[str, str] = {}
    for public in sorted(names, key=lambda public: len(public.path)):
        found.setdefault(canonical(public), public.path)
    return {where: name for where, name in found.items() if where}
