"""MF-OSEMO: information about the Pareto front from each of a few fidelity levels, in nats."""

from __future__ import annotations

import numpy as np

from imoca.acquisition.gain import squared_correlation
from imoca.acquisition.skew_gain import mean_entropy_drop, tabulated_gamma
from imoca.acquisition.truncated_gain import truncation_entropy_drop
from imoca.arrays import Array
from imoca.models.gp import Moments


def truncated_level_gain(
    moments: Moments,  # of one objective at its levels, the target last
    bounds: Array,  # (S, M) its sampled maxima, for every level
) -> Array:  # (n, M)
    """MF-OSEMO-TG [BelakariaDeshwal2020]: the value at every level is taken to be bounded by the sampled maxima."""
    gamma = (bounds[:, None, :] - moments.mean_g) / np.sqrt(moments.var_g)
    return truncation_entropy_drop(gamma).mean(axis=0)


def integrated_level_gain(
    moments: Moments,
    maxima: Array,  # (S,) sampled at the target level
) -> Array:  # (n, M)
    """MF-OSEMO-NI [BelakariaDeshwal2020]: entropy of the observation given that the target value is bounded.

    Their integral is that of iMOCA-E, a function of gamma and the correlation alone; its table serves.
    """
    gamma = tabulated_gamma(maxima, moments.mean_f, moments.var_f)
    return mean_entropy_drop(gamma, np.sqrt(1.0 - squared_correlation(moments)))
