"""A family of kernels: what its hyperparameters are, and what is believed of them beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
class Prior:
    """Of the logarithms of the hyperparameters: normal, or exponential above 0 where ``rate`` is positive."""

    mean: Array  # (p,) where the fit starts
    deviation: Array  # (p,)
    low: Array  # (p,) bounds of the search
    high: Array  # (p,)
    rate: Array  # (p,) 0 where the prior is normal

    @staticmethod
    def joined(parts: Sequence[Prior]) -> Prior:
        names = ("mean", "deviation", "low", "high", "rate")
        return Prior(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

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

    def penalty(self, logs: Array) -> tuple[float, Array]:
        """Negative log density up to a constant, and its gradient (p,)."""
        standard = np.where(self.rate > 0.0, 0.0, (logs - self.mean) / self.deviation)
        return 0.5 * float(standard @ standard) + float(self.rate @ logs), standard / self.deviation + self.rate


class Form(Protocol):
    """A family of kernels."""

    def prior(self, n_columns: int) -> Prior:
        """For designs of so many columns."""

    def kernel(self, logs: Array, n_columns: int) -> Kernel:
        """The kernel at given logarithms of the hyperparameters."""

    def starts(self, prior: Prior, n_columns: int) -> list[Array]:
        """Logarithms (p,) from which a fit starts, beside the last fit; the first is the answer if none leads on."""
