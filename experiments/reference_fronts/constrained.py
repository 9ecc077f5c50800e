"""Make the fronts of the problems with constraints, and of the reactor that runs away.

``python -m experiments.reference_fronts.constrained [name ...]``, some minutes:

- Branin-Currin on a disc: a grid and the rim of the disc, then many rounds of small moves that stay on it.
- C2-DTLZ2: the three arcs of the unit circle that lie within a ball; beyond the circle a ball reaches no further.
- Tanaka: points along the wave, where both objectives are as small as the inner constraint allows.
- Osyczka and Kundu: the five pieces of [Deb2001], each along one parameter.
- Reactor: for a coolant and a length the largest feed that does not run away is best, by bisection; then the coolant
  that is best for the length.
"""

import sys
from functools import partial

import numpy as np

from experiments.reference_fronts.storing import make_and_store
from experiments.reference_fronts.synthetic import spread_with_ends
from imoca.arrays import Array
from imoca.pareto import hypervolume, log_uniform, non_dominated
from imoca_lab.problems import branin_currin, branin_currin_disc, c2_dtlz2, osyczka_kundu, reactor, tanaka
from imoca_lab.stored_front import StoredFront

COMMAND = "python -m experiments.reference_fronts.constrained"
N_STORED = 300
N_GRID = 1500  # per parameter
N_ALONG = 1_000_000  # points along a curve
N_ROUNDS, N_MOVED = 300, 20_000
N_PIECE = 20_000
LITTLE = 1e-8  # by which a design is kept off an edge, so that it is feasible in the digits that are stored
N_LENGTHS, N_COOLANTS, N_BISECTIONS = 2000, 61, 40
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


def pieces_front() -> StoredFront:
    along = np.linspace(0.0, 1.0, N_PIECE)
    one, none = np.ones(N_PIECE), np.zeros(N_PIECE)
    x1, x3 = 5.0 * along, 1.0 + 4.0 * along
    pieces = [  # x1, x2, x3, x5; the others are 0
        (5.0 * one, one, x3, 5.0 * one),
        (5.0 * one, one, x3, one),
        (x1, (x1 - 2.0) / 3.0 + LITTLE, one, one),
        (none, 2.0 * one, x3, one),
        (along, 2.0 - along + LITTLE, one, one),
    ]
    low, high = osyczka_kundu.LOW, osyczka_kundu.HIGH
    x = np.concatenate([np.column_stack([a, b, c, none, d, none]) for a, b, c, d in pieces])
    designs = (x - low) / (high - low)
    designs = designs[osyczka_kundu.is_feasible(designs) & ((designs >= 0.0) & (designs <= 1.0)).all(axis=1)]
    return _stored(designs, osyczka_kundu.true_values(designs), osyczka_kundu.REFERENCE_POINT)


def reactor_front() -> StoredFront:
    """The coolant on a grid, then twice on a finer one about the best of each length."""
    length = np.linspace(reactor.LOW[2], reactor.HIGH[2], N_LENGTHS)
    low, high = np.full(N_LENGTHS, reactor.LOW[1]), np.full(N_LENGTHS, reactor.HIGH[1])
    for _ in range(3):
        coolant = np.linspace(low, high, N_COOLANTS, axis=1)  # (n, m)
        designs = _fed_to_the_edge(coolant.ravel(), np.repeat(length, N_COOLANTS)).reshape(N_LENGTHS, N_COOLANTS, 3)
        product = reactor.outlets(designs.reshape(-1, 3), reactor.STEPS[-1]).product.reshape(N_LENGTHS, N_COOLANTS)
        best = product.argmax(axis=1)
        rows, width = np.arange(N_LENGTHS), (high - low) / (N_COOLANTS - 1)
        low = np.maximum(coolant[rows, best] - width, reactor.LOW[1])
        high = np.minimum(coolant[rows, best] + width, reactor.HIGH[1])
    designs = (designs[rows, best] - reactor.LOW) / (reactor.HIGH - reactor.LOW)
    designs = designs[reactor.is_safe(designs)]
    return _stored(designs, reactor.true_values(designs), reactor.REFERENCE_POINT)


def _fed_to_the_edge(coolant: Array, length: Array) -> Array:  # (n,), (n,) -> (n, 3)
    """The largest feed that is safe; the smallest one is, of every coolant and length."""
    safe, largest = np.full(len(length), reactor.LOW[0]), np.full(len(length), reactor.HIGH[0])
    for _ in range(N_BISECTIONS):
        tried = np.column_stack([0.5 * (safe + largest), coolant, length])
        is_safe = reactor.outlets(tried, reactor.STEPS[-1]).peak <= reactor.HOTTEST
        safe, largest = np.where(is_safe, tried[:, 0], safe), np.where(is_safe, largest, tried[:, 0])
    return np.column_stack([safe * (1.0 - LITTLE), coolant, length])


def _stored(designs: Array, values: Array, reference_point: Array) -> StoredFront:
    best = non_dominated(values)
    designs, values = designs[best], values[best]
    rows = spread_with_ends(values, N_STORED)
    return StoredFront(designs[rows], values[rows], hypervolume(values, reference_point))


MAKERS = {
    "branin_currin_disc": disc_front,
    "c2_dtlz2": arcs_front,
    "tanaka": wave_front,
    "osyczka_kundu": pieces_front,
    "reactor": reactor_front,
}

if __name__ == "__main__":
    make_and_store(sys.argv[1:], {name: partial(make) for name, make in MAKERS.items()}, COMMAND)
