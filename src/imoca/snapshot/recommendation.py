"""The Pareto front to recommend: what was measured at full accuracy, then what is predicted there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.methods.beliefs import Beliefs, try_to_believe, without_answers
from imoca.methods.fronts import front_of_means
from imoca.methods.initial_design import sobol_designs
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.pareto.dominance import is_below_front, non_dominated
from imoca.pareto.search import Front, SearchEffort
from imoca.pareto.subset import representative_subset
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.snapshot.memory import are_worth_keeping, designs_once_recommended, most_different
from imoca.snapshot.prediction import LIKELY, TYPICAL, Predictions, in_units
from imoca.trials.table import TrialTable

MOST_RECOMMENDED = 200  # predicted designs
MOST_KEPT = 60  # beside them, that were recommended before
VERIFIED, PREDICTED, EARLIER = range(3)  # kinds of designs, in the order in which they are offered
N_START_DESIGNS = 1024
EFFORT = SearchEffort(size=800, n_generations=15, n_children=500)  # once, for somebody who will look at it
ID_LENGTH = 5  # hexadecimal digits: of fronts of 200 designs one in fifty has two alike


@dataclass(frozen=True)
class Care:
    """How much is computed for a front."""

    effort: SearchEffort
    n_starts: int
    most: int  # predicted designs
    is_remembering: bool  # what was recommended before
    is_doubting: bool  # how far each prediction is to be trusted, and how likely it is to be on the front


THOROUGH = Care(EFFORT, N_START_DESIGNS, MOST_RECOMMENDED, True, True)
OF_TODAY = replace(THOROUGH, is_remembering=False)  # for somebody who waits: to remember takes as long as to fit
QUICK = Care(SearchEffort(size=200, n_generations=8, n_children=300), 512, 100, False, False)  # of many on the way


@dataclass(frozen=True)
class ParetoPoint:
    """One design of the recommended front; values of objectives and constraints in the user's own units and signs."""

    parameters: Mapping[str, Value]
    predicted: Mapping[str, float]  # at full accuracy, as likely too high as too low
    uncertainty: Mapping[str, float]  # half the width of the interval that holds the truth in 68 % of the cases
    measured: Mapping[str, float] | None  # what the simulators answered at full accuracy, all of them
    interval: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # that holds it in 90 %
    probability: float = 1.0  # that no other recommended design is better in everything
    is_doubtful: bool = False  # the model cannot vouch for it: see Predictions.is_doubtful
    is_earlier: bool = False  # recommended before; today's means are in favour of others, but it may well be as good
    feasibility: float = 1.0  # the probability that it runs at full accuracy and all constraints hold there
    errors: Mapping[str, float] = field(default_factory=dict)  # standard errors of what was measured, where it scatters
    estimated: Mapping[str, float] = field(default_factory=dict)  # of those what was measured, less what is explained

    @property
    def known(self) -> Mapping[str, float]:
        """By what it stands among others: measured, and estimated where that scatters; else predicted."""
        return {**self.predicted, **(self.measured or {}), **self.estimated}

    @property
    def verified(self) -> bool:
        return self.measured is not None

    @property
    def state(self) -> str:
        """In a word."""
        if self.verified:
            return "verified"
        if self.is_doubtful:
            return "doubtful"
        return "earlier" if self.is_earlier else "predicted"

    @property
    def is_vouched_for(self) -> bool:
        """Whether it may be held up as an answer."""
        return not self.is_doubtful and not self.is_earlier

    @property
    def id(self) -> str:
        """Short, and the same as long as the design is the same."""
        return design_id(self.parameters)


def design_id(parameters: Mapping[str, Value]) -> str:
    """Short, and the same as long as the design is the same."""
    content = json.dumps(dict(parameters), sort_keys=True).encode()
    return "F" + hashlib.blake2b(content, digest_size=8).hexdigest()[:ID_LENGTH].upper()


def believe_answers(table: TrialTable, model: ModelName = DEFAULT_MODEL) -> Beliefs | None:
    """Of the answers alone: a recommendation guesses nothing about what is still asked, was not run or failed."""
    return try_to_believe(table, model, is_guessing=False)


def recommend(table: TrialTable, seed: int, model: ModelName = DEFAULT_MODEL) -> list[ParetoPoint]:
    """The front that the trials of a table speak for."""
    return recommended(table, believe_answers(table, model), seed, model)


