"""What trials cost, in units of the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.cost import CostModel, LearnedCost, cost_model
from imoca.models.dataset import encode_designs, encode_fidelities
from imoca.problem.problem import Problem
from imoca.problem.simulator import Simulator
from imoca.trials import Trial

NOT_RUN = "not run"  # the failure of a simulator that an added result does not cover: it cost nothing


@dataclass(frozen=True)
class Bill:
    """Per trial and simulator, in the problem's order."""

    spent: Array  # (n, n_simulators), 0 while a trial runs
    wasted: Array  # (n, n_simulators), the share of it that earlier attempts took
    expected: Array  # (n, n_simulators), of trials that run

    @property
    def total(self) -> float:
        return float(self.spent.sum())


def bill(problem: Problem, trials: Sequence[Trial]) -> Bill:
    """A run that failed costs what was told, else what was declared; attempts before the last one are charged too."""
    is_design_needed = any(simulator.cost.depends_on_design for simulator in problem.simulators)
    x = encode_designs(problem, trials) if is_design_needed else np.zeros((len(trials), problem.space.n_columns))
    spent = np.zeros((len(trials), len(problem.simulators)))
    lost = np.zeros_like(spent)
    expected = np.zeros_like(spent)
    is_running = np.array([trial.answer is None for trial in trials], dtype=bool)
    for j, simulator in enumerate(problem.simulators):
        model = cost_model(problem, simulator, trials, x)
        told = _amounts([trial.costs.get(simulator.name) for trial in trials])
        wasted = _amounts([trial.wasted.get(simulator.name) for trial in trials])
        is_not_run = np.array([trial.failures.get(simulator.name) == NOT_RUN for trial in trials], dtype=bool)
        declared = _declared(simulator, model, trials, x, np.isnan(told) & ~is_not_run)
        expected[:, j] = np.where(is_running, declared, 0.0)
        lost[:, j] = _counted(model, x, wasted)
        spent[:, j] = _counted(model, x, told) + lost[:, j]
        if not isinstance(model, LearnedCost):
            spent[:, j] += np.where(is_running, 0.0, declared)
    return Bill(spent, lost, expected)


def is_cost_guessed(problem: Problem, trials: Sequence[Trial]) -> bool:
    """Whether some measured cost was seen at one fidelity only, so that a full run's cost is a mere guess."""
    for simulator in problem.simulators:
        if simulator.is_cost_measured:
            seen = {trial.fidelities[simulator.name] for trial in trials if simulator.name in trial.costs}
            if len(seen) == 1 and simulator.fidelity.target not in seen:
                return True
    return False


def _amounts(told: Sequence[float | None]) -> Array:  # (n,) NaN where nothing was told
    return np.array([np.nan if amount is None else amount for amount in told], dtype=np.float64)


def _counted(model: CostModel, x: Array, raw: Array) -> Array:  # (n,)
    counted = np.zeros(len(x))
    rows = np.flatnonzero(~np.isnan(raw))
    if len(rows):
        counted[rows] = model.counted(x[rows], raw[rows])
    return counted


def _declared(
    simulator: Simulator, model: CostModel, trials: Sequence[Trial], x: Array, is_wanted: Array
) -> Array:  # (n,)
    """What the cost model says of the wanted trials."""
    costs = np.zeros(len(trials))
    rows = np.flatnonzero(is_wanted)
    if not len(rows):
        return costs
    z = encode_fidelities(simulator, [trials[i] for i in rows.tolist()])
    if simulator.cost.depends_on_design:
        costs[rows] = [model.ratio(x[i : i + 1], z[k : k + 1])[0, 0] for k, i in enumerate(rows)]
    else:
        costs[rows] = model.ratio(x[rows[:1]], z)[0]
    return costs
