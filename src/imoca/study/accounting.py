"""What finished trials cost, in units of the budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array
from imoca.models.cost import LearnedCost, cost_model
from imoca.models.dataset import encode_designs
from imoca.problem.problem import Problem
from imoca.trials import Trial

NOT_RUN = "not run"  # the failure of a simulator that an added result does not cover: it cost nothing


def spent_per_trial(problem: Problem, trials: Sequence[Trial]) -> Array:  # (n,)
    """Cost of every trial, 0 while it runs. A run that failed costs what was told, else what was declared."""
    x = encode_designs(problem, trials)
    spent = np.zeros(len(trials))
    for simulator in problem.simulators:
        model = cost_model(problem, simulator, trials, x)
        for i, trial in enumerate(trials):
            if trial.answer is None or trial.failures.get(simulator.name) == NOT_RUN:
                continue
            if simulator.name in trial.costs:
                spent[i] += model.counted(x[i], trial.costs[simulator.name])
            elif not isinstance(model, LearnedCost):
                z = simulator.fidelity.encode(trial.fidelities[simulator.name])
                spent[i] += model.ratio(x[i : i + 1], np.array([z]))[0, 0]
    return spent


def is_cost_guessed(problem: Problem, trials: Sequence[Trial]) -> bool:
    """Whether some measured cost was seen at one fidelity only, so that a full run's cost is a mere guess."""
    for simulator in problem.simulators:
        if simulator.is_cost_measured:
            seen = {trial.fidelities[simulator.name] for trial in trials if simulator.name in trial.costs}
            if len(seen) == 1 and simulator.fidelity.target not in seen:
                return True
    return False