def recommended(
    table: TrialTable,
    beliefs: Beliefs | None,
    seed: int,
    model: ModelName = DEFAULT_MODEL,
    care: Care = THOROUGH,
    predicted: Front | None = None,  # of the same beliefs with as much effort, if it was searched already
) -> list[ParetoPoint]:
    """Verified designs that none of their kind dominates, what is predicted to be better or beside them, and what was.

    All of them feasible: what was measured violates no constraint, what is predicted holds them with probability
    0.9, or more likely than not if none does.
    A design that was run at full accuracy is never dropped for a mere prediction, and one that was recommended before
    only if it is hardly as good as the front of today. Each kind is sorted by the first objective, from its worst value
    to its best.
    """
    if beliefs is None:
        return []
    table = without_answers(table, beliefs.set_aside)  # an impossible value verifies nothing
    verified = _best_verified(table, beliefs)
    measured = _measured(beliefs, verified)
    front = predicted_front(beliefs, seed, care) if predicted is None else predicted
    kept = _still_recommended(table, beliefs, front, model, seed) if care.is_remembering else front.x[:0]
    x = np.concatenate([front.x[representative_subset(front.values, care.most)], kept])
    means, is_earlier = beliefs.means_at_target(x), np.arange(len(x)) >= len(x) - len(kept)
    is_offered = (is_earlier | non_dominated(means)) & ~_are_among(x, table.verified.x)
    if len(measured):
        is_offered &= ~is_below_front(means, measured)
    designs = np.concatenate([verified.x, x[is_offered]])
    kinds = np.concatenate([np.full(len(measured), VERIFIED), np.where(is_earlier, EARLIER, PREDICTED)[is_offered]])
    if care.is_doubting:
        points = _points(Predictions.at(beliefs, designs), measured, verified, kinds == EARLIER, seed)
    else:
        points = _bare_points(beliefs, designs, verified)
    first = np.concatenate([measured[:, 0], means[is_offered, 0]])
    return [points[i] for i in np.lexsort((first, kinds))]


def chosen_few(problem: Problem, front: Sequence[ParetoPoint], n: int) -> list[ParetoPoint]:
    """At most ``n`` designs that stand for a front: verified ones before others, none that is doubtful or earlier."""
    chosen: list[ParetoPoint] = []
    for kind in ([p for p in front if p.verified], [p for p in front if not p.verified and p.is_vouched_for]):
        room = n - len(chosen)
        if kind and room > 0:
            kept = np.sort(representative_subset(front_values(problem, kind), room))
            chosen += [kind[i] for i in kept]
    return chosen


def is_feasibility_told(problem: Problem, front: Sequence[ParetoPoint]) -> bool:
    """Whether designs may turn out infeasible: there are constraints, or runs that failed."""
    return bool(problem.constraints) or any(point.feasibility < 1.0 for point in front)


def front_values(problem: Problem, front: Sequence[ParetoPoint]) -> Array:  # (n, K) maximised
    """By which each stands among the others."""
    names = [objective.name for objective in problem.objectives]
    rows = [[point.known[name] for name in names] for point in front]
    return np.array(rows) * problem.signs[problem.objective_columns]


def _best_verified(table: TrialTable, beliefs: Beliefs) -> TrialTable:
    """The designs at full accuracy that violate nothing and whose values none of the others dominates."""
    verified = _feasible(as_believed(beliefs, table.verified))
    return verified.rows(non_dominated(_measured(beliefs, verified)))


def measured_values(beliefs: Beliefs, table: TrialTable) -> Array:  # (n, K) standardised, maximised
    """Of every design that was run at full accuracy and violates nothing, but for impossible answers."""
    verified = without_answers(table, beliefs.set_aside).verified
    return _measured(beliefs, _feasible(as_believed(beliefs, verified)))


def as_believed(beliefs: Beliefs, verified: TrialTable) -> TrialTable:
    """The designs with the values that count: what was measured, less what of its told errors the model explains.

    The lucky ones among measurements that scatter are no better designs. The trials keep what was measured.
    """
    problem, values = verified.problem, verified.values.copy()
    for j, column in enumerate(problem.modelled_columns):
        scatters = verified.errors[:, column] > 0.0
        measured = beliefs.modelled_data[j].standardised(values[scatters, column])
        believed = beliefs.modelled[j].without_told_errors(verified.x[scatters], measured)
        values[scatters, column] = problem.signs[column] * in_units(beliefs, j, believed, is_bounded=False)
    return replace(verified, values=values)


def _feasible(table: TrialTable) -> TrialTable:
    """Designs that violate nothing, neither by their outputs nor by their parameters."""
    return table.rows(table.is_feasible & table.problem.space.is_allowed(table.x))


