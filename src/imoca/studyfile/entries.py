"""Single entries of a study file: what they may be, and their faults in words."""

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

from imoca.problem.names import is_number
from imoca.wording import duration_seconds

LONGEST_NAME = 100  # bytes: file systems allow 255, and endings are added


def _check_scalars(values: object) -> object:
    if not isinstance(values, list) or not all(isinstance(value, str | int | float) for value in values):
        raise ValueError("must be a list of strings, numbers or booleans")
    return values


def check_duration(value: object) -> object:
    if is_number(value) or (isinstance(value, str) and duration_seconds(value) is not None):
        return value
    raise ValueError('must be a number of seconds, or such as "90s", "15m", "2h"')


def _check_budget(value: object) -> object:
    seconds = duration_seconds(value) if isinstance(value, str) else None
    if seconds is None and not is_number(value):
        raise ValueError(
            'must be a finite number of full-fidelity runs, or simulator time such as "90m", "40h" or "2d"'
        )
    if not (value if seconds is None else seconds) > 0.0:  # type: ignore[operator]  # a number
        raise ValueError("must be greater than 0")
    return value


def check_file_name(value: object) -> object:
    is_safe = isinstance(value, str) and re.fullmatch(r"\w[\w .-]*", value) and value == value.strip()
    if is_safe and len(str(value).encode()) <= LONGEST_NAME:
        return value
    raise ValueError(
        f"must be usable as a file name: up to {LONGEST_NAME} letters, digits, spaces, '.', '_' or '-', and a letter"
        " or digit first"
    )


def check_cost(value: object) -> object:
    is_function = isinstance(value, dict) and list(value) == ["function"] and isinstance(value["function"], str)
    is_measured = isinstance(value, dict) and list(value) == ["expected"] and _is_said(value["expected"])
    if _is_said(value) or is_function or is_measured:
        return value
    raise ValueError(
        'must be an expression in quotes, "measured", a number, a list of one number per level,'
        ' { expected = "0.05 + z**2" }, or { function = "module:name" }'
    )


def _is_said(cost: object) -> bool:
    is_list = isinstance(cost, list) and all(is_number(entry) for entry in cost)
    return is_list or is_number(cost) or isinstance(cost, str)


def _check_resource(value: object) -> object:
    entries = value if isinstance(value, list) else [value]
    if all(is_number(entry) or isinstance(entry, str) for entry in entries):
        return value
    raise ValueError('must be a number, an expression in quotes such as "10m + 2h*z", or a list with one per level')


Duration = Annotated[float | str, BeforeValidator(check_duration)]
Budget = Annotated[Annotated[float, Field(gt=0, allow_inf_nan=False)] | str, BeforeValidator(_check_budget)]
Scalars = Annotated[list[bool | int | float | str], BeforeValidator(_check_scalars)]
Unit = Annotated[str | None, Field(description='What its numbers are in, such as "mm": only a word to be shown.')]
ResourceEntry = Annotated[str | float | list[str | float], BeforeValidator(_check_resource)]


def seconds(duration: float | str | None) -> float | None:
    """A duration such as "2h" in seconds."""
    return duration_seconds(duration) if isinstance(duration, str) else duration


def knob_of_list(entry: object) -> object:
    """The levels of a knob may be given alone."""
    return {"levels": entry} if isinstance(entry, list) else entry
