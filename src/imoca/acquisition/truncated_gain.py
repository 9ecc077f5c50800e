"""iMOCA-T: the observation itself is taken to be bounded by the sampled front maxima."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from imoca.arrays import Array, IntArray
from imoca.models.gp import Moments, Partials

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


def inverse_mills_ratio(gamma: Array) -> Array:
    """phi(gamma) / Phi(gamma), by logarithms: Phi underflows to 0 below gamma = -37.7."""
    return np.exp(-0.5 * gamma**2 - LOG_SQRT_2PI - log_ndtr(gamma))


def truncation_entropy_drop(gamma: Array) -> Array:
    """Entropy a Gaussian loses when truncated ``gamma`` deviations above its mean.

    The summand of eq. (4.9) of [Belakaria2020]: ``gamma phi / (2 Phi) - ln Phi``.
    """
    log_cdf = log_ndtr(gamma)
    ratio = np.exp(-0.5 * gamma**2 - LOG_SQRT_2PI - log_cdf)
    return 0.5 * gamma * ratio - log_cdf


def truncation_entropy_drop_slope(gamma: Array) -> Array:
    """Derivative of ``truncation_entropy_drop``."""
    ratio = inverse_mills_ratio(gamma)
    return -0.5 * ratio * (1.0 + gamma * (gamma + ratio))


@dataclass(frozen=True)
class TruncatedGain:
    """Eq. (4.9) of [Belakaria2020]; at z = z* it is MESMO, eq. (4.12).

    It assumes y_j <= f_j for lower fidelities and so over-values cheap ones where that fails: use it with the
    reduced fidelity space.
    """

    front_maxima: Array  # (S, K)

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        return [
            truncation_entropy_drop(self._gamma(j, each.mean_g, each.var_g)).mean(axis=0)
            for j, each in enumerate(moments)
        ]

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        answer = []
        for j, (each, column) in enumerate(zip(moments, chosen, strict=True)):
            rows = np.arange(len(column))
            mean, variance = each.mean_g[rows, column], each.var_g[rows, column]
            gamma = self._gamma(j, mean, variance)  # (S, n)
            slope = truncation_entropy_drop_slope(gamma)
            zeros = np.zeros_like(mean)
            partials = Partials(
                mean_g=-slope.mean(axis=0) / np.sqrt(variance),
                var_g=-(slope * gamma).mean(axis=0) / (2.0 * variance),
                mean_f=zeros,
                var_f=zeros,
                cov=zeros,
            )
            answer.append(partials.times(weights[:, j]))
        return answer

    def _gamma(self, j: int, mean: Array, variance: Array) -> Array:  # (S, ...)
        maxima = self.front_maxima[:, j].reshape(-1, *[1] * mean.ndim)
        return (maxima - mean) / np.sqrt(variance)
