"""ParEGO: many objectives as one, by a weight drawn anew for every question."""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated

AUGMENTATION = 0.05  # rho of [Knowles2006]: share of the weighted sum, which tells weakly dominated points apart


def augmented_tchebycheff(
    values: Array,  # (n, K) maximised
    weights: Array,  # (K,) on the simplex
) -> Array:  # (n,) to be maximised
    """Eq. (2) of [Knowles2006], its sign turned: objectives are scaled so that the front spans [0, 1], 0 the best.

    Departure: ranges are those of the non-dominated values, not of all. An objective whose worst values lie far
    beyond the front would otherwise hardly count under any weight. One that does not vary is left out.
    """
    front = values[non_dominated(values)]
    span = np.ptp(front, axis=0)
    span = np.where(span > 0.0, span, np.ptp(values, axis=0))
    weighted = weights * (front.max(axis=0) - values) / np.where(span > 0.0, span, 1.0)
    return -(weighted.max(axis=1) + AUGMENTATION * weighted.sum(axis=1))


def random_weights(n_objectives: int, rng: np.random.Generator) -> Array:  # (K,)
    """Uniform on the simplex. Departure: [Knowles2006] draws from a lattice, of 11 weights for two objectives."""
    return rng.dirichlet(np.ones(n_objectives))
