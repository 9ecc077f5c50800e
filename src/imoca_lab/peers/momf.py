"""MOMF: expected hypervolume improvement with the fidelity as one more objective, over cost [Irshad2021]."""

from __future__ import annotations

import numpy as np
import torch
from botorch.acquisition.multi_objective.multi_fidelity import MOMF
from botorch.optim.optimize import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.multi_objective.box_decompositions.non_dominated import FastNondominatedPartitioning

from imoca.arrays import Array
from imoca_lab.peers.limits import excesses_of, objectives_of
from imoca_lab.peers.models import believing, fit_fidelity_gps, tensor, unit_bounds, with_fidelity
from imoca_lab.peers.observations import Observations
from imoca_lab.peers.reference import reference_below_front
from imoca_lab.peers.shared_cost import SharedCost

N_SAMPLES = 128
N_RESTARTS = 10
RAW_SAMPLES = 512
OPTIONS = {"batch_limit": 5, "maxiter": 200, "nonnegative": True}
FIDELITY_REFERENCE = 0.0


def suggest_momf(
    observations: Observations,
    cost: SharedCost,
    known_reference: tuple[float, ...] | None,
) -> Array:  # (d + 1,) design, then fidelity
    """Settings of "Multi_objective_multi_fidelity_BO".

    K + 1 GPs, the last on the fidelity itself, with reference value 0; 128 Sobol normal samples;
    ``FastNondominatedPartitioning`` of the K + 1 outcomes, of runs that held all constraints, each at its own fidelity;
    samples are weighed by their (smoothed) feasibility, by a further GP per constraint; 10 restarts from 512 raw
    samples, at most 200 iterations, batches of 5, ``nonnegative``; fidelity 0 if the best acquisition value is
    exactly 0.
    """
    z, pending_z = (np.column_stack([each, each.min(axis=1)]) for each in (observations.z, observations.pending_z))
    outcomes = tensor(np.column_stack([observations.values, z[:, -1]]))
    model = fit_fidelity_gps(with_fidelity(observations.x, z), outcomes)
    model, believed = believing(model, with_fidelity(observations.pending_x, pending_z))
    outcomes = torch.cat([outcomes, believed])

    def means_at_target(designs: torch.Tensor) -> torch.Tensor:
        points = torch.cat([designs, torch.ones_like(designs[:, :1])], dim=-1)
        return model.posterior(points).mean[:, :-1]

    objectives_reference = reference_below_front(observations, known_reference, means_at_target)
    is_feasible = torch.from_numpy(observations.is_feasible(outcomes[:, :-1].numpy()))
    objective = objectives_of(observations, extra=[outcomes.shape[1] - 1])
    reference = torch.cat([objectives_reference, tensor(np.array([FIDELITY_REFERENCE]))])
    acquisition = MOMF(
        model=model,
        ref_point=reference,
        partitioning=FastNondominatedPartitioning(ref_point=reference, Y=objective(outcomes[is_feasible])),
        sampler=SobolQMCNormalSampler(sample_shape=torch.Size([N_SAMPLES])),
        objective=objective,
        constraints=excesses_of(observations),
        cost_call=cost,
    )
    candidates, best = optimize_acqf(
        acquisition,
        unit_bounds(observations.x.shape[1] + 1),
        q=1,
        num_restarts=N_RESTARTS,
        raw_samples=RAW_SAMPLES,
        options=OPTIONS,
    )
    return cheapest_if_worthless(candidates[0].numpy(), best.item())


def cheapest_if_worthless(point: Array, best: float) -> Array:  # (d + 1,)
    return np.append(point[:-1], 0.0) if best == 0.0 else point
