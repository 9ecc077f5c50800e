"""How the recommended front came to be: the fronts that the first trials alone speak for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.snapshot.recommendation import ParetoPoint, recommend
from imoca.trials.table import TrialTable

N_CHECKPOINTS = 20  # at which the front is recovered anew


@dataclass(frozen=True)
class Checkpoint:
    """A study as it stood after some of its finished trials."""

    n_trials: int
    cost: float  # spent on them
    front: tuple[ParetoPoint, ...]


def front_history(
    finished: TrialTable,
    costs: Array,  # (n,) spent up to each trial, that trial included
    seed: int,
    model: ModelName = DEFAULT_MODEL,
    n_checkpoints: int = N_CHECKPOINTS,
) -> tuple[Checkpoint, ...]:
    """Checkpoints spread over the cost and over the trials; those without a front are left out."""
    checkpoints = []
    for i in _checkpoints(costs, n_checkpoints):
        if front := recommend(finished.rows(slice(i + 1)), seed, model):
            checkpoints.append(Checkpoint(i + 1, float(costs[i]), tuple(front)))
    return tuple(checkpoints)


def _checkpoints(costs: Array, n: int) -> list[int]:
    """Rows at half of n even steps of the cost and half of n even steps of the trials; the last row among them."""
    if not len(costs):
        return []
    last = len(costs) - 1
    steps = np.linspace(costs[0], costs[-1], n // 2)
    by_cost = np.minimum(np.searchsorted(costs, steps), last).tolist()
    return sorted({*by_cost, *np.linspace(0, last, n // 2).round().astype(int).tolist(), last})
