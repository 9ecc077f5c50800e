"""Whether the front still moves: what the fronts of a while ago lack of today's, as the model of today sees it.

What was believed at earlier questions follows from the hyperparameters that their trials remember: nothing is fitted,
and a restart changes nothing. One model judges all those fronts, for each model finds its own the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, without_absurd_answers
from imoca.methods.fronts import front_of_means
from imoca.methods.initial_design import sobol_designs
from imoca.methods.recall import recall
from imoca.models.cost import CostModel, cost_models
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.pareto.indicators import glance_hypervolume
from imoca.pareto.search import Front, SearchEffort
from imoca.snapshot.accounting import bill
from imoca.trials.table import TrialTable
from imoca.wording import number

# Measured by experiments/settled.py: docs/how-to/verify.md says on what.
MOST_MOVED = 0.025  # of its hypervolume, by which a front that has settled moved
STRETCH = 0.25  # of the search's cost, over which it is watched
FEWEST_QUESTIONS = 5  # over which it is watched at least
N_LOOKS = 5  # at fronts in that time
LEAST_TOLD = 1e-4  # of its hypervolume; what is less is the search for the front, not the front

WORST_SHARE = 0.25  # of the answers, which lie below the point above which hypervolume counts
MARGIN = 0.1  # of the front's range, by which that point lies below the front at least
MOST_OBSERVATIONS = 1000  # of an objective by which a front is judged
N_STARTS = 512  # Sobol designs from which the search for a front starts
EFFORT = SearchEffort(size=100, n_generations=6, n_children=200)


@dataclass(frozen=True)
class Movement:
    """Of the front, up to the last question."""

    share: float | None  # of its hypervolume that the fronts of a while ago lack, at the most; None: it cannot be told
    cost: float  # of the search meanwhile
    is_verified: bool  # some design that a model chose was run at full accuracy
    has_front: bool = True  # some design is likely to be feasible

    @property
    def has_ended(self) -> bool:
        return self.share is not None and self.share <= MOST_MOVED

    @property
    def is_settled(self) -> bool:
        """Whether the front stands still and something witnesses it."""
        return self.has_ended and self.is_verified

    @property
    def words(self) -> str:
        """Why it is settled or not."""
        if not self.has_front:
            return "there is no front yet: no design is likely to be feasible"
        if self.share is None:
            return "too few questions were asked by a model to tell"
        cost = number(float(f"{self.cost:.3g}"))
        share = f"{100.0 * self.share:.2g}" if self.share >= LEAST_TOLD else f"less than {100.0 * LEAST_TOLD:g}"
        moved = f"the front moved by {share} % of its hypervolume over the last {cost} of cost"
        if not self.has_ended:
            return f"{moved}, more than {100.0 * MOST_MOVED:g} %"
        return moved if self.is_verified else f"{moved}, but no design that was chosen was run at full accuracy"


def movement(
    table: TrialTable,
    model: ModelName = DEFAULT_MODEL,
    possible: TrialTable | None = None,  # without absurd answers, if they were looked for already
) -> Movement:
    """Pure: it follows from the trials and what they remember. An impossible answer is no witness."""
    possible = without_absurd_answers(table, model) if possible is None else possible
    is_verified = any(trial.fitted for trial in possible.verified.trials)
    costs = bill(table)
    spent = np.where(costs.is_verification, 0.0, costs.by_trial + costs.expected.sum(axis=1)).cumsum()
    rows = watched(table, spent)
    if not rows or np.isnan(spent[-1]):  # costs by a function that is not imported for looking at a study
        return Movement(None, 0.0, is_verified)
    prices, table = cost_models(table), possible
    today = remembered(table, model, prices)
    fronts = [_front_at(table, row, model, prices) for row in rows]
    if today is None or any(front is None for front in fronts):
        return Movement(None, 0.0, is_verified)
    front = _front(table, today, len(table))
    if not len(front.x):
        return Movement(None, 0.0, is_verified, has_front=False)
    share = _lacking(today, front, [each.x for each in fronts if each is not None])
    return Movement(share, float(spent[-1] - spent[rows[0] - 1]), is_verified)


def remembered(table: TrialTable, model: ModelName, prices: tuple[CostModel, ...]) -> Beliefs | None:
    """What follows of all answers with the hyperparameters that the last question remembers; None where none does."""
    last = next((trial for trial in reversed(table.trials) if trial.fitted), None)
    return None if last is None else recall(table, last, model, prices, MOST_OBSERVATIONS)


def watched(table: TrialTable, spent: Array) -> list[int]:  # (n,) up to each trial
    """Rows of the questions whose fronts are looked at: the last, and some before it, up to the stretch ago."""
    asked = [i for i, trial in enumerate(table.trials) if i > 0 and trial.fitted]
    if len(asked) <= FEWEST_QUESTIONS:
        return []
    before = spent[np.array(asked) - 1]  # what was spent when each was asked
    by_cost = int(np.searchsorted(before, (1.0 - STRETCH) * before[-1], side="right")) - 1
    first = min(by_cost, len(asked) - 1 - FEWEST_QUESTIONS)
    if first < 0:
        return []
    return [asked[i] for i in np.unique(np.linspace(first, len(asked) - 1, N_LOOKS + 1).round().astype(int))]


def _front_at(table: TrialTable, row: int, model: ModelName, prices: tuple[CostModel, ...]) -> Front | None:
    """As it was believed in when a question was asked."""
    beliefs = recall(table.rows(slice(row)), table.trials[row], model, prices, MOST_OBSERVATIONS)
    return None if beliefs is None else _front(table, beliefs, row)


def _front(table: TrialTable, beliefs: Beliefs, n: int) -> Front:
    """Of the means; ``n`` trials were known."""
    rng = np.random.default_rng(n)
    starts = np.concatenate([sobol_designs(table.problem, N_STARTS, rng), table.x[:n]])
    return front_of_means(beliefs, beliefs.lacking, starts, EFFORT, rng)


def _lacking(today: Beliefs, front: Front, designs: Sequence[Array]) -> float:
    """The share of the hypervolume of today's front that the worst of some sets of designs lacks, (m, d) each."""
    usual = np.array([np.quantile(data.values, WORST_SHARE) for data in today.data])
    reference_point = np.minimum(usual, front.values.min(axis=0) - MARGIN * np.ptp(front.values, axis=0))
    values = [today.means_at_target(x[today.are_likely_feasible(x)]) for x in designs]
    whole = glance_hypervolume(np.concatenate([front.values, *values]), reference_point)
    return 1.0 - min(glance_hypervolume(each, reference_point) for each in values) / whole if whole > 0.0 else 0.0
