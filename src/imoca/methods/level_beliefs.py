"""What the methods for a few discrete levels believe after the trials so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.models.additive_levels import AdditiveLevelsForm
from imoca.models.cost import CostModel, cost_models
from imoca.models.dataset import output_data, unanswered
from imoca.models.fitting import fit
from imoca.models.gp import GaussianProcess
from imoca.problem.problem import Problem
from imoca.problem.simulator import Simulator
from imoca.trials.table import TrialTable

N_LEVELS = 3  # into which a continuous fidelity is cut: z = 0, 1/2 and 1


def levels_of(simulator: Simulator) -> Array:  # (M,) z, ascending, the target last
    """The declared levels, or an even grid of a continuous fidelity."""
    return simulator.fidelity.grid(N_LEVELS)


def nearest_levels(simulator: Simulator, z: Array) -> Array:  # (n,)
    """The levels that stand for fidelities z."""
    levels = levels_of(simulator)
    return np.asarray(levels[np.abs(z[:, None] - levels).argmin(axis=1)])


@dataclass(frozen=True)
class LevelBeliefs:
    """One multi-level surrogate per objective and one cost model per simulator, in the problem's order."""

    problem: Problem
    surrogates: tuple[GaussianProcess, ...]
    costs: tuple[CostModel, ...]

    @property
    def asked(self) -> Array:  # (n, d)
        return np.unique(np.concatenate([surrogate.x for surrogate in self.surrogates]), axis=0)

    @property
    def n_data(self) -> int:
        return max(len(surrogate.x) for surrogate in self.surrogates)


def believe_in_levels(table: TrialTable) -> LevelBeliefs | None:
    """Fit everything to the trials; None while some objective has no answer at all."""
    problem, surrogates = table.problem, []
    for j, objective in enumerate(problem.objectives):
        data = output_data(table, j)
        if not len(data.values):
            return None
        simulator = problem.simulator_of(objective.name)
        form = AdditiveLevelsForm(len(levels_of(simulator)))
        levels = nearest_levels(simulator, data.z)
        process = fit(data.x, levels, data.values, form, told_noise=data.told_noise)
        missing_x, missing_z = unanswered(table, j)
        surrogates.append(process.believing(missing_x, nearest_levels(simulator, missing_z)))
    return LevelBeliefs(problem, tuple(surrogates), cost_models(table))
