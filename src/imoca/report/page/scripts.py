"""The scripts of the page: modules that a server hands out one by one, joined into one text for a single file."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

NAVIGATOR = Path(str(files("imoca.report.page") / "assets" / "navigator"))
ENTRY = "navigator.js"
IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./([\w.]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:class|function|const) (\w+))", re.MULTILINE)


@cache
def navigator_script() -> str:
    """All modules in one text, each in a scope of its own: file pages cannot import."""
    found: dict[str, str] = {}
    _collect(ENTRY, found)
    return "\n".join(["const modules = {};", *found.values(), f'const {{ TradeOffs }} = modules["{ENTRY}"];'])


def _collect(name: str, found: dict[str, str]) -> None:
    """A module after those that it imports."""
    text = (NAVIGATOR / name).read_text(encoding="utf-8")
    for _, other in IMPORT.findall(text):
        if other not in found:
            _collect(other, found)
    names = ", ".join(EXPORT.findall(text))
    body = EXPORT.sub("", IMPORT.sub(r'const { \1 } = modules["\2"];', text))
    found[name] = f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {names} }};\n}})();'


def script_hash(text: str) -> str:
    """By which a page's policy names a script that stands in it; no other one is run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def page_policy(*scripts: str) -> str:
    """Nothing is fetched, and only these scripts are run; plotly sets style attributes."""
    allowed = " ".join(map(script_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
