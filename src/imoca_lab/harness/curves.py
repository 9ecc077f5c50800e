"""From runs to curves over cost: plain records, to be printed, drawn or shown elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from imoca.arrays import Array
from imoca_lab.harness.results import RunResult

HYPERVOLUME_DIFFERENCE = "hypervolume_difference"
INDICATORS = {
    HYPERVOLUME_DIFFERENCE: "hypervolume difference",
    "average_distance": "R2",
    "verified_hypervolume_difference": "hypervolume difference, verified designs only",
    "verified_average_distance": "R2, verified designs only",
}
CONVERGED_WITHIN = 0.01  # of the best final hypervolume of any method


@dataclass(frozen=True)
class Series:
    """The runs of one method on one problem, one per seed."""

    problem: str
    method: str
    runs: tuple[RunResult, ...]

    @property
    def is_single_fidelity(self) -> bool:
        """Whether it only ever asked for full accuracy."""
        return all(z == 1.0 for run in self.runs for zs in run.fidelities.values() for z in zs)

    def steps(self, indicator: str) -> list[Steps]:
        return [steps_of(run, indicator) for run in self.runs]


@dataclass(frozen=True)
class Steps:
    """An indicator of one run: it has a value from its first checkpoint on, and keeps it until the next."""

    costs: Array  # (n,) ascending
    values: Array  # (n,)

    def at(self, cost: float) -> float:
        """NaN before the first checkpoint; what was reached at the end holds beyond it."""
        i = int(np.searchsorted(self.costs, cost, side="right")) - 1
        return float(self.values[i]) if i >= 0 else math.nan

    def settled_within(self, limit: float) -> float:
        """The first cost from which on the value stays at or below ``limit``, infinite if it does not."""
        above = np.flatnonzero(~(self.values <= limit))
        first = int(above[-1]) + 1 if len(above) else 0
        return float(self.costs[first]) if first < len(self.costs) else math.inf


@dataclass(frozen=True)
class Curve:
    """Median and quartiles over seeds against cost, from where every seed has a value."""

    problem: str
    method: str
    indicator: str
    costs: Array  # (n,)
    lower: Array  # (n,) first quartile
    median: Array  # (n,)
    upper: Array  # (n,) third quartile

    @property
    def as_steps(self) -> Steps:
        return Steps(self.costs, self.median)


def all_series(results: Sequence[RunResult]) -> list[Series]:
    """In the order of problems and methods; seeds ascending."""

    def key(run: RunResult) -> tuple[str, str]:
        return run.spec.problem.label, run.spec.method.label

    ordered = sorted(results, key=lambda run: (*key(run), run.spec.seed))
    return [Series(problem, method, tuple(runs)) for (problem, method), runs in groupby(ordered, key)]


def steps_of(run: RunResult, indicator: str) -> Steps:
    costs = [run.costs[score.n_trials - 1] for score in run.scores]
    return Steps(np.array(costs), np.array([getattr(score, indicator) for score in run.scores]))


def curve_of(series: Series, indicator: str) -> Curve:
    """At every checkpoint of any seed; a run that ended earlier keeps what it reached."""
    steps = series.steps(indicator)
    start = max(float(each.costs[0]) for each in steps)
    costs = np.unique(np.concatenate([each.costs for each in steps]))
    costs = costs[costs >= start]
    values = np.array([[each.at(cost) for cost in costs] for each in steps])  # (seeds, n)
    lower, median, upper = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    return Curve(series.problem, series.method, indicator, costs, lower, median, upper)


def quantile(values: Array, share: float) -> Array:  # (seeds, ...) -> (...)
    """Interpolated between seeds where that is possible; infinite beside an infinite one."""
    ordered = np.sort(values, axis=0)
    position = share * (len(ordered) - 1)
    below, above = ordered[math.floor(position)], ordered[math.ceil(position)]
    weight = position - math.floor(position)
    with np.errstate(invalid="ignore"):
        between = below + weight * (above - below)
    return np.where(np.isinf(above) & (weight > 0.0), np.inf, np.where(weight == 0.0, below, between))


def convergence_costs(curves: Sequence[Curve]) -> dict[str, float]:
    """Per method of one problem, the cost at which it has converged.

    That is the first cost after which the median hypervolume stays within 1 % of the best final median of any method.
    Curves are of the hypervolume difference as a share of the true hypervolume; a method that does not get there has
    an infinite cost.
    """
    best = max(1.0 - float(curve.median[-1]) for curve in curves)
    limit = 1.0 - (1.0 - CONVERGED_WITHIN) * best
    return {curve.method: curve.as_steps.settled_within(limit) for curve in curves}
