"""How good the front of a run is along its way; a deterministic function of the trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods import Method
from imoca.pareto import average_distance, estimate_hypervolume, representative_subset
from imoca.snapshot import MOST_RECOMMENDED, recommend
from imoca.trials import TrialTable
from imoca_lab.benchmark import Benchmark

SMALLEST_START = 6  # trials; in many parameters one more than these
HYPERVOLUME_SEED = 0  # of the sampled hypervolume in many objectives: the same samples for every front


@dataclass(frozen=True)
class Score:
    """Of the first ``n_trials`` trials. Differences are shares of the true hypervolume, 0 for the true front and 1
    for nothing; distances are the paper's R2, infinite for nothing."""

    n_trials: int
    hypervolume_difference: float
    average_distance: float
    verified_hypervolume_difference: float
    verified_average_distance: float


def checkpoint_sizes(
    costs: Array,  # (n,) cumulative
    n_initial: int,
    n_checkpoints: int,
) -> list[int]:
    """Numbers of trials to score after: the initial design, the end, and in between evenly in the logarithm of cost.

    Fewer than asked for where trials are fewer.
    """
    first = min(n_initial, len(costs))
    aims = np.geomspace(costs[first - 1], costs[-1], n_checkpoints)
    sizes = np.searchsorted(costs, aims, side="right").clip(first, len(costs))
    return sorted({first, *sizes.tolist(), len(costs)})


def n_initial_trials(method: Method, table: TrialTable, seed: int) -> int:
    """Trials of the method's initial design, or as many as a model needs where it has a smaller one or none."""
    size = 0
    while size < len(table) and method.is_start(table.rows(slice(size)), seed):
        size += 1
    return max(size, SMALLEST_START, table.problem.space.n_parameters + 1)


def score(benchmark: Benchmark, table: TrialTable, seed: int) -> Score:
    """The front that the study would recommend after these trials, its designs evaluated truly.

    The same way for every method: a front of posterior means, up to 200 designs, chosen greedily by hypervolume.
    """
    problem = benchmark.problem
    recommended = np.array([problem.space.encode(point.parameters) for point in recommend(table, seed)])
    truths = []
    for x in (recommended, table.verified.x):
        truths.append(_feasible_truth(benchmark, x))
    return Score(
        len(table),
        *(_lacking(benchmark, truths[0]), average_distance(truths[0], benchmark.reference_front)),
        *(_lacking(benchmark, truths[1]), average_distance(truths[1], benchmark.reference_front)),
    )


def _feasible_truth(benchmark: Benchmark, x: Array) -> Array:  # (n, d) -> (m, K)
    """What is not feasible is worth nothing."""
    if len(x) and benchmark.is_feasible is not None:
        x = x[benchmark.is_feasible(x)]
    return benchmark.true_values(x) if len(x) else np.empty((0, len(benchmark.reference_point)))


def attainable_difference(benchmark: Benchmark) -> float:
    """What the stored true front lacks when thinned to as many designs as are recommended: no less can be expected."""
    front = benchmark.reference_front
    return _lacking(benchmark, front[representative_subset(front, MOST_RECOMMENDED)])


def _lacking(benchmark: Benchmark, values: Array) -> float:
    rng = np.random.default_rng(HYPERVOLUME_SEED)
    return 1.0 - estimate_hypervolume(values, benchmark.reference_point, rng).volume / benchmark.hypervolume
