"""Fronts of cheap functions: posterior means, or many sampled functions at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated
from imoca.pareto.subset import spread_subset
from imoca.problem.space import SearchSpace

STEP_RANGE = (
    0.002,
    0.1,
)  # of the Gaussian moves, in the unit cube; log-uniform, so coarse and fine at any time
DIFFERENTIAL_WEIGHT = 0.6  # of the difference between two members that is added to a third
TAKING_RATE = 2.0  # discrete parameters that a child takes over, on average


@dataclass(frozen=True)
class Front:
    """Mutually non-dominated designs with their values."""

    x: Array  # (l, d)
    values: Array  # (l, K) maximised

    def thinned(self, size: int) -> Front:
        """At most ``size`` of the points, evenly spread."""
        if len(self.x) <= size:
            return self
        kept = spread_subset(self.values, size)
        return Front(self.x[kept], self.values[kept])


@dataclass(frozen=True)
class SearchEffort:
    """How hard a front is searched."""

    size: int  # points kept per front, evenly spread
    n_generations: int
    n_children: int  # new designs per generation, shared by all fronts


def search_fronts(
    evaluate: Callable[[Array], Array],  # (n, d) -> (n, S, K), maximised
    space: SearchSpace,
    starts: Array,  # (n, d)
    effort: SearchEffort,
    rng: np.random.Generator,
) -> list[Front]:
    """The fronts of S vector functions over the same space.

    A small evolutionary search in which every new design is tried on all S functions: drawn functions that share their
    features cost the same for one as for all.
    """
    values = evaluate(starts)
    fronts = [_best(Front(starts, values[:, s]), effort.size) for s in range(values.shape[1])]
    for _ in range(effort.n_generations):
        share = max(1, effort.n_children // len(fronts))
        children = space.snap(np.concatenate([_children(front.x, share, space, rng) for front in fronts]))
        values = evaluate(children)
        fronts = [
            _best(
                Front(np.concatenate([front.x, children]), np.concatenate([front.values, values[:, s]])),
                effort.size,
            )
            for s, front in enumerate(fronts)
        ]
    return fronts


def log_uniform(low: float, high: float, n: int, rng: np.random.Generator) -> Array:  # (n, 1)
    return np.exp(rng.uniform(np.log(low), np.log(high), size=(n, 1)))


def _best(front: Front, size: int) -> Front:
    kept = non_dominated(front.values)
    return Front(front.x[kept], front.values[kept]).thinned(size)


def _children(members: Array, n: int, space: SearchSpace, rng: np.random.Generator) -> Array:  # (n, d)
    """Half by a Gaussian move of a member, half by adding the difference of two others.

    Discrete parameters are taken over whole from a third member, or drawn anew.
    """
    a, b, c = (members[rng.integers(len(members), size=n)] for _ in range(3))
    steps = log_uniform(*STEP_RANGE, n, rng)
    moved = a + steps * rng.standard_normal(a.shape)
    crossed = a + DIFFERENTIAL_WEIGHT * rng.random((n, 1)) * (b - c)
    children = np.where(rng.random((n, 1)) < 0.5, moved, crossed)
    if space.has_discrete:
        fresh = space.from_unit(rng.random((n, space.n_parameters)))
        donor = np.where(rng.random((n, 1)) < 0.5, b, fresh)
        is_taken = rng.random((n, space.n_parameters)) < TAKING_RATE / space.n_parameters
        keep = np.where(is_taken[:, space.parameter_of_column], donor, a)
        children = np.where(space.is_continuous, children, keep)
    return np.clip(children, 0.0, 1.0)
