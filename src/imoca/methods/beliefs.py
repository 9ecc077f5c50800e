"""Everything a method believes after the trials so far."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.cost import CostModel, cost_models
from imoca.models.dataset import OutputData, output_data, unanswered
from imoca.models.fitting import fit
from imoca.models.gp import GaussianProcess
from imoca.models.surrogates import DEFAULT_MODEL, ModelName, form_of
from imoca.problem.problem import Problem
from imoca.trials.table import TrialTable
from imoca.trials.trial import Trial

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Beliefs:
    """One surrogate per objective and one cost model per simulator, in the problem's order."""

    problem: Problem
    data: tuple[OutputData, ...]
    surrogates: tuple[GaussianProcess, ...]
    costs: tuple[CostModel, ...]

    @property
    def fitted(self) -> dict[str, tuple[float, ...]]:
        """Log hyperparameters per objective, as a trial remembers them."""
        return {
            objective.name: tuple(surrogate.kernel.to_logs().tolist())
            for objective, surrogate in zip(self.problem.objectives, self.surrogates, strict=True)
        }

    @property
    def n_data(self) -> int:
        """Observations of the largest surrogate, unanswered questions included."""
        return max(len(surrogate.x) for surrogate in self.surrogates)

    def means_at_target(self, x: Array) -> Array:  # (n, d) -> (n, K)
        return np.column_stack([surrogate.mean_at_target(x) for surrogate in self.surrogates])

    def means_and_deviations_at_target(self, x: Array) -> tuple[Array, Array]:  # (n, d) -> (n, K), (n, K)
        parts = [surrogate.mean_and_variance_at_target(x) for surrogate in self.surrogates]
        return np.column_stack([mean for mean, _ in parts]), np.sqrt(np.column_stack([each for _, each in parts]))


def believe(table: TrialTable, model: ModelName = DEFAULT_MODEL) -> Beliefs | None:
    """Fit everything to the trials; None while some objective has no answer at all."""
    objectives = table.problem.objectives
    data = tuple(output_data(table, j) for j in range(len(objectives)))
    if any(not len(each.values) for each in data):
        return None
    last_fits = _last_fits(table.trials)
    surrogates = []
    for j, (objective, each) in enumerate(zip(objectives, data, strict=True)):
        form = form_of(table.problem.simulator_of(objective.name).fidelity, model)
        process = fit(each.x, each.z, each.values, form, last_fits.get(objective.name))
        surrogates.append(process.believing(*unanswered(table, j)))
    return Beliefs(table.problem, data, tuple(surrogates), cost_models(table))


def try_to_believe(table: TrialTable, model: ModelName = DEFAULT_MODEL) -> Beliefs | None:
    """None also where the data defeat every fit, which is logged."""
    try:
        return believe(table, model)
    except np.linalg.LinAlgError as error:
        logger.warning("No surrogate from %d trials: %s", len(table), error)
        return None


def _last_fits(trials: Sequence[Trial]) -> Mapping[str, Array]:
    """Logarithms of the hyperparameters by objective."""
    for trial in reversed(trials):
        if trial.fitted:
            return {name: np.array(logs) for name, logs in trial.fitted.items()}
    return {}
