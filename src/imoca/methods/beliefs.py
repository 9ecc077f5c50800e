"""Everything a method believes after the trials so far."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imoca.arrays import Array, BoolArray, IntArray
from imoca.models.cost import CostModel, costs_of_runs, fitted_cost_models, remembered_costs
from imoca.models.dataset import OutputData, errors_suit_logarithms, has_logarithms, output_data, unanswered
from imoca.models.doubt import explained_by_cheap_runs, log_score, may_mislead
from imoca.models.failure import FailureModel, Running, failure_models
from imoca.models.fitting import MAX_FIT_POINTS, explore, fit_on, starts_of, thinned
from imoca.models.gp import GaussianProcess
from imoca.models.limit import Limit, log_feasibility
from imoca.models.outliers import judged, set_aside, standing_out
from imoca.models.surrogates import DEFAULT_MODEL, ModelName, form_of
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Output
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState, Trial

logger = logging.getLogger(__name__)

N_LOOKS = 3  # at what stands out: some wrong answers hide others
MOST_OBSERVATIONS = 3000  # of an output; of more all at full accuracy are believed and, evenly, some of the others
LOGARITHM_MARGIN = 5.0  # nats by which a logarithm must describe the answers better: by chance it seems better by four
SMALLEST_RATIO = 1.5  # of the largest answer to the smallest; none below preferred its logarithm by the margin
FEWEST_FOR_LOGARITHMS = 8  # answers, below which nothing is compared
LOG_LIKELY_FEASIBLE = float(np.log(0.5))  # of the probability that a design to be reckoned with is feasible
LOG_FEASIBLE_TO_OFFER = float(np.log(0.9))  # and one to be recommended: fronts lie on the edge, where models err most
MISLEADING_MARGIN = 2.0  # nats by which full runs must predict each other better without cheap ones
LARGEST_LOSS = 0.05  # share of the cost in failed runs, above which questions are cautious
LARGEST_RATE, N_LAST_RUNS = 0.4, 20  # and the share of the last runs of a simulator that failed
CAUTIOUS = 200.0  # the power to which the share counts that a question is less sure to run
LOG_SURE_TO_RUN = float(np.log(0.95))  # of the probability that it runs, once so much can be known
LOG_SURE_TO_OFFER = float(np.log(0.98))  # of one to be recommended: designs on one edge fail together, or not at all

Fit = tuple[OutputData, GaussianProcess]


@dataclass(frozen=True)
class Beliefs:
    """A surrogate per objective, a limit per constraint; per simulator what it costs and how it fails."""

    problem: Problem
    data: tuple[OutputData, ...]
    surrogates: tuple[GaussianProcess, ...]
    costs: tuple[CostModel, ...]
    set_aside: tuple[tuple[int, ...], ...]  # per modelled output, numbers of the trials whose answers are impossible
    failures: tuple[FailureModel | None, ...]  # per simulator, None where nothing fails
    is_misled: tuple[bool, ...]  # per modelled output, whether cheap runs are left out, for they mislead
    limits: tuple[Limit, ...] = ()
    caution: float = 0.0  # by how much a question counts less that is less sure to run than it should be

    @property
    def modelled(self) -> tuple[GaussianProcess, ...]:
        """The surrogates of all outputs: those of the objectives, then those of the constraints."""
        return (*self.surrogates, *(limit.surrogate for limit in self.limits))

    @property
    def modelled_data(self) -> tuple[OutputData, ...]:
        """What each of them has seen."""
        return (*self.data, *(limit.data for limit in self.limits))

    @property
    def fitted(self) -> dict[str, tuple[float, ...]]:
        """Log hyperparameters per output and learned cost, as a trial remembers them."""
        of_outputs = {
            alone_key(output.name) if is_alone else output.name: tuple(surrogate.kernel.to_logs().tolist())
            for output, surrogate, is_alone in zip(self.problem.modelled, self.modelled, self.is_misled, strict=True)
        }
        return remembered_costs(self.costs) | of_outputs

    @property
    def n_data(self) -> int:
        """Observations of the largest surrogate, unanswered questions included."""
        return max(len(surrogate.x) for surrogate in self.modelled)

    @property
    def running(self) -> Running | None:
        """How likely designs are to run at full accuracy; None where nothing ever failed."""
        failing = tuple(each for each in self.failures if each is not None)
        return Running(failing) if failing else None

    @property
    def is_constrained(self) -> bool:
        """Whether a design may be infeasible: violate a constraint, or not run."""
        return bool(self.limits) or self.running is not None

    def log_feasibility(self, x: Array) -> Array:  # (n, d) -> (n,)
        """Logarithm of the probability that a design runs at full accuracy and all constraints hold there."""
        logs = log_feasibility(self.limits, x)
        return logs if self.running is None else logs + self.running.log_probability(x)

    def log_worth(self, x: Array) -> Array:  # (n, d) -> (n,)
        """Logarithm of the share of its worth that a question at full accuracy counts: the above, with caution."""
        logs = self.log_feasibility(x)
        if self.running is None or not self.caution:
            return logs
        return logs - self.caution * np.maximum(0.0, self.log_sure_to_run - self.running.log_probability(x))

    def lacking(self, x: Array) -> Array:  # (n, d) -> (n,)
        """By how much the logarithms of a design's probabilities are too small to reckon with it, 0 if they are not.

        All constraints are to hold more likely than not, and it is to run as likely as most designs that did.
        """
        return self._short_of(x, LOG_LIKELY_FEASIBLE, LOG_SURE_TO_RUN)

    def lacking_to_offer(self, x: Array) -> Array:  # (n, d) -> (n,)
        """The same of one to be recommended, of which more is expected."""
        return self._short_of(x, LOG_FEASIBLE_TO_OFFER, LOG_SURE_TO_OFFER)

    def _short_of(self, x: Array, log_feasible: float, log_sure: float) -> Array:
        missing = np.maximum(0.0, log_feasible - log_feasibility(self.limits, x))
        if self.running is not None:
            wanted = min(log_sure, self._log_typical_to_run)
            missing = missing + np.maximum(0.0, wanted - self.running.log_probability(x))
        return missing

    def are_likely_feasible(self, x: Array) -> BoolArray:  # (n, d) -> (n,)
        """Whether it runs and all constraints hold more likely than not."""
        return self.log_feasibility(x) >= LOG_LIKELY_FEASIBLE

    @property
    def log_sure_to_run(self) -> float:
        """Of the probability that a design to be asked for with caution runs."""
        return min(LOG_SURE_TO_RUN, self._log_typical_to_run)

    @cached_property
    def _log_typical_to_run(self) -> float:
        """The median over designs that answered: a front on the edge lies where it is no larger than it must be."""
        answered = np.unique(np.concatenate([each.x for each in self.data]), axis=0)
        return 0.0 if self.running is None else float(np.median(self.running.log_probability(answered)))

    @cached_property
    def explained_by_cheap_runs(self) -> float:
        """The share of what full runs answered that cheap ones alone predict, over what decides.

        That are the objectives, and constraints that were violated.
        """
        n_objectives = len(self.surrogates)
        violated = [j for j, limit in enumerate(self.limits, start=n_objectives) if limit.was_violated]
        return float(np.mean([self.explained(j) for j in (*range(n_objectives), *violated)]))

    def explained(self, j: int) -> float:
        """The same of one modelled output; nothing where cheap runs are left out."""
        return 0.0 if self.is_misled[j] else explained_by_cheap_runs(self.modelled[j])

    def guessing(self, table: TrialTable) -> Beliefs:
        """As if every objective that still runs or failed had its mean for an answer, so that it is not asked again."""
        guessed = [process.believing(*unanswered(table, j)) for j, process in enumerate(self.surrogates)]
        return dataclasses.replace(self, surrogates=tuple(guessed))

    def believing(self, x: Array, z: Array) -> Beliefs:  # (d,), (n_simulators,), NaN where one is left out
        """As if a question more were asked, and every output of it had its mean for an answer."""
        at = zip(self.modelled, z[self.problem.simulator_columns].tolist(), strict=True)
        moved = [process if np.isnan(each) else process.believing_one(x, each) for process, each in at]
        n_objectives = len(self.surrogates)
        limited = zip(self.limits, moved[n_objectives:], strict=True)
        limits = tuple(dataclasses.replace(limit, surrogate=process) for limit, process in limited)
        return dataclasses.replace(self, surrogates=tuple(moved[:n_objectives]), limits=limits)

    def means_at_target(self, x: Array) -> Array:  # (n, d) -> (n, K)
        return np.column_stack([surrogate.mean_at_target(x) for surrogate in self.surrogates])

    def means_and_deviations_at_target(self, x: Array) -> tuple[Array, Array]:  # (n, d) -> (n, K), (n, K)
        parts = [surrogate.mean_and_variance_at_target(x) for surrogate in self.surrogates]
        return np.column_stack([mean for mean, _ in parts]), np.sqrt(np.column_stack([each for _, each in parts]))


def believe(table: TrialTable, model: ModelName = DEFAULT_MODEL, *, is_guessing: bool = True) -> Beliefs | None:
    """Fit everything to the trials; None while some output has no answer at all.

    Guessing, a surrogate believes its own mean where a simulator still runs or failed, so that the same is not asked
    again at once. A guess is no knowledge: whoever recommends does without.
    """
    problem = table.problem
    if np.isnan(table.values[:, problem.modelled_columns]).all(axis=0).any():
        return None
    last_fits = _last_fits(table.trials)
    fits, impossible = [], []
    for j in range(len(problem.modelled)):
        seen, named = _fitted_to_the_possible(table, j, model, last_fits)
        fits.append(seen)
        impossible.append(named)
    alone = [None] * len(fits) if model == "product" else _full_runs_alone(table, model, last_fits, fits, impossible)
    fits = [each or seen for each, seen in zip(alone, fits, strict=True)]
    surrogates = [process for _, process in fits]
    if is_guessing:
        surrogates = [process.believing(*unanswered(table, j)) for j, process in enumerate(surrogates)]
    costs, data = fitted_cost_models(table), [seen for seen, _ in fits]
    beliefs = beliefs_of(
        problem, data, surrogates, costs, impossible, failure_models(table), [each is not None for each in alone]
    )
    return dataclasses.replace(beliefs, caution=caution_after(table, costs)) if is_guessing else beliefs


def caution_after(table: TrialTable, costs: Sequence[CostModel]) -> float:
    """None until failed runs have taken more than their share of the cost, or too many of the last ones failed: 0."""
    lost = total = worst = 0.0
    for s, model in enumerate(costs):
        rows = np.flatnonzero(table.was_run[:, s])
        spent = costs_of_runs(model, table.x[rows], table.z[rows, s])
        total += float(spent.sum())
        has_failed = table.states[rows, s] == SimulatorState.FAILED
        lost += float(spent[has_failed].sum())
        worst = max(worst, float(has_failed[-N_LAST_RUNS:].sum()) / N_LAST_RUNS)
    return CAUTIOUS if lost > LARGEST_LOSS * total or worst > LARGEST_RATE else 0.0


def beliefs_of(
    problem: Problem,
    data: Sequence[OutputData],
    surrogates: Sequence[GaussianProcess],
    costs: tuple[CostModel, ...],
    set_aside: Sequence[tuple[int, ...]],
    failures: tuple[FailureModel | None, ...],
    is_misled: Sequence[bool],
) -> Beliefs:
    """Of everything per modelled output."""
    n_objectives = len(problem.objectives)
    constrained = zip(problem.constraints, data[n_objectives:], surrogates[n_objectives:], strict=True)
    return Beliefs(
        problem,
        tuple(data[:n_objectives]),
        tuple(surrogates[:n_objectives]),
        costs,
        tuple(set_aside),
        failures,
        tuple(is_misled),
        tuple(Limit.of(*each) for each in constrained),
    )


def without_answers(table: TrialTable, set_aside: Sequence[Sequence[int]]) -> TrialTable:
    """The same trials, as if those named per modelled output had not answered it."""
    if not any(set_aside):
        return table
    values, numbers = table.values.copy(), [trial.number for trial in table.trials]
    for column, named in zip(table.problem.modelled_columns, set_aside, strict=True):
        values[np.isin(numbers, named), column] = np.nan
    return dataclasses.replace(table, values=values)


def without_absurd_answers(table: TrialTable, model: ModelName) -> TrialTable:
    """The same trials, but for answers so far beyond all others that a look at the values finds them impossible."""
    problem, values = table.problem, table.values.copy()
    for column, s in zip(problem.modelled_columns, problem.simulator_columns, strict=True):
        rows = np.flatnonzero(~np.isnan(values[:, column]))
        form = form_of(problem.simulators[s].fidelity, model)
        found = set_aside(table.x[rows], table.z[rows, s], values[rows, column], form, table.errors[rows, column])
        values[rows[found], column] = np.nan
    return dataclasses.replace(table, values=values)


def _fitted_to_the_possible(
    table: TrialTable, j: int, model: ModelName, last_fits: Mapping[str, Array]
) -> tuple[tuple[OutputData, GaussianProcess], tuple[int, ...]]:
    """One output without its impossible answers, and the numbers of their trials."""
    column, s = table.problem.modelled_columns[j], table.problem.simulator_columns[j]
    form = form_of(table.problem.simulators[s].fidelity, model)
    rows = np.flatnonzero(~np.isnan(table.values[:, column]))
    errors = table.errors[:, column]
    aside = rows[set_aside(table.x[rows], table.z[rows, s], table.values[rows, column], form, errors[rows])]
    seen = _fitted(without_rows(table, column, aside), j, model, last_fits)
    if model == "product" or len(rows) > MAX_FIT_POINTS:  # a fit that does not see all misses others
        return seen, tuple(table.trials[row].number for row in aside)
    for _ in range(N_LOOKS):
        kept = np.setdiff1d(rows, aside)
        suspects, values = standing_out(seen[1]), table.values[kept, column]
        found = judged(table.x[kept], table.z[kept, s], values, suspects, form, errors[kept])
        if not found.any():
            break
        aside = np.union1d(aside, kept[found])
        seen = _fitted(without_rows(table, column, aside), j, model, last_fits)
    return seen, tuple(table.trials[row].number for row in aside)


def _full_runs_alone(
    table: TrialTable,
    model: ModelName,
    last_fits: Mapping[str, Array],
    fits: Sequence[Fit],
    set_aside: Sequence[tuple[int, ...]],
) -> list[Fit | None]:
    """Per modelled output the fit without its cheap runs, where full runs predict each other better without them.

    None elsewhere, and of all as long as that is so of less than half of them: it may be chance.
    """
    possible = without_answers(table, set_aside)
    found: list[Fit | None] = []
    for j, seen in enumerate(fits):
        alone = _fitted(full_runs_of(possible, j), j, model, last_fits) if may_mislead(seen[1]) else None
        is_better = alone is not None and log_score(*alone) > log_score(*seen) + MISLEADING_MARGIN
        found.append(alone if is_better else None)
    return found if 2 * sum(each is not None for each in found) >= len(fits) else [None] * len(fits)


def full_runs_of(table: TrialTable, j: int) -> TrialTable:
    """As if a modelled output had been answered at full accuracy only."""
    is_cheap = table.z[:, table.problem.simulator_columns[j]] < 1.0
    return without_rows(table, table.problem.modelled_columns[j], np.flatnonzero(is_cheap))


def alone_key(output: str) -> str:
    """By which a trial remembers hyperparameters of full runs alone."""
    return f"{output} by full runs alone"


def without_rows(table: TrialTable, column: int, rows: IntArray) -> TrialTable:
    if not len(rows):
        return table
    values = table.values.copy()
    values[rows, column] = np.nan
    return dataclasses.replace(table, values=values)


def _fitted(
    table: TrialTable, j: int, model: ModelName, last_fits: Mapping[str, Array]
) -> tuple[OutputData, GaussianProcess]:
    """One output as it is, or as its logarithm: as declared, else where that describes the answers much better."""
    output = table.problem.modelled[j]
    form = form_of(table.problem.simulator_of(output.name).fidelity, model)
    declared = declared_log(output)

    is_log = bool(declared) and has_logarithms(table, j)
    data = output_data(table, j, is_log)
    starts = starts_of(form, data.x, last_fits.get(output.name, last_fits.get(alone_key(output.name))))
    explored = explore(data.x, data.z, data.values, data.told_noise, form, starts)
    if declared is None and model != "product" and _may_be_logarithms(table, j):
        logs = output_data(table, j, is_log=True)
        seen = explore(logs.x, logs.z, logs.values, logs.told_noise, form, [explored.start])
        if seen.cost + logs.log_jacobian < explored.cost + data.log_jacobian - LOGARITHM_MARGIN:
            data, explored = logs, seen
    if len(data.values) > MOST_OBSERVATIONS:
        data = data.rows(thinned(data.z, MOST_OBSERVATIONS))
    return data, fit_on(explored, data.x, data.z, data.values, data.told_noise, form)


def declared_log(output: Output) -> bool | None:
    """Nothing is declared of a constraint: its answers decide."""
    return output.log if isinstance(output, Objective) else None


def _may_be_logarithms(table: TrialTable, j: int) -> bool:
    """Whether there are enough answers to tell, and they differ by so much that a logarithm is no straight line."""
    column = table.problem.modelled_columns[j]
    values = np.abs(table.values[~np.isnan(table.values[:, column]), column])
    has_them = has_logarithms(table, j) and errors_suit_logarithms(table, j)
    is_comparable = has_them and len(values) >= FEWEST_FOR_LOGARITHMS
    return is_comparable and bool(values.max() >= SMALLEST_RATIO * values.min())


def try_to_believe(table: TrialTable, model: ModelName = DEFAULT_MODEL, *, is_guessing: bool = True) -> Beliefs | None:
    """None also where the data defeat every fit, which is logged."""
    try:
        return believe(table, model, is_guessing=is_guessing)
    except np.linalg.LinAlgError as error:
        logger.warning("No surrogate from %d trials: %s", len(table), error)
        return None


def _last_fits(trials: Sequence[Trial]) -> Mapping[str, Array]:
    """Logarithms of the hyperparameters by output."""
    for trial in reversed(trials):
        if trial.fitted:
            return {name: np.array(logs) for name, logs in trial.fitted.items()}
    return {}
