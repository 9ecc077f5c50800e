"""A Gaussian process over designs and a few ordered levels, each level adding an error of its own to the one below.

The surrogate of MF-OSEMO [BelakariaDeshwal2020], with the kernel of [Takeno2020]:
``kappa((x, m), (x', m')) = kappa_f(x, x') + min(m, m') kappa_e(x, x')`` for levels m = 0 .. M - 1, of which the last is
the target. (They count levels from 1 and so write ``min(m, m') - 1``.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.gp import VARIANCE_FLOOR, inverse_cholesky
from imoca.models.kernel import design_kernel


@dataclass(frozen=True)
class AdditiveScales:
    """Hyperparameters, all positive."""

    length_scales: Array  # (d,) of the lowest level
    error_length_scales: Array  # (d,) of the step from a level to the next
    signal_variance: float
    error_variance: float
    noise_variance: float

    def to_logs(self) -> Array:  # (2 d + 3,)
        tail = [self.signal_variance, self.error_variance, self.noise_variance]
        return np.log(np.concatenate([self.length_scales, self.error_length_scales, tail]))

    @staticmethod
    def from_logs(logs: Array) -> AdditiveScales:
        scales = np.exp(logs)
        d = (len(logs) - 3) // 2
        signal, error, noise = (float(each) for each in scales[-3:])
        return AdditiveScales(scales[:d], scales[d : 2 * d], signal, error, noise)

    def variance(self, level: int) -> float:
        return self.signal_variance + level * self.error_variance


@dataclass(frozen=True)
class LevelMoments:
    """Posterior at n designs and every level."""

    mean: Array  # (n, M)
    variance: Array  # (n, M)
    cov: Array  # (n, M) with the target level


@dataclass(frozen=True)
class AdditiveProcess:
    """Conditioned on data; values are standardised and maximised."""

    scales: AdditiveScales
    n_levels: int
    x: Array  # (N, d)
    levels: IntArray  # (N,)
    values: Array  # (N,)
    inverse_factor: Array  # (N, N) lower triangular inverse of the Cholesky factor of the noisy covariance
    weights: Array  # (N,)

    @staticmethod
    def condition(x: Array, levels: IntArray, values: Array, n_levels: int, scales: AdditiveScales) -> AdditiveProcess:
        covariance = scales.signal_variance * design_kernel(x, x, scales.length_scales)
        shared = np.minimum(levels[:, None], levels)
        covariance += scales.error_variance * shared * design_kernel(x, x, scales.error_length_scales)
        inverse_factor = inverse_cholesky(covariance, scales.noise_variance, scales.variance(n_levels - 1))
        weights = inverse_factor.T @ (inverse_factor @ values)
        return AdditiveProcess(scales, n_levels, x, levels, values, inverse_factor, weights)

    def believing(self, x: Array, levels: IntArray) -> AdditiveProcess:  # (m, d), (m,)
        """The same process after seeing its own mean: for questions that are asked but not answered."""
        if not len(x):
            return self
        predicted = self.moments(x).mean[np.arange(len(x)), levels]
        return AdditiveProcess.condition(
            np.concatenate([self.x, x]),
            np.concatenate([self.levels, levels]),
            np.concatenate([self.values, predicted]),
            self.n_levels,
            self.scales,
        )

    def mean_at_target(self, x: Array) -> Array:  # (n, d) -> (n,)
        return self._kernels(x)[-1] @ self.weights

    def moments(self, x: Array) -> LevelMoments:  # (n, d)
        kernels = self._kernels(x)
        white = kernels @ self.inverse_factor.T  # (M, n, N)
        prior = np.array([self.scales.variance(level) for level in range(self.n_levels)])
        variance = prior[:, None] - (white**2).sum(axis=2)
        return LevelMoments(
            mean=(kernels @ self.weights).T,
            variance=np.maximum(variance, VARIANCE_FLOOR * prior[:, None]).T,
            cov=(prior[:, None] - (white * white[-1]).sum(axis=2)).T,  # min(m, target) = m
        )

    def _kernels(self, x: Array) -> Array:  # (M, n, N)
        base = self.scales.signal_variance * design_kernel(x, self.x, self.scales.length_scales)
        error = self.scales.error_variance * design_kernel(x, self.x, self.scales.error_length_scales)
        shared = np.minimum(np.arange(self.n_levels)[:, None], self.levels)  # (M, N)
        return base + shared[:, None, :] * error
