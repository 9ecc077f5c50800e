"""Best known fronts of the circuit: ``python -m imoca.benchmarks.problems.circuit_front [ngspice|pwl ...]``.

With nine objectives almost every design is non-dominated, so dominance guides no search. Instead many
directions are followed at once: along each the design is kept that reaches farthest from the reference point,
measured by its worst component. The hypervolume is a mean over directions of the ninth power of that reach
[Deng2019], so reaching farther anywhere is more volume. With ngspice the search starts from the front with
linear switches, for a run takes a second or two. Both fronts are the best known after a small budget, not the truth.
"""

import logging
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
from scipy.stats import qmc

from imoca.arrays import Array
from imoca.benchmarks.problems.circuit import BACKENDS, PARAMETERS, REFERENCE_POINT, Backend, TrueValues
from imoca.benchmarks.stored_front import StoredFront, load_front, save_front
from imoca.pareto.dominance import non_dominated
from imoca.pareto.search import Front
from imoca.pareto.subset import representative_subset

logger = logging.getLogger(__name__)

N_STORED = 200
N_DIRECTIONS = 1000
BUDGETS: dict[Backend, int] = {"ngspice": 320, "pwl": 20_000}  # runs at full fidelity
N_CHILDREN = 100  # per generation
N_VOLUME_SAMPLES = 1_000_000
CHUNK = 20_000
COMMAND = "python -m imoca.benchmarks.problems.circuit_front"


def search_front(backend: Backend = "ngspice", budget: int | None = None, seed: int = 0) -> StoredFront:
    """Follow all directions for a budget of runs; the front is what some direction ended with."""
    rng = np.random.default_rng(seed)
    n_runs = BUDGETS[backend] if budget is None else budget
    front = follow_directions(TrueValues(backend), _starts(backend, rng)[:n_runs], n_runs, rng)
    volume, error = sampled_hypervolume(front.values, REFERENCE_POINT, N_VOLUME_SAMPLES, rng)
    logger.info("%d points, hypervolume %.5g, standard error %.2g", len(front.x), volume, error)
    kept = representative_subset(front.values, N_STORED)
    return StoredFront(front.x[kept], front.values[kept], volume)


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


def sampled_hypervolume(
    values: Array,  # (n, K) maximised
    reference_point: Array,  # (K,)
    n_samples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:  # volume, standard error
    """Share of the box between the reference point and the best of every objective that some point dominates."""
    span = values.max(axis=0) - reference_point
    gains = (values - reference_point) / span
    gains = gains[np.argsort(-gains.prod(axis=1))]  # large boxes first: most samples are settled early
    n_hit = 0
    for start in range(0, n_samples, CHUNK):
        left = rng.random((min(CHUNK, n_samples - start), gains.shape[1]))
        n_drawn = len(left)
        for gain in gains:
            left = left[~(left <= gain).all(axis=1)]
        n_hit += n_drawn - len(left)
    share = n_hit / n_samples
    box = float(span.prod())
    return box * share, box * float(np.sqrt(share * (1.0 - share) / n_samples))


def main(backends: list[str]) -> None:
    """Make and store the fronts of the named backends, or of both; the linear one comes first."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    wanted: list[Backend] = [backend for backend in ("pwl", "ngspice") if backend in (backends or BACKENDS)]
    for backend in wanted:
        name = "circuit" if backend == "ngspice" else "circuit_pwl"
        front = search_front(backend)
        path = Path(str(files("imoca.benchmarks"))) / "fronts" / f"{name}.csv"
        save_front(path, front, f"{COMMAND} {backend}")
        logger.info("%s: %d points, hypervolume %.8g", path, len(front.values), front.hypervolume)


if __name__ == "__main__":
    main(sys.argv[1:])
