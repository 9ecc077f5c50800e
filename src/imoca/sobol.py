"""Scrambled Sobol sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.stats import qmc


def sobol_sequence(n_dimensions: int, rng: np.random.Generator) -> qmc.Sobol:
    """Imported when first needed: SciPy's statistics take longer to load than everything else together."""
    from scipy.stats import qmc

    return qmc.Sobol(n_dimensions, rng=rng)
