"""How good a recovered front is, as one number; every objective is maximised."""

import moocore
import numpy as np
from scipy.spatial.distance import cdist

from imoca.arrays import Array
from imoca.errors import IndicatorError
from imoca.pareto.dominance import finite_points


def hypervolume(
    values: Array,  # (n, K) maximised
    reference_point: Array,  # (K,) maximised
) -> float:
    """Volume between the points and the reference point.

    A point that does not exceed the reference point in every objective adds nothing; no point at all gives 0.
    """
    values = finite_points(values, "values")
    reference_point = np.asarray(reference_point, dtype=np.float64)
    if reference_point.shape != (values.shape[1],):
        raise IndicatorError(
            f"The reference point has shape {reference_point.shape} for {values.shape[1]} objectives.",
            hint="Give one reference value per objective.",
        )
    if not np.isfinite(reference_point).all():
        raise IndicatorError(
            f"The reference point {reference_point.tolist()} is not finite.",
            hint="Choose a value slightly worse than any you would accept, for each objective.",
        )
    if len(values) == 0:
        return 0.0
    return float(moocore.hypervolume(values, ref=reference_point, maximise=True))


def average_distance(
    recovered: Array,  # (n, K) maximised
    reference_front: Array,  # (m, K) maximised, m >= 1
) -> float:
    """Mean over the reference front of the distance to the nearest recovered point.

    What [Belakaria2020] calls R2. Objectives are scaled by the reference front's range, so the unit is that
    range; an objective constant along the front is left unscaled. Nothing recovered is infinitely far.
    """
    recovered = finite_points(recovered, "recovered")
    reference_front = finite_points(reference_front, "reference_front")
    if recovered.shape[1] != reference_front.shape[1]:
        raise IndicatorError(
            f"recovered has {recovered.shape[1]} objectives, the reference front {reference_front.shape[1]}.",
            hint="Compare fronts of the same problem.",
        )
    if len(reference_front) == 0:
        raise IndicatorError(
            "The reference front is empty.", hint="Give at least one point to measure the distance from."
        )
    if len(recovered) == 0:
        return float("inf")
    span = np.ptp(reference_front, axis=0)
    scale = np.where(span > 0.0, span, 1.0)
    return float(cdist(reference_front / scale, recovered / scale).min(axis=1).mean())
