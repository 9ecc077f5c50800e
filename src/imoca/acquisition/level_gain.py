"""MF-OSEMO: information about the Pareto front from each of a few fidelity levels, in nats."""

from __future__ import annotations

import numpy as np

from imoca.acquisition.gain import TAU_SQUARED_MAX, observation_variance
from imoca.acquisition.skew_gain import mean_entropy_drop, tabulated_gamma
from imoca.acquisition.truncated_gain import truncation_entropy_drop
from imoca.arrays import Array
from imoca.models.additive_fidelity import LevelMoments


def truncated_level_gain(
    moments: LevelMoments,  # of one objective
    bounds: Array,  # (S, M) its sampled maxima, for every level
) -> Array:  # (n, M)
    """MF-OSEMO-TG [BelakariaDeshwal2020]: the value at every level is taken to be bounded by the sampled maxima."""
    gamma = (bounds[:, None, :] - moments.mean) / np.sqrt(moments.variance)
    return truncation_entropy_drop(gamma).mean(axis=0)


def integrated_level_gain(
    moments: LevelMoments,
    maxima: Array,  # (S,) sampled at the target level
    noise_variance: float,
) -> Array:  # (n, M)
    """MF-OSEMO-NI [BelakariaDeshwal2020]: entropy of the observation given that the target value is bounded.

    Their integral is that of iMOCA-E, a function of gamma and the correlation alone; its table serves.
    """
    variance_f = moments.variance[:, -1]
    observed = moments.variance + observation_variance(noise_variance)
    tau_squared = np.clip(moments.cov**2 / (variance_f[:, None] * observed), 0.0, TAU_SQUARED_MAX)
    return mean_entropy_drop(tabulated_gamma(maxima, moments.mean[:, -1], variance_f), np.sqrt(1.0 - tau_squared))
