"""The three kinds of parameters and how each becomes columns of the unit cube.

Every kind offers the same members, so that a search space treats them alike. Encoded columns lie in [0, 1]:
one for a real or an integer, one for a choice between two values, and one per value (one-hot) for more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.errors import ParameterError
from imoca.problem.interval import interval_fault, interval_from_unit, interval_to_unit
from imoca.problem.names import (
    as_tuple,
    check_name,
    check_told_apart,
    check_unit,
    duplicates,
    is_number,
    is_whole,
    is_writable_text,
    plain_scalar,
)
from imoca.wording import shown

Value = str | int | float | bool

# The largest magnitude at which every integer still survives being scaled to [0, 1] and back in float64.
LARGEST_INTEGER = 2**48
CHOICE_HAS_NO_UNIT = "A choice is of values, not of amounts: say the unit in its values or in its name."


def _check_encoded(name: str, columns: Array, n_columns: int) -> Array:  # (n_columns,) -> (1, n_columns)
    encoded = np.asarray(columns, dtype=np.float64)
    if encoded.shape != (n_columns,) or not np.isfinite(encoded).all():
        raise ParameterError(
            f"Parameter {name!r}: encoded as {columns!r}, but {n_columns} finite column(s) are needed.",
            hint="Encoded designs come from encode, from_unit or snap.",
        )
    return encoded[None, :]


@dataclass(frozen=True)
class Real:
    """A real number between two bounds; `log` spreads designs evenly over its orders of magnitude."""

    name: str
    low: float
    high: float
    log: bool = False
    unit: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_name(self.name, "a parameter", ParameterError)
        if fault := interval_fault(self.low, self.high, self.log):
            raise ParameterError(
                f"Parameter {self.name!r}: {fault}.",
                hint="Declare it as Real(name, low, high), with log=True for positive scales only.",
            )
        check_unit(self.unit, f"Parameter {self.name!r}", ParameterError)
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))

    @property
    def n_columns(self) -> int:
        return 1

    @property
    def is_discrete(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return True

    def check(self, value: object) -> Value:
        """The value as a float inside the bounds, or a ParameterError."""
        if not is_number(value) or not self.low <= float(value) <= self.high:
            raise ParameterError(
                f"Parameter {self.name!r}: {shown(value)} is not a number in [{self.low}, {self.high}].",
                hint="Give a number inside these bounds, or widen them in the problem.",
            )
        return float(value)

    def encode(self, values: Sequence[Value]) -> Array:  # (n, 1)
        """Values that passed `check`, one row each."""
        return interval_to_unit(np.array(values, dtype=np.float64)[:, None], self.low, self.high, self.log)

    def decode(self, columns: Array) -> Value:
        return float(self.numbers(_check_encoded(self.name, columns, 1))[0])

    def from_unit(self, u: Array) -> Array:  # (n,) -> (n, 1)
        return np.clip(u, 0.0, 1.0)[:, None]

    def snap(self, columns: Array) -> Array:  # (n, 1) -> (n, 1)
        return np.clip(columns, 0.0, 1.0)

    def neighbours(self, columns: Array) -> Array:  # (1,) -> (0, 1)
        """None: a real number has no next one."""
        return np.empty((0, 1))

    def numbers(self, columns: Array) -> Array:  # (n, 1) -> (n,)
        """The decoded values, many designs at once."""
        return interval_from_unit(columns[:, 0], self.low, self.high, self.log)


@dataclass(frozen=True)
class Integer:
    """A whole number between two bounds, both included."""

    name: str
    low: int
    high: int
    unit: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_name(self.name, "a parameter", ParameterError)
        is_valid = is_whole(self.low) and is_whole(self.high) and self.low < self.high
        if not is_valid or max(abs(int(self.low)), abs(int(self.high))) > LARGEST_INTEGER:
            raise ParameterError(
                f"Parameter {self.name!r}: the bounds are {shown(self.low)} and {shown(self.high)}, but must be whole"
                f" numbers, low less than high, none beyond {LARGEST_INTEGER} in size.",
                hint="Declare it as Integer(name, low, high), or as Real if it need not be whole.",
            )
        check_unit(self.unit, f"Parameter {self.name!r}", ParameterError)
        object.__setattr__(self, "low", int(self.low))
        object.__setattr__(self, "high", int(self.high))

    @property
    def n_columns(self) -> int:
        return 1

    @property
    def is_discrete(self) -> bool:
        return True

    @property
    def is_numeric(self) -> bool:
        return True

    def check(self, value: object) -> Value:
        """The value as an int inside the bounds, or a ParameterError; 4.0 passes as 4."""
        if not is_whole(value) or not self.low <= int(value) <= self.high:
            raise ParameterError(
                f"Parameter {self.name!r}: {shown(value)} is not a whole number in [{self.low}, {self.high}].",
                hint="Give a whole number inside these bounds, or widen them in the problem.",
            )
        return int(value)

    def encode(self, values: Sequence[Value]) -> Array:  # (n, 1)
        """Values that passed `check`, one row each."""
        return (np.array(values, dtype=np.float64)[:, None] - self.low) / self._n_steps

    def decode(self, columns: Array) -> Value:
        return self.low + int(self._steps(_check_encoded(self.name, columns, 1))[0, 0])

    def from_unit(self, u: Array) -> Array:  # (n,) -> (n, 1)
        """Equal shares of [0, 1] for every integer: the two at the ends get no less than the others."""
        steps = np.floor(np.clip(u, 0.0, 1.0) * (self._n_steps + 1))
        return (np.minimum(steps, self._n_steps) / self._n_steps)[:, None]

    def snap(self, columns: Array) -> Array:  # (n, 1) -> (n, 1)
        return self._steps(columns) / self._n_steps

    def neighbours(self, columns: Array) -> Array:  # (1,) -> (m, 1), m = 1 or 2
        """One step down and one step up, as far as the bounds allow."""
        candidates = self._steps(columns[None, :])[0] + np.array([-1.0, 1.0])
        inside: Array = candidates[(candidates >= 0) & (candidates <= self._n_steps)]
        return (inside / self._n_steps)[:, None]

    def numbers(self, columns: Array) -> Array:  # (n, 1) -> (n,)
        """The decoded values, many designs at once."""
        values: Array = self.low + self._steps(columns)[:, 0]
        return values

    @property
    def _n_steps(self) -> int:
        return self.high - self.low

    def _steps(self, columns: Array) -> Array:
        return np.rint(np.clip(columns, 0.0, 1.0) * self._n_steps)


@dataclass(frozen=True, init=False)
class Choice:
    """One of several values without order."""

    name: str
    values: tuple[Value, ...]

    def __init__(self, name: str, values: Sequence[Value], *, unit: None = None) -> None:
        check_name(name, "a parameter", ParameterError)
        if unit is not None:
            raise ParameterError(
                f"Parameter {name!r} is a choice, but has the unit {shown(unit)}.", hint=CHOICE_HAS_NO_UNIT
            )
        declared = as_tuple(values, f"Parameter {name!r}: the list of values", ParameterError)
        plain = tuple(plain_scalar(value) for value in declared)
        if not all(_is_choice_value(value) for value in plain) or len(plain) < 2 or duplicates(plain):
            raise ParameterError(
                f"Parameter {name!r}: the values are {shown(list(plain))}, but must be two or more different"
                " strings, finite numbers or booleans (1, 1.0 and True count as the same).",
                hint="Declare it as Choice(name, [value, value, ...]).",
            )
        check_told_apart(plain, f"Parameter {name!r}", ParameterError)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", plain)

    @property
    def unit(self) -> None:
        """None: its values say all."""

    @property
    def n_columns(self) -> int:
        return 1 if len(self.values) == 2 else len(self.values)

    @property
    def is_discrete(self) -> bool:
        return True

    @property
    def is_numeric(self) -> bool:
        """Whether a cost may use it: all values are numbers or booleans (False is 0, True is 1)."""
        return not any(isinstance(value, str) for value in self.values)

    def check(self, value: object) -> Value:
        """The declared value equal to the given one, or a ParameterError; True does not pass for 1."""
        given = plain_scalar(value)
        if _is_choice_value(given):
            for allowed in self.values:
                if allowed == given and isinstance(allowed, bool) == isinstance(given, bool):
                    return allowed
        raise ParameterError(
            f"Parameter {self.name!r}: {shown(value)} is not one of {shown(list(self.values))}.",
            hint="Give one of the declared values, or add it to the problem.",
        )

    def encode(self, values: Sequence[Value]) -> Array:  # (n, n_columns)
        """Values that passed `check`, one row each."""
        return self._columns(np.array([self.values.index(value) for value in values], dtype=np.int64))

    def decode(self, columns: Array) -> Value:
        encoded = _check_encoded(self.name, columns, self.n_columns)
        return self.values[int(self._indices(encoded)[0])]

    def from_unit(self, u: Array) -> Array:  # (n,) -> (n, n_columns)
        """Equal shares of [0, 1] for every value."""
        indices = np.floor(np.clip(u, 0.0, 1.0) * len(self.values)).astype(np.int64)
        return self._columns(np.minimum(indices, len(self.values) - 1))

    def snap(self, columns: Array) -> Array:  # (n, n_columns) -> (n, n_columns)
        return self._columns(self._indices(columns))

    def neighbours(self, columns: Array) -> Array:  # (n_columns,) -> (m, n_columns)
        """Every other value."""
        present = self._indices(columns[None, :])[0]
        return self._columns(np.delete(np.arange(len(self.values)), present))

    def numbers(self, columns: Array) -> Array:  # (n, n_columns) -> (n,)
        """The decoded values, many designs at once; only for numeric choices."""
        return np.array(self.values, dtype=np.float64)[self._indices(columns)]

    def _indices(self, columns: Array) -> IntArray:
        if self.n_columns == 1:
            return np.asarray(columns[:, 0] >= 0.5, dtype=np.int64)
        return np.asarray(np.argmax(columns, axis=1), dtype=np.int64)

    def _columns(self, indices: IntArray) -> Array:
        if self.n_columns == 1:
            return indices.astype(np.float64)[:, None]
        return np.eye(len(self.values))[indices]


def _is_choice_value(value: object) -> bool:
    if isinstance(value, str):
        return is_writable_text(value)
    return isinstance(value, bool) or is_number(value)


Parameter = Real | Integer | Choice
