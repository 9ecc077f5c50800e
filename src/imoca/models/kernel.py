"""The product kernel on (design, fidelity) and its hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array


@dataclass(frozen=True)
class Hyperparameters:
    """Scales of one continuous-fidelity Gaussian process, all positive."""

    length_scales: Array  # (d,) l_i, one per design column
    fidelity_scale: float  # h, the bandwidth over settled fidelities in [0, 1]
    signal_variance: float  # s^2
    noise_variance: float  # eta^2
    settling: float = 1.0  # a, how much of the change happens at low fidelities; 1 is the kernel of [Belakaria2020]

    def to_logs(self) -> Array:  # (d + 4,)
        tail = [self.settling, self.fidelity_scale, self.signal_variance, self.noise_variance]
        return np.log(np.concatenate([self.length_scales, tail]))

    @staticmethod
    def from_logs(logs: Array) -> Hyperparameters:
        scales = np.exp(logs)
        settling, fidelity_scale, signal_variance, noise_variance = scales[-4:].tolist()
        return Hyperparameters(scales[:-4], fidelity_scale, signal_variance, noise_variance, settling)


def n_hyperparameters(n_columns: int) -> int:
    return n_columns + 4


def design_kernel(
    x: Array,  # (m, d)
    x_data: Array,  # (n, d)
    length_scales: Array,  # (d,)
) -> Array:  # (m, n)
    """Squared exponential over designs with one length scale per column, 1 on the diagonal."""
    scaled, scaled_data = x / length_scales, x_data / length_scales
    squared = (scaled**2).sum(axis=1)[:, None] + (scaled_data**2).sum(axis=1)
    squared -= 2.0 * scaled @ scaled_data.T
    np.maximum(squared, 0.0, out=squared)
    squared *= -0.5
    return np.exp(squared, out=squared)


def settled(z: Array, settling: float) -> Array:
    """``1 - (1 - z)^a`` for fidelities in [0, 1]: where a simulator has converged, more fidelity changes little."""
    return 1.0 - (1.0 - z) ** settling


def fidelity_kernel(
    z: Array,  # (g,)
    z_data: Array,  # (n,)
    scales: Hyperparameters,
) -> Array:  # (g, n)
    """Squared exponential over settled fidelities, 1 on the diagonal."""
    apart = settled(z, scales.settling)[:, None] - settled(z_data, scales.settling)
    return np.exp(-0.5 * (apart / scales.fidelity_scale) ** 2)
