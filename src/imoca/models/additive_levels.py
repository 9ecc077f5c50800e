"""A few ordered levels, each adding an error of its own to the one below: MF-OSEMO [BelakariaDeshwal2020].

``kappa((x, m), (x', m')) = kappa_f(x, x') + min(m, m') kappa_e(x, x')`` [Takeno2020] for levels m = 0 .. M - 1, the
last of which is the target. (They count levels from 1 and so write ``min(m, m') - 1``.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.form import NOISE_VARIANCE, SIGNAL_VARIANCE, Prior
from imoca.models.kernel import Block, BlockGradient, WeightedFunctions

ERROR_VARIANCE = (0.1, 1.5)  # median and deviation of the logarithm: levels are alike until the data say otherwise
NEARLY_EQUAL = math.log(0.01)  # of the logarithm of the error variance, from the median to the second start


@dataclass(frozen=True)
class AdditiveLevels:
    """The kernel at given hyperparameters; a level m is the fidelity m / (M - 1)."""

    n_levels: int
    length_scales: Array  # (d,) of the lowest level
    error_length_scales: Array  # (d,) of the step from a level to the next
    lowest_variance: float
    error_variance: float  # of each step
    noise_variance: float

    @property
    def blocks(self) -> tuple[Block, ...]:
        lowest = WeightedFunctions(np.array([self.lowest_variance]), _ones)
        steps = WeightedFunctions(np.full(self.n_levels - 1, self.error_variance), self.steps_reached)
        return Block(self.length_scales, lowest), Block(self.error_length_scales, steps)

    @property
    def signal_variance(self) -> float:
        return self.lowest_variance + (self.n_levels - 1) * self.error_variance

    def steps_reached(self, z: Array) -> Array:  # (n, M - 1)
        """Which of the steps between levels a fidelity has made."""
        return (np.rint(z * (self.n_levels - 1))[:, None] > np.arange(self.n_levels - 1)).astype(np.float64)

    def noise(self, z: Array) -> Array:
        return np.full(len(z), self.noise_variance)

    def information_gap(self, z: Array) -> Array:
        """``sqrt(1 - rho^2)`` with rho the prior correlation with the target level."""
        reached = self.lowest_variance + self.error_variance * self.steps_reached(z).sum(axis=1)
        return np.sqrt(1.0 - reached / self.signal_variance)

    def to_logs(self) -> Array:  # (2 d + 3,)
        tail = [self.lowest_variance, self.error_variance, self.noise_variance]
        return np.log(np.concatenate([self.length_scales, self.error_length_scales, tail]))

    def log_gradient(self, z: Array, by_block: Sequence[BlockGradient], by_noise: Array) -> Array:
        by_lowest, by_steps = by_block
        steps = self.steps_reached(z)
        tail = [
            self.lowest_variance * by_lowest.by_fidelity.sum(),
            self.error_variance * float((steps * (by_steps.by_fidelity @ steps)).sum()),
            self.noise_variance * by_noise.sum(),
        ]
        return np.concatenate([by_lowest.by_log_lengths, by_steps.by_log_lengths, tail])


@dataclass(frozen=True)
class AdditiveLevelsForm:
    """The kernels of so many levels."""

    n_levels: int

    def prior(self, n_columns: int) -> Prior:
        return Prior.joined(
            [
                Prior.length_scales(n_columns),
                Prior.length_scales(n_columns),
                Prior.log_normal(*SIGNAL_VARIANCE),
                Prior.log_normal(*ERROR_VARIANCE),
                Prior.log_normal(*NOISE_VARIANCE),
            ]
        )

    def kernel(self, logs: Array, n_columns: int) -> AdditiveLevels:
        scales = np.exp(logs)
        lowest, error, noise = scales[2 * n_columns :].tolist()
        return AdditiveLevels(
            self.n_levels, scales[:n_columns], scales[n_columns : 2 * n_columns], lowest, error, noise
        )

    def starts(self, prior: Prior, n_columns: int) -> list[Array]:
        """The prior medians, and levels that are nearly equal."""
        nearly_equal = prior.mean.copy()
        nearly_equal[-2] += NEARLY_EQUAL
        return [prior.mean, nearly_equal]


def _ones(z: Array) -> Array:  # (n, 1)
    return np.ones((len(z), 1))
