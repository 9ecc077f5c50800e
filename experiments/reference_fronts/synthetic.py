"""Make the fronts of the synthetic problems: ``python -m experiments.reference_fronts.synthetic [name ...]``.

Each problem's own structure finds the basins, and the common machinery fills and polishes what they hold:

- two parameters: a grid; four: Sobol points; Ackley-Rosenbrock-sphere: long runs of NSGA-II (needs pymoo).
- QV: both objectives grow with a sum over the parameters, so the front of eight parameters is that of the
  sums of two points from the front of four, and so on down to one parameter, which is a curve.
- DTLZ1: the distance ``r`` has its minima next to the crests of a cosine, so the front lies on the lattice
  of these and of short stretches at the faces of the cube, where one objective or more vanish.
- Cantilever: for a thickness and a width of the tip the narrowest root that does not break is best in everything.
- DTLZ2: the front is the unit sphere where no coordinate is negative, and its hypervolume a closed form.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.optimize import minimize

from experiments.reference_fronts.searched import (
    FrontSearch,
    dense_front,
    grid_designs,
    polish,
    sobol_designs,
    spread_rows,
)
from experiments.reference_fronts.storing import make_and_store
from imoca.arrays import Array, IntArray
from imoca.pareto import hypervolume, non_dominated
from imoca_lab.problems import (
    ackley_rosenbrock_sphere,
    branin_currin,
    cantilever,
    dtlz1,
    dtlz2,
    momf,
    momf_branin_currin,
    momf_park,
    qv,
)
from imoca_lab.stored_front import StoredFront

logger = logging.getLogger(__name__)

COMMAND = "python -m experiments.reference_fronts.synthetic"
N_STORED = 300
N_WEIGHTED_SUMS = 400  # and the population of NSGA-II
NSGA2_GENERATIONS, NSGA2_SEEDS = 500, (0, 1)
N_HALF_FRONT = 3000  # points kept of QV's front in one, two and four parameters; 1000 give 1e-4 less volume
N_VOLUME_SAMPLES = 1_000_000
N_SPHERE_DIRECTIONS = 20_000
# How far DTLZ1's front reaches inwards from a face: to the next minimum of r; or, where the face is a trough of
# the cosine, until the vanishing objectives have grown to what they are on the next crest.
FACE_STRETCH, PAPER_FACE_STRETCH = (0.0, 2.5e-4), (0.0, 1e-3, 3e-3, 7.5e-3)


@dataclass(frozen=True)
class DenseFront:
    """Everything found, before it is thinned."""

    designs: Array  # (n, d)
    values: Array  # (n, K)
    volume: float


def searched(search: FrontSearch) -> DenseFront:
    """By the machinery of ``make_fronts`` alone."""
    designs, values = dense_front(search)
    return DenseFront(designs, values, hypervolume(values, search.reference_point))


def thinned(dense: DenseFront, search: FrontSearch) -> StoredFront:
    """Some hundred points of a dense front, polished.

    One below the reference point adds no volume, but would stretch the range that distances are scaled by.
    """
    counts = (dense.values >= search.reference_point).all(axis=1)
    dense = DenseFront(dense.designs[counts], dense.values[counts], dense.volume)
    rows = spread_with_ends(dense.values, 2 * search.n_stored)
    designs, values = polish(dense.designs[rows], dense.values[rows], search)
    best = non_dominated(values)
    designs, values = designs[best], values[best]
    rows = spread_with_ends(values, search.n_stored)
    return StoredFront(designs[rows], values[rows], dense.volume)


def spread_with_ends(values: Array, n_rows: int) -> IntArray:  # at most (n_rows,)
    """An even spread that holds the best and the worst of each objective: indicators scale by the range."""
    ends = np.unique(np.concatenate([values.argmax(axis=0), values.argmin(axis=0)]))
    return np.union1d(ends, spread_rows(values, n_rows - len(ends)))


# Ackley, Rosenbrock, sphere: Rosenbrock's valley, then evolution from there.


def valley_and_evolution() -> Iterator[Array]:
    """Minima of many weighted sums, which reach the far end of Rosenbrock's valley, and NSGA-II from these.

    From random designs alone NSGA-II stops half-way down the valley.
    """
    minima = weighted_sum_minima(N_WEIGHTED_SUMS, np.random.default_rng(0))
    yield minima
    for seed in NSGA2_SEEDS:
        yield evolved(minima, seed)


def weighted_sum_minima(n: int, rng: np.random.Generator) -> Array:  # (n, 5)
    """Each from its own random start and with its own weights over six orders of magnitude."""
    minima = []
    for _ in range(n):
        weights = 10.0 ** rng.uniform(-6.0, 0.0, size=3)
        answer = minimize(
            lambda u, weights=weights: float(-ackley_rosenbrock_sphere.true_values(u[None])[0] @ weights),
            rng.random(5),
            bounds=[(0.0, 1.0)] * 5,
        )
        minima.append(answer.x)
    return np.clip(np.array(minima), 0.0, 1.0)


def evolved(start: Array, seed: int) -> Array:  # (n, 5)
    """The last population of NSGA-II; pymoo is needed here only."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.evaluator import Evaluator
    from pymoo.core.problem import Problem
    from pymoo.problems.static import StaticProblem

    problem, algorithm = Problem(n_var=5, n_obj=3, xl=0.0, xu=1.0), NSGA2(len(start), sampling=start)
    algorithm.setup(problem, termination=("n_gen", NSGA2_GENERATIONS), seed=seed)
    while algorithm.has_next():
        population = algorithm.ask()
        losses = -ackley_rosenbrock_sphere.true_values(population.get("X"))
        Evaluator().eval(StaticProblem(problem, F=losses), population)
        algorithm.tell(infills=population)
    return np.asarray(algorithm.result().X)


