"""The Pareto front to recommend: of the posterior means at full accuracy, with what was measured there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, try_to_believe
from imoca.methods.initial_design import sobol_designs
from imoca.models.dataset import encode_designs
from imoca.pareto.dominance import non_dominated
from imoca.pareto.search import search_fronts
from imoca.pareto.subset import representative_subset
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.trials import Trial

FRONT_SIZE = 200  # designs recommended at the most
ARCHIVE_SIZE = 800  # designs kept while the front is searched
N_START_DESIGNS = 1024
N_GENERATIONS = 15
N_CHILDREN = 500


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


def recommend(problem: Problem, trials: Sequence[Trial], seed: int) -> list[ParetoPoint]:
    """Non-dominated among the predicted front and the verified designs, which stand with their measured values."""
    beliefs = try_to_believe(problem, [trial for trial in trials if trial.values])
    if beliefs is None:
        return []
    verified = [trial for trial in trials if is_verified(problem, trial)]
    predicted_x = _predicted_front(beliefs, seed)
    x = np.concatenate([predicted_x, encode_designs(problem, verified)])
    values = np.concatenate([beliefs.means_at_target(predicted_x), _measured(beliefs, verified)])
    kept = np.flatnonzero(non_dominated(values))
    kept = kept[np.argsort(values[kept, 0], kind="stable")]
    variances = np.column_stack([each.mean_and_variance_at_target(x)[1] for each in beliefs.surrogates])
    means = beliefs.means_at_target(x)
    points = []
    for i in kept:
        trial = verified[i - len(predicted_x)] if i >= len(predicted_x) else None
        points.append(_point(beliefs, x[i], means[i], np.sqrt(variances[i]), trial))
    return points


def is_verified(problem: Problem, trial: Trial) -> bool:
    """Whether every objective was measured at full accuracy."""
    is_complete = all(objective.name in trial.values for objective in problem.objectives)
    return is_complete and all(
        trial.fidelities[simulator.name] == simulator.fidelity.target for simulator in problem.simulators
    )


def _predicted_front(beliefs: Beliefs, seed: int) -> Array:  # (l, d)
    rng = np.random.default_rng(seed)
    observed = np.unique(np.concatenate([each.x for each in beliefs.data]), axis=0)
    starts = np.concatenate([sobol_designs(beliefs.problem, N_START_DESIGNS, rng), observed])
    fronts = search_fronts(
        lambda x: beliefs.means_at_target(x)[:, None, :],
        beliefs.problem.space,
        starts,
        rng,
        size=ARCHIVE_SIZE,
        n_generations=N_GENERATIONS,
        n_children=N_CHILDREN,
    )
    return fronts[0].x[representative_subset(fronts[0].values, FRONT_SIZE)]


def _measured(beliefs: Beliefs, trials: Sequence[Trial]) -> Array:  # (n, K) standardised, maximised
    columns = [
        data.sign * np.array([trial.values[objective.name] for trial in trials]) - data.centre
        for objective, data in zip(beliefs.problem.objectives, beliefs.data, strict=True)
    ]
    scales = np.array([data.scale for data in beliefs.data])
    return np.column_stack(columns).reshape(len(trials), len(scales)) / scales


def _point(beliefs: Beliefs, x: Array, mean: Array, deviation: Array, trial: Trial | None) -> ParetoPoint:
    names = [objective.name for objective in beliefs.problem.objectives]
    predicted = {
        name: float(data.to_user(mean[j])) for j, (name, data) in enumerate(zip(names, beliefs.data, strict=True))
    }
    uncertainty = {name: float(beliefs.data[j].scale * deviation[j]) for j, name in enumerate(names)}
    measured = None if trial is None else {name: trial.values[name] for name in names}
    parameters = trial.parameters if trial is not None else beliefs.problem.space.decode(x)
    return ParetoPoint(parameters, predicted, uncertainty, measured)
