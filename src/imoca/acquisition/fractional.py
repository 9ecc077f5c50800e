"""Which simulators to run for given designs, and how accurately: most gain for the cost, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array, IntArray

NOT_RUN = -1  # in the place of a fidelity's column: the simulator is left out, which brings nothing and costs nothing
MAX_ROUNDS = 50  # Dinkelbach's iteration is superlinear: three to five rounds are the rule
TOLERANCE = 1e-13


def choose_fidelities(
    gains: Sequence[Array],  # per simulator (n, m_s); -inf where a fidelity may not be considered
    costs: Sequence[Array],  # per simulator (n, m_s), positive
    setup_cost: float = 0.0,  # of a design, whichever simulators are run
    *,
    may_leave_out: bool = False,  # simulators, all but one
) -> tuple[list[IntArray], Array]:
    """Columns (n,) per simulator that maximise ``sum_s gain / (setup cost + sum_s cost)``, and that ratio (n,).

    Dinkelbach's method: for a guess of the ratio the problem separates, each simulator alone maximising
    ``gain - ratio * cost``, and being left out where that is negative. Exact over the product of all grids and over all
    subsets, at the price of the sum of the grids. It starts at the target fidelity of all simulators, the last column,
    or at the best one alone; without a set-up cost that is the answer: no sum's ratio exceeds the best of its terms'.
    """
    chosen = _best_alone(gains, costs, setup_cost) if may_leave_out else [_last_column(gain) for gain in gains]
    ratio = _ratio(gains, costs, setup_cost, chosen)
    for _ in range(MAX_ROUNDS):
        proposed = [_worth_most(g - ratio[:, None] * c, may_leave_out) for g, c in zip(gains, costs, strict=True)]
        is_nothing = np.all([columns == NOT_RUN for columns in proposed], axis=0)
        chosen = [np.where(is_nothing, before, now) for before, now in zip(chosen, proposed, strict=True)]
        improved = _ratio(gains, costs, setup_cost, chosen)
        has_converged = np.all(improved <= ratio + TOLERANCE * np.abs(ratio))
        ratio = improved
        if has_converged:
            break
    return chosen, ratio


def picked(values: Array, columns: IntArray) -> Array:  # (n, m), (n,) -> (n,)
    """The chosen column of every row, 0 of what is not run."""
    return np.where(columns == NOT_RUN, 0.0, values[np.arange(len(values)), columns])


def _last_column(gain: Array) -> IntArray:
    return np.full(len(gain), gain.shape[1] - 1)


def _worth_most(worth: Array, may_leave_out: bool) -> IntArray:  # (n, m) -> (n,)
    best = np.argmax(worth, axis=1)
    if not may_leave_out:
        return best
    return np.where(worth[np.arange(len(worth)), best] > 0.0, best, NOT_RUN)


def _best_alone(gains: Sequence[Array], costs: Sequence[Array], setup_cost: float) -> list[IntArray]:
    ratios = [gain / (setup_cost + cost) for gain, cost in zip(gains, costs, strict=True)]
    best = np.argmax([ratio.max(axis=1) for ratio in ratios], axis=0)  # (n,) a simulator
    return [np.where(best == s, np.argmax(ratio, axis=1), NOT_RUN) for s, ratio in enumerate(ratios)]


def _ratio(gains: Sequence[Array], costs: Sequence[Array], setup_cost: float, chosen: Sequence[IntArray]) -> Array:
    gain: Array = np.sum([picked(g, c) for g, c in zip(gains, chosen, strict=True)], axis=0)
    cost: Array = np.sum([picked(g, c) for g, c in zip(costs, chosen, strict=True)], axis=0)
    return gain / (setup_cost + cost)
