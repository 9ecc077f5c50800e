"""iMOCA-P: information about the whole sampled front, not only about its per-objective maxima.

Given the sampled front F_s, f(x) lies in the region D_s that F_s dominates. With v_j = Var(f_j | f in D_s) / var_f, the
observation given D_s has variance var_g (1 - tau^2 (1 - v_j)); a Gaussian has the largest entropy for its
variance, so ``-1/2 ln(1 - tau^2 (1 - v_j))`` bounds the gain from below. v does not depend on the fidelity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imoca.acquisition.fractional import picked
from imoca.acquisition.gain import correlation_partials, squared_correlation
from imoca.arrays import Array, IntArray
from imoca.models.gp import Moments, Partials

VARIANCE_RATIO_FLOOR = 1e-8  # v of a design whose value would be certain; keeps the logarithm finite


class DominatedRegions(Protocol):
    """S regions of objective space, with moments of a Gaussian restricted to each.

    With u = (f - mean) / std and q the Gaussian restricted to the region, the moments are E_q[u_j^a].
    """

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        """(n, K), (n, K) -> (2, n, S, K): E_q[u_j] and E_q[u_j^2]."""

    def pair_moments(self, mean: Array, std: Array) -> Array:
        """(n, K), (n, K) -> (3, 3, n, S, K, K): E_q[u_j^a u_k^b] for a, b in 0..2; on j = k E_q[u_j^(a+b)]."""


@dataclass(frozen=True)
class FrontGain:
    """The lower bound above, averaged over S sampled fronts. D_s is not convex: where v > 1 the gain is clipped."""

    regions: DominatedRegions

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        first, second = self.regions.marginal_moments(*_target_moments(moments))
        ratio = np.clip(second - first**2, VARIANCE_RATIO_FLOOR, 1.0)  # (n, S, K)
        return [
            -0.5 * np.log1p(-squared_correlation(each)[:, None, :] * (1.0 - ratio[:, :, j, None])).mean(axis=1)
            for j, each in enumerate(moments)
        ]

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        tau_squared = np.column_stack(
            [picked(squared_correlation(each), column) for each, column in zip(moments, chosen, strict=True)]
        )
        mean, std = _target_moments(moments)
        ratio, ratio_by_mean, ratio_by_std = self._variance_ratio(mean, std)
        remaining = 1.0 - tau_squared[:, None, :] * (1.0 - ratio)  # (n, S, K)
        by_tau_squared = (0.5 * (1.0 - ratio) / remaining).mean(axis=1) * weights
        by_ratio = -0.5 * tau_squared[:, None, :] / remaining * weights[:, None, :]
        inside = (ratio > VARIANCE_RATIO_FLOOR) & (ratio < 1.0)
        by_ratio = np.where(inside, by_ratio, 0.0) / by_ratio.shape[1]
        by_mean = np.einsum("nsj,nsjk->nk", by_ratio, ratio_by_mean)
        by_std = np.einsum("nsj,nsjk->nk", by_ratio, ratio_by_std)
        return [
            correlation_partials(each, column, by_tau_squared[:, j], by_mean[:, j], by_std[:, j] / (2.0 * std[:, j]))
            for j, (each, column) in enumerate(zip(moments, chosen, strict=True))
        ]

    def _variance_ratio(self, mean: Array, std: Array) -> tuple[Array, Array, Array]:
        """v (n, S, K) and its derivatives (n, S, K, K) in the mean and std of every objective.

        For a restricted Gaussian the derivative of an expectation is a covariance with the score, which is
        u_k / std_k for the mean and (u_k^2 - 1) / std_k for the standard deviation.
        """
        pair = self.regions.pair_moments(mean, std)
        first = np.einsum("nsjj->nsj", pair[1, 0])
        second = np.einsum("nsjj->nsj", pair[2, 0])
        ratio = second - first**2
        # Cov_q((u_j - m_j)^2, u_k^b) = E[u_j^2 u_k^b] - 2 m_j E[u_j u_k^b] + (m_j^2 - E[(u_j - m_j)^2]) E[u_k^b]
        centre = first[..., None]
        offset = (first**2 - ratio)[..., None]
        by_first = pair[2, 1] - 2.0 * centre * pair[1, 1] + offset * pair[0, 1]
        by_second = pair[2, 2] - 2.0 * centre * pair[1, 2] + offset * pair[0, 2]
        by_std = by_second - 2.0 * ratio[..., None] * np.eye(mean.shape[1])  # u_j is measured in units of std_j
        scale = std[:, None, None, :]
        return np.clip(ratio, VARIANCE_RATIO_FLOOR, 1.0), by_first / scale, by_std / scale


def _target_moments(moments: Sequence[Moments]) -> tuple[Array, Array]:  # (n, K), (n, K)
    mean = np.column_stack([each.mean_f for each in moments])
    return mean, np.sqrt(np.column_stack([each.var_f for each in moments]))
