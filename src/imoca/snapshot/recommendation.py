"""The Pareto front to recommend: of the posterior means at full accuracy, with what was measured there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, try_to_believe
from imoca.methods.fronts import front_of_means
from imoca.methods.initial_design import sobol_designs
from imoca.pareto.dominance import non_dominated
from imoca.pareto.search import SearchEffort
from imoca.pareto.subset import representative_subset
from imoca.problem.parameters import Value
from imoca.trials.table import TrialTable
from imoca.trials.trial import Trial

MOST_RECOMMENDED = 200  # designs
N_START_DESIGNS = 1024
EFFORT = SearchEffort(size=800, n_generations=15, n_children=500)  # once, for somebody who will look at it


@dataclass(frozen=True)
class ParetoPoint:
    """One design of the recommended front; values in the user's own units and signs."""

    parameters: Mapping[str, Value]
    predicted: Mapping[str, float]  # posterior mean at full accuracy
    uncertainty: Mapping[str, float]  # posterior standard deviation there
    measured: Mapping[str, float] | None  # what the simulators answered at full accuracy, all of them

    @property
    def verified(self) -> bool:
        return self.measured is not None


def believe_answers(table: TrialTable) -> Beliefs | None:
    """Of the trials that hold an answer: a recommendation guesses nothing about what is still asked."""
    return try_to_believe(table.rows(table.has_values))


def recommend(table: TrialTable, seed: int) -> list[ParetoPoint]:
    """The front that the trials of a table speak for."""
    return recommended(table, believe_answers(table), seed)


def recommended(table: TrialTable, beliefs: Beliefs | None, seed: int) -> list[ParetoPoint]:
    """Non-dominated among the predicted front and the verified designs, which stand with their measured values."""
    if beliefs is None:
        return []
    verified = table.rows(table.is_verified)
    predicted_x = _predicted_front(beliefs, seed)
    x = np.concatenate([predicted_x, verified.x])
    values = np.concatenate([beliefs.means_at_target(predicted_x), _measured(beliefs, verified)])
    kept = np.flatnonzero(non_dominated(values))
    kept = kept[np.argsort(values[kept, 0], kind="stable")]
    means, deviations = beliefs.means_and_deviations_at_target(x)
    points = []
    for i in kept:
        trial = verified.trials[i - len(predicted_x)] if i >= len(predicted_x) else None
        points.append(_point(beliefs, x[i], means[i], deviations[i], trial))
    return points


def _predicted_front(beliefs: Beliefs, seed: int) -> Array:  # (l, d)
    rng = np.random.default_rng(seed)
    observed = np.unique(np.concatenate([each.x for each in beliefs.data]), axis=0)
    starts = np.concatenate([sobol_designs(beliefs.problem, N_START_DESIGNS, rng), observed])
    front = front_of_means(beliefs, starts, EFFORT, rng)
    return front.x[representative_subset(front.values, MOST_RECOMMENDED)]


def _measured(beliefs: Beliefs, verified: TrialTable) -> Array:  # (n, K) standardised, maximised
    columns = verified.values[:, beliefs.problem.objective_columns].T
    return np.column_stack([data.standardised(column) for data, column in zip(beliefs.data, columns, strict=True)])


def _point(beliefs: Beliefs, x: Array, mean: Array, deviation: Array, trial: Trial | None) -> ParetoPoint:
    names = [objective.name for objective in beliefs.problem.objectives]
    predicted = {
        name: float(data.to_user(mean[j])) for j, (name, data) in enumerate(zip(names, beliefs.data, strict=True))
    }
    uncertainty = {name: float(beliefs.data[j].scale * deviation[j]) for j, name in enumerate(names)}
    measured = None if trial is None else {name: trial.values[name] for name in names}
    parameters = trial.parameters if trial is not None else beliefs.problem.space.decode(x)
    return ParetoPoint(parameters, predicted, uncertainty, measured)