# QV: sums of points of a curve.


def qv_front() -> DenseFront:
    """Doubles the number of parameters three times, from the front of one."""
    designs, sums = _qv_curve()
    for _ in range(3):
        rows = _evenly_along(sums, N_HALF_FRONT)
        designs, sums = designs[rows], sums[rows]
        pairs = (sums[:, None] + sums[None]).reshape(-1, 2)
        best = np.flatnonzero(non_dominated(-pairs))
        first, second = np.divmod(best, len(sums))
        designs, sums = np.hstack([designs[first], designs[second]]), pairs[best]
    unit_designs = np.clip((designs - qv.LOW) / (qv.HIGH - qv.LOW), 0.0, 1.0)
    values = qv.true_values(unit_designs)
    is_best = non_dominated(values)  # rounding may have made a tie
    return DenseFront(unit_designs[is_best], values[is_best], hypervolume(values, qv.REFERENCE_POINT))


def _qv_curve() -> tuple[Array, Array]:  # designs (n, 1), terms (n, 2)
    """The front of one parameter; dense towards both minima, where a fourth root has no slope."""
    small = np.concatenate([[0.0], np.logspace(-9.0, -1.0, 400)])
    x = np.unique(np.concatenate([np.linspace(qv.LOW, qv.HIGH, 200_001), small, qv.SHIFT - small]))[:, None]
    terms = np.hstack([qv.rastrigin_terms(x, np.ones(1)), qv.rastrigin_terms(x - qv.SHIFT, np.ones(1))])
    best = non_dominated(-terms)
    return x[best], terms[best]


def _evenly_along(sums: Array, n: int) -> IntArray:  # at most (n,)
    """Rows at even distances along a front in two objectives, measured after the fourth root."""
    order = np.argsort(sums[:, 0])
    length = np.cumsum(np.hypot(*np.diff(sums[order] ** 0.25, axis=0, prepend=sums[order[:1]] ** 0.25).T))
    return np.asarray(order[np.unique(np.searchsorted(length, np.linspace(0.0, length[-1], n)))])


# DTLZ1: a lattice.


def dtlz1_front(frequency: float, face_stretch: tuple[float, ...]) -> DenseFront:
    """All combinations of the coordinates at which a design of the front can lie."""
    axis = _dtlz1_axis(frequency, np.array(face_stretch))
    lattice = np.array(list(product(axis, repeat=dtlz1.N_PARAMETERS)))
    values = -dtlz1.dtlz1_values(lattice, 1.0, frequency)
    best = non_dominated(values)
    return DenseFront(lattice[best], values[best], _sampled_volume(values[best]))


def _dtlz1_axis(frequency: float, face_stretch: Array) -> Array:
    """Local minima of ``r`` in one coordinate, the faces, and a few steps inwards from these."""
    crests = 0.5 + 2.0 * np.pi / frequency * np.arange(-4, 5)
    crests = crests[(crests > 0.01) & (crests < 0.99)]
    # The parabola pulls each minimum from its crest towards the centre; one Newton step finds it to 1e-10.
    minima = crests - 2.0 * (crests - 0.5) / (2.0 + frequency**2)
    return np.unique(np.concatenate([minima, face_stretch, 1.0 - face_stretch]))


def _sampled_volume(values: Array) -> float:
    """Between the ideal point 0 and the reference point, by samples: too many points for an exact answer.

    A point in which all objectives but one vanish covers everything worse than it in that one, so samples are
    needed only inside the box of these points; there the share not covered is counted.
    """
    reference, losses = -dtlz1.REFERENCE_POINT, -values
    others_vanish = [(np.delete(losses, j, axis=1) == 0.0).all(axis=1) for j in range(losses.shape[1])]
    corner = np.minimum([losses[rows, j].min() for j, rows in enumerate(others_vanish)], reference)
    free = corner * np.random.default_rng(0).random((N_VOLUME_SAMPLES, losses.shape[1]))
    for loss in losses[np.argsort(losses.sum(axis=1))]:
        free = free[(free < loss).any(axis=1)]
    share = len(free) / N_VOLUME_SAMPLES
    box, whole = float(np.prod(corner)), float(np.prod(reference))
    error = box * np.sqrt(share * (1.0 - share) / N_VOLUME_SAMPLES)
    logger.info("%d points leave %.5g of %.5g free, standard error %.2g", len(values), share * box, whole, error)
    return whole - share * box


