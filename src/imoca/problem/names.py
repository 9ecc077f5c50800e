"""Checks shared by everything a user names or counts: names, plain numbers, sequences."""

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, TypeGuard, TypeVar

import numpy as np

from imoca.errors import ImocaError
from imoca.wording import shown

T = TypeVar("T")

LONGEST_UNIT = 30  # characters: kg m^-2 s^-1 K^-4 has 17
MOST_WORKERS = 1000  # simulators at a time: more questions than anybody asks without an answer


def check_name(name: object, what: str, error: type[ImocaError]) -> str:
    """The name itself, or an error: names are non-empty text that a UTF-8 file can hold."""
    if not isinstance(name, str) or not name or not is_writable_text(name):
        raise error(
            f"The name of {what} is {shown(name)}; it must be a non-empty string of valid Unicode text.",
            hint=f"Give {what} a name such as 'thickness'.",
        )
    return str(name)


def check_unit(unit: object, what: str, error: type[ImocaError]) -> None:
    """A unit is a word to be shown, such as mm or kg/m^3; nothing is computed with it."""
    is_word = isinstance(unit, str) and unit.isprintable() and unit == unit.strip() and 0 < len(unit) <= LONGEST_UNIT
    if unit is not None and not is_word:
        raise error(
            f"{what}: the unit is {shown(unit)}, but must be 1 to {LONGEST_UNIT} characters that can be printed, with"
            " no blanks at its ends.",
            hint="Write it as readers know it, such as 'mm' or 'kg/m^3', or leave it out.",
        )


def is_writable_text(text: str) -> bool:
    """False for lone surrogates and null characters, which neither files nor programs can be given."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def is_number(value: object) -> TypeGuard[float]:
    """A finite real number, Python's or NumPy's or a fraction; booleans, NaN and numbers in quotes are not."""
    if isinstance(value, bool) or not isinstance(value, int | float | Real):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def is_integer(value: object) -> TypeGuard[int]:
    """An int, Python's or NumPy's: what counts and numbers things. Neither True nor 4.0 does."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[float]:
    """A number without a fraction, be it an int or a float such as 4.0: what a quantity may be."""
    return is_integer(value) or (is_number(value) and float(value).is_integer())


def plain_scalar(value: Any) -> Any:
    """The Python value of a NumPy scalar or of a fraction, such as files can hold; anything else unchanged."""
    item = value.item() if isinstance(value, np.generic) else value
    if isinstance(item, int | float) or not is_number(item):
        return item
    return int(item) if is_integer(item) else float(item)


def as_tuple(values: Iterable[T], what: str, error: type[ImocaError]) -> tuple[T, ...]:
    """A tuple of a list, tuple or array; a string is refused, being a sequence only by accident."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence | np.ndarray):
        raise error(f"{what} came as {shown(values)}, which is not a list.", hint="Give a list or a tuple.")
    return tuple(values)


def duplicates(values: Sequence[object]) -> list[object]:
    """Values equal to an earlier one; 1, 1.0 and True count as equal."""
    return [value for index, value in enumerate(values) if value in values[:index]]


def check_told_apart(values: Sequence[object], what: str, error: type[ImocaError]) -> None:
    """In a table of text 1 and "1" look the same, and an old result would be taken for another one."""
    if alike := duplicates([str(value) for value in values]):
        raise error(
            f"{what}: two of its values {shown(list(values))} are both written {alike[0]}.",
            hint="Call one of them otherwise: files of trials could not tell them apart.",
        )
