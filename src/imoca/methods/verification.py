"""When a question goes to full accuracy: where cheap runs had their chance, a share of the cost is spent there.

The share is the larger the less cheap runs tell: what they predict of the runs at full accuracy so far is compared with
what came. The less they tell, the more often such a question is asked as if there were none. And which of some designs
to run there, if a user asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from imoca.acquisition.hypervolume_improvement import improvement_over, reference_below
from imoca.acquisition.regions import MAX_BOX_OBJECTIVES
from imoca.arrays import Array, IntArray
from imoca.methods.beliefs import Beliefs
from imoca.methods.initial_design import initial_size
from imoca.methods.target_search import OPTIMISTIC_DEVIATIONS, REFERENCE_MARGIN, TargetSearch
from imoca.models.cost import CostModel, costs_of_runs
from imoca.pareto.dominance import non_dominated
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate, SimulatorState

PATIENCE = 4.0  # times what all simulators cost at full accuracy, before the first such question
FEW_TO_BEGIN = 8  # designs, twice the patience: more at full accuracy are no price for doing without cheap runs
MOST_AHEAD = 12  # designs that are planned together; of more, the next one is hardly another
MOST_EXCHANGES = 10  # rounds over such a plan
PATIENCE_AT_LIMITS = 2.0  # where a constraint decides: a small error of its cheap runs forbids a whole front


def is_verification_due(table: TrialTable, beliefs: Beliefs, share: float) -> bool:
    """Whether one more question at full accuracy leaves their share of the cost at what it should be, or below.

    That is ``share`` where cheap runs tell everything of full accuracy, and the whole where they tell nothing. A
    constraint that no answer violated does not count.
    """
    spent = expected_costs(table, beliefs.costs)
    one_more = table.problem.setup_cost + sum(simulator.full_cost for simulator in table.problem.simulators)
    at_full = float(spent[(table.z == 1.0).all(axis=1)].sum())
    total = float(spent.sum())
    patience = PATIENCE_AT_LIMITS if any(limit.was_violated for limit in beliefs.limits) else PATIENCE
    if share == 0.0 or total < patience * one_more:
        return False
    return at_full + one_more <= (1.0 - (1.0 - share) * beliefs.explained_by_cheap_runs) * (total + one_more)


def can_do_without_cheap_runs(table: TrialTable) -> bool:
    """Whether full runs alone are enough for a search, or few more make them so: it begins all over the space."""
    n_first = initial_size(table.problem, "target")
    return n_first <= FEW_TO_BEGIN or int((table.z == 1.0).all(axis=1).sum()) >= n_first


def question_without_cheap_runs(search: TargetSearch, table: TrialTable, seed: int) -> Candidate:
    """What the search would ask for if the runs at full accuracy were all there are.

    Its fit is not remembered: the next one is of all runs again.
    """
    return replace(search.suggest(table.rows((table.z == 1.0).all(axis=1)), seed), fitted={})


def most_worth_verifying(
    beliefs: Beliefs,
    x: Array,  # (n, d)
    reached: Array,  # (m, K) standardised, maximised: measured at full accuracy
    costs: Array,  # (n,) of what is to be run there
    n_ahead: int,  # designs that are to be run, this one included
    rng: np.random.Generator,
) -> int:
    """Row of the design that is expected to add most hypervolume to what was reached, if feasible, for its cost.

    One of those that together add most as predicted: the best single design stands in the way of the best few.
    """
    mean, std = beliefs.means_and_deviations_at_target(x)
    reference_point = reference_below(np.concatenate([reached, mean]), REFERENCE_MARGIN)
    improvement = improvement_over(
        _front_of(reached, reference_point), reference_point, mean + OPTIMISTIC_DEVIATIONS * std, rng
    )
    worth = improvement.expected(mean, std) * np.exp(beliefs.log_feasibility(x)) / costs
    if n_ahead == 1 or mean.shape[1] > MAX_BOX_OBJECTIVES:  # a plan of many objectives takes seconds
        return int(np.argmax(worth))
    plan = planned(mean, costs, reached, reference_point, min(n_ahead, MOST_AHEAD))
    return int(plan[np.argmax(worth[plan])])


def planned(
    values: Array,  # (n, K) maximised
    costs: Array,  # (n,)
    reached: Array,  # (m, K)
    reference_point: Array,  # (K,)
    n: int,
) -> IntArray:
    """Rows that together add most hypervolume: one after the other for its cost, then exchanged while that pays.

    The last of them tells what hypervolume is worth: an exchange for a dearer one must pay as much for what it costs.
    """

    def added(chosen: Sequence[int]) -> Array:  # (n,) by each row beside those
        front = _front_of(np.concatenate([reached, values[list(chosen)]]), reference_point)
        return improvement_over(front, reference_point, values, np.random.default_rng(0)).of_points(values)

    price = 0.0  # of hypervolume
    chosen: list[int] = []
    for _ in range(min(n, len(values))):
        worth = added(chosen) / costs
        chosen.append(int(np.argmax(worth)))
        price = float(worth.max())
    for _ in range(MOST_EXCHANGES):
        before = chosen.copy()
        for i in range(len(chosen)):
            worth = added(chosen[:i] + chosen[i + 1 :]) - price * costs
            best = int(np.argmax(worth))
            if worth[best] > worth[chosen[i]]:
                chosen[i] = best
        if chosen == before:
            break
    return np.array(chosen)


def _front_of(reached: Array, reference_point: Array) -> Array:  # (m, K) -> (l, K)
    return reached[non_dominated(reached)] if len(reached) else reference_point[None]


def expected_costs(table: TrialTable, costs: Sequence[CostModel]) -> Array:  # (n,)
    """Of every question, answered or not, as the cost models see it."""
    spent = np.full(len(table), table.problem.setup_cost)
    for s, cost in enumerate(costs):
        was_asked = table.states[:, s] != SimulatorState.NOT_RUN
        spent[was_asked] += costs_of_runs(cost, table.x[was_asked], table.z[was_asked, s])
    return spent
