"""Multi-fidelity hypervolume knowledge gradient per unit cost, optimised in one shot.

Daulton, Balandat and Bakshy, "Hypervolume Knowledge Gradient", ICML 2023.
"""

from __future__ import annotations

from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.fixed_feature import FixedFeatureAcquisitionFunction
from botorch.acquisition.multi_objective.hypervolume_knowledge_gradient import (
    _get_hv_value_function,
    qMultiFidelityHypervolumeKnowledgeGradient,
)
from botorch.acquisition.utils import project_to_target_fidelity
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.model_list_gp_regression import ModelListGP
from botorch.optim.optimize import optimize_acqf
from torch import Tensor

from imoca.arrays import Array
from imoca_lab.peers.models import believing, fit_fidelity_gps, tensor, unit_bounds, with_fidelity
from imoca_lab.peers.momf import cheapest_if_worthless
from imoca_lab.peers.observations import Observations
from imoca_lab.peers.reference import reference_below_front
from imoca_lab.peers.shared_cost import SharedCost

TARGET_FIDELITY = 1.0
N_FANTASIES = 8
N_PARETO_POINTS = 10
N_RESTARTS = 1
RAW_SAMPLES = 512
MAX_ITERATIONS = 200


def suggest_hvkg(
    observations: Observations,
    cost: SharedCost,
    known_reference: tuple[float, ...] | None,
) -> Array:  # (d + 1,) design, then fidelity
    """Settings of "Multi_objective_multi_fidelity_BO".

    K GPs; 8 fantasies of 10 Pareto points; hypervolume of the posterior mean at the target fidelity, its current value
    from 1 restart of 1024 raw samples; 1 restart from 512 raw samples, at most 200 iterations, batches of 5 (by default
    BoTorch starts the fantasies from 20 more restarts of 1024); fidelity 0 if the best acquisition value is exactly 0.
    Departure: no inner sampler, since the posterior mean never draws from it.
    """
    inputs = with_fidelity(observations.x, observations.z)
    model = fit_fidelity_gps(inputs, tensor(observations.values))
    model, _ = believing(model, with_fidelity(observations.pending_x, observations.pending_z))
    n_inputs = inputs[0].shape[-1]
    target = {n_inputs - 1: TARGET_FIDELITY}

    def at_target(points: Tensor) -> Tensor:
        return project_to_target_fidelity(points, target_fidelities=target, d=n_inputs)

    reference = reference_below_front(
        observations, known_reference, lambda designs: model.posterior(at_target(designs)).mean
    )
    acquisition = qMultiFidelityHypervolumeKnowledgeGradient(
        model=model,
        ref_point=reference,
        target_fidelities=target,
        num_fantasies=N_FANTASIES,
        num_pareto=N_PARETO_POINTS,
        current_value=_hypervolume_of_means(model, reference, n_inputs),
        cost_aware_utility=InverseCostWeightedUtility(GenericDeterministicModel(cost)),
        project=at_target,
    )
    candidates, best = optimize_acqf(
        acquisition,
        unit_bounds(n_inputs),
        q=1,
        num_restarts=N_RESTARTS,
        raw_samples=RAW_SAMPLES,
        options={"batch_limit": 5, "maxiter": MAX_ITERATIONS},
    )
    return cheapest_if_worthless(candidates[0].numpy(), best.item())


def _hypervolume_of_means(model: ModelListGP, reference: Tensor, n_inputs: int) -> Tensor:
    """The largest that ``N_PARETO_POINTS`` designs reach at the target fidelity."""
    value = _get_hv_value_function(model=model, ref_point=reference, use_posterior_mean=True)
    _, hypervolume = optimize_acqf(
        FixedFeatureAcquisitionFunction(value, d=n_inputs, columns=[n_inputs - 1], values=[TARGET_FIDELITY]),
        bounds=unit_bounds(n_inputs - 1),
        q=N_PARETO_POINTS,
        num_restarts=1,
        raw_samples=2 * RAW_SAMPLES,
        options={"maxiter": MAX_ITERATIONS, "nonnegative": True},
    )
    return hypervolume
