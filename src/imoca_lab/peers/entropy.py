"""Lower bounds on joint entropy search and on max-value entropy search, by the "LB" estimate of [Tu2022].

Settings of the tutorial "information_theoretic_acquisition_functions", section 2: fronts of 8 posterior samples by
random search, 8 points each, 500 designs a try, at most 10 tries; 4 restarts from 512 raw samples. "LB" is closed-form,
so that ``num_samples`` has no effect. Departure: one suggestion, not four.
"""

from __future__ import annotations

from botorch.acquisition.acquisition import AcquisitionFunction
from botorch.acquisition.multi_objective.joint_entropy_search import qLowerBoundMultiObjectiveJointEntropySearch
from botorch.acquisition.multi_objective.max_value_entropy_search import (
    qLowerBoundMultiObjectiveMaxValueEntropySearch,
)
from botorch.acquisition.multi_objective.utils import (
    compute_sample_box_decomposition,
    random_search_optimizer,
    sample_optimal_points,
)
from botorch.models.gp_regression import SingleTaskGP
from botorch.optim.optimize import optimize_acqf
from torch import Tensor

from imoca.arrays import Array
from imoca_lab.peers.models import fit_joint_gp, pending_designs, tensor, unit_bounds
from imoca_lab.peers.observations import Observations

N_FRONTS = 8
N_FRONT_POINTS = 8
RANDOM_SEARCH = {"pop_size": 500, "max_tries": 10}
N_RESTARTS = 4
RAW_SAMPLES = 512


def suggest_jes(observations: Observations) -> Array:  # (d,)
    model = fit_joint_gp(tensor(observations.x), tensor(observations.values))
    sets, fronts = _optimal_points(model, observations)
    return _maximise(
        qLowerBoundMultiObjectiveJointEntropySearch(
            model=model,
            pareto_sets=sets,
            pareto_fronts=fronts,
            hypercell_bounds=compute_sample_box_decomposition(fronts),
            X_pending=pending_designs(observations),
            estimation_type="LB",
        ),
        observations,
    )


def suggest_mesmo(observations: Observations) -> Array:  # (d,)
    model = fit_joint_gp(tensor(observations.x), tensor(observations.values))
    _, fronts = _optimal_points(model, observations)
    return _maximise(
        qLowerBoundMultiObjectiveMaxValueEntropySearch(
            model=model,
            hypercell_bounds=compute_sample_box_decomposition(fronts),
            X_pending=pending_designs(observations),
            estimation_type="LB",
        ),
        observations,
    )


def _optimal_points(model: SingleTaskGP, observations: Observations) -> tuple[Tensor, Tensor]:
    """Sampled Pareto sets (8, 8, d) and fronts (8, 8, K)."""
    bounds = unit_bounds(observations.x.shape[1])
    sets, fronts = sample_optimal_points(
        model, bounds, N_FRONTS, N_FRONT_POINTS, random_search_optimizer, optimizer_kwargs=RANDOM_SEARCH
    )
    return sets, fronts


def _maximise(acquisition: AcquisitionFunction, observations: Observations) -> Array:  # (d,)
    candidates, _ = optimize_acqf(
        acquisition, unit_bounds(observations.x.shape[1]), q=1, num_restarts=N_RESTARTS, raw_samples=RAW_SAMPLES
    )
    return candidates[0].numpy()
