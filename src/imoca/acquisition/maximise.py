"""The best design for a score: many starts, gradients on the continuous columns, neighbour moves on the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from imoca.arrays import Array
from imoca.problem.space import SearchSpace

ValueAndGradient = Callable[[Array], tuple[Array, Array]]  # (n, d) -> (n,), (n, d)
Criterion = Callable[[Array], Array]  # (n, d) -> (n,)

MAX_ITERATIONS = 25
MAX_EVALUATIONS = 40
MAX_NEIGHBOUR_ROUNDS = 30
DIFFERENCE_STEP = 1e-5  # of the central differences of a score without analytic gradient, in the unit cube
PENALTY = 1e3  # times the size of a score, that the largest violation of a constraint on parameters costs; its square
N_HALVINGS = 40  # of the way to a design that is not allowed
START_DISTANCE = 0.05  # starts closer than this (per root column) climb the same hill


def distinct_best(x: Array, values: Array, n: int) -> Array:  # (m, d), (m,) -> (<= n, d)
    """The best designs that are not close to a better one."""
    left = np.argsort(-values, kind="stable")
    radius = START_DISTANCE * np.sqrt(x.shape[1])
    kept: list[int] = []
    while len(left) and len(kept) < n:
        kept.append(int(left[0]))
        left = left[np.linalg.norm(x[left] - x[left[0]], axis=1) > radius]
    return x[kept]


def with_differences(score: Criterion, space: SearchSpace) -> ValueAndGradient:
    """A score with its gradient by central differences on the continuous columns, one-sided at the bounds.

    All designs of a gradient are scored in one batch, for a vectorised score nearly as cheap as the analytic one.
    """
    free = np.flatnonzero(space.is_continuous)

    def value_and_gradient(x: Array) -> tuple[Array, Array]:
        shift = np.zeros((len(free), x.shape[1]))
        shift[np.arange(len(free)), free] = DIFFERENCE_STEP
        ahead = np.minimum(x[:, None, :] + shift, 1.0)  # (n, n_free, d)
        behind = np.maximum(x[:, None, :] - shift, 0.0)
        shape = ahead.shape
        values = score(np.concatenate([x, ahead.reshape(-1, shape[2]), behind.reshape(-1, shape[2])]))
        change = values[len(x) :].reshape(2, *shape[:2])
        gradient = np.zeros_like(x)
        gradient[:, free] = (change[0] - change[1]) / (ahead - behind).sum(axis=2)
        return values[: len(x)], gradient

    return value_and_gradient


def climb(
    value_and_gradient: ValueAndGradient,
    starts: Array,  # (n, d)
    space: SearchSpace,
) -> tuple[Array, Array]:  # (n, d), (n,)
    """Each start, which is allowed, moved uphill on its continuous columns: one L-BFGS-B run over all, stacked.

    The stacked function is a sum of independent ones, so its maximiser is the stack of theirs; one run over n designs
    costs a fraction of n runs, because the function is vectorised.
    """
    free = np.flatnonzero(space.is_continuous)
    best_x = starts.copy()
    best_values = np.full(len(starts), -np.inf)
    if not len(free):
        return best_x, value_and_gradient(starts)[0]
    unit = 1.0

    def keep(x: Array, values: Array) -> None:
        better = (values > best_values) & space.is_allowed(x)
        best_x[better], best_values[better] = x[better], values[better]

    def negative(flat: Array) -> tuple[float, Array]:
        x = starts.copy()
        x[:, free] = flat.reshape(len(starts), len(free))
        values, gradient = value_and_gradient(x)
        keep(x, values)
        if space.conditions:
            too_far, slope = outside(x)
            weight = PENALTY * unit * too_far
            values, gradient = values - weight * too_far, gradient - 2.0 * weight[:, None] * slope
        return -float(values.sum()) / unit, -gradient[:, free].ravel() / unit

    outside = with_differences(space.excess, space)
    first, _ = negative(starts[:, free].ravel())
    unit = max(abs(first), 1e-12)  # L-BFGS-B's tolerances suppose values of order one
    found = minimize(
        negative,
        starts[:, free].ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * (len(starts) * len(free)),
        options={"maxiter": MAX_ITERATIONS, "maxfun": MAX_EVALUATIONS, "ftol": 1e-5, "gtol": 1e-4},
    )
    if space.conditions:
        end = starts.copy()
        end[:, free] = found.x.reshape(len(starts), len(free))
        reached = last_allowed(best_x, end, space)
        keep(reached, value_and_gradient(reached)[0])
    return best_x, best_values


def last_allowed(inside: Array, end: Array, space: SearchSpace) -> Array:  # (n, d), (n, d) -> (n, d)
    """On the way from allowed designs to others, the farthest that are still allowed; by halving."""
    low, high = np.zeros((len(end), 1)), np.ones((len(end), 1))
    low[space.is_allowed(end)] = 1.0
    for _ in range(N_HALVINGS):
        middle = 0.5 * (low + high)
        allowed = space.is_allowed(inside + middle * (end - inside))[:, None]
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    return inside + low * (end - inside)


def maximise(value_and_gradient: ValueAndGradient, starts: Array, space: SearchSpace) -> tuple[Array, float]:
    """The best design (d,) found from the starts, and its value.

    Integers and choices are never relaxed and rounded: from the best design every neighbour in one discrete
    parameter is tried, the best one is climbed from again, until no neighbour is better.
    """
    climbed, values = climb(value_and_gradient, starts, space)
    x, value = climbed[np.argmax(values)], float(values.max())
    for _ in range(MAX_NEIGHBOUR_ROUNDS if space.has_discrete else 0):
        neighbours = space.neighbours(x)
        neighbours = neighbours[space.is_allowed(neighbours)]
        moved_values = value_and_gradient(neighbours)[0] if len(neighbours) else np.full(1, -np.inf)
        if moved_values.max() <= value:
            break
        best = neighbours[np.argmax(moved_values)][None]
        climbed, values = climb(value_and_gradient, best, space)
        x, value = climbed[0], float(values[0])
    return x, value
