"""The plotly.js of the installed plotly package: served as it is, so nothing is fetched from another host."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from imoca.errors import MissingPackageError

STYLE_GUARD = re.compile(r'document\.getElementById\("([0-9a-f]{32,})"\)')


def plotly_script() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise MissingPackageError(
            "The dashboard needs plotly, which is not installed.", hint="pip install 'imoca[dashboard]' brings it."
        )
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@cache
def style_ids() -> tuple[str, ...]:
    """Elements before which plotly.js adds no style element of its own, which the page's policy would refuse."""
    return tuple(dict.fromkeys(STYLE_GUARD.findall(plotly_script().read_text(encoding="utf-8"))))
