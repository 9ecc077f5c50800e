"""What sets the accuracy of one simulator, in the user's own units and as z in [0, 1] with z = 1 at the target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Self, final

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.errors import FidelityError
from imoca.problem.accuracy import FIDELITY_NAME, Accuracy, FidelityValue, Level
from imoca.problem.interval import interval_fault, interval_from_unit, interval_to_unit
from imoca.problem.names import (
    as_tuple,
    check_name,
    check_told_apart,
    check_unit,
    duplicates,
    is_number,
    is_writable_text,
    plain_scalar,
)
from imoca.wording import shown

MOST_SETTINGS = 1000  # of several knobs together


class Fidelity(Accuracy):
    """Built by `continuous`, `levels`, `sources`, `knobs` or `none`; each kind answers the same questions.

    z runs from the cheapest setting (0) to the one we care about (1). For a solver tolerance, where
    smaller is better, the target is the low end and z runs downwards. Of sources and of several knobs z is no more than
    a number for every setting, 1 for the target.
    """

    def __new__(cls, *_: object, **__: object) -> Self:
        if cls is Fidelity:
            raise FidelityError(
                "Fidelity(...) does not say of which kind it is.",
                hint="Use Fidelity.continuous(low, high), Fidelity.levels([...]), Fidelity.sources([...]),"
                " Fidelity.knobs(mesh=[...], steps=[...]) or Fidelity.none().",
            )
        return super().__new__(cls)

    @staticmethod
    def continuous(
        low: float = 0.0,
        high: float = 1.0,
        *,
        log: bool = False,
        target: float | None = None,
        unit: str | None = None,
    ) -> "Continuous":
        """Any number between two ends; the target is one of the ends, the high one unless told."""
        declared = Continuous(low, high, log, unit=unit)  # the ends are sound before the target is compared with them
        if target is None:
            return declared
        if not is_number(target) or target not in (low, high):
            raise FidelityError(
                f"Fidelity: the target is {shown(target)}, but must be one of the ends {shown(low)} and {shown(high)}.",
                hint="Move the end you care about to the target, or leave target out to aim at high.",
            )
        return Continuous(low, high, log, is_target_low=bool(target == low), unit=unit)

    @staticmethod
    def levels(values: Sequence[str | int | float], *, unit: str | None = None) -> "Levels":
        """Two or more settings, ordered from the cheapest to the most accurate, which is the target."""
        return Levels(as_tuple(values, "Fidelity: the list of levels", FidelityError), unit=unit)

    @staticmethod
    def sources(values: Sequence[str | int | float]) -> "Levels":
        """Models of the same thing without an order of accuracy, but for the last, which is the target.

        Any of the others may be good for one output and useless for another. The first is where a study begins: name a
        cheap one.
        """
        return Levels(as_tuple(values, "Fidelity: the list of sources", FidelityError), is_ordered=False)

    @staticmethod
    def knobs(**levels: "Sequence[str | int | float] | Levels") -> "Knobs":
        """Two or more knobs by name, each with its levels from the cheapest to the most accurate.

        A run is told each by its name, as functions and cost expressions are: ``Fidelity.knobs(panels=[2, 3, 7],
        steps=[10, 100])``. The target is every knob at its last level.
        """
        return Knobs(tuple((name, _knob_levels(name, given)) for name, given in levels.items()))

    @staticmethod
    def none() -> "Exact":
        """No knob: every run is at the target."""
        return Exact()


@final
@dataclass(frozen=True)
class Continuous(Fidelity):
    """Any number between two ends, of which one is the target."""

    low: float = 0.0
    high: float = 1.0
    log: bool = False
    is_target_low: bool = False
    unit: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_unit(self.unit, "Fidelity", FidelityError)
        if fault := interval_fault(self.low, self.high, self.log):
            raise FidelityError(
                f"Fidelity: {fault}.",
                hint="Declare it as Fidelity.continuous(low, high), with target=low if low is accurate.",
            )
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))

    @property
    def has_knob(self) -> bool:
        return True

    @property
    def is_continuous(self) -> bool:
        return True

    @property
    def is_numeric(self) -> bool:
        return True

    def encode_all(self, values: Sequence[FidelityValue]) -> Array:  # (n,)
        settings = np.empty(len(values))
        for i, value in enumerate(values):
            if not (is_number(value) and self.low <= value <= self.high):
                raise self._refusal(value)
            settings[i] = value
        fractions = interval_to_unit(settings, self.low, self.high, self.log)
        return 1.0 - fractions if self.is_target_low else fractions

    def numbers(self, z: Array) -> Array:
        fractions = 1.0 - np.asarray(z) if self.is_target_low else np.asarray(z)
        return interval_from_unit(fractions, self.low, self.high, self.log)

    def grid(self, n: int) -> Array:
        if n < 2:
            raise FidelityError(f"A fidelity grid of {shown(n)} points.", hint="Ask for two or more points.")
        return np.linspace(0.0, 1.0, n)

    def _setting(self, z: float) -> FidelityValue:
        return float(self.numbers(np.array([z]))[0])

    def _allowed(self) -> str:
        return f"a number in [{self.low}, {self.high}]"


@final
@dataclass(frozen=True)
class Levels(Fidelity):
    """Two or more settings, ordered from the cheapest to the most accurate; or sources without order.

    The last one is the target.
    """

    values: tuple[Level, ...]
    unit: str | None = field(default=None, kw_only=True)
    is_ordered: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        check_unit(self.unit, "Fidelity", FidelityError)
        object.__setattr__(self, "values", tuple(plain_scalar(level) for level in self.values))
        if not all(map(_is_level, self.values)) or len(self.values) < 2 or duplicates(self.values):
            raise FidelityError(
                f"Fidelity: the {self._kind} are {shown(list(self.values))}, but must be two or more different strings"
                " or finite numbers.",
                hint="List them from the cheapest to the most accurate; for one alone use Fidelity.none()."
                if self.is_ordered
                else "List them with full accuracy last; for one alone use Fidelity.none().",
            )
        check_told_apart(self.values, "Fidelity", FidelityError)
        if self.unit is not None and not self.is_numeric:
            raise FidelityError(
                f"Fidelity: the levels {shown(list(self.values))} have the unit {shown(self.unit)}, but are not"
                " numbers.",
                hint="Leave the unit out: levels that are words say what they are.",
            )

    @property
    def has_knob(self) -> bool:
        return True

    @property
    def is_continuous(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return all(is_number(level) for level in self.values)

    def encode_all(self, values: Sequence[FidelityValue]) -> Array:  # (n,)
        positions = {level: i for i, level in enumerate(self.values)}
        indices = np.empty(len(values))
        for i, value in enumerate(values):
            given = plain_scalar(value)
            if not _is_level(given) or given not in positions:
                raise self._refusal(value)
            indices[i] = positions[given]
        return indices / (len(self.values) - 1)

    def numbers(self, z: Array) -> Array:
        if not self.is_numeric:
            raise self._not_numeric()
        return np.array(self.values, dtype=np.float64)[self.level_indices(z)]

    def level_indices(self, z: Array) -> IntArray:
        """Position of the nearest level; any shape."""
        return np.rint(np.clip(z, 0.0, 1.0) * (len(self.values) - 1)).astype(np.int64)

    def grid(self, n: int) -> Array:
        return np.arange(len(self.values)) / (len(self.values) - 1)

    def shortfalls(self, z: Array) -> Array:  # (m,) -> (m, p)
        """Of sources without order each is as far from full accuracy as any, in a direction of its own."""
        if self.is_ordered:
            return super().shortfalls(z)
        return np.eye(len(self.values))[self.level_indices(z), :-1]

    def _setting(self, z: float) -> FidelityValue:
        return self.values[int(self.level_indices(np.array([z]))[0])]

    def _allowed(self) -> str:
        return f"one of the {self._kind} {shown(list(self.values))}"

    @property
    def _kind(self) -> str:
        return "levels" if self.is_ordered else "sources"


@final
@dataclass(frozen=True)
class Knobs(Fidelity):
    """Several knobs of one simulator, each with levels; a setting has one level of each.

    Settings are numbered by how far the knobs are turned up together, the cheapest first.
    """

    parts: tuple[tuple[str, Levels], ...]
    is_ordered: bool = field(default=False, init=False)
    positions: IntArray = field(init=False, repr=False, compare=False)  # (n_settings, n_knobs) of the levels

    def __post_init__(self) -> None:
        names = [name for name, _ in self.parts]
        for name in names:
            check_name(name, "a knob", FidelityError)
        if len(names) < 2 or duplicates(names) or FIDELITY_NAME in names:
            raise FidelityError(
                f"Fidelity: the knobs are {shown(names)}, but must be two or more with different names, none of them"
                f" {FIDELITY_NAME!r}.",
                hint="Write Fidelity.knobs(panels=[2, 3, 7], steps=[10, 100]); for one knob Fidelity.levels([...]).",
            )
        n_settings = int(np.prod([len(levels.values) for _, levels in self.parts], dtype=np.float64))
        if n_settings > MOST_SETTINGS:
            raise FidelityError(
                f"Fidelity: the knobs {shown(names)} have {n_settings} settings together, at most {MOST_SETTINGS} are"
                " allowed.",
                hint="Give each fewer levels; five to eight are plenty.",
            )
        counts = [len(levels.values) for _, levels in self.parts]
        every = list(product(*map(range, counts)))
        every.sort(key=lambda at: (sum(i / (n - 1) for i, n in zip(at, counts, strict=True)), at))
        object.__setattr__(self, "positions", np.array(every))

    @property
    def has_knob(self) -> bool:
        return True

    @property
    def is_continuous(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return False  # one number does not say it; `variables` has those of its knobs that are numbers

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.parts)

    @property
    def knobs_apart(self) -> tuple[tuple[str | None, Accuracy], ...]:
        return self.parts

    @property
    def numeric_names(self) -> tuple[str, ...]:
        return tuple(name for name, levels in self.parts if levels.is_numeric)

    def variables(self, z: Array) -> dict[str, Array]:
        at = self.positions[self._indices(z)]  # (..., n_knobs)
        return {
            name: np.array(levels.values, dtype=np.float64)[at[..., i]]
            for i, (name, levels) in enumerate(self.parts)
            if levels.is_numeric
        }

    def encode_all(self, values: Sequence[FidelityValue]) -> Array:  # (n,)
        numbers = {tuple(at): i for i, at in enumerate(self.positions.tolist())}
        return np.array([numbers[self._position(value)] for value in values], dtype=np.float64) / (len(numbers) - 1)

    def numbers(self, z: Array) -> Array:
        raise self._not_numeric()

    def grid(self, n: int) -> Array:
        return np.arange(len(self.positions)) / (len(self.positions) - 1)

    def shortfalls(self, z: Array) -> Array:  # (m,) -> (m, n_knobs)
        return 1.0 - self.positions[self._indices(z)] / self.positions.max(axis=0)

    def _position(self, value: FidelityValue) -> tuple[int, ...]:
        if not isinstance(value, Mapping) or set(value) != set(self.names):
            raise self._refusal(value)
        levels = {name: {level: i for i, level in enumerate(knob.values)} for name, knob in self.parts}
        given = {name: plain_scalar(value[name]) for name in self.names}
        if not all(_is_level(level) and level in levels[name] for name, level in given.items()):
            raise self._refusal(value)
        return tuple(levels[name][given[name]] for name in self.names)

    def _indices(self, z: Array) -> IntArray:
        return np.rint(np.clip(z, 0.0, 1.0) * (len(self.positions) - 1)).astype(np.int64)

    def _setting(self, z: float) -> FidelityValue:
        at = self.positions[self._indices(np.array(z))].tolist()
        return {name: levels.values[i] for (name, levels), i in zip(self.parts, at, strict=True)}

    def _allowed(self) -> str:
        return "a level of each knob: " + ", ".join(
            f"{name} {shown(list(levels.values))}" for name, levels in self.parts
        )


@final
@dataclass(frozen=True)
class Exact(Fidelity):
    """No knob: every run is at the target, and its setting is None."""

    @property
    def has_knob(self) -> bool:
        return False

    @property
    def is_continuous(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return False

    def encode_all(self, values: Sequence[FidelityValue]) -> Array:  # (n,)
        for value in values:
            if value is not None:
                raise self._refusal(value)
        return np.ones(len(values))

    def numbers(self, z: Array) -> Array:
        raise self._not_numeric()

    def grid(self, n: int) -> Array:
        return np.ones(1)

    def _setting(self, z: float) -> FidelityValue:
        return None

    def _allowed(self) -> str:
        return "None, for the simulator has no fidelity"


def _knob_levels(name: str, given: Sequence[Level] | Levels) -> Levels:
    if isinstance(given, Fidelity):
        if isinstance(given, Levels) and given.is_ordered:
            return given
        raise FidelityError(
            f"Fidelity: the knob {name!r} is {shown(given)}, but one of several knobs has levels.",
            hint=f"List a handful of settings from the cheapest to the most accurate: {name}=[10, 30, 100].",
        )
    return Levels(as_tuple(given, f"Fidelity: the levels of {name!r}", FidelityError))


def _is_level(value: object) -> bool:
    return is_writable_text(value) if isinstance(value, str) else is_number(value)
