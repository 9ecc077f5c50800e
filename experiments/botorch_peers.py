"""One suggestion from each of three BoTorch acquisition methods, as BoTorch's own tutorials set them up.

Tried with botorch 0.18.1 on torch 2.13.0 (CPU), the ``peers`` extra. Each function fits its Gaussian
processes from scratch, maximises one acquisition function and returns one point. Objectives are maximised,
designs and fidelities lie in [0, 1], the target fidelity is 1. A call uses one torch thread and the global
torch generator, and leaves both as it found them.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.fixed_feature import FixedFeatureAcquisitionFunction
from botorch.acquisition.multi_objective.hypervolume_knowledge_gradient import (
    _get_hv_value_function,
    qMultiFidelityHypervolumeKnowledgeGradient,
)
from botorch.acquisition.multi_objective.max_value_entropy_search import (
    qLowerBoundMultiObjectiveMaxValueEntropySearch,
)
from botorch.acquisition.multi_objective.multi_fidelity import MOMF
from botorch.acquisition.multi_objective.utils import (
    compute_sample_box_decomposition,
    random_search_optimizer,
    sample_optimal_points,
)
from botorch.acquisition.utils import project_to_target_fidelity
from botorch.exceptions.warnings import NumericsWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.gp_regression import SingleTaskGP
from botorch.models.model_list_gp_regression import ModelListGP
from botorch.models.transforms.outcome import Standardize
from botorch.optim.optimize import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.multi_objective.box_decompositions.non_dominated import FastNondominatedPartitioning
from botorch.utils.sampling import manual_seed
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood
from gpytorch.priors import GammaPrior
from gpytorch.utils.warnings import NumericalWarning
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]
Cost = Callable[[Tensor], Tensor]  # elementwise, fidelity to cost > 0, differentiable by torch

TARGET_FIDELITY = 1.0
RAW_SAMPLES = 512  # both tutorials

# Tutorial "Multi_objective_multi_fidelity_BO"
NOISE_VARIANCE = 1e-6  # gpytorch raises it to 1e-6 of the standardised scale where it would fall below
OPTIMISER_OPTIONS = {"batch_limit": 5, "maxiter": 200}
MOMF_RESTARTS = 10
MOMF_SAMPLES = 128
MOMF_FIDELITY_REFERENCE = 0.0
HVKG_RESTARTS = 1
HVKG_FANTASIES = 8
HVKG_PARETO_POINTS = 10

# Tutorial "information_theoretic_acquisition_functions", section 2
MESMO_RESTARTS = 4
RANDOM_SEARCH = {"pop_size": 500, "max_tries": 10}
MESMO_ATTEMPTS = 5  # ours: in 1 of 20 draws (Branin-Currin, n = 50) the estimate was NaN somewhere


def suggest_momf(
    x: Array,  # (n, d)
    z: Array,  # (n,) one fidelity shared by all objectives
    values: Array,  # (n, K)
    reference_point: Array,  # (K,)
    cost: Cost,
    seed: int,
) -> Array:  # (d + 1,) design, then fidelity
    """MOMF: expected hypervolume improvement with the fidelity as one more objective, over cost.

    Irshad, Karsch and Doepp, arXiv:2112.13901. Settings of "Multi_objective_multi_fidelity_BO": K + 1 GPs
    (``_fit_noise_free_gps``), the last on the fidelity itself, with reference value 0; 128 Sobol normal
    samples; ``FastNondominatedPartitioning`` of the K + 1 columns; 10 restarts from 512 raw samples, at most
    200 iterations, batches of 5, ``nonnegative``; fidelity 0 if the best acquisition value is exactly 0.
    Departure: the caller's cost, not exp(4.8 s).
    """
    with _seeded_single_thread(seed):
        inputs, outcomes = _with_fidelity(x, z), _with_fidelity(values, z)
        reference = _tensor(np.append(reference_point, MOMF_FIDELITY_REFERENCE))
        acquisition = MOMF(
            model=_fit_noise_free_gps(inputs, outcomes),
            ref_point=reference,
            partitioning=FastNondominatedPartitioning(ref_point=reference, Y=outcomes),
            sampler=SobolQMCNormalSampler(sample_shape=torch.Size([MOMF_SAMPLES]), seed=seed),
            cost_call=_cost_of_last_column(cost),
        )
        bounds, options = _unit_bounds(inputs.shape[-1]), {**OPTIMISER_OPTIONS, "nonnegative": True}
        candidates, best = optimize_acqf(
            acquisition, bounds, q=1, num_restarts=MOMF_RESTARTS, raw_samples=RAW_SAMPLES, options=options
        )
    return _cheapest_if_worthless(candidates, best)


def suggest_hvkg(
    x: Array,  # (n, d)
    z: Array,  # (n,) one fidelity shared by all objectives
    values: Array,  # (n, K)
    reference_point: Array,  # (K,)
    cost: Cost,
    seed: int,
) -> Array:  # (d + 1,) design, then fidelity
    """Multi-fidelity hypervolume knowledge gradient per unit cost, optimised in one shot.

    Daulton, Balandat and Bakshy, ICML 2023. Settings of "Multi_objective_multi_fidelity_BO": K GPs
    (``_fit_noise_free_gps``); 8 fantasies of 10 Pareto points; hypervolume of the posterior mean at the
    target fidelity, its current value from 1 restart of 1024 raw samples; 1 restart from 512 raw samples, at
    most 200 iterations, batches of 5 (by default BoTorch starts the fantasies from 20 more restarts of 1024);
    fidelity 0 if the best acquisition value is exactly 0. Departures: the caller's cost, not exp(4.8 s); no
    inner sampler, since the posterior mean never draws from it.
    """
    with _seeded_single_thread(seed):
        inputs, reference = _with_fidelity(x, z), _tensor(reference_point)
        model = _fit_noise_free_gps(inputs, _tensor(values))
        n_inputs = inputs.shape[-1]
        target = {n_inputs - 1: TARGET_FIDELITY}
        cost_model = GenericDeterministicModel(_cost_of_last_column(cost))
        acquisition = qMultiFidelityHypervolumeKnowledgeGradient(
            model=model,
            ref_point=reference,
            target_fidelities=target,
            num_fantasies=HVKG_FANTASIES,
            num_pareto=HVKG_PARETO_POINTS,
            current_value=_hypervolume_of_posterior_mean(model, reference, n_inputs),
            cost_aware_utility=InverseCostWeightedUtility(cost_model),
            project=lambda points: project_to_target_fidelity(points, target_fidelities=target, d=n_inputs),
        )
        bounds, options = _unit_bounds(n_inputs), OPTIMISER_OPTIONS
        candidates, best = optimize_acqf(
            acquisition, bounds, q=1, num_restarts=HVKG_RESTARTS, raw_samples=RAW_SAMPLES, options=options
        )
    return _cheapest_if_worthless(candidates, best)


def suggest_mesmo_lb(
    x: Array,  # (n, d)
    values: Array,  # (n, K)
    seed: int,
    *,
    n_fronts: int = 10,
    n_front_points: int = 10,
) -> Array:  # (d,)
    """Lower bound on multi-objective max-value entropy search; single fidelity, no cost.

    Belakaria, Deshwal and Doppa, NeurIPS 2019, by the "LB" estimate of Tu et al., NeurIPS 2022. Settings of
    "information_theoretic_acquisition_functions", section 2: one ``SingleTaskGP`` with ``Standardize``,
    default kernel, inferred noise; fronts of posterior samples by random search, 500 points a try, at most 10
    tries; 4 restarts from 512 raw samples. "LB" is closed-form, so ``num_samples`` has no effect. Departures:
    10 fronts of 10 points, not 8 of 8; one suggestion, not four; if BoTorch fails, a warning and new fronts.
    """
    with _seeded_single_thread(seed):
        inputs, outcomes = _tensor(x), _tensor(values)
        model = SingleTaskGP(inputs, outcomes, outcome_transform=Standardize(m=outcomes.shape[-1]))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        for attempt in range(1, MESMO_ATTEMPTS):
            try:
                return _maximise_mesmo_lb(model, n_fronts, n_front_points)
            except RuntimeError as error:  # NaN in the estimate or its gradient, or a front too small
                warnings.warn(f"MESMO-LB attempt {attempt}: {error}; drawing new fronts.", stacklevel=2)
        return _maximise_mesmo_lb(model, n_fronts, n_front_points)


def _maximise_mesmo_lb(model: SingleTaskGP, n_fronts: int, n_front_points: int) -> Array:
    bounds = _unit_bounds(model.train_inputs[0].shape[-1])
    _, fronts = sample_optimal_points(
        model, bounds, n_fronts, n_front_points, random_search_optimizer, optimizer_kwargs=RANDOM_SEARCH
    )
    boxes = compute_sample_box_decomposition(fronts)
    acquisition = qLowerBoundMultiObjectiveMaxValueEntropySearch(model, boxes, estimation_type="LB")
    candidates, _ = optimize_acqf(acquisition, bounds, 1, MESMO_RESTARTS, RAW_SAMPLES)
    return candidates[0].numpy()


def _fit_noise_free_gps(
    inputs: Tensor,  # (n, d + 1)
    outcomes: Tensor,  # (n, M)
) -> ModelListGP:
    """One GP per column: scaled Matern 5/2 ARD, Gamma(2, 2) and Gamma(2, 0.15) priors, noise variance 1e-6.

    As in "Multi_objective_multi_fidelity_BO", where ``Standardize`` is botorch 0.18.1's default.
    """
    models = []
    for outcome in outcomes.split(1, dim=-1):
        matern = MaternKernel(nu=2.5, ard_num_dims=inputs.shape[-1], lengthscale_prior=GammaPrior(2.0, 2.0))
        kernel = ScaleKernel(matern, outputscale_prior=GammaPrior(2.0, 0.15))
        noise = torch.full_like(outcome, NOISE_VARIANCE)
        models.append(SingleTaskGP(inputs, outcome, noise, None, kernel, outcome_transform=Standardize(m=1)))
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


def _hypervolume_of_posterior_mean(model: ModelListGP, reference: Tensor, n_inputs: int) -> Tensor:
    """Largest hypervolume that ``HVKG_PARETO_POINTS`` designs reach at the target fidelity, on the mean."""
    value = _get_hv_value_function(model=model, ref_point=reference, use_posterior_mean=True)
    _, hypervolume = optimize_acqf(
        FixedFeatureAcquisitionFunction(value, d=n_inputs, columns=[n_inputs - 1], values=[TARGET_FIDELITY]),
        bounds=_unit_bounds(n_inputs - 1),
        q=HVKG_PARETO_POINTS,
        num_restarts=1,
        raw_samples=2 * RAW_SAMPLES,
        options={"maxiter": OPTIMISER_OPTIONS["maxiter"], "nonnegative": True},
    )
    return hypervolume


def _cheapest_if_worthless(candidates: Tensor, best: Tensor) -> Array:
    design, fidelity = candidates[0, :-1].numpy(), candidates[0, -1].item()
    return np.append(design, 0.0 if best.item() == 0.0 else fidelity)


def _cost_of_last_column(cost: Cost) -> Cost:
    return lambda points: cost(points[..., -1:])


def _tensor(array: Array) -> Tensor:
    return torch.tensor(array, dtype=torch.float64)


def _with_fidelity(columns: Array, z: Array) -> Tensor:
    return _tensor(np.column_stack([columns, z]))


def _unit_bounds(dimension: int) -> Tensor:
    return _tensor(np.repeat([[0.0], [1.0]], dimension, axis=1))


@contextmanager
def _seeded_single_thread(seed: int) -> Iterator[None]:
    """Seed torch and use one thread; silence the two warnings that the tutorials' settings always give."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with manual_seed(seed), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Very small noise values", NumericalWarning)
            warnings.filterwarnings("ignore", "qExpectedHypervolumeImprovement has known", NumericsWarning)
            yield
    finally:
        torch.set_num_threads(n_threads)
