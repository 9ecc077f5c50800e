"""The accuracy knob of one simulator, in the user's own units and as z in [0, 1] with z = 1 at the target."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, final

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.errors import FidelityError
from imoca.problem.interval import interval_fault, interval_from_unit, interval_to_unit
from imoca.problem.names import as_tuple, check_unit, duplicates, is_number, is_writable_text, plain_scalar
from imoca.wording import shown

FidelityValue = str | int | float | None


class Fidelity(ABC):
    """Built by `continuous`, `levels` or `none`; each kind is a class that answers the same questions.

    z runs from the cheapest setting (0) to the one we care about (1). For a solver tolerance, where
    smaller is better, the target is the low end and z runs downwards.
    """

    unit: str | None = None  # of its settings, to be shown

    def __new__(cls, *_: object, **__: object) -> Self:
        if cls is Fidelity:
            raise FidelityError(
                "Fidelity(...) does not say of which kind it is.",
                hint="Use Fidelity.continuous(low, high), Fidelity.levels([...]) or Fidelity.none().",
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
    def none() -> "Exact":
        """No knob: every run is at the target."""
        return Exact()

    @property
    @abstractmethod
    def has_knob(self) -> bool:
        """Whether there is more than one setting to choose from."""

    @property
    @abstractmethod
    def is_continuous(self) -> bool:
        """Whether there are settings as near to the target as one likes."""

    @property
    @abstractmethod
    def is_numeric(self) -> bool:
        """Whether a cost expression may use z: the settings are numbers."""

    @property
    def target(self) -> FidelityValue:
        return self.decode(1.0)

    @property
    def cheapest(self) -> FidelityValue:
        return self.decode(0.0)

    def encode(self, value: FidelityValue) -> float:
        """z of a setting in the user's own units."""
        return float(self.encode_all([value])[0])

    @abstractmethod
    def encode_all(self, values: Sequence[FidelityValue]) -> Array:  # (n,)
        """z of many settings at once; the first that is not one of ours is refused."""

    def decode(self, z: float) -> FidelityValue:
        """The setting at z in the user's own units: the nearest level, or a number inside the range."""
        if not is_number(z):
            raise FidelityError(
                f"Encoded fidelity {shown(z)} is not a number in [0, 1].",
                hint="Encoded fidelities come from encode.",
            )
        return self._setting(float(z))

    @abstractmethod
    def numbers(self, z: Array) -> Array:
        """Many settings at once as numbers, for cost expressions; any shape, only if `is_numeric`."""

    @abstractmethod
    def grid(self, n: int) -> Array:
        """z values that cover the knob: n equally spaced ones, or all levels, or the target alone."""

    @abstractmethod
    def _setting(self, z: float) -> FidelityValue:
        """The setting at z, which is a number."""

    @abstractmethod
    def _allowed(self) -> str:
        """What a setting may be, in words."""

    def _refusal(self, value: FidelityValue) -> FidelityError:
        return FidelityError(
            f"Fidelity {shown(value)} is not {self._allowed()}.",
            hint="Fidelities are given in the simulator's own units, as declared in the problem.",
        )

    def _not_numeric(self) -> FidelityError:
        return FidelityError(
            f"The fidelity is {self._allowed()}, which is not a number.",
            hint="Use numeric levels, or give the cost as one number per level.",
        )


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
    """Two or more settings, ordered from the cheapest to the most accurate, which is the target."""

    values: tuple[str | int | float, ...]
    unit: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_unit(self.unit, "Fidelity", FidelityError)
        object.__setattr__(self, "values", tuple(plain_scalar(level) for level in self.values))
        if not all(map(_is_level, self.values)) or len(self.values) < 2 or duplicates(self.values):
            raise FidelityError(
                f"Fidelity: the levels are {shown(list(self.values))}, but must be two or more different strings"
                " or finite numbers.",
                hint="List them from the cheapest to the most accurate; for one alone use Fidelity.none().",
            )
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

    def _setting(self, z: float) -> FidelityValue:
        return self.values[int(self.level_indices(np.array([z]))[0])]

    def _allowed(self) -> str:
        return f"one of the levels {shown(list(self.values))}"


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


def _is_level(value: object) -> bool:
    return is_writable_text(value) if isinstance(value, str) else is_number(value)
