"""Everything a method believes after the trials so far."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.cost import CostModel, cost_models
from imoca.models.dataset import OutputData, has_logarithms, output_data, unanswered
from imoca.models.failure import FailureModel, failure_models
from imoca.models.fitting import MAX_FIT_POINTS, explore, fit_on, negative_log_posterior, starts_of, thinned
from imoca.models.form import Form
from imoca.models.gp import GaussianProcess
from imoca.models.outliers import judged, set_aside, standing_out
from imoca.models.surrogates import DEFAULT_MODEL, ModelName, form_of
from imoca.problem.problem import Problem
from imoca.trials.table import TrialTable
from imoca.trials.trial import Trial

logger = logging.getLogger(__name__)

N_LOOKS = 3  # at what stands out: some wrong answers hide others
MOST_OBSERVATIONS = 3000  # of an objective; of more all at full accuracy are believed and, evenly, some of the others
LOGARITHM_MARGIN = 5.0  # nats by which a logarithm must describe the answers better: by chance it seems better by four
SMALLEST_RATIO = 1.5  # of the largest answer to the smallest; none below preferred its logarithm by the margin
FEWEST_FOR_LOGARITHMS = 8  # answers, below which nothing is compared


@dataclass(frozen=True)
class Beliefs:
    """One surrogate per objective; per simulator what it costs and how it fails; all in the problem's order."""

    problem: Problem
    data: tuple[OutputData, ...]
    surrogates: tuple[GaussianProcess, ...]
    costs: tuple[CostModel, ...]
    set_aside: tuple[tuple[int, ...], ...]  # per objective, numbers of the trials whose answers are impossible
    failures: tuple[FailureModel | None, ...]  # per simulator, None where nothing fails

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


def believe(table: TrialTable, model: ModelName = DEFAULT_MODEL, *, is_guessing: bool = True) -> Beliefs | None:
    """Fit everything to the trials; None while some objective has no answer at all.

    Guessing, a surrogate believes its own mean where a simulator still runs or failed, so that the same is not asked
    again at once. A guess is no knowledge: whoever recommends does without.
    """
    problem = table.problem
    if np.isnan(table.values[:, problem.objective_columns]).all(axis=0).any():
        return None
    last_fits = _last_fits(table.trials)
    fits, impossible = [], []
    for j in range(len(problem.objectives)):
        seen, named = _fitted_to_the_possible(table, j, model, last_fits)
        fits.append(seen)
        impossible.append(named)
    surrogates = [process for _, process in fits]
    if is_guessing:
        surrogates = [process.believing(*unanswered(table, j)) for j, process in enumerate(surrogates)]
    return Beliefs(
        problem,
        tuple(data for data, _ in fits),
        tuple(surrogates),
        cost_models(table),
        tuple(impossible),
        failure_models(table),
    )


def without_answers(table: TrialTable, set_aside: Sequence[Sequence[int]]) -> TrialTable:
    """The same trials, as if those named per objective had not answered it."""
    if not any(set_aside):
        return table
    values, numbers = table.values.copy(), [trial.number for trial in table.trials]
    for column, named in zip(table.problem.objective_columns, set_aside, strict=True):
        values[np.isin(numbers, named), column] = np.nan
    return dataclasses.replace(table, values=values)


def _fitted_to_the_possible(
    table: TrialTable, j: int, model: ModelName, last_fits: Mapping[str, Array]
) -> tuple[tuple[OutputData, GaussianProcess], tuple[int, ...]]:
    """One objective without its impossible answers, and the numbers of their trials."""
    column, s = table.problem.objective_columns[j], table.problem.simulator_columns[j]
    form = form_of(table.problem.simulators[s].fidelity, model)
    rows = np.flatnonzero(~np.isnan(table.values[:, column]))
    aside = rows[set_aside(table.x[rows], table.z[rows, s], table.values[rows, column], form)]
    seen = _fitted(_without_rows(table, column, aside), j, model, last_fits)
    if model == "product" or len(rows) > MAX_FIT_POINTS:  # a fit that does not see all misses others
        return seen, tuple(table.trials[row].number for row in aside)
    for _ in range(N_LOOKS):
        kept = np.setdiff1d(rows, aside)
        found = judged(table.x[kept], table.z[kept, s], table.values[kept, column], standing_out(seen[1]), form)
        if not found.any():
            break
        aside = np.union1d(aside, kept[found])
        seen = _fitted(_without_rows(table, column, aside), j, model, last_fits)
    return seen, tuple(table.trials[row].number for row in aside)


