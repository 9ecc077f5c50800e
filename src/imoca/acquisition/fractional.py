"""The best fidelity vector for given designs: maximise a sum of gains over a sum of costs, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array, IntArray

MAX_ROUNDS = 50  # Dinkelbach's iteration is superlinear: three to five rounds are the rule
TOLERANCE = 1e-13


def choose_fidelities(
    gains: Sequence[Array],  # per simulator (n, m_s); -inf where a fidelity may not be considered
    costs: Sequence[Array],  # per simulator (n, m_s), positive
) -> tuple[list[IntArray], Array]:
    """Columns (n,) per simulator that maximise ``sum_s gain / sum_s cost`` for each design, and that ratio (n,).

    Dinkelbach's method: for a guess of the ratio the problem separates, each simulator alone maximising
    ``gain - ratio * cost``. Starts at the last column, the target fidelity. Exact over the product of all grids, at the
    price of their sum.
    """
    chosen = [np.full(len(gain), gain.shape[1] - 1) for gain in gains]
    ratio = _ratio(gains, costs, chosen)
    for _ in range(MAX_ROUNDS):
        chosen = [np.argmax(gain - ratio[:, None] * cost, axis=1) for gain, cost in zip(gains, costs, strict=True)]
        improved = _ratio(gains, costs, chosen)
        has_converged = np.all(improved <= ratio + TOLERANCE * np.abs(ratio))
        ratio = improved
        if has_converged:
            break
    return chosen, ratio


def _ratio(gains: Sequence[Array], costs: Sequence[Array], chosen: Sequence[IntArray]) -> Array:
    rows = np.arange(len(gains[0]))
    gain: Array = np.sum([g[rows, c] for g, c in zip(gains, chosen, strict=True)], axis=0)
    cost: Array = np.sum([g[rows, c] for g, c in zip(costs, chosen, strict=True)], axis=0)
    return gain / cost
