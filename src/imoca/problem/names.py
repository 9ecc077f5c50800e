"""Checks shared by everything a user names or counts: names, plain numbers, sequences."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

from imoca.errors import ImocaError

T = TypeVar("T")


def check_name(name: object, what: str, error: type[ImocaError]) -> str:
    """The name itself, or an error: names are non-empty text that a UTF-8 file can hold."""
    if not isinstance(name, str) or not name or not is_writable_text(name):
        raise error(
            f"The name of {what} is {name!r}; it must be a non-empty string of valid Unicode text.",
            hint=f"Give {what} a name such as 'thickness'.",
        )
    return str(name)


def is_writable_text(text: str) -> bool:
    """False for lone surrogates and null characters, which neither files nor programs can be given."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def is_number(value: object) -> TypeGuard[float]:
    """A finite real number; booleans, NaN and numbers in quotes are not."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def is_whole(value: object) -> TypeGuard[float]:
    """A number without a fraction, be it an int or a float such as 4.0."""
    return is_number(value) and float(value) == int(value)


def plain_scalar(value: Any) -> Any:
    """The Python value inside a NumPy scalar; anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def as_tuple(values: Iterable[T], what: str, error: type[ImocaError]) -> tuple[T, ...]:
    """A tuple of a list, tuple or array; a string is refused, being a sequence only by accident."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence | np.ndarray):
        raise error(f"{what} came as {values!r}, which is not a list.", hint="Give a list or a tuple.")
    return tuple(values)


def duplicates(values: Sequence[object]) -> list[object]:
    """Values equal to an earlier one; 1, 1.0 and True count as equal."""
    return [value for index, value in enumerate(values) if value in values[:index]]