def _without_rows(table: TrialTable, column: int, rows: IntArray) -> TrialTable:
    if not len(rows):
        return table
    values = table.values.copy()
    values[rows, column] = np.nan
    return dataclasses.replace(table, values=values)


def _fitted(
    table: TrialTable, j: int, model: ModelName, last_fits: Mapping[str, Array]
) -> tuple[OutputData, GaussianProcess]:
    """One objective as it is, or as its logarithm: as declared, else where that describes the answers much better."""
    objective = table.problem.objectives[j]
    form = form_of(table.problem.simulator_of(objective.name).fidelity, model)

    is_log = bool(objective.log) and has_logarithms(table, j)
    data = output_data(table, j, is_log)
    starts = starts_of(form, data.x, last_fits.get(objective.name))
    explored = explore(data.x, data.z, data.values, form, starts)
    if objective.log is None and model != "product" and _may_be_logarithms(table, j):
        logarithms = output_data(table, j, is_log=True)
        seen = explore(logarithms.x, logarithms.z, logarithms.values, form, [explored.start])
        if seen.cost + logarithms.log_jacobian < explored.cost + data.log_jacobian - LOGARITHM_MARGIN:
            data, explored = logarithms, seen
    if len(data.values) > MOST_OBSERVATIONS:
        data = data.rows(thinned(data.z, MOST_OBSERVATIONS))
    return data, fit_on(explored, data.x, data.z, data.values, form)


def _may_be_logarithms(table: TrialTable, j: int) -> bool:
    """Whether there are enough answers to tell, and they differ by so much that a logarithm is no straight line."""
    column = table.problem.objective_columns[j]
    values = np.abs(table.values[~np.isnan(table.values[:, column]), column])
    is_comparable = has_logarithms(table, j) and len(values) >= FEWEST_FOR_LOGARITHMS
    return is_comparable and bool(values.max() >= SMALLEST_RATIO * values.min())


def recall(table: TrialTable, then: Trial, model: ModelName, costs: tuple[CostModel, ...]) -> Beliefs | None:
    """What was believed of these trials when a later one was asked for, whose hyperparameters it remembers: no fit.

    None where it remembers none, those of another model, or where they have no posterior.
    """
    problem = table.problem
    data, surrogates = [], []
    for j, objective in enumerate(problem.objectives):
        form = form_of(problem.simulator_of(objective.name).fidelity, model)
        try:
            seen = _recalled_view(table, j, np.array(then.fitted.get(objective.name, ())), form, model)
        except np.linalg.LinAlgError:
            return None
        if seen is None:
            return None
        data.append(seen[0])
        surrogates.append(seen[1])
    nothing_fails = (None,) * len(problem.simulators)
    return Beliefs(problem, tuple(data), tuple(surrogates), costs, ((),) * len(data), nothing_fails)


def _recalled_view(
    table: TrialTable, j: int, logs: Array, form: Form, model: ModelName
) -> tuple[OutputData, GaussianProcess] | None:
    """The answers to one objective as they are, or as their logarithms if the hyperparameters suit these better."""
    objective, plain = table.problem.objectives[j], output_data(table, j)
    prior = form.prior(plain.x.shape[1])
    if not len(plain.values) or len(logs) != len(prior.mean):
        return None
    views = [plain]
    if has_logarithms(table, j) and model != "product" and objective.log is not False:
        views = [*([] if objective.log else views), output_data(table, j, is_log=True)]
    costs = [
        negative_log_posterior(logs, form, prior, view.x, view.z, view.values)[0] + view.log_jacobian for view in views
    ]
    chosen = views[int(np.argmin(costs))]
    kernel = form.kernel(logs, plain.x.shape[1])
    return chosen, GaussianProcess.condition(chosen.x, chosen.z, chosen.values, kernel)


def try_to_believe(table: TrialTable, model: ModelName = DEFAULT_MODEL, *, is_guessing: bool = True) -> Beliefs | None:
    """None also where the data defeat every fit, which is logged."""
    try:
        return believe(table, model, is_guessing=is_guessing)
    except np.linalg.LinAlgError as error:
        logger.warning("No surrogate from %d trials: %s", len(table), error)
        return None


def _last_fits(trials: Sequence[Trial]) -> Mapping[str, Array]:
    """Logarithms of the hyperparameters by objective."""
    for trial in reversed(trials):
        if trial.fitted:
            return {name: np.array(logs) for name, logs in trial.fitted.items()}
    return {}
