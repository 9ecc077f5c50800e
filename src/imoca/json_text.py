"""JSON that came from outside: what is wrong with it is said in words, and nothing in it is passed over."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["read_json"]

MOST_DIGITS = 400  # of a whole number; the largest that a floating-point number holds has 309


def read_json(text: str | bytes) -> Any:
    """What the text says, or a ValueError in words that say why it cannot be used."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_whole_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {repeated!r} stands there twice")
    return content


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"it holds a number of {len(digits):,} digits")
    return int(digits)
