"""What a sampled front says of a design that may be infeasible: it lies below the front, or outside some bounds.

Objectives f and constraints c are independent normal variables. With p = prod_i P(c_i within its bounds) and P_D the
probability of the region D below the front, the density of (f, c) is weighted 0 where c is feasible and f outside D,
elsewhere 1; its mass is Z = (1 - p) + p P_D. A draw without any feasible design has an empty D.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from imoca.acquisition.front_gain import DominatedRegions
from imoca.arrays import Array

EDGE_LIMIT = 40.0  # standard deviations beyond which a bound is as good as infinite
MASS_FLOOR = 1e-300  # of what is possible; where nothing is, nothing is learned
SQRT_2PI = float(np.sqrt(2.0 * np.pi))
NORMAL_MOMENTS = np.array([1.0, 0.0, 1.0, 0.0, 3.0])


class MeasuredRegions(DominatedRegions, Protocol):
    """Regions whose probability is known too."""

    def masses(self, mean: Array, std: Array) -> Array:
        """(n, K), (n, K) -> (n, S): the probability of each region."""


@dataclass(frozen=True)
class FeasibleRegions:
    """The regions of objectives and constraints together, columns in this order, as moments of all of them."""

    below: MeasuredRegions  # of the objectives
    low: Array  # (C,) bounds of the constraints
    high: Array  # (C,)

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        first = mean.shape[1] - len(self.low)
        of_front = self.below.marginal_moments(mean[:, :first], std[:, :first])
        mass = self.below.masses(mean[:, :first], std[:, :first])
        within = self.within(mean, std)
        answer = np.empty((2, *mass.shape, mean.shape[1]))
        share = within.every.share_below(mass)[..., None]
        answer[..., :first] = (1.0 - share) * NORMAL_MOMENTS[1:3].reshape(2, 1, 1, 1) + share * of_front
        total = within.every.possible(mass) + MASS_FLOOR
        for i in range(len(self.low)):
            others = within.all_but(i).possible(mass)
            for a in (1, 2):
                answer[a - 1, ..., first + i] = within.alone(i, a, others) / total
        return answer

    def pair_moments(self, mean: Array, std: Array) -> Array:
        first, n_columns = mean.shape[1] - len(self.low), mean.shape[1]
        of_front = self.below.pair_moments(mean[:, :first], std[:, :first])
        mass = self.below.masses(mean[:, :first], std[:, :first])
        within = self.within(mean, std)
        share, total = within.every.share_below(mass), within.every.possible(mass) + MASS_FLOOR
        answer = np.empty((3, 3, *mass.shape, n_columns, n_columns))
        unconditional = _normal_pairs(first)[:, :, None, None]
        answer[..., :first, :first] = (1.0 - share)[..., None, None] * unconditional + share[..., None, None] * of_front
        for i in range(len(self.low)):
            others = within.all_but(i)
            for a, b in np.ndindex(3, 3):
                answer[a, b, ..., first + i, first + i] = within.alone(i, a + b, others.possible(mass)) / total
                infeasible = (
                    within.outside[b, i] + others.missing * within.inside[b, i] + MASS_FLOOR * NORMAL_MOMENTS[b]
                )
                below = (others.probability * within.inside[b, i])[:, None] * mass
                on_front = np.einsum("nsjj->nsj", of_front[a, 0])
                mixed = NORMAL_MOMENTS[a] * infeasible[:, None, None] + below[..., None] * on_front
                answer[a, b, ..., :first, first + i] = mixed / total[..., None]
                answer[b, a, ..., first + i, :first] = answer[a, b, ..., :first, first + i]
            for k in range(i):
                others = within.all_but(i, k)
                for a, b in np.ndindex(3, 3):
                    pair = within.together(i, a, k, b, others.possible(mass)) / total
                    answer[a, b, ..., first + i, first + k] = pair
                    answer[b, a, ..., first + k, first + i] = pair
        return answer

    def within(self, mean: Array, std: Array) -> Within:
        """Of the constraints, which are the last columns."""
        first = mean.shape[1] - len(self.low)
        low, high = (
            np.clip((bound - mean[:, first:]) / std[:, first:], -EDGE_LIMIT, EDGE_LIMIT).T
            for bound in (self.low, self.high)
        )
        below_low, below_high = _cumulative(low), _cumulative(high)
        above_low, above_high = _cumulative(-low), _cumulative(-high)
        sign = np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, None, None]
        # Both bounds on the right: differences of what lies above them, which do not cancel.
        inside = np.where(low > 0.0, sign * (above_low - above_high), below_high - below_low)
        return Within(inside, below_low + sign * above_high)


@dataclass(frozen=True)
class Event:
    """That some constraints hold; its probability and what is missing to 1, each exact where it is small."""

    probability: Array  # (n,)
    missing: Array  # (n,)

    def and_(self, other: Event) -> Event:
        return Event(self.probability * other.probability, self.missing + self.probability * other.missing)

    def possible(self, mass: Array) -> Array:  # (n, S) -> (n, S)
        """Probability that they do not hold or, if they do, that f lies in a region of this mass."""
        return self.missing[:, None] + self.probability[:, None] * mass

    def share_below(self, mass: Array) -> Array:  # (n, S) -> (n, S)
        """Of that, the share of f in the region with all of them holding."""
        below = self.probability[:, None] * mass
        return below / np.maximum(self.missing[:, None] + below, MASS_FLOOR)


@dataclass(frozen=True)
class Within:
    """Integrals of u^a phi(u), a = 0..4, of each standardised constraint inside its bounds and outside."""

    inside: Array  # (5, C, n)
    outside: Array  # (5, C, n)

    @property
    def every(self) -> Event:
        return self.all_but()

    def all_but(self, *left_out: int) -> Event:
        n_constraints, n = self.inside.shape[1:]
        kept = [i for i in range(n_constraints) if i not in left_out]
        events = (Event(self.inside[0, i], self.outside[0, i]) for i in kept)
        return reduce(Event.and_, events, Event(np.ones(n), np.zeros(n)))

    def alone(self, i: int, a: int, others: Array) -> Array:  # (n, S) -> (n, S)
        """Of u_i^a, weighted 1 outside its bounds and ``others`` inside."""
        return (self.outside[a, i] + MASS_FLOOR * NORMAL_MOMENTS[a])[:, None] + others * self.inside[a, i][:, None]

    def together(self, i: int, a: int, k: int, b: int, others: Array) -> Array:  # (n, S) -> (n, S)
        """Of u_i^a u_k^b, weighted ``others`` where both lie inside and 1 elsewhere."""
        elsewhere = self.outside[a, i] * NORMAL_MOMENTS[b] + self.inside[a, i] * self.outside[b, k]
        elsewhere = elsewhere + MASS_FLOOR * NORMAL_MOMENTS[a] * NORMAL_MOMENTS[b]
        return elsewhere[:, None] + others * (self.inside[a, i] * self.inside[b, k])[:, None]


def _cumulative(t: Array) -> Array:  # (...) -> (5, ...)
    """Integrals of u^a phi(u) from minus infinity to t."""
    cdf, pdf = ndtr(t), np.exp(-0.5 * t * t) / SQRT_2PI
    parts: Iterable[Array] = (cdf, -pdf, cdf - t * pdf, -(t * t + 2.0) * pdf, 3.0 * cdf - (t * t + 3.0) * t * pdf)
    return np.stack(list(parts))


def _normal_pairs(n: int) -> Array:  # (3, 3, n, n)
    """E[u_j^a u_k^b] of independent standard normal variables; on j = k E[u_j^(a+b)]."""
    apart = NORMAL_MOMENTS[:3, None] * NORMAL_MOMENTS[:3]
    same = NORMAL_MOMENTS[np.add.outer(np.arange(3), np.arange(3))]
    return np.where(np.eye(n, dtype=np.bool_), same[:, :, None, None], apart[:, :, None, None])
