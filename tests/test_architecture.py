"""Imports point one way, nothing dangerous is imported, the front door opens quickly, make installs what it needs."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
FILES = sorted(SOURCE.rglob("*.py"))

GROUND_FLOOR = {
    "errors",
    "arrays",
    "wording",
    "files",
    "json_text",
    "sobol",
}  # for all; these may import each other's types of error
ARROW = re.compile(r"^(\w+) +-> (.+)$", re.MULTILINE)
DRAWN = {
    room: set(below.split())
    for room, below in ARROW.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```")[1])
}
FORBIDDEN = {"pickle", "dill", "cloudpickle", "shelve", "marshal", "yaml"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom]:
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif node.module:
            names.add(node.module)
    return names


def for_types_only(path: Path) -> set[int]:
    """Lines of the imports that no interpreter follows."""
    return {
        inner.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }


@pytest.mark.parametrize("path", [path for path in FILES if module_of(path).startswith("imoca.")], ids=name_of)
def test_every_import_follows_an_arrow_of_the_drawing(path: Path) -> None:
    room = module_of(path).split(".")[1]
    used = {name.split(".")[1] for name in imported_modules(path) if name.startswith("imoca.")}
    assert used <= DRAWN.get(room, set()) | GROUND_FLOOR | {room}
    if room in GROUND_FLOOR:
        assert used <= {"errors"}


@pytest.mark.parametrize("path", [path for path in FILES if module_of(path).split(".")[0] == "imoca"], ids=name_of)
def test_no_room_goes_in_by_the_front_door(path: Path) -> None:
    """``from imoca import Study`` would be an arrow that no test sees: its names are loaded when asked for."""
    nodes = [node for node in imports_of(path) if isinstance(node, ast.ImportFrom) and node.module == "imoca"]
    assert {alias.name for node in nodes for alias in node.names} <= {"__version__"}


def test_every_arrow_of_the_drawing_is_followed_by_an_import() -> None:
    followed: dict[str, set[str]] = {room: set() for room in DRAWN}
    for path in FILES:
        parts = module_of(path).split(".")
        if parts[0] == "imoca" and len(parts) > 1 and parts[1] in followed:
            followed[parts[1]] |= {n.split(".")[1] for n in imported_modules(path) if n.startswith("imoca.")}
    assert {room: below - followed[room] for room, below in DRAWN.items() if below - followed[room]} == {}


def test_no_room_leads_back_to_itself() -> None:
    assert set().union(*DRAWN.values()) <= DRAWN.keys() | {"problem", "web"}  # two stand on the ground
    for room, below in DRAWN.items():
        reached: set[str] = set()
        waiting = set(below)
        while waiting:
            reached |= waiting
            waiting = set().union(*(DRAWN.get(other, set()) for other in waiting)) - reached
        assert room not in reached


def test_no_module_leads_back_to_itself() -> None:
    """Neither at import nor later: a ring of modules that wait for each other is a knot even where it runs."""
    modules = {module_of(path): path for path in FILES}
    edges: dict[str, set[str]] = {}
    for module, path in modules.items():
        followed = [node for node in imports_of(path) if node.lineno not in for_types_only(path)]
        edges[module] = set()
        for node in followed:
            if isinstance(node, ast.Import):
                edges[module] |= {alias.name for alias in node.names} & modules.keys()
            elif node.module in modules:
                inside = {f"{node.module}.{alias.name}" for alias in node.names} & modules.keys()
                edges[module] |= inside or {str(node.module)}
    finished: set[str] = set()

    def visit(module: str, trail: list[str]) -> None:
        assert module not in trail, " -> ".join([*trail, module])
        if module not in finished:
            for other in sorted(edges[module]):
                visit(other, [*trail, module])
            finished.add(module)

    for module in edges:
        visit(module, [])


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_product_does_not_know_the_laboratory(path: Path) -> None:
    if module_of(path).split(".")[0] == "imoca":
        assert not {name for name in imported_modules(path) if name.split(".")[0] == "imoca_lab"}
        assert 'import_module("imoca_lab' not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [path for path in FILES if module_of(path).split(".")[0] == "imoca_lab"], ids=name_of)
def test_the_laboratory_uses_public_names_only(path: Path) -> None:
    """A name is public if the module that it is imported from lists it in ``__all__``."""
    private = [
        f"{node.module}.{alias.name}"
        for node in imports_of(path)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "imoca"
        for alias in node.names
        if alias.name not in public_names(node.module)
    ]
    assert not private
    assert not [name for name in imported_modules(path) if name.startswith("imoca.") and not public_names(name)]


def public_names(module: str) -> list[str]:
    return list(getattr(importlib.import_module(module), "__all__", []))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nobody_asks_which_storage_it_has_and_only_the_contracts_need_pytest(path: Path) -> None:
    assert not re.findall(r"isinstance\([^)]*Storage\b", path.read_text(encoding="utf-8"))
    assert "pytest" not in imported_modules(path) or module_of(path).startswith("imoca.testing")


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_file_evaluates_or_unpickles_text(path: Path) -> None:
    assert not {name.split(".")[0] for name in imported_modules(path)} & FORBIDDEN
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & FORBIDDEN_CALLS


def cpu_seconds(code: str) -> float:
    """The smallest of five: what the code costs, not what the machine adds."""
    timed = (
        f"import resource, sys\n{code}\nu = resource.getrusage(resource.RUSAGE_SELF)\nprint(u.ru_utime + u.ru_stime)"
    )
    runs = [subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


@pytest.mark.slow
def test_importing_imoca_adds_little_to_numpy_and_scipy() -> None:
    libraries = "import numpy, scipy.stats, scipy.optimize, scipy.interpolate, scipy.linalg, moocore, rich.live"
    assert cpu_seconds("import imoca") - cpu_seconds(libraries) < 0.3


@pytest.mark.slow
def test_the_command_line_help_loads_neither_scipy_nor_plotly() -> None:
    code = (
        "import sys\nfrom imoca.cli import main\nsys.argv = ['imoca', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('scipy', 'plotly', 'torch') if name in sys.modules], file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "imoca" in run.stdout
    assert run.stderr.strip() == "[]"


def test_no_cuda_package_is_installed() -> None:
    names = [distribution.metadata["Name"] or "" for distribution in distributions()]
    assert not [name for name in names if name.lower().startswith("nvidia-")]


@pytest.mark.parametrize("target", ["bench", "results"])
def test_make_targets_that_draw_install_matplotlib(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (stamp,) = re.findall(rf"^{target}: (\S+)", makefile, re.MULTILINE)
    (extras,) = re.findall(rf"^{re.escape(stamp)}:.*\n.*\n.*-e '\.\[(.*)\]'", makefile, re.MULTILINE)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert [package for extra in extras.split(",") for package in known[extra] if package.startswith("matplotlib")]
