"""What the tests of several benchmarks ask of their stored fronts."""

from collections.abc import Callable

import numpy as np

from imoca.arrays import Array
from imoca_lab.stored_front import StoredFront


def largest_gain_by_a_step(stored: StoredFront, true_values: Callable[[Array], Array]) -> float:
    """In the worst objective, as a share of its range, over random steps of several sizes from every stored design."""
    rng = np.random.default_rng(2)
    found = []
    for scale in (1e-1, 1e-2, 1e-3):
        steps = scale * rng.normal(size=(20, *stored.designs.shape))
        tried = np.clip(stored.designs + steps, 0.0, 1.0).reshape(-1, stored.designs.shape[1])
        gain = true_values(tried).reshape(20, *stored.values.shape) - stored.values
        found.append((gain / np.ptp(stored.values, axis=0)).min(axis=2).max())
    return float(max(found))
