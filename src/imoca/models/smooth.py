"""A smooth function of all its columns, observed with much noise: what run times are, as logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.form import SIGNAL_VARIANCE, Prior
from imoca.models.kernel import Block, BlockGradient, WeightedFunctions

NOISE_VARIANCE = (0.05, 2.0)  # of standardised values: the clock on the wall also measures what else a machine does
NOISY_START = 0.5
LONG = 3.0  # times the length scales of simulators' answers: costs are simpler than what they pay for


@dataclass(frozen=True)
class Smooth:
    """The kernel at given hyperparameters; it knows no fidelity, which is a column like the others."""

    length_scales: Array  # (d,)
    signal_variance: float
    noise_variance: float

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (Block(self.length_scales, WeightedFunctions(np.array([self.signal_variance]), _always)),)

    def noise(self, z: Array) -> Array:
        return np.full(len(z), self.noise_variance)

    def information_gap(self, z: Array) -> Array:
        return np.zeros(len(z))

    def to_logs(self) -> Array:  # (d + 2,)
        return np.log(np.concatenate([self.length_scales, [self.signal_variance, self.noise_variance]]))

    def log_gradient(self, z: Array, by_block: Sequence[BlockGradient], by_noise: Array) -> Array:
        tail = [
            self.signal_variance * float(by_block[0].by_fidelity.sum()),
            self.noise_variance * float(by_noise.sum()),
        ]
        return np.concatenate([by_block[0].by_log_lengths, tail])


@dataclass(frozen=True)
class SmoothForm:
    """All of them."""

    def prior(self, n_columns: int) -> Prior:
        lengths = Prior.length_scales(n_columns)
        longer = [lengths.mean, lengths.low, lengths.high]
        mean, low, high = (each + math.log(LONG) for each in longer)
        return Prior.joined(
            [
                Prior(mean, lengths.deviation, low, high, lengths.rate),
                Prior.log_normal(*SIGNAL_VARIANCE),
                Prior.log_normal(*NOISE_VARIANCE),
            ]
        )

    def kernel(self, logs: Array, n_columns: int) -> Smooth:
        scales = np.exp(logs)
        return Smooth(scales[:n_columns], float(scales[n_columns]), float(scales[n_columns + 1]))

    def starts(self, prior: Prior, n_columns: int) -> list[Array]:
        """The prior medians, and noise instead of detail."""
        noisier = prior.mean.copy()
        noisier[-1] = math.log(NOISY_START)
        return [prior.mean, noisier]


def _always(z: Array) -> Array:  # (n,) -> (n, 1)
    return np.ones((len(z), 1))
