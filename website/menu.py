"""The menu of the site, menu.toml, as Sphinx reads it: a hidden list below the page that it belongs to."""

import tomllib
from pathlib import Path

MENU = Path(__file__).with_name("menu.toml")


def menu_of(page: str) -> str:
    lists = tomllib.loads(MENU.read_text(encoding="utf-8"))["list"]
    return "".join(toctree(one["pages"], one.get("caption")) for one in lists if one["below"] == page)


def toctree(pages: list[str], caption: str | None) -> str:
    options = [":hidden:", ":glob:", *([f":caption: {caption}"] if caption else [])]
    return "\n\n```{toctree}\n" + "\n".join([*options, "", *(from_the_root(page) for page in pages)]) + "\n```\n"


def from_the_root(page: str) -> str:
    """``docs/page`` or ``Title <docs/page>``, as Sphinx writes a page that is not looked for beside this one."""
    return page.replace("<", "</") if page.endswith(">") else f"/{page}"
