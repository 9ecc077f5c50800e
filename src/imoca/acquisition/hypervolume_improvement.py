"""Hypervolume that a point, or a Gaussian, adds to a front: exact by boxes, or by samples of what there is to gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from imoca.acquisition.expected_improvement import expected_excess
from imoca.acquisition.regions import MAX_BOX_OBJECTIVES
from imoca.arrays import Array, IntArray
from imoca.pareto.boxes import non_dominated_boxes
from imoca.pareto.dominance import is_below_front

N_SAMPLES = 1024  # of the region to be gained, with more objectives than boxes can serve
N_DRAWN = 4 * N_SAMPLES  # before those that the front dominates are left out


class Improvement(Protocol):
    """The hypervolume above a reference point that something adds to a given front."""

    def of_points(self, values: Array) -> Array:
        """(n, K) -> (n,)."""

    def expected(self, mean: Array, std: Array) -> Array:
        """(n, K), (n, K) -> (n,): for independent Gaussians [Emmerich2008]."""


def improvement_over(
    front: Array,  # (l, K) maximised, mutually non-dominated
    reference_point: Array,  # (K,)
    optimistic: Array,  # (m, K) points that the improvements to be judged hardly exceed
    rng: np.random.Generator,
) -> Improvement:
    if front.shape[1] <= MAX_BOX_OBJECTIVES:
        return BoxImprovement.over(front, reference_point)
    return SampledImprovement.over(front, reference_point, optimistic, rng)


@dataclass(frozen=True)
class BoxImprovement:
    """Exact. With independent objectives the expectation over a box is a product of one-dimensional ones [Yang2019].

    A front has few distinct edges per objective, however many boxes; each is evaluated once.
    """

    edges: tuple[Array, ...]  # per objective, sorted, infinity last
    low: IntArray  # (B, K) index of each box's lower edge
    high: IntArray  # (B, K)

    @staticmethod
    def over(front: Array, reference_point: Array) -> BoxImprovement:
        lower, upper = non_dominated_boxes(front, reference_point)
        edges = tuple(np.unique(np.concatenate([lower[:, k], upper[:, k]])) for k in range(front.shape[1]))
        low, high = (
            np.column_stack([np.searchsorted(edge, corner[:, k]) for k, edge in enumerate(edges)])
            for corner in (lower, upper)
        )
        return BoxImprovement(edges, low, high)

    def of_points(self, values: Array) -> Array:
        excess = [np.maximum(values[:, k, None] - edge, 0.0) for k, edge in enumerate(self.edges)]
        return self._sum_over_boxes(excess)

    def expected(self, mean: Array, std: Array) -> Array:
        excess = []
        for k, edge in enumerate(self.edges):
            finite = expected_excess(mean[:, k, None], std[:, k, None], edge[:-1])
            excess.append(np.concatenate([finite, np.zeros((len(mean), 1))], axis=1))
        return self._sum_over_boxes(excess)

    def _sum_over_boxes(self, excess: list[Array]) -> Array:
        """(y - low)+ - (y - high)+ is how far y reaches into a box."""
        volumes = np.ones((len(excess[0]), len(self.low)))
        for k, each in enumerate(excess):
            volumes *= each[:, self.low[:, k]] - each[:, self.high[:, k]]
        return volumes.sum(axis=1)


@dataclass(frozen=True)
class SampledImprovement:
    """Any number of objectives: improvement is the integral over the region to be gained of P(Y >= w).

    The w are common to all designs, so designs are compared fairly and the expectation is smooth. They are drawn below
    optimistic points, where gains are: in many dimensions a uniform sample hardly ever lies below one.
    """

    samples: Array  # (M, K)
    weights: Array  # (M,)

    @staticmethod
    def over(front: Array, reference_point: Array, optimistic: Array, rng: np.random.Generator) -> SampledImprovement:
        tops = optimistic[(optimistic > reference_point).all(axis=1)]
        tops = tops if len(tops) else np.maximum(optimistic, reference_point + np.ptp(front, axis=0) + 1.0)
        tops = tops[rng.choice(len(tops), size=min(len(tops), 256), replace=False)]
        sides = tops - reference_point
        picked = rng.integers(len(sides), size=N_DRAWN)
        shifts = sides[picked] * rng.random((N_DRAWN, front.shape[1]))  # uniform below one of the tops
        is_gained = ~is_below_front(reference_point + shifts, front)
        shifts = shifts[is_gained][:N_SAMPLES] if is_gained.any() else shifts[:N_SAMPLES]
        is_covered = (shifts[:, None, :] <= sides).all(axis=2)  # (M, n_tops)
        density = (is_covered / sides.prod(axis=1)).mean(axis=1)
        n_drawn = N_DRAWN if is_gained.sum() <= N_SAMPLES else N_SAMPLES / is_gained.mean()
        return SampledImprovement(reference_point + shifts, 1.0 / (density * n_drawn))

    def of_points(self, values: Array) -> Array:
        is_gained = np.ones((len(values), len(self.samples)), dtype=np.bool_)
        for value, sample in zip(values.T, self.samples.T, strict=True):
            is_gained &= value[:, None] >= sample
        return is_gained @ self.weights

    def expected(self, mean: Array, std: Array) -> Array:
        probability = np.ones((len(mean), len(self.samples)))
        for k in range(mean.shape[1]):
            probability *= ndtr((mean[:, k, None] - self.samples[:, k]) / std[:, k, None])
        return probability @ self.weights


def reference_below(front: Array, margin: float) -> Array:  # (l, K) -> (K,)
    """A point below the front by ``margin`` of its range, taken as 1 where it has none (values are standardised)."""
    span = np.ptp(front, axis=0)
    return front.min(axis=0) - margin * np.where(span > 0.0, span, 1.0)
