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
N_CLOSEST = 20  # designs from which a search goes on that has found none that is feasible
TAKING_RATE = 2.0  # discrete parameters that a child takes over, on average


@dataclass(frozen=True)
class Front:
    """Mutually non-dominated designs with their values."""

    x: Array  # (l, d); empty where no design was found to be feasible
    values: Array  # (l, K) maximised
    closest: Array | None = None  # (m, d) then those found that violate least

    @property
    def near(self) -> Array:  # (m, d)
        """Its designs, or those that come closest to being feasible."""
        return self.x if self.closest is None else self.closest

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


@dataclass(frozen=True)
class _Members:
    """Designs that have children: of a front or, until one is feasible, close to being so."""

    x: Array  # (m, d)
    values: Array  # (m, K)
    violation: Array  # (m,)

    def joined(self, other: _Members) -> _Members:
        return _Members(
            np.concatenate([self.x, other.x]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.violation, other.violation]),
        )

    def best(self, size: int) -> _Members:
        feasible = np.flatnonzero(self.violation == 0.0)
        if not len(feasible):
            kept = np.argsort(self.violation, kind="stable")[:N_CLOSEST]
            return _Members(self.x[kept], self.values[kept], self.violation[kept])
        kept = feasible[non_dominated(self.values[feasible])]
        front = Front(self.x[kept], self.values[kept]).thinned(size)
        return _Members(front.x, front.values, np.zeros(len(front.x)))

    def front(self) -> Front:
        if (self.violation > 0.0).any():
            return Front(self.x[:0], self.values[:0], self.x)
        return Front(self.x, self.values)


def search_fronts(
    evaluate: Callable[[Array], Array],  # (n, d) -> (n, S, K), maximised
    space: SearchSpace,
    starts: Array,  # (n, d)
    effort: SearchEffort,
    rng: np.random.Generator,
    violation: Callable[[Array], Array] | None = None,  # (n, d) -> (n, S), 0 where a design is feasible
) -> list[Front]:
    """The fronts of S vector functions over the same space, of allowed and feasible designs alone.

    A small evolutionary search in which every new design is tried on all S functions: drawn functions that share their
    features cost the same for one as for all. Until a feasible design is found, those that violate least have the
    children.
    """

    def tried(x: Array) -> list[_Members]:
        values = evaluate(x)
        outside = np.zeros(values.shape[:2]) if violation is None else violation(x)
        return [_Members(x, values[:, s], outside[:, s]) for s in range(values.shape[1])]

    members = [each.best(effort.size) for each in tried(starts[space.is_allowed(starts)])]
    for _ in range(effort.n_generations):
        share = max(1, effort.n_children // len(members))
        children = space.snap(np.concatenate([_children(each.x, share, space, rng) for each in members]))
        children = children[space.is_allowed(children)]
        members = [each.joined(more).best(effort.size) for each, more in zip(members, tried(children), strict=True)]
    return [each.front() for each in members]


def log_uniform(low: float, high: float, n: int, rng: np.random.Generator) -> Array:  # (n, 1)
    return np.exp(rng.uniform(np.log(low), np.log(high), size=(n, 1)))


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
