"""What trials cost, in units of the budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.models.cost import CostModel, LearnedCostModel, cost_model, costs_of_runs
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState


@dataclass(frozen=True)
class Bill:
    """Per trial and simulator, in the problem's order."""

    spent: Array  # (n, n_simulators), 0 while a simulator runs
    wasted: Array  # (n, n_simulators), the share of it that earlier attempts took
    expected: Array  # (n, n_simulators), of simulators that run
    setup: Array  # (n,), of preparing the design, whichever simulators were asked

    @property
    def by_trial(self) -> Array:  # (n,)
        return self.spent.sum(axis=1) + self.setup

    @property
    def total(self) -> float:
        return float(self.by_trial.sum())


def bill(table: TrialTable) -> Bill:
    """A run that failed costs what was told, else what was declared; attempts before the last one are charged too.

    Where the cost is measured, a failed run of which no cost was told is free.
    """
    spent, lost, expected = np.zeros((3, *table.costs.shape))
    for s in range(len(table.problem.simulators)):
        model = cost_model(table, s)
        told = table.costs[:, s]
        declared = _declared(table, s, model, np.isnan(told) & (table.states[:, s] != SimulatorState.NOT_RUN))
        is_running = table.states[:, s] == SimulatorState.PENDING
        expected[:, s] = np.where(is_running, declared, 0.0)
        lost[:, s] = _counted(model, table.x, table.wasted[:, s])
        spent[:, s] = _counted(model, table.x, told) + lost[:, s]
        if not isinstance(model, LearnedCostModel):
            spent[:, s] += np.where(is_running, 0.0, declared)
    return Bill(spent, lost, expected, np.full(len(table), table.problem.setup_cost))


def is_cost_guessed(table: TrialTable) -> bool:
    """Whether some measured cost was seen at one fidelity only, so that a full run's cost is a mere guess."""
    for s, simulator in enumerate(table.problem.simulators):
        if simulator.is_cost_measured:
            seen = np.unique(table.z[~np.isnan(table.costs[:, s]), s])
            if len(seen) == 1 and seen[0] != 1.0:
                return True
    return False


def _counted(model: CostModel, x: Array, raw: Array) -> Array:  # (n,)
    counted = np.zeros(len(x))
    rows = np.flatnonzero(~np.isnan(raw))
    if len(rows):
        counted[rows] = model.counted(x[rows], raw[rows])
    return counted


def _declared(table: TrialTable, s: int, model: CostModel, is_wanted: BoolArray) -> Array:  # (n,)
    """What the cost model says of the wanted trials."""
    costs = np.zeros(len(table))
    rows = np.flatnonzero(is_wanted)
    costs[rows] = costs_of_runs(model, table.x[rows], table.z[rows, s])
    return costs
