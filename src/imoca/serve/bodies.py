"""What requests say. Whether an answer can be used is for the study to say; here only its form is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from imoca.errors import ImocaError
from imoca.json_text import read_json
from imoca.problem.names import is_integer
from imoca.wording import shown

ASK_EXAMPLE = '{"worker": "node-1"}'
TELL_EXAMPLE = '{"number": 3, "values": {"drag": 0.021}, "cost": {"cfd": 310}, "failures": {"mass": "mesh exploded"}}'
FAIL_EXAMPLE = '{"number": 3, "reason": "mesh exploded", "cost": {"cfd": 310}}'


class RequestError(ImocaError):
    """A request that says something else than it may."""


@dataclass(frozen=True)
class Told:
    number: int
    values: Mapping[str, float]
    cost: Mapping[str, float] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    number: int
    reason: str
    cost: Mapping[str, float] = field(default_factory=dict)


def read_worker(body: bytes) -> str:
    """Who asks."""
    return _text(_entries(body, ("worker",), (), ASK_EXAMPLE), "worker", ASK_EXAMPLE)


def read_told(body: bytes) -> Told:
    keys = ("values", "cost", "failures", "errors")
    content = _entries(body, ("number",), keys, TELL_EXAMPLE)
    number = _number(content, TELL_EXAMPLE)
    values, cost, failures, errors = (_table(content, key, TELL_EXAMPLE) for key in keys)
    for name in failures:
        _text(failures, name, TELL_EXAMPLE)
    return Told(number, values, cost, failures, errors)


def read_failed(body: bytes) -> Failed:
    content = _entries(body, ("number", "reason"), ("cost",), FAIL_EXAMPLE)
    reason = _text(content, "reason", FAIL_EXAMPLE)
    return Failed(_number(content, FAIL_EXAMPLE), reason, _table(content, "cost", FAIL_EXAMPLE))


def _entries(body: bytes, needed: tuple[str, ...], others: tuple[str, ...], example: str) -> dict[str, Any]:
    try:
        content = read_json(body)
    except ValueError as error:
        raise RequestError(f"This is not JSON that can be used: {error}.", hint=f"Send such as {example}.") from None
    if not isinstance(content, dict):
        raise RequestError(f"{shown(content)} came, which is no table.", hint=f"Send such as {example}.")
    missing = [key for key in needed if key not in content]
    unknown = [key for key in content if key not in needed + others]
    if missing or unknown:
        faults = [f"{word} {shown(keys)}" for word, keys in (("lacks", missing), ("has the unknown", unknown)) if keys]
        raise RequestError(f"The table {' and '.join(faults)}.", hint=f"Send such as {example}.")
    return content


def _number(content: Mapping[str, Any], example: str) -> int:
    number = content["number"]
    if not is_integer(number):
        raise RequestError(f"number is {shown(number)}, which is no whole number.", hint=f"Send such as {example}.")
    return int(number)


def _text(content: Mapping[str, Any], key: str, example: str) -> str:
    text = content[key]
    if not isinstance(text, str) or not text.strip():
        raise RequestError(f"{shown(key)} is {shown(text)}, but must be text.", hint=f"Send such as {example}.")
    return text


def _table(content: Mapping[str, Any], key: str, example: str) -> dict[str, Any]:
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise RequestError(f"{key} is {shown(table)}, which is no table.", hint=f"Send such as {example}.")
    return table
