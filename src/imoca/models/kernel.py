"""The product kernel on (design, fidelity) and its hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array


@dataclass(frozen=True)
class Hyperparameters:
    """Scales of one continuous-fidelity Gaussian process, all positive."""

    length_scales: Array  # (d,) l_i, one per design column
    fidelity_scale: float  # h, the bandwidth over z in [0, 1]
    signal_variance: float  # s^2
    noise_variance: float  # eta^2

    def to_logs(self) -> Array:  # (d + 3,)
        tail = [self.fidelity_scale, self.signal_variance, self.noise_variance]
        return np.log(np.concatenate([self.length_scales, tail]))

    @staticmethod
    def from_logs(logs: Array) -> Hyperparameters:
        scales = np.exp(logs)
        return Hyperparameters(scales[:-3], float(scales[-3]), float(scales[-2]), float(scales[-1]))


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


def fidelity_kernel(
    z: Array,  # (g,)
    z_data: Array,  # (n,)
    fidelity_scale: float,
) -> Array:  # (g, n)
    """Squared exponential over fidelities, 1 on the diagonal."""
    return np.exp(-0.5 * ((z[:, None] - z_data) / fidelity_scale) ** 2)