# DTLZ2: a sphere.


def dtlz2_front(n_objectives: int) -> DenseFront:
    """Random directions, a quarter of whose coordinates vanish so that the edges are covered, and the corners."""
    rng = np.random.default_rng(0)
    directions = np.abs(rng.normal(size=(N_SPHERE_DIRECTIONS, n_objectives)))
    directions *= rng.random(directions.shape) < 0.75
    directions = np.concatenate([directions[directions.any(axis=1)], np.eye(n_objectives)])
    points = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    n_valley = dtlz2.N_PARAMETERS[n_objectives] - n_objectives + 1
    designs = np.hstack([dtlz2.sphere_angles(points), np.full((len(points), n_valley), 0.5)])
    values = -dtlz2.dtlz2_values(designs, 1.0, n_objectives)
    best = non_dominated(values)  # without what is there twice, but for rounding
    return DenseFront(designs[best], values[best], dtlz2.front_hypervolume(n_objectives))


# Cantilever: on the edge of breaking.


def cantilever_front() -> DenseFront:
    """The narrowest root of every thickness and width of the tip: the one whose stress is the limit."""
    low, high, full = cantilever.LOW, cantilever.HIGH, cantilever.PIECES[-1]
    tip, thickness = (
        part.ravel() for part in np.meshgrid(np.linspace(low[1], 20.0, 61), np.linspace(low[2], high[2], 6001))
    )
    share = 1.0 - 0.5 / full  # of the length, at which the stress is
    needed = 6.0 * cantilever.FORCE * share * cantilever.LENGTH / (cantilever.STRENGTH * thickness**2) * (1.0 + 1e-9)
    root = np.maximum(tip + (needed - tip) / share, low[0])
    designs = np.column_stack([root, tip, thickness])[root <= high[0]]
    unit_designs = np.clip((designs - low) / (high - low), 0.0, 1.0)
    unit_designs = unit_designs[cantilever.is_whole(unit_designs)]
    values = cantilever.true_values(unit_designs)
    best = non_dominated(values)
    return DenseFront(unit_designs[best], values[best], hypervolume(values[best], cantilever.REFERENCE_POINT))


def plan(
    true_values: Callable[[Array], Array],
    reference_point: Array,
    start: Callable[[], Iterator[Array]] = lambda: iter(()),
    n_rounds: int = 60,
) -> FrontSearch:
    return FrontSearch(true_values, reference_point, start, n_rounds, n_perturbed=20_000, n_stored=N_STORED)


SEARCHES = {
    "branin_currin_paper": plan(
        branin_currin.paper_true_values, branin_currin.PAPER_REFERENCE_POINT, lambda: grid_designs(1000)
    ),
    "momf_branin_currin": plan(momf_branin_currin.true_values, momf.REFERENCE_POINT, lambda: grid_designs(1000)),
    "momf_park": plan(momf_park.true_values, momf.REFERENCE_POINT, lambda: sobol_designs(4, 17)),
    "ackley_rosenbrock_sphere": plan(
        ackley_rosenbrock_sphere.true_values, ackley_rosenbrock_sphere.REFERENCE_POINT, valley_and_evolution
    ),
    "qv": plan(qv.true_values, qv.REFERENCE_POINT),
    "dtlz1": plan(dtlz1.true_values, dtlz1.REFERENCE_POINT),
    "dtlz1_paper": plan(dtlz1.paper_true_values, dtlz1.REFERENCE_POINT),
    "cantilever": plan(cantilever.true_values, cantilever.REFERENCE_POINT),
    "dtlz2": plan(dtlz2.six_true_values, dtlz2.reference_point(6)),
    "dtlz2_k3": plan(dtlz2.three_true_values, dtlz2.reference_point(3)),
}
BY_STRUCTURE: dict[str, Callable[[], DenseFront]] = {
    "qv": qv_front,
    "dtlz1": lambda: dtlz1_front(dtlz1.FREQUENCY, FACE_STRETCH),
    "dtlz1_paper": lambda: dtlz1_front(dtlz1.PAPER_FREQUENCY, PAPER_FACE_STRETCH),
    "cantilever": cantilever_front,
    "dtlz2": lambda: dtlz2_front(6),
    "dtlz2_k3": lambda: dtlz2_front(3),
}


def search_front(name: str) -> StoredFront:
    """The front of one problem, or of one of its variants."""
    search = SEARCHES[name]
    dense = BY_STRUCTURE[name]() if name in BY_STRUCTURE else searched(search)
    return thinned(dense, search)


if __name__ == "__main__":
    make_and_store(sys.argv[1:], {name: partial(search_front, name) for name in SEARCHES}, COMMAND)
