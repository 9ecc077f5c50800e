"""Which of several points no other point beats."""

import moocore
import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.errors import IndicatorError


def non_dominated(
    values: Array,  # (n, K) maximised
) -> BoolArray:  # (n,)
    """True for each point that no other dominates; of exact duplicates only the first is kept."""
    values = finite_points(values, "values")
    if len(values) == 0:
        return np.zeros(0, dtype=np.bool_)
    mask: BoolArray = moocore.is_nondominated(values, maximise=True, keep_weakly=False)
    return mask


def is_below_front(
    values: Array,  # (n, K) maximised
    front: Array,  # (l, K)
) -> BoolArray:  # (n,)
    """True for each point that some point of the front is at least as good as in every objective."""
    is_below = np.ones((len(values), len(front)), dtype=np.bool_)
    for value, points in zip(values.T, np.ascontiguousarray(front.T), strict=True):  # strided, it takes twice as long
        is_below &= value[:, None] <= points
    return np.any(is_below, axis=1)


def finite_points(
    values: Array,  # (n, K)
    name: str,
) -> Array:  # (n, K)
    """The same points as float64, refused unless they are a finite table: moocore takes NaN silently."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise IndicatorError(
            f"{name} has shape {table.shape}; expected (points, objectives) with at least one objective.",
            hint="Give one row per point and one column per objective.",
        )
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise IndicatorError(
            f"{name} holds a value that is not finite, first in row {row}: {table[row].tolist()}.",
            hint="Leave failed or missing evaluations out before comparing fronts.",
        )
    return table
