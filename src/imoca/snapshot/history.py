"""How the recommended front came to be: the fronts that the first trials alone speak for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, without_answers
from imoca.methods.recall import recall
from imoca.models.failure import failure_models
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.snapshot.recommendation import QUICK, ParetoPoint, recommended
from imoca.trials.table import TrialTable
from imoca.trials.trial import Trial

N_CHECKPOINTS = 20  # at which the front is recovered anew
MOST_OBSERVATIONS = 1000  # of an output by which a front on the way is found: each costs the cube of them


@dataclass(frozen=True)
class Checkpoint:
    """A study as it stood after some of its finished trials."""

    n_trials: int
    cost: float  # spent on them
    front: tuple[ParetoPoint, ...]


def front_history(
    finished: TrialTable,
    costs: Array,  # (n,) spent up to each trial, that trial included
    today: Beliefs | None,  # after all of them
    seed: int,
    model: ModelName = DEFAULT_MODEL,
    n_checkpoints: int = N_CHECKPOINTS,
) -> tuple[Checkpoint, ...]:
    """Checkpoints spread over the cost and over the trials; those without a front are left out.

    Nothing is fitted: a checkpoint believes what the next question remembers, or, where no question does, the answers
    up to it with the hyperparameters of today; of very many a part. Its front is searched quickly, and so is the last,
    and its designs have values alone: neither intervals nor probabilities.
    """
    if today is None:
        return ()
    possible, checkpoints = without_answers(finished, today.set_aside), []
    for i in _checkpoints(costs, n_checkpoints):
        known = possible.rows(slice(i + 1))
        beliefs = today if i == len(finished) - 1 else _believed(known, finished.trials[i + 1], today, model)
        if front := recommended(known, beliefs, seed, model, QUICK):
            checkpoints.append(Checkpoint(i + 1, float(costs[i]), tuple(front)))
    return tuple(checkpoints)


def _believed(known: TrialTable, then: Trial, today: Beliefs, model: ModelName) -> Beliefs | None:
    beliefs = recall(known, then, model, today.costs, MOST_OBSERVATIONS)
    if beliefs is None:
        beliefs = recall(known, replace(then, fitted=today.fitted), model, today.costs, MOST_OBSERVATIONS)
    return None if beliefs is None else replace(beliefs, failures=failure_models(known))


def _checkpoints(costs: Array, n: int) -> list[int]:
    """Rows at half of n even steps of the cost and half of n even steps of the trials; the last row among them."""
    if not len(costs):
        return []
    last = len(costs) - 1
    steps = np.linspace(costs[0], costs[-1], n // 2)
    by_cost = np.minimum(np.searchsorted(costs, steps), last).tolist()
    return sorted({*by_cost, *np.linspace(0, last, n // 2).round().astype(int).tolist(), last})
