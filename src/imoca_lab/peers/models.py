"""Gaussian processes as BoTorch's tutorials set them up, and the state of torch while they are in use.

Tried with botorch 0.18.1 on torch 2.13.0 (CPU), the ``peers`` extra.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from botorch.exceptions.errors import BotorchError, ModelFittingError
from botorch.exceptions.warnings import BotorchWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models.gp_regression import SingleTaskGP
from botorch.models.model_list_gp_regression import ModelListGP
from botorch.utils.sampling import manual_seed
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood
from gpytorch.priors import GammaPrior
from gpytorch.utils.warnings import NumericalWarning
from linear_operator.utils.errors import NotPSDError
from torch import Tensor

from imoca.arrays import Array
from imoca_lab.peers.observations import Observations

logger = logging.getLogger(__name__)

NOISE_VARIANCE = 1e-6  # of standardised values; the tutorials' in the units of their own problems
N_ATTEMPTS = 5  # at a suggestion: the entropy estimates are NaN somewhere in one of twenty draws, others hardly ever


def fit_fidelity_gps(
    inputs: Sequence[Tensor],  # M of (n, d + 1)
    outcomes: Tensor,  # (n, M)
) -> ModelListGP:
    """One GP per outcome, as in "Multi_objective_multi_fidelity_BO".

    Scaled Matern 5/2 ARD on design and fidelity, Gamma(2, 2) and Gamma(2, 0.15) priors, hardly any noise;
    ``Standardize`` is BoTorch's default.
    """
    models = []
    for each, outcome in zip(inputs, outcomes.split(1, dim=-1), strict=True):
        matern = MaternKernel(nu=2.5, ard_num_dims=each.shape[-1], lengthscale_prior=GammaPrior(2.0, 2.0))
        kernel = ScaleKernel(matern, outputscale_prior=GammaPrior(2.0, 0.15))
        models.append(SingleTaskGP(each, outcome, torch.full_like(outcome, NOISE_VARIANCE), covar_module=kernel))
    return _fitted(models)


def fit_design_gps(
    inputs: Tensor,  # (n, d)
    outcomes: Tensor,  # (n, M)
) -> ModelListGP:
    """One GP per outcome, as in "multi_objective_bo": BoTorch's default kernel, known noise."""
    noise = torch.full((len(inputs), 1), NOISE_VARIANCE, dtype=torch.float64)
    return _fitted([SingleTaskGP(inputs, outcome, noise) for outcome in outcomes.split(1, dim=-1)])


def fit_joint_gp(
    inputs: Tensor,  # (n, d)
    outcomes: Tensor,  # (n, M)
) -> SingleTaskGP:
    """One model of all outcomes, as in "information_theoretic_acquisition_functions": defaults, noise inferred."""
    model = SingleTaskGP(inputs, outcomes)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def believing(
    model: ModelListGP,
    pending: Sequence[Tensor],  # M of (m, d + 1)
) -> tuple[ModelListGP, Tensor]:  # the model, (m, M)
    """The model as if pending questions had been answered by its own means, and these means.

    One fantasy: BoTorch's own way, to add pending points to the candidate, makes MOMF take all subsets of them, and
    leaves HVKG to compare with a hypervolume that knows nothing of them.
    """
    if not len(pending[0]):
        return model, torch.empty((0, model.num_outputs), dtype=torch.float64)
    conditioned, believed = [], []
    for each, points in zip(model.models, pending, strict=True):
        with torch.no_grad():
            mean = each.posterior(points).mean
            noise = torch.full_like(mean, NOISE_VARIANCE)
            conditioned.append(each.condition_on_observations(points, mean, noise=noise))
        believed.append(mean)
    return ModelListGP(*conditioned), torch.cat(believed, dim=-1)


def with_fidelity(x: Array, z: Array) -> list[Tensor]:
    """Inputs (n, d + 1) of every objective from designs (n, d) and fidelities (n, K)."""
    return [tensor(np.column_stack([x, column])) for column in z.T]


def pending_designs(observations: Observations) -> Tensor | None:
    """As BoTorch wants them: None instead of nothing."""
    return tensor(observations.pending_x) if len(observations.pending_x) else None


def tensor(array: Array) -> Tensor:
    return torch.tensor(array, dtype=torch.float64)


def unit_bounds(dimension: int) -> Tensor:
    return tensor(np.repeat([[0.0], [1.0]], dimension, axis=1))


def attempted(suggest: Callable[[], Array], seed: int, number: int) -> Array | None:
    """What ``suggest`` answers, tried again with other draws where numbers fail BoTorch; None if they always do.

    One torch thread, and the global generator of torch; both are left as they were found.
    """
    for attempt in range(N_ATTEMPTS):
        draw = int(np.random.SeedSequence([seed, number, attempt]).generate_state(1)[0])
        try:
            with _seeded_single_thread(draw):
                return suggest()
        except (RuntimeError, NotPSDError, BotorchError, ModelFittingError) as error:
            logger.warning("Trial %d, attempt %d: %s: %s", number, attempt + 1, type(error).__name__, error)
    return None


def _fitted(models: list[SingleTaskGP]) -> ModelListGP:
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


@contextmanager
def _seeded_single_thread(seed: int) -> Iterator[None]:
    """Without the libraries' own warnings: the tutorials' settings give some at every call."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with manual_seed(seed), warnings.catch_warnings():
            for category in (BotorchWarning, NumericalWarning, RuntimeWarning):
                warnings.simplefilter("ignore", category)
            yield
    finally:
        torch.set_num_threads(n_threads)
