"""When a question goes to full accuracy: where cheap runs had their chance, a share of the cost is spent there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array
from imoca.models.cost import CostModel
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState

PATIENCE = 4.0  # times what all simulators cost at full accuracy, before the first such question


def is_verification_due(table: TrialTable, costs: Sequence[CostModel], share: float) -> bool:
    """Whether one more question at full accuracy leaves their share of the cost at most ``share``."""
    spent = expected_costs(table, costs)
    one_more = sum(simulator.full_cost for simulator in table.problem.simulators)
    at_full = float(spent[(table.z == 1.0).all(axis=1)].sum())
    total = float(spent.sum())
    return total >= PATIENCE * one_more and at_full + one_more <= share * (total + one_more)


def expected_costs(table: TrialTable, costs: Sequence[CostModel]) -> Array:  # (n,)
    """Of every question, answered or not, as the cost models see it."""
    spent = np.zeros(len(table))
    for s, cost in enumerate(costs):
        levels, position = np.unique(table.z[:, s], return_inverse=True)
        was_asked = table.states[:, s] != SimulatorState.NOT_RUN
        spent += np.where(was_asked, cost.ratio(table.x, levels)[np.arange(len(table)), position], 0.0)
    return spent