def predicted_front(beliefs: Beliefs, seed: int, care: Care = THOROUGH) -> Front:
    """Of the means at full accuracy; where no design is as surely feasible as it should be, of the likely ones."""
    rng = np.random.default_rng(seed)
    observed = np.unique(np.concatenate([each.x for each in beliefs.modelled_data]), axis=0)
    starts = np.concatenate([sobol_designs(beliefs.problem, care.n_starts, rng), observed])
    front = front_of_means(beliefs, beliefs.lacking_to_offer, starts, care.effort, rng)
    return front if len(front.x) else front_of_means(beliefs, beliefs.lacking, starts, care.effort, rng)


def _still_recommended(table: TrialTable, beliefs: Beliefs, front: Front, model: ModelName, seed: int) -> Array:
    """Designs (m, d) that were recommended before and may well be as good as the front of today.

    Of one objective a single design is the front, and there is nothing to keep beside it; nor beside none.
    """
    if front.values.shape[1] == 1 or not len(front.x):
        return front.x[:0]
    once = designs_once_recommended(table, beliefs.costs, model, seed)
    once = once[beliefs.lacking_to_offer(once) == 0.0]
    if len(once):
        once = once[are_worth_keeping(beliefs, once, front.values, np.random.default_rng(seed))]
    return once[most_different(once, front.x, MOST_KEPT)]


def _measured(beliefs: Beliefs, verified: TrialTable) -> Array:  # (n, K) standardised, maximised
    columns = verified.values[:, beliefs.problem.objective_columns].T
    return np.column_stack([data.standardised(column) for data, column in zip(beliefs.data, columns, strict=True)])


def _are_among(x: Array, others: Array) -> BoolArray:  # (n, d), (m, d) -> (n,)
    known = {row.tobytes() for row in others}
    return np.array([row.tobytes() in known for row in x], dtype=np.bool_)


def _bare_points(beliefs: Beliefs, x: Array, verified: TrialTable) -> list[ParetoPoint]:
    """Without intervals and probabilities; the first designs are those verified, which stand with what was measured."""
    problem = beliefs.problem
    names = [output.name for output in problem.modelled]
    means = [in_units(beliefs, j, each.mean_at_target(x)).tolist() for j, each in enumerate(beliefs.modelled)]
    predicted = [dict(zip(names, row, strict=True)) for row in zip(*means, strict=True)]
    known = [_verified_point(verified, i, predicted[i]) for i in range(len(verified))]
    rest = range(len(verified), len(x))
    return [*known, *(ParetoPoint(problem.space.decode(x[i]), predicted[i], {}, None) for i in rest)]


def _points(
    predictions: Predictions, measured: Array, verified: TrialTable, is_earlier: BoolArray, seed: int
) -> list[ParetoPoint]:
    """The first designs are those verified, which stand with what was measured."""
    problem = predictions.beliefs.problem
    names = [output.name for output in problem.modelled]
    centres, (low, high) = predictions.centres(), predictions.intervals(LIKELY)
    typical_low, typical_high = predictions.intervals(TYPICAL)
    is_doubtful, feasibility = predictions.is_doubtful(), predictions.feasibility()
    sure = np.where(verified.errors[:, problem.objective_columns] > 0.0, np.nan, measured)
    probabilities = predictions.probabilities(sure, np.random.default_rng(seed))
    limits = problem.modelled_columns[len(problem.objectives) :]
    is_sure = np.all(verified.errors[:, limits] == 0.0, axis=1)
    points = []
    for i, x in enumerate(predictions.x):
        predicted = dict(zip(names, centres[i].tolist(), strict=True))
        is_verified = i < len(verified)
        known = _verified_point(verified, i, predicted) if is_verified else None
        points.append(
            replace(
                known or ParetoPoint(problem.space.decode(x), predicted, {}, None),
                uncertainty=dict(zip(names, (0.5 * (typical_high - typical_low))[i].tolist(), strict=True)),
                interval={name: (float(low[i, j]), float(high[i, j])) for j, name in enumerate(names)},
                probability=float(probabilities[i]),
                is_doubtful=not is_verified and bool(is_doubtful[i]),
                is_earlier=bool(is_earlier[i]),
                feasibility=1.0 if is_verified and is_sure[i] else float(feasibility[i]),
            )
        )
    return points


def _verified_point(verified: TrialTable, i: int, predicted: Mapping[str, float]) -> ParetoPoint:
    """The trial has what was measured, the table by what it counts."""
    problem, trial = verified.problem, verified.trials[i]
    counted = {
        problem.outputs[c].name: float(problem.signs[c] * verified.values[i, c]) for c in problem.modelled_columns
    }
    errors = {name: error for name in predicted if (error := trial.errors.get(name))}
    return ParetoPoint(
        parameters=trial.parameters,
        predicted=predicted,
        uncertainty={},
        measured={name: trial.values[name] for name in predicted},
        errors=errors,
        estimated={name: counted[name] for name in errors},
    )
