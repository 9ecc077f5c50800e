"""The cost of a run of every simulator at one shared fidelity, as a function that torch can differentiate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from imoca.arrays import Array
from imoca.models import CostModel, KnownCostModel

Z_STEP = 1e-5  # of the central differences in the fidelity


@dataclass(frozen=True)
class SharedCost:
    """Sum of all simulators' costs, in units of the budget. Levels cost what the nearest one does."""

    costs: Sequence[CostModel]

    def __call__(self, points: Tensor) -> Tensor:
        """(..., d + 1), designs and fidelity, -> (..., 1)."""
        flat = points.detach().reshape(-1, points.shape[-1]).numpy().clip(0.0, 1.0)
        x, z = flat[:, :-1], flat[:, -1]
        value = torch.from_numpy(self.values(x, z)).reshape(*points.shape[:-1], 1)
        if not points.requires_grad:
            return value
        gradient = torch.from_numpy(self.gradients(x, z)).reshape(points.shape)
        return value + ((points - points.detach()) * gradient).sum(dim=-1, keepdim=True)  # the second term is 0

    def values(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n,)
        return np.sum([_ratios(each, x, z) for each in self.costs], axis=0)

    def gradients(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n, d + 1)
        ahead, behind = np.minimum(z + Z_STEP, 1.0), np.maximum(z - Z_STEP, 0.0)
        in_z = (self.values(x, ahead) - self.values(x, behind)) / (ahead - behind)
        in_x = np.sum([each.gradient(x, z) for each in self.costs], axis=0)
        return np.column_stack([in_x, in_z])


def _ratios(cost: CostModel, x: Array, z: Array) -> Array:  # (n,)
    if isinstance(cost, KnownCostModel) and not cost.simulator.is_cost_by_design:
        return cost.ratio(x[:1], z)[0]
    return np.array([cost.ratio(x[i : i + 1], z[i : i + 1])[0, 0] for i in range(len(x))])
