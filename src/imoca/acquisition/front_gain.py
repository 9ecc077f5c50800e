"""iMOCA-P: information about the whole sampled front, not only about its per-objective maxima.

Given the sampled front F_s, f(x) lies in the region D_s that F_s dominates. With v_j = Var(f_j | f in D_s) / var_f, the
observation given D_s has variance var_g (1 - tau^2 (1 - v_j)); a Gaussian has the largest entropy for its
variance, so ``-1/2 ln(1 - tau^2 (1 - v_j))`` bounds the gain from below. v does not depend on the fidelity.
Where there are constraints, f and c lie in a region of their own (feasible_regions), and both tell of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from imoca.acquisition.fractional import picked
from imoca.acquisition.gain import correlation_partials, squared_correlation
from imoca.arrays import Array, IntArray
from imoca.models.gp import Moments, Partials

VARIANCE_RATIO_FLOOR = 1e-8  # v of a design whose value would be certain; keeps the logarithm finite
SMALLEST_PROBABILITY = 1e-12  # of running, and of not running, whose normal quantile is looked up
SQRT_2PI = float(np.sqrt(2.0 * np.pi))

RunProbability = Callable[[Array], tuple[Array, Array]]
"""(n, d) -> (n,), (n, d): the probability that a design runs at full accuracy, and its gradient."""


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
    """The lower bound above, averaged over S sampled fronts. D_s is not convex: where v > 1 the gain is clipped.

    The region of a design that may not run at full accuracy is that of one with a further constraint, the last: a
    normal variable of deviation 1 which is positive with the probability of running. It is never observed.
    """

    regions: DominatedRegions
    running: RunProbability | None = None  # None: every design runs
    first_counted: int = 0  # outputs before this one are conditioned on; what they tell is counted elsewhere

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        mean, std, _ = target_moments(moments, self.running)
        first, second = self.regions.marginal_moments(mean, std)
        ratio = np.clip(second - first**2, VARIANCE_RATIO_FLOOR, 1.0)  # (n, S, K)
        ratio[:, :, : self.first_counted] = 1.0
        return [
            -0.5 * np.log1p(-squared_correlation(each)[:, None, :] * (1.0 - ratio[:, :, j, None])).mean(axis=1)
            for j, each in enumerate(moments)
        ]

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        tau_squared = np.column_stack(
            [picked(squared_correlation(each), column) for each, column in zip(moments, chosen, strict=True)]
        )
        mean, std, mean_by_design = target_moments(moments, self.running)
        observed = slice(len(moments))
        ratio, ratio_by_mean, ratio_by_std = (each[:, :, observed] for each in self._variance_ratio(mean, std))
        ratio[:, :, : self.first_counted] = 1.0
        remaining = 1.0 - tau_squared[:, None, :] * (1.0 - ratio)  # (n, S, K)
        by_tau_squared = (0.5 * (1.0 - ratio) / remaining).mean(axis=1) * weights
        by_ratio = -0.5 * tau_squared[:, None, :] / remaining * weights[:, None, :]
        inside = (ratio > VARIANCE_RATIO_FLOOR) & (ratio < 1.0)
        by_ratio = np.where(inside, by_ratio, 0.0) / by_ratio.shape[1]
        by_mean = np.einsum("nsj,nsjk->nk", by_ratio, ratio_by_mean)
        by_std = np.einsum("nsj,nsjk->nk", by_ratio, ratio_by_std)
        partials = [
            correlation_partials(each, column, by_tau_squared[:, j], by_mean[:, j], by_std[:, j] / (2.0 * std[:, j]))
            for j, (each, column) in enumerate(zip(moments, chosen, strict=True))
        ]
        if mean_by_design is not None:
            partials[0] = replace(partials[0], design=by_mean[:, -1:] * mean_by_design)
        return partials

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


def target_moments(
    moments: Sequence[Moments], running: RunProbability | None
) -> tuple[Array, Array, Array | None]:  # (n, K), (n, K), (n, d)
    """Means and deviations at full accuracy. With a probability of running its variable is the last.

    That depends on the design in its own way: by the gradient of its mean.
    """
    mean = np.column_stack([each.mean_f for each in moments])
    std = np.sqrt(np.column_stack([each.var_f for each in moments]))
    if running is None:
        return mean, std, None
    probability, gradient = running(moments[0].x)
    runs = ndtri(np.clip(probability, SMALLEST_PROBABILITY, 1.0 - SMALLEST_PROBABILITY))
    density = np.exp(-0.5 * runs**2) / SQRT_2PI
    mean, std = np.column_stack([mean, runs]), np.column_stack([std, np.ones(len(std))])
    return mean, std, gradient / density[:, None]
