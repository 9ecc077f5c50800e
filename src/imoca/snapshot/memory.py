"""Designs that were recommended before: a front does not come and go, it changes where the evidence has changed.

What was believed at earlier questions follows from the hyperparameters that their trials remember, without any fit.
The fronts of those beliefs are judged by the beliefs of today.
"""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array, BoolArray, IntArray
from imoca.methods.beliefs import Beliefs
from imoca.methods.fronts import front_of_means
from imoca.methods.initial_design import sobol_designs
from imoca.methods.recall import recall
from imoca.models.cost import CostModel
from imoca.models.surrogates import ModelName
from imoca.pareto.dominance import is_below_front
from imoca.pareto.search import SearchEffort
from imoca.pareto.subset import spread_subset
from imoca.trials.table import TrialTable

N_NEWEST = 3  # questions whose fronts are all recalled; of the others one
SPACING = 1.1  # times as many trials before the next
MOST_TRIALS = 1000  # of a front that is recalled: each costs the cube of them
N_OF_EACH = 30  # designs of a recalled front, evenly spread
N_STARTS = 512  # Sobol designs from which its search starts
EFFORT = SearchEffort(size=100, n_generations=4, n_children=200)
SMALLEST_CHANCE = 0.1  # that a design is not below the front of today, to be recommended still
BESIDE = 0.005  # of the unit cube, per root column: a design so near to one of the front is no other
BETTER = 0.01  # of the front's range
DOUBT = 2.5  # deviations of the model that count as one
N_DRAWS = 32  # by which the chance is judged


def designs_once_recommended(
    table: TrialTable,  # without impossible answers
    costs: tuple[CostModel, ...],
    model: ModelName,
    seed: int,
) -> Array:  # (m, d)
    """Of the fronts that were believed in at earlier questions, thinned."""
    fronts = [np.empty((0, table.x.shape[1]))]
    for size in recalled_sizes(len(table)):
        earlier = recall(table.rows(slice(int(size))), table.trials[size], model, costs)
        if earlier is not None:
            rng = np.random.default_rng([seed, int(size)])
            starts = np.concatenate([sobol_designs(table.problem, N_STARTS, rng), table.x[:size]])
            fronts.append(front_of_means(earlier, earlier.lacking_to_offer, starts, EFFORT, rng).thinned(N_OF_EACH).x)
    return np.concatenate(fronts)


def recalled_sizes(n: int) -> IntArray:
    """Numbers of first trials, fewer than n: the newest, and before them ever fewer, always the same ones."""
    steps = np.arange(int(np.log(max(n, 1)) / np.log(SPACING)) + 1)
    sizes = np.union1d(np.round(SPACING**steps), np.arange(n - N_NEWEST, n)).astype(np.int64)
    return sizes[(sizes > 0) & (sizes < n) & (sizes <= MOST_TRIALS)]


def are_worth_keeping(beliefs: Beliefs, x: Array, front: Array, rng: np.random.Generator) -> BoolArray:
    """Which designs (n, d) may well be better than a front (l, K), by more than its points are apart."""
    means, deviations = beliefs.means_and_deviations_at_target(x)
    draws = means + DOUBT * deviations * rng.standard_normal((N_DRAWS, *means.shape))
    span = np.ptp(front, axis=0)
    lifted = front + BETTER * np.where(span > 0.0, span, 1.0)  # of a single point that of the answers, standardised
    is_below = is_below_front(draws.reshape(-1, front.shape[1]), lifted).reshape(draws.shape[:2])
    return np.asarray(1.0 - is_below.mean(axis=0) >= SMALLEST_CHANCE)


def most_different(x: Array, front: Array, n: int) -> IntArray:  # (m, d), (l, d) -> (<= n,)
    """Rows of the designs that lie farthest from those of a front and from each other, and not beside them."""
    if not len(x):
        return np.arange(0)
    nearest = np.array([((front - each) ** 2).sum(axis=1).min() for each in x])
    rows = np.flatnonzero(nearest > x.shape[1] * BESIDE**2)
    kept = spread_subset(np.concatenate([front, x[rows]]), len(front) + n, first=range(len(front)))
    return rows[np.unique(kept[kept >= len(front)]) - len(front)]
