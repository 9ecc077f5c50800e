"""How hard is a problem? The share of its hypervolume that random designs at full fidelity reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.pareto import estimate_hypervolume
from imoca_lab.benchmark import Benchmark


def random_shares(
    benchmark: Benchmark,
    sizes: Sequence[int],  # numbers of designs
    n_draws: int,
    seed: int = 0,
) -> Array:  # (n_sizes,)
    """Mean over the draws; the first designs of a draw are those of its smaller sizes too."""
    if n_draws < 1 or not sizes or min(sizes) < 1:
        raise ProblemError(
            f"{n_draws} draw(s) of {list(sizes)} designs.", hint="Take one draw or more of one design or more."
        )
    rng, space = np.random.default_rng(seed), benchmark.problem.space
    volumes = np.empty((n_draws, len(sizes)))
    for draw in range(n_draws):
        values = benchmark.true_values(space.from_unit(rng.random((max(sizes), space.n_parameters))))
        for i, size in enumerate(sizes):
            volumes[draw, i] = estimate_hypervolume(values[:size], benchmark.reference_point, rng).volume
    return volumes.mean(axis=0) / benchmark.hypervolume
