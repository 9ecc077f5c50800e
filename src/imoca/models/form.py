"""A family of kernels: what its hyperparameters are, and what is believed of them beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from imoca.arrays import Array
from imoca.models.kernel import Kernel

# Log-normal priors (median, standard deviation of the logarithm) for inputs in [0, 1] and standardised values.
LENGTH_SCALE_PER_ROOT_DIMENSION = 0.3 / math.sqrt(2.0)  # medians grow with sqrt(d) [Hvarfner2024]; 0.3 at d = 2
LENGTH_SCALE_LOG_SD = 1.0
SIGNAL_VARIANCE = (1.0, 1.0)
NOISE_VARIANCE = (1e-5, 2.0)  # simulators are nearly deterministic
LOG_BOUNDS_WIDTH = 5.0  # search within so many prior standard deviations


@dataclass(frozen=True)
class Likeness:
    """Some hyperparameters are like others: their ratios scatter around one that is common to all of them.

    That one is 1 or less. It is not fitted: the mean of the logarithms stands for it.
    """

    rows: slice  # of the m hyperparameters
    to: slice  # of those that they are like, in the same order
    deviation: float  # of the logarithm of a ratio from that of the common one
    common_deviation: float  # of that one, below 0

    def penalty(self, logs: Array) -> tuple[float, Array]:
        """Negative log density up to a constant, and its gradient in the logarithms of the ratios (m,)."""
        ratios = logs[self.rows] - logs[self.to]
        m, common, scatter = len(ratios), float(ratios.mean()), self.deviation**2
        apart, variance = ratios - common, scatter / m + (self.common_deviation**2 if common < 0.0 else 0.0)
        value = 0.5 * float(apart @ apart) / scatter + 0.5 * common**2 / variance
        return value, apart / scatter + common / (m * variance)


@dataclass(frozen=True)
class Prior:
    """Of the logarithms of the hyperparameters: normal, or exponential above 0 where ``rate`` is positive."""

    mean: Array  # (p,) where the fit starts
    deviation: Array  # (p,) infinite where a likeness alone says what is believed
    low: Array  # (p,) bounds of the search
    high: Array  # (p,)
    rate: Array  # (p,) 0 where the prior is normal
    likenesses: tuple[Likeness, ...] = ()

    @staticmethod
    def joined(parts: Sequence[Prior]) -> Prior:
        names = ("mean", "deviation", "low", "high", "rate")
        mean, deviation, low, high, rate = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        return Prior(mean, deviation, low, high, rate)

    @staticmethod
    def log_normal(median: float, deviation: float, n: int = 1) -> Prior:
        mean = np.full(n, math.log(median))
        reach = LOG_BOUNDS_WIDTH * deviation
        return Prior(mean, np.full(n, deviation), mean - reach, mean + reach, np.zeros(n))

    @staticmethod
    def above_one(rate: float, largest: float) -> Prior:
        """A hyperparameter that stays at 1 until the data insist."""
        return Prior(np.zeros(1), np.ones(1), np.zeros(1), np.full(1, math.log(largest)), np.full(1, rate))

    @staticmethod
    def length_scales(n_columns: int) -> Prior:
        median = LENGTH_SCALE_PER_ROOT_DIMENSION * math.sqrt(n_columns)
        return Prior.log_normal(median, LENGTH_SCALE_LOG_SD, n_columns)

    def with_likeness(self, likeness: Likeness) -> Prior:
        """The same, but for what some hyperparameters were believed to be by themselves."""
        deviation = self.deviation.copy()
        deviation[likeness.rows] = np.inf
        return replace(self, deviation=deviation, likenesses=(*self.likenesses, likeness))

    def penalty(self, logs: Array) -> tuple[float, Array]:
        """Negative log density up to a constant, and its gradient (p,)."""
        standard = np.where(self.rate > 0.0, 0.0, (logs - self.mean) / self.deviation)
        value, gradient = 0.5 * float(standard @ standard) + float(self.rate @ logs), standard / self.deviation
        gradient += self.rate
        for likeness in self.likenesses:
            more, by_ratios = likeness.penalty(logs)
            value += more
            gradient[likeness.rows] += by_ratios
            gradient[likeness.to] -= by_ratios
        return value, gradient


class Form(Protocol):
    """A family of kernels."""

    def prior(self, n_columns: int) -> Prior:
        """For designs of so many columns."""

    def kernel(self, logs: Array, n_columns: int) -> Kernel:
        """The kernel at given logarithms of the hyperparameters."""

    def starts(self, prior: Prior, n_columns: int) -> list[Array]:
        """Logarithms (p,) from which a fit starts, beside the last fit; the first is the answer if none leads on."""
