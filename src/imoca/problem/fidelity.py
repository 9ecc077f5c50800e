"""The accuracy knob of one simulator, in the user's own units and as z in [0, 1] with z = 1 at the target."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.errors import FidelityError
from imoca.problem.interval import interval_fault, interval_from_unit, interval_to_unit
from imoca.problem.names import as_tuple, duplicates, is_number, is_writable_text, plain_scalar

FidelityValue = str | int | float | None


@dataclass(frozen=True)
class Fidelity:
    """Built by `continuous`, `levels` or `none`.

    z runs from the cheapest setting (0) to the one we care about (1). For a solver tolerance, where
    smaller is better, the target is the low end and z runs downwards.
    """

    kind: Literal["continuous", "levels", "none"]
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    is_target_low: bool = False
    values: tuple[str | int | float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ("continuous", "levels", "none"):
            raise FidelityError(
                f"Fidelity of kind {self.kind!r}; it must be 'continuous', 'levels' or 'none'.",
                hint="Use Fidelity.continuous(low, high), Fidelity.levels([...]) or Fidelity.none().",
            )
        if fault := interval_fault(self.low, self.high, self.log):
            raise FidelityError(f"Fidelity: {fault}.", hint="Declare it as Fidelity.continuous(low, high).")
        if self.kind == "levels":
            self._check_levels()

    @classmethod
    def continuous(
        cls, low: float = 0.0, high: float = 1.0, *, log: bool = False, target: float | None = None
    ) -> "Fidelity":
        """Any number between two ends; the target is one of the ends, the high one unless told."""
        if fault := interval_fault(low, high, log):
            raise FidelityError(
                f"Fidelity: {fault}.",
                hint="Declare it as Fidelity.continuous(low, high), with target=low if low is accurate.",
            )
        if target is not None and (not is_number(target) or target not in (low, high)):
            raise FidelityError(
                f"Fidelity: the target is {target!r}, but must be one of the ends {low!r} and {high!r}.",
                hint="Move the end you care about to the target, or leave target out to aim at high.",
            )
        return cls("continuous", float(low), float(high), log, target is not None and target == low)

    @classmethod
    def levels(cls, values: Sequence[str | int | float]) -> "Fidelity":
        """Two or more settings, ordered from the cheapest to the most accurate, which is the target."""
        declared = as_tuple(values, "Fidelity: the list of levels", FidelityError)
        plain: tuple[str | int | float, ...] = tuple(plain_scalar(level) for level in declared)
        return cls("levels", values=plain)

    @classmethod
    def none(cls) -> "Fidelity":
        """No knob: every run is at the target."""
        return cls("none")

    @property
    def is_numeric(self) -> bool:
        """Whether a cost expression may use z: the settings are numbers."""
        if self.kind == "levels":
            return all(is_number(level) for level in self.values)
        return self.kind == "continuous"

    @property
    def target(self) -> FidelityValue:
        return self.decode(1.0)

    @property
    def cheapest(self) -> FidelityValue:
        return self.decode(0.0)

    def encode(self, value: FidelityValue) -> float:
        """z of a setting in the user's own units."""
        given = plain_scalar(value)
        if self.kind == "none" and given is None:
            return 1.0
        if self.kind == "levels" and _is_level(given) and given in self.values:
            return self.values.index(given) / (len(self.values) - 1)
        if self.kind == "continuous" and is_number(given) and self.low <= given <= self.high:
            fraction = float(interval_to_unit(np.asarray(float(given)), self.low, self.high, self.log))
            return 1.0 - fraction if self.is_target_low else fraction
        raise FidelityError(
            f"Fidelity {value!r} is not {self._allowed()}.",
            hint="Fidelities are given in the simulator's own units, as declared in the problem.",
        )

    def decode(self, z: float) -> FidelityValue:
        """The setting at z in the user's own units: the nearest level, or a number inside the range."""
        if not is_number(z):
            raise FidelityError(
                f"Encoded fidelity {z!r} is not a number in [0, 1].",
                hint="Encoded fidelities come from encode.",
            )
        if self.kind == "none":
            return None
        if self.kind == "levels":
            return self.values[int(self.level_indices(np.array([z]))[0])]
        return float(self.numbers(np.array([z]))[0])

    def numbers(self, z: Array) -> Array:
        """Many settings at once as numbers, for cost expressions; any shape, only if `is_numeric`."""
        if not self.is_numeric:
            raise FidelityError(
                f"The fidelity is {self._allowed()}, which is not a number.",
                hint="Use numeric levels, or give the cost as one number per level.",
            )
        if self.kind == "levels":
            return np.array(self.values, dtype=np.float64)[self.level_indices(z)]
        fraction = 1.0 - np.asarray(z) if self.is_target_low else np.asarray(z)
        return interval_from_unit(fraction, self.low, self.high, self.log)

    def level_indices(self, z: Array) -> IntArray:
        """Position of the nearest level; any shape."""
        return np.rint(np.clip(z, 0.0, 1.0) * (len(self.values) - 1)).astype(np.int64)

    def grid(self, n: int) -> Array:
        """z values that cover the knob: n equally spaced ones, or all levels, or the target alone."""
        if self.kind == "none":
            return np.ones(1)
        if self.kind == "levels":
            return np.arange(len(self.values)) / (len(self.values) - 1)
        if n < 2:
            raise FidelityError(f"A fidelity grid of {n!r} points.", hint="Ask for two or more points.")
        return np.linspace(0.0, 1.0, n)

    def _check_levels(self) -> None:
        invalid = [level for level in self.values if not _is_level(level)]
        if invalid or len(self.values) < 2 or duplicates(self.values):
            raise FidelityError(
                f"Fidelity: the levels are {list(self.values)!r}, but must be two or more different strings"
                " or finite numbers.",
                hint="List them from the cheapest to the most accurate; for one alone use Fidelity.none().",
            )

    def _allowed(self) -> str:
        if self.kind == "none":
            return "None, for the simulator has no fidelity"
        if self.kind == "levels":
            return f"one of the levels {list(self.values)!r}"
        return f"a number in [{self.low}, {self.high}]"


def _is_level(value: object) -> bool:
    if isinstance(value, str):
        return is_writable_text(value)
    return is_number(value) and math.isfinite(value)
