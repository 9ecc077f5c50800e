"""The point above which hypervolume counts."""

from __future__ import annotations

from collections.abc import Callable

import torch
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from imoca_lab.peers.models import tensor, unit_bounds
from imoca_lab.peers.observations import Observations

N_DESIGNS = 1024  # besides those asked about


def reference_below_front(
    observations: Observations,
    known: tuple[float, ...] | None,  # K, maximised, in the user's units
    means_at_target: Callable[[Tensor], Tensor],  # (n, d) -> (n, K + C)
) -> Tensor:  # (K,)
    """The known point, as in the tutorials; else BoTorch's rule, a tenth of the front's range below its worst values.

    The front is that of the model's means, over the designs asked about and a Sobol set: of the former alone it may be
    a single point at first, and nothing beyond its ends would count. Where means of some of them hold all constraints,
    it is the front of these.
    """
    if known is not None:
        return tensor(observations.standardised(known))
    asked = tensor(observations.x)
    designs = torch.cat([asked, draw_sobol_samples(unit_bounds(asked.shape[-1]), N_DESIGNS, 1).squeeze(-2)])
    with torch.no_grad():
        means = means_at_target(designs)
    is_feasible = torch.from_numpy(observations.is_feasible(means.numpy()))
    values = (means[is_feasible] if is_feasible.any() else means)[:, : observations.n_objectives]
    return infer_reference_point(values[is_non_dominated(values)])
