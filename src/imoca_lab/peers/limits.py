"""Constraints as BoTorch wants them: which outcomes are objectives, and by how much a sample violates the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from torch import Tensor

from imoca_lab.peers.observations import Observations


def objectives_of(observations: Observations, extra: Sequence[int] = ()) -> IdentityMCMultiOutputObjective:
    """The first K outcomes, and those of further positions."""
    return IdentityMCMultiOutputObjective([*range(observations.n_objectives), *extra])


def excesses_of(observations: Observations) -> list[Callable[[Tensor], Tensor]] | None:
    """One function of samples (..., M) per bound, negative where it is held; None instead of nothing."""
    excesses: list[Callable[[Tensor], Tensor]] = []
    for i, (low, high) in enumerate(zip(observations.lower, observations.upper, strict=True)):
        column = observations.n_objectives + i
        if np.isfinite(low):
            excesses.append(_excess(column, -1.0, float(low)))
        if np.isfinite(high):
            excesses.append(_excess(column, 1.0, float(high)))
    return excesses or None


def _excess(column: int, sign: float, bound: float) -> Callable[[Tensor], Tensor]:
    def excess(samples: Tensor) -> Tensor:
        return sign * (samples[..., column] - bound)

    return excess
