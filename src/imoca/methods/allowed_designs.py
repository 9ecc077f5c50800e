"""Designs that hold the constraints on parameters, however small a part of the space they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.pareto.search import log_uniform
from imoca.problem.space import SearchSpace

FIRST_BLOCK, LAST_BLOCK = 8, 16  # logarithms of the numbers of points that are tried
N_NEAREST = 64  # points that violate least, from which allowed ones are sought where none was met
N_ROUNDS = 200
MOVE_RANGE = (1e-4, 0.3)  # of moves in the unit cube
N_MOVES = 64  # of one design, of which the first that is allowed is another one


def allowed_designs(
    space: SearchSpace, n: int, draw: Callable[[int], Array], rng: np.random.Generator
) -> Array:  # draw: (m) -> (m, n_parameters) in the unit cube, the next of a sequence; (n, d)
    """The first ``n`` of a sequence of points that are allowed; where these are too rare, moves of those met.

    The same sequence gives the same designs, be more of them wanted or fewer.
    """
    found = np.empty((0, space.n_columns))
    nearest = found
    for exponent in range(FIRST_BLOCK, LAST_BLOCK + 1):
        points = space.from_unit(draw(2 ** max(exponent - 1, FIRST_BLOCK)))
        found = np.concatenate([found, points[space.is_allowed(points)]])
        if len(found) >= n:
            return found[:n]
        nearest = np.concatenate([nearest, points])
        nearest = nearest[np.argsort(space.excess(nearest), kind="stable")[:N_NEAREST]]
    if not len(found):
        found = _approached(space, nearest, rng)
    while len(found) < n:
        found = np.concatenate([found, _another(space, found, rng)])
    return found[:n]


def check_some_are_allowed(space: SearchSpace) -> None:
    """An error where no design is found that holds all constraints on parameters."""
    if space.conditions:
        rng = np.random.default_rng(0)
        allowed_designs(space, 1, lambda n: rng.random((n, space.n_parameters)), rng)


def _approached(space: SearchSpace, members: Array, rng: np.random.Generator) -> Array:  # (m, d) -> (1 or more, d)
    """Moves of the designs that violate least, until one violates nothing."""
    for _ in range(N_ROUNDS):
        moved = _moved(space, members, rng)
        allowed = moved[space.is_allowed(moved)]
        if len(allowed):
            return allowed
        joined = np.concatenate([members, moved])
        members = joined[np.argsort(space.excess(joined), kind="stable")[: len(members)]]
    texts = " and ".join(repr(condition.text) for condition in space.conditions)
    raise ProblemError(
        f"No design was found that satisfies {texts}: of {2**LAST_BLOCK} spread over all parameters none does, nor any"
        " near those that come closest.",
        hint="Check the constraints and the bounds of the parameters; an equality is better solved for a parameter.",
    )


def _another(space: SearchSpace, found: Array, rng: np.random.Generator) -> Array:  # (m, d) -> (1, d)
    """A move of one of them, or that one again where none is allowed."""
    origin = np.tile(found[rng.integers(len(found))], (N_MOVES, 1))
    moved = _moved(space, origin, rng)
    moved = moved[space.is_allowed(moved) & (moved != origin).any(axis=1)]
    return moved[:1] if len(moved) else origin[:1]


def _moved(space: SearchSpace, x: Array, rng: np.random.Generator) -> Array:
    steps = log_uniform(*MOVE_RANGE, len(x), rng)
    return space.snap(np.clip(x + steps * rng.standard_normal(x.shape), 0.0, 1.0))
