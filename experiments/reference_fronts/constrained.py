"""Make the feasible fronts of the problems with constraints.

``python -m experiments.reference_fronts.constrained [name ...]``, some minutes:

- Branin-Currin on a disc: a grid and the rim of the disc, then many rounds of small moves that stay on it.
- C2-DTLZ2: the three arcs of the unit circle that lie within a ball; beyond the circle a ball reaches no further.
- Tanaka: points along the wave, where both objectives are as small as the inner constraint allows.
"""

import sys
from functools import partial

import numpy as np

from experiments.reference_fronts.storing import make_and_store
from experiments.reference_fronts.synthetic import spread_with_ends
from imoca.arrays import Array
from imoca.pareto import hypervolume, log_uniform, non_dominated
from imoca_lab.problems import branin_currin, branin_currin_disc, c2_dtlz2, tanaka
from imoca_lab.stored_front import StoredFront

COMMAND = "python -m experiments.reference_fronts.constrained"
N_STORED = 300
N_GRID = 1500  # per parameter
N_ALONG = 1_000_000  # points along a curve
N_ROUNDS, N_MOVED = 300, 20_000
INWARD = 1.0 - 1e-12  # what lies on a bound stays feasible when it is computed again


def disc_front() -> StoredFront:
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, N_GRID)] * 2), axis=-1).reshape(-1, 2)
    designs = _best_on_the_disc(np.concatenate([grid, _onto_the_disc(_rim(np.linspace(0.0, 2.0 * np.pi, N_ALONG)))]))
    rng = np.random.default_rng(0)
    for _ in range(N_ROUNDS):
        moved = designs[rng.integers(len(designs), size=N_MOVED)]
        moved = moved + log_uniform(1e-6, 1e-2, N_MOVED, rng) * rng.standard_normal(moved.shape)
        designs = _best_on_the_disc(np.concatenate([designs, _onto_the_disc(moved)]))
        if len(designs) > N_MOVED:
            designs = designs[spread_with_ends(branin_currin.true_values(designs), N_MOVED // 2)]
    return _stored(designs, branin_currin.true_values(designs), branin_currin_disc.REFERENCE_POINT)


def _rim(angle: Array) -> Array:  # (n,) -> (n, 2) in the unit square
    x = branin_currin_disc.CENTRE + np.sqrt(branin_currin_disc.LARGEST) * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )
    return (x - branin_currin.LOW) / (branin_currin.HIGH - branin_currin.LOW)


def _onto_the_disc(unit_designs: Array) -> Array:
    """Those outside pulled to the rim, towards the centre."""
    x = branin_currin.LOW + unit_designs * (branin_currin.HIGH - branin_currin.LOW) - branin_currin_disc.CENTRE
    too_far = np.maximum(1.0, np.linalg.norm(x, axis=1) / np.sqrt(branin_currin_disc.LARGEST))
    x = branin_currin_disc.CENTRE + x / too_far[:, None] * np.where(too_far > 1.0, INWARD, 1.0)[:, None]
    return (x - branin_currin.LOW) / (branin_currin.HIGH - branin_currin.LOW)


def _best_on_the_disc(unit_designs: Array) -> Array:
    inside = unit_designs[
        branin_currin_disc.is_feasible(unit_designs) & ((unit_designs >= 0.0) & (unit_designs <= 1.0)).all(axis=1)
    ]
    return inside[non_dominated(branin_currin.true_values(inside))]


def arcs_front() -> StoredFront:
    """Exact: at the bottom of the valley the first parameter is the angle."""
    designs = np.full((N_ALONG, c2_dtlz2.N_PARAMETERS), 0.5)
    designs[:, 0] = np.linspace(0.0, 1.0, N_ALONG)
    designs = designs[c2_dtlz2.is_feasible(designs)]
    return _stored(designs, c2_dtlz2.true_values(designs), c2_dtlz2.REFERENCE_POINT)


def wave_front() -> StoredFront:
    angle = np.linspace(0.0, 0.5 * np.pi, N_ALONG)  # from the second axis
    radius = np.sqrt(1.0 + tanaka.WAVE * np.cos(tanaka.N_WAVES * angle)) / INWARD
    x = radius[:, None] * np.column_stack([np.sin(angle), np.cos(angle)])
    designs = np.maximum(x, 0.0) / tanaka.LARGEST
    designs = designs[tanaka.is_feasible(designs)]
    return _stored(designs, tanaka.true_values(designs), tanaka.REFERENCE_POINT)


def _stored(designs: Array, values: Array, reference_point: Array) -> StoredFront:
    best = non_dominated(values)
    designs, values = designs[best], values[best]
    rows = spread_with_ends(values, N_STORED)
    return StoredFront(designs[rows], values[rows], hypervolume(values, reference_point))


MAKERS = {"branin_currin_disc": disc_front, "c2_dtlz2": arcs_front, "tanaka": wave_front}

if __name__ == "__main__":
    make_and_store(sys.argv[1:], {name: partial(make) for name, make in MAKERS.items()}, COMMAND)
