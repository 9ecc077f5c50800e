"""Best known fronts of the circuit: ``python -m experiments.reference_fronts.circuit [circuit_pwl circuit]``.

With nine objectives almost every design is non-dominated, so dominance guides no search. Instead many
directions are followed at once: along each the design is kept that reaches farthest from the reference point,
measured by its worst component. The hypervolume is a mean over directions of the ninth power of that reach
[Deng2019], so reaching farther anywhere is more volume. With ngspice the search starts from the front with
linear switches, for a run takes a second or two. Both fronts are the best known after a small budget, not the truth.
"""

import logging
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import qmc

from experiments.reference_fronts.storing import make_and_store
from imoca.arrays import Array
from imoca.pareto import Front, non_dominated, representative_subset, sample_hypervolume
from imoca_lab.problems.circuit.problem import PARAMETERS, REFERENCE_POINT, Backend, TrueValues
from imoca_lab.stored_front import StoredFront, load_front

logger = logging.getLogger(__name__)

N_STORED = 200
N_DIRECTIONS = 1000
BACKENDS: dict[str, Backend] = {"circuit_pwl": "pwl", "circuit": "ngspice"}  # in this order: one starts from the other
BUDGETS: dict[Backend, int] = {"ngspice": 320, "pwl": 20_000}  # runs at full fidelity
N_CHILDREN = 100  # per generation
N_VOLUME_SAMPLES = 1_000_000
COMMAND = "python -m experiments.reference_fronts.circuit"


def search_front(backend: Backend = "ngspice", budget: int | None = None, seed: int = 0) -> StoredFront:
    """Follow all directions for a budget of runs; the front is what some direction ended with."""
    rng = np.random.default_rng(seed)
    n_runs = BUDGETS[backend] if budget is None else budget
    front = follow_directions(TrueValues(backend), _starts(backend, rng)[:n_runs], n_runs, rng)
    estimate = sample_hypervolume(front.values, REFERENCE_POINT, N_VOLUME_SAMPLES, rng)
    logger.info("%d points, standard error of the hypervolume %.2g", len(front.x), estimate.standard_error)
    kept = representative_subset(front.values, N_STORED)
    return StoredFront(front.x[kept], front.values[kept], estimate.volume)


def follow_directions(
    evaluate: Callable[[Array], Array],  # (n, d) -> (n, K)
    starts: Array,  # (n, d)
    n_runs: int,
    rng: np.random.Generator,
) -> Front:
    """The non-dominated ones among the designs that reach farthest along some direction."""
    designs, values = starts, evaluate(starts)
    scale = (values - REFERENCE_POINT).max(axis=0)
    directions = rng.dirichlet(np.ones(len(scale)), size=N_DIRECTIONS) * scale
    farthest = np.full(N_DIRECTIONS, -np.inf)
    best, best_values = np.zeros((N_DIRECTIONS, starts.shape[1])), np.zeros((N_DIRECTIONS, len(scale)))
    n_spent = len(starts)
    while True:
        reached = reach(values, directions)
        winners = reached.argmax(axis=0)
        is_better = reached.max(axis=0) > farthest
        farthest = np.maximum(farthest, reached.max(axis=0))
        best[is_better], best_values[is_better] = designs[winners[is_better]], values[winners[is_better]]
        logger.info("%d runs, mean reach %.4f", n_spent, farthest.mean())
        if n_spent >= n_runs:
            break
        designs = _children(best, min(N_CHILDREN, n_runs - n_spent), rng)
        values = evaluate(designs)
        n_spent += len(designs)
    mask = non_dominated(best_values)
    return Front(best[mask], best_values[mask])


def _starts(backend: Backend, rng: np.random.Generator) -> Array:
    """Sobol designs, or what the linear switches found, so that both fronts can be made in turn."""
    if backend == "ngspice":
        return load_front("circuit_pwl", n_parameters=len(PARAMETERS)).designs
    return qmc.Sobol(len(PARAMETERS), rng=rng).random(1024)


def reach(
    values: Array,  # (n, K)
    directions: Array,  # (m, K) positive
) -> Array:  # (n, m)
    """How far each point goes along each direction before its worst objective stops it."""
    gains = values - REFERENCE_POINT
    reached: Array = np.min([gains[:, None, j] / directions[:, j] for j in range(gains.shape[1])], axis=0)
    return reached


def _children(parents: Array, n: int, rng: np.random.Generator) -> Array:  # (n, d)
    """Half by a Gaussian move of some coordinates, half by adding the difference of two others."""
    a, b, c = (parents[rng.integers(len(parents), size=n)] for _ in range(3))
    scale = 10.0 ** rng.uniform(-2.0, -0.5, size=(n, 1))
    moved = a + scale * rng.normal(size=a.shape) * (rng.random(a.shape) < 0.3)
    crossed = a + rng.random((n, 1)) * (b - c)
    return np.clip(np.where(rng.random((n, 1)) < 0.5, moved, crossed), 0.0, 1.0)


if __name__ == "__main__":
    make_and_store(sys.argv[1:], {name: partial(search_front, backend) for name, backend in BACKENDS.items()}, COMMAND)
