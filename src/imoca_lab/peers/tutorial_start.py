"""The initial design of BoTorch's tutorial "Multi_objective_multi_fidelity_BO".

Random designs, each at a fidelity drawn with density proportional to 1 / cost, until they have cost as much as two runs
at full accuracy; the one that reaches this is left out. With the tutorial's cost exp(4.8 z) these are about fifty.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array
from imoca.methods import candidate
from imoca.models import cost_models
from imoca.problem import Problem
from imoca.trials import Candidate, TrialTable

FULL_RUNS = 2.0  # the tutorial's n_INIT
MOST_DESIGNS = 100  # ours: where cheap runs cost next to nothing, two full runs would buy thousands
N_GRID = 201  # fidelities on which the density is tabulated


def fewest_designs(problem: Problem) -> int:
    """Ours, where two full runs buy hardly any design: what the tutorial "multi_objective_bo" starts with."""
    return 2 * (problem.space.n_parameters + 1)


def is_start_over(table: TrialTable, seed: int) -> bool:
    """Whether the trials so far are as many as the start has designs; a measured cost counts as learned by now."""
    problem, number = table.problem, len(table)
    if number >= MOST_DESIGNS:
        return True
    if number < fewest_designs(problem):
        return False
    _, _, costs = _draw(table, range(number + 1), seed)
    return float(costs.sum()) >= FULL_RUNS * sum(simulator.full_cost for simulator in problem.simulators)


def start_question(table: TrialTable, seed: int) -> Candidate:
    """The next design of the start, and of its continuation should all answers fail."""
    x, z, _ = _draw(table, [len(table)], seed)
    return candidate(table.problem, x[0], np.full(len(table.problem.simulators), z[0]))


def _draw(table: TrialTable, numbers: Sequence[int], seed: int) -> tuple[Array, Array, Array]:  # (n, d), (n,), (n,)
    """Designs, fidelities and costs of the designs of these numbers."""
    problem = table.problem
    u = np.array([np.random.default_rng([seed, i]).random(problem.space.n_parameters + 1) for i in numbers])
    x = problem.space.from_unit(u[:, :-1])
    grid = np.linspace(0.0, 1.0, N_GRID)
    costs = np.sum([each.ratio(x, grid) for each in cost_models(table)], axis=0)  # (n, g)
    cumulative = np.pad(np.cumsum(0.5 / costs[:, 1:] + 0.5 / costs[:, :-1], axis=1), ((0, 0), (1, 0)))
    z = np.array([np.interp(share * row[-1], row, grid) for share, row in zip(u[:, -1], cumulative, strict=True)])
    return x, z, np.array([np.interp(point, grid, row) for point, row in zip(z, costs, strict=True)])
