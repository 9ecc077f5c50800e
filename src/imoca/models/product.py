"""The product kernel of section 4 of [Belakaria2020], with fidelities that settle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.form import NOISE_VARIANCE, SIGNAL_VARIANCE, Prior
from imoca.models.kernel import SMALLEST_REST, Block, BlockGradient, SquaredExponential, settled

SETTLING_RATE = 2.0  # of the exponential prior of its logarithm: it stays at 1 until the data insist
LARGEST_SETTLING = math.exp(5.0)
FIDELITY_SCALE = (3.0, 1.0)  # fidelities are alike until the data say otherwise; a small sample cannot tell


@dataclass(frozen=True)
class ProductKernel:
    """Squared exponential over designs times one over settled fidelities; all hyperparameters positive."""

    length_scales: Array  # (d,) l_i, one per design column
    fidelity_scale: float  # h, the bandwidth over settled fidelities in [0, 1]
    signal_variance: float  # s^2
    noise_variance: float  # eta^2
    settling: float = 1.0  # a, how much of the change happens at low fidelities; 1 is the kernel of [Belakaria2020]

    @property
    def blocks(self) -> tuple[Block, ...]:
        part = SquaredExponential(self.signal_variance, self.fidelity_scale, self.settling)
        return (Block(self.length_scales, part),)

    def noise(self, z: Array) -> Array:
        return np.full(len(z), self.noise_variance)

    def information_gap(self, z: Array) -> Array:
        """First order of [Kandasamy2017]'s: |u - 1| / h in settled fidelities."""
        return (1.0 - settled(z, self.settling)) / self.fidelity_scale

    def to_logs(self) -> Array:  # (d + 4,)
        tail = [self.settling, self.fidelity_scale, self.signal_variance, self.noise_variance]
        return np.log(np.concatenate([self.length_scales, tail]))

    def log_gradient(self, z: Array, by_block: Sequence[BlockGradient], by_noise: Array) -> Array:
        part = self.blocks[0].fidelity
        product = by_block[0].by_fidelity * part.covariance(z, z)
        u = settled(z, self.settling)
        row_sums, multiplied = product.sum(axis=1), product @ u
        spread = 2.0 * (row_sums @ u**2 - u @ multiplied)  # sum_ab product_ab (u_a - u_b)^2
        by_settling = (1.0 - u) * np.log((1.0 - u).clip(SMALLEST_REST))  # minus du / d log a
        tail = [
            2.0 * by_settling @ (row_sums * u - multiplied) / self.fidelity_scale**2,
            spread / self.fidelity_scale**2,
            row_sums.sum(),
            self.noise_variance * by_noise.sum(),
        ]
        return np.concatenate([by_block[0].by_log_lengths, tail])


@dataclass(frozen=True)
class ProductForm:
    """All product kernels."""

    def prior(self, n_columns: int) -> Prior:
        return Prior.joined(
            [
                Prior.length_scales(n_columns),
                Prior.above_one(SETTLING_RATE, LARGEST_SETTLING),
                Prior.log_normal(*FIDELITY_SCALE),
                Prior.log_normal(*SIGNAL_VARIANCE),
                Prior.log_normal(*NOISE_VARIANCE),
            ]
        )

    def kernel(self, logs: Array, n_columns: int) -> ProductKernel:
        scales = np.exp(logs)
        settling, fidelity_scale, signal_variance, noise_variance = scales[n_columns:].tolist()
        return ProductKernel(scales[:n_columns], fidelity_scale, signal_variance, noise_variance, settling)

    def starts(self, prior: Prior, n_columns: int) -> list[Array]:
        return [prior.mean]
