"""How the error of a simulator fades: weight 1 at its cheapest setting, 0 at full accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.form import Prior
from imoca.models.kernel import SMALLEST_REST

SETTLING_RATE = 2.0  # of the exponential prior of log a: the error falls in a straight line until the data insist
LARGEST_SETTLING = 20.0  # beyond, a fidelity of a few per cent would be as good as the full one
LEVEL_LOG_SD = 1.0  # of the ratio of a level's weight to that of the level below
LARGEST_LEVEL_RATIO = 0.999  # a level that were as bad as the one below would not be told from it


class Fading(Protocol):
    """The weight of one error as a function of the fidelity, with parameters that are learned by their logarithms."""

    @property
    def bends(self) -> bool:
        """Whether there are fidelities between the ends, where the error need not fall as supposed."""

    @property
    def n_parameters(self) -> int:
        """t."""

    def prior(self) -> Prior:
        """Of the logarithms (t,) of its parameters."""

    def weights(self, z: Array, logs: Array) -> Array:
        """(n,), (t,) -> (n,)."""

    def slopes(self, z: Array, logs: Array) -> Array:
        """(n,), (t,) -> (n, t): derivatives of the weights in the logarithms."""


@dataclass(frozen=True)
class KnobFading:
    """``w = (1 - z)^a`` of a continuous knob; a > 1 is a simulator that settles early."""

    @property
    def bends(self) -> bool:
        return True

    @property
    def n_parameters(self) -> int:
        return 1

    def prior(self) -> Prior:
        return Prior.above_one(SETTLING_RATE, LARGEST_SETTLING)

    def weights(self, z: Array, logs: Array) -> Array:
        return np.asarray((1.0 - z) ** np.exp(logs[0]))

    def slopes(self, z: Array, logs: Array) -> Array:
        weights = self.weights(z, logs)
        return (weights * np.log(np.maximum(weights, SMALLEST_REST)))[:, None]


@dataclass(frozen=True)
class LevelFading:
    """Levels in order, each with a weight of its own: ``1 = w_0 >= w_1 >= ... >= w* = 0``, learned as ratios."""

    n_levels: int
    level_of: tuple[int, ...] | None = None  # by setting, where other knobs are set with this one; else in order

    @property
    def bends(self) -> bool:
        return self.n_levels > 2

    @property
    def n_parameters(self) -> int:
        return max(self.n_levels - 2, 0)

    def prior(self) -> Prior:
        """Around levels that are equally spaced."""
        even = 1.0 - np.arange(self.n_levels - 1) / max(self.n_levels - 1, 1)
        mean = np.log(even[1:] / even[:-1])
        deviation = np.full(len(mean), LEVEL_LOG_SD)
        high = np.full(len(mean), np.log(LARGEST_LEVEL_RATIO))
        return Prior(mean, deviation, mean - 5.0 * deviation, high, np.zeros(len(mean)))

    def weights(self, z: Array, logs: Array) -> Array:
        by_level = np.concatenate([[1.0], np.exp(np.cumsum(logs)), [0.0]])
        return np.asarray(by_level[self._levels(z)])

    def slopes(self, z: Array, logs: Array) -> Array:
        passed = self._levels(z)[:, None] > np.arange(len(logs))  # a level's weight holds all ratios up to its own
        return np.where(passed, self.weights(z, logs)[:, None], 0.0)

    def _levels(self, z: Array) -> IntArray:  # (n,)
        if self.level_of is None:
            return np.rint(z * (self.n_levels - 1)).astype(np.int64)
        return np.array(self.level_of)[np.rint(z * (len(self.level_of) - 1)).astype(np.int64)]


@dataclass(frozen=True)
class SourceFading:
    """One of several sources without order: an error that is there in its runs and in no others."""

    source: int
    n_sources: int  # the last one is full accuracy

    @property
    def bends(self) -> bool:
        return False

    @property
    def n_parameters(self) -> int:
        return 0

    def prior(self) -> Prior:
        return Prior.log_normal(1.0, 1.0, self.n_parameters)

    def weights(self, z: Array, logs: Array) -> Array:
        return (np.rint(z * (self.n_sources - 1)) == self.source).astype(np.float64)

    def slopes(self, z: Array, logs: Array) -> Array:
        return np.empty((len(z), 0))
