"""The designs that every model-based method compares before it climbs."""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array
from imoca.methods.initial_design import sobol_designs
from imoca.pareto.search import log_uniform
from imoca.problem.problem import Problem

N_GRID = 11  # fidelities tried per continuous simulator while designs are compared
N_SPREAD = 256  # Sobol designs among the candidates
N_NEAR = 128  # designs of the sampled fronts among the candidates, and as many moves of them
MOVE_RANGE = (0.005, 0.1)  # of those moves, in the unit cube
N_STARTS = 4  # candidates from which gradients climb
MAX_WORK = 1e10  # multiplications for scoring the candidates; with thousands of observations fewer are scored


def candidate_designs(
    problem: Problem,
    near: Array,  # (m, d) designs near which the best may lie
    n_data: int,  # observations of the largest surrogate
    rng: np.random.Generator,
) -> Array:  # (n, d)
    """Designs spread over the space, some of ``near``, and moves of those."""
    share = min(1.0, MAX_WORK / (n_data**2 * N_GRID * len(problem.objectives) * (N_SPREAD + 2 * N_NEAR)))
    spread = sobol_designs(problem, max(32, int(share * N_SPREAD)), rng)
    picked = near[rng.integers(len(near), size=max(16, int(share * N_NEAR)))]
    steps = log_uniform(*MOVE_RANGE, len(picked), rng)
    moved = np.clip(picked + steps * rng.standard_normal(picked.shape), 0.0, 1.0)
    moved = problem.space.snap(moved)
    return np.concatenate([spread, picked, np.where(problem.space.is_allowed(moved)[:, None], moved, picked)])
