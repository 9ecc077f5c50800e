"""Content as a browser reads it: only finite numbers, text and their lists and tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

ENDING = "<>&\u2028\u2029"  # characters with which a script element, a comment or a line could end


def to_json(content: Any) -> str:
    """ASCII, and NaN or infinity as null: a browser would refuse the whole text."""
    try:
        return _dumped(content)
    except (ValueError, TypeError):  # a NaN, or a mapping or sequence that json does not know
        return _dumped(finite(content))


def inside_script(text: str) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element or begins a comment."""
    for character in ENDING:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def finite(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {str(key): finite(value) for key, value in content.items()}
    if isinstance(content, Sequence) and not isinstance(content, str):
        return [finite(value) for value in content]
    return content


def _dumped(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":"))
