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
from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs
from imoca.methods.initial_design import initial_size
from imoca.methods.target_search import OPTIMISTIC_DEVIATIONS, REFERENCE_MARGIN, TargetSearch
from imoca.models.cost import CostModel, costs_of_runs
from imoca.pareto.dominance import non_dominated
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate, SimulatorState

PATIENCE = 4.0  # times what all simulators cost at full accuracy, before the first such question
FEW_TO_BEGIN = 8  # designs, twice the patience: more at full accuracy are no price for doing without cheap runs
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
    rng: np.random.Generator,
) -> int:
    """Row of the design that is expected to add most hypervolume to what was reached, if feasible, for its cost."""
    mean, std = beliefs.means_and_deviations_at_target(x)
    reference_point = reference_below(np.concatenate([reached, mean]), REFERENCE_MARGIN)
    front = reached[non_dominated(reached)] if len(reached) else reference_point[None]
    improvement = improvement_over(front, reference_point, mean + OPTIMISTIC_DEVIATIONS * std, rng)
    expected = improvement.expected(mean, std) * np.exp(beliefs.log_feasibility(x))
    return int(np.argmax(expected / costs))


def expected_costs(table: TrialTable, costs: Sequence[CostModel]) -> Array:  # (n,)
    """Of every question, answered or not, as the cost models see it."""
    spent = np.full(len(table), table.problem.setup_cost)
    for s, cost in enumerate(costs):
        was_asked = table.states[:, s] != SimulatorState.NOT_RUN
        spent[was_asked] += costs_of_runs(cost, table.x[was_asked], table.z[was_asked, s])
    return spent
