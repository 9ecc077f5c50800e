"""SMSego: hypervolume that an optimistic outcome would add, with a penalty where the front is nearly as good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from imoca.acquisition.hypervolume_improvement import Improvement
from imoca.arrays import Array

REMAINING_EVALUATIONS = 100  # a method is not told the budget that [Ponweiser2008] divides by; as if so many were left


def optimism(n_objectives: int) -> float:
    """Standard deviations to add, ``-Phi^-1(0.5 (1/2)^(1/K))`` of [Ponweiser2008]: their default confidence."""
    return float(-ndtri(0.5 * 0.5 ** (1.0 / n_objectives)))


def tolerance(front: Array) -> Array:  # (l, K) -> (K,)
    """The additive epsilon of [Ponweiser2008]: the front's range over its size and the evaluations left."""
    share = 1.0 - 0.5 ** front.shape[1]
    return np.ptp(front, axis=0) / (len(front) + share * REMAINING_EVALUATIONS)


@dataclass(frozen=True)
class OptimisticImprovement:
    """S-metric contribution of mean + a std, or minus the penalty ``max_i prod_j (1 + (f_ij - y_j)+) - 1``.

    The penalty holds for points that some f_i epsilon-dominates, and grows with how far they are dominated, so that
    searches are led back to the front.
    """

    front: Array  # (l, K) maximised
    improvement: Improvement

    def __call__(self, mean: Array, std: Array) -> Array:  # (n, K), (n, K) -> (n,)
        hoped_for = mean + optimism(mean.shape[1]) * std
        shortfall = self.front - hoped_for[:, None, :]  # (n, l, K)
        is_dominated = (shortfall >= -tolerance(self.front)).all(axis=2)
        penalty = np.where(is_dominated, np.prod(1.0 + np.maximum(shortfall, 0.0), axis=2) - 1.0, 0.0).max(axis=1)
        return np.where(np.any(is_dominated, axis=1), -penalty, self.improvement.of_points(hoped_for))
