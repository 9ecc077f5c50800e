"""qLogNEHVI and qLogNParEGO: logarithms of expected improvements, of hypervolume or of a random scalarisation.

Daulton, Balandat and Bakshy, NeurIPS 2020 and 2021; the logarithms after Ament et al., NeurIPS 2023. Settings of the
tutorial "multi_objective_bo", with the logarithmic form that BoTorch has come to recommend since: a GP per objective
with known noise (here hardly any), 128 Sobol normal samples, designs that are hardly the best pruned, 10 restarts from
512 raw samples, at most 200 iterations, batches of 5. Constraints as in the tutorial "constrained_multi_objective_bo":
a GP each, and qLogNEHVI weighs every sample by its own (smoothed) feasibility.
"""

from __future__ import annotations

import torch
from botorch.acquisition.acquisition import AcquisitionFunction
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.parego import qLogNParEGO
from botorch.optim.optimize import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler

from imoca.arrays import Array
from imoca_lab.peers.limits import excesses_of, objectives_of
from imoca_lab.peers.models import fit_design_gps, pending_designs, tensor, unit_bounds
from imoca_lab.peers.observations import Observations
from imoca_lab.peers.reference import reference_below_front

N_SAMPLES = 128
N_RESTARTS = 10
RAW_SAMPLES = 512
OPTIONS = {"batch_limit": 5, "maxiter": 200}


def suggest_qlognehvi(observations: Observations, known_reference: tuple[float, ...] | None) -> Array:  # (d,)
    inputs = tensor(observations.x)
    model = fit_design_gps(inputs, tensor(observations.values))
    reference = reference_below_front(observations, known_reference, lambda designs: model.posterior(designs).mean)
    return _maximise(
        qLogNoisyExpectedHypervolumeImprovement(
            model=model,
            ref_point=reference,
            X_baseline=inputs,
            objective=objectives_of(observations),
            constraints=excesses_of(observations),
            X_pending=pending_designs(observations),
            prune_baseline=True,
            sampler=_sampler(),
        ),
        observations,
    )


def suggest_qlognparego(observations: Observations) -> Array:  # (d,)
    inputs = tensor(observations.x)
    return _maximise(
        qLogNParEGO(
            model=fit_design_gps(inputs, tensor(observations.values)),
            X_baseline=inputs,
            X_pending=pending_designs(observations),
            prune_baseline=True,
            sampler=_sampler(),
        ),
        observations,
    )


def _sampler() -> SobolQMCNormalSampler:
    return SobolQMCNormalSampler(sample_shape=torch.Size([N_SAMPLES]))


def _maximise(acquisition: AcquisitionFunction, observations: Observations) -> Array:  # (d,)
    candidates, _ = optimize_acqf(
        acquisition,
        unit_bounds(observations.x.shape[1]),
        q=1,
        num_restarts=N_RESTARTS,
        raw_samples=RAW_SAMPLES,
        options=OPTIONS,
    )
    return candidates[0].numpy()
