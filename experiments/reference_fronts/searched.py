"""Make the stored reference fronts: ``python -m experiments.reference_fronts.searched [name ...]``.

A wide search (grid or Sobol points), then rounds that perturb points of the front at every scale and keep
what is not dominated, until the front is so dense that its hypervolume has settled. A few hundred of these
points are polished and stored: where an objective is nearly flat, a dense front still holds poor points that
beat their neighbours by a hair.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import linprog
from scipy.stats import qmc

from experiments.reference_fronts.storing import make_and_store
from imoca.arrays import Array, IntArray
from imoca.pareto import hypervolume, non_dominated, spread_subset
from imoca_lab.problems import branin_currin
from imoca_lab.problems.rocket import problem as rocket
from imoca_lab.stored_front import StoredFront

logger = logging.getLogger(__name__)

CHUNK = 20_000  # designs evaluated at once
POLISH_STEPS = 60
SLOPE_STEP = 1e-5
MEAN_SHARE = 0.05
COMMAND = "python -m experiments.reference_fronts.searched"


@dataclass(frozen=True)
class FrontSearch:
    """How one front is found."""

    true_values: Callable[[Array], Array]  # (n, d) -> (n, K) maximised
    reference_point: Array  # (K,)
    start: Callable[[], Iterator[Array]]  # chunks of designs that cover the unit cube
    n_rounds: int  # of refinement
    n_perturbed: int  # points per round
    n_stored: int
    seed: int = 0


def grid_designs(n_per_axis: int) -> Iterator[Array]:
    """A square grid, row by row in chunks."""
    axis = np.linspace(0.0, 1.0, n_per_axis)
    for rows in np.array_split(axis, n_per_axis * n_per_axis // CHUNK):
        yield np.stack(np.meshgrid(rows, axis, indexing="ij"), axis=-1).reshape(-1, 2)


def sobol_designs(n_dimensions: int, log2_n: int) -> Iterator[Array]:
    """Sobol points, stretched a little beyond the cube and clipped so that its faces are covered too."""
    designs = np.clip(1.1 * qmc.Sobol(n_dimensions, rng=0).random_base2(log2_n) - 0.05, 0.0, 1.0)
    yield from np.array_split(designs, max(1, len(designs) // CHUNK))


SEARCHES = {
    "branin_currin": FrontSearch(
        branin_currin.true_values,
        branin_currin.REFERENCE_POINT,
        lambda: grid_designs(2000),
        n_rounds=60,  # the last ten added 2e-6 of the volume
        n_perturbed=20_000,
        n_stored=500,
    ),
    "rocket": FrontSearch(
        rocket.true_values,
        rocket.REFERENCE_POINT,
        lambda: sobol_designs(3, 16),
        n_rounds=60,  # the last ten added 1e-4 of the volume
        n_perturbed=CHUNK,
        n_stored=300,
    ),
}


def dense_front(search: FrontSearch) -> tuple[Array, Array]:  # designs (n, d), values (n, K)
    """All points found that no other dominates."""
    rng = np.random.default_rng(search.seed)
    designs, values = np.empty((0, 0)), np.empty((0, len(search.reference_point)))
    for chunk in search.start():
        designs, values = _merge(designs, values, chunk, search)
    rows = spread_rows(values, 2 * search.n_stored)
    designs, values = _merge(designs, values, polish(designs[rows], values[rows], search)[0], search)
    for round_number in range(search.n_rounds):
        parents = designs[rng.integers(len(designs), size=search.n_perturbed)]
        designs, values = _merge(designs, values, _perturb(parents, rng), search)
        if round_number % 10 == 9:
            volume = hypervolume(values, search.reference_point)
            logger.info("round %d: %d points, hypervolume %.8g", round_number + 1, len(values), volume)
    return designs, values


def _merge(designs: Array, values: Array, new: Array, search: FrontSearch) -> tuple[Array, Array]:
    all_designs = np.concatenate([designs.reshape(-1, new.shape[1]), new])
    all_values = np.concatenate([values, search.true_values(new)])
    best = non_dominated(all_values)
    return all_designs[best], all_values[best]


def _perturb(parents: Array, rng: np.random.Generator) -> Array:
    """Move some coordinates by steps of any size; the others stay, so a point on a face can move along it."""
    scale = 10.0 ** rng.uniform(-6.0, -1.0, size=(len(parents), 1))
    moved = rng.random(parents.shape) < 0.5
    return np.clip(parents + moved * scale * rng.normal(size=parents.shape), 0.0, 1.0)


def spread_rows(
    values: Array,  # (n, K)
    n_rows: int,
) -> IntArray:  # (n_rows,) in order of the first objective
    """An even spread from the best of the first objective on."""
    rows = spread_subset(values, n_rows, first=[int(values[:, 0].argmax())])
    return rows[np.argsort(values[rows, 0], kind="stable")]


def polish(designs: Array, values: Array, search: FrontSearch) -> tuple[Array, Array]:
    """Climb from each point towards gains in all objectives at once, by sequential linear programming.

    Maximises the smallest scaled gain plus a small share of the mean one (an augmented Chebyshev function),
    so a hair of one objective is given up for much of another. Random steps miss such narrow ridges.
    """
    origin, span = values, np.ptp(values, axis=0)
    score, radius = np.zeros(len(designs)), np.full(len(designs), 0.1)
    for _ in range(POLISH_STEPS):
        slopes = _slopes(designs, search) / span[:, None]  # (n, K, d)
        gain = (values - origin) / span
        moves = [_best_move(*point) for point in zip(designs, gain, slopes, radius, strict=True)]
        tried = np.clip(designs + np.array(moves), 0.0, 1.0)
        tried_values = search.true_values(tried)
        tried_gain = (tried_values - origin) / span
        tried_score = tried_gain.min(axis=1) + MEAN_SHARE * tried_gain.mean(axis=1)
        better = tried_score > score
        score = np.where(better, tried_score, score)
        radius = np.where(better, np.minimum(2.0 * radius, 0.5), 0.3 * radius)
        designs = np.where(better[:, None], tried, designs)
        values = np.where(better[:, None], tried_values, values)
    logger.info("polishing gained %.2g of the range on average, %.2g at most", score.mean(), score.max())
    return designs, values


def _slopes(designs: Array, search: FrontSearch) -> Array:  # (n, K, d)
    """Central differences, one-sided on the faces of the cube."""
    columns = []
    for step in SLOPE_STEP * np.eye(designs.shape[1]):
        low, high = np.clip(designs - step, 0.0, 1.0), np.clip(designs + step, 0.0, 1.0)
        change = search.true_values(high) - search.true_values(low)
        columns.append(change / (high - low).sum(axis=1, keepdims=True))
    return np.stack(columns, axis=2)


def _best_move(design: Array, gain: Array, slopes: Array, radius: float) -> Array:  # (d,)
    """The step within the radius and the cube whose linearised gains score highest."""
    n_objectives, n_parameters = slopes.shape
    answer = linprog(
        -np.append(MEAN_SHARE * slopes.mean(axis=0), 1.0),
        A_ub=np.hstack([-slopes, np.ones((n_objectives, 1))]),
        b_ub=gain,
        bounds=[(max(-radius, -u), min(radius, 1.0 - u)) for u in design] + [(None, None)],
    )
    move: Array = answer.x[:n_parameters] if answer.success else np.zeros(n_parameters)
    return move


def make_front(name: str) -> StoredFront:
    """Search the front of one benchmark, polish some of it and thin that."""
    search = SEARCHES[name]
    dense_designs, dense_values = dense_front(search)
    rows = spread_rows(dense_values, 2 * search.n_stored)
    designs, values = polish(dense_designs[rows], dense_values[rows], search)
    volume = hypervolume(np.concatenate([dense_values, values]), search.reference_point)
    # A point below the reference point adds no volume, but would stretch the range that distances are scaled by.
    best = non_dominated(values) & (values >= search.reference_point).all(axis=1)
    designs, values = designs[best], values[best]
    rows = spread_rows(values, search.n_stored)
    return StoredFront(designs[rows], values[rows], volume)


if __name__ == "__main__":
    make_and_store(sys.argv[1:], {name: partial(make_front, name) for name in SEARCHES}, COMMAND)
