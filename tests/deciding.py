"""What the tests of the deciding code share: its calls, in one place, and plain algebra to check it against."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from kernels import between, joint_posterior

from imoca.acquisition.fidelity_space import BETA_MINIMUM
from imoca.methods import beliefs as beliefs_module
from imoca.methods import level_beliefs as level_beliefs_module
from imoca.methods.beliefs import Beliefs
from imoca.methods.level_beliefs import LevelBeliefs
from imoca.methods.method import Method
from imoca.models import cost as cost_module
from imoca.models import dataset as dataset_module
from imoca.models.cost import CostModel
from imoca.models.dataset import OutputData
from imoca.models.gp import GaussianProcess
from imoca.models.kernel import Kernel
from imoca.models.product import ProductKernel
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot import accounting, recommendation
from imoca.snapshot.accounting import Bill
from imoca.snapshot.recommendation import ParetoPoint
from imoca.trials import Answer, Candidate, Trial, TrialTable


def believe(problem: Problem, trials: Sequence[Trial]) -> Beliefs | None:
    return beliefs_module.believe(TrialTable.encode(problem, trials))


def try_to_believe(problem: Problem, trials: Sequence[Trial]) -> Beliefs | None:
    return beliefs_module.try_to_believe(TrialTable.encode(problem, trials))


def believe_in_levels(problem: Problem, trials: Sequence[Trial]) -> LevelBeliefs | None:
    return level_beliefs_module.believe_in_levels(TrialTable.encode(problem, trials))


def output_data(problem: Problem, objective: Objective, trials: Sequence[Trial]) -> OutputData:
    return dataset_module.output_data(TrialTable.encode(problem, trials), problem.objectives.index(objective))


def cost_model(problem: Problem, simulator: Simulator, trials: Sequence[Trial]) -> CostModel:
    return cost_module.cost_model(TrialTable.encode(problem, trials), problem.simulators.index(simulator))


def suggest(method: Method, problem: Problem, trials: Sequence[Trial], seed: int = 0) -> Candidate:
    return method.suggest(TrialTable.encode(problem, trials), seed)


def is_start(method: Method, problem: Problem, trials: Sequence[Trial], seed: int = 0) -> bool:
    return method.is_start(TrialTable.encode(problem, trials), seed)


def recommend(problem: Problem, trials: Sequence[Trial], seed: int = 0) -> list[ParetoPoint]:
    return recommendation.recommend(TrialTable.encode(problem, trials), seed)


def is_verified(problem: Problem, trial: Trial) -> bool:
    return bool(TrialTable.encode(problem, [trial]).is_verified[0])


def bill(problem: Problem, trials: Sequence[Trial]) -> Bill:
    return accounting.bill(TrialTable.encode(problem, trials))


def is_cost_guessed(problem: Problem, trials: Sequence[Trial]) -> bool:
    return accounting.is_cost_guessed(TrialTable.encode(problem, trials))


def trial_at(
    problem: Problem,
    number: int,
    x: np.ndarray,  # (d,) encoded
    z: Sequence[float],  # one per simulator, encoded; NaN leaves it out
    answer: Answer | None = None,
    fitted: dict[str, tuple[float, ...]] | None = None,
) -> Trial:
    asked = [(each, float(z[s])) for s, each in enumerate(problem.simulators) if not np.isnan(z[s])]
    fidelities = {each.name: each.fidelity.decode(at) for each, at in asked}
    return Trial(number, problem.space.decode(np.asarray(x)), fidelities, fitted or {}, answer)


def posterior(process: GaussianProcess, x: np.ndarray, z: float) -> tuple[float, float]:
    """Mean and variance of one value, by solving with the whole covariance matrix."""
    mean, covariance = joint_posterior(process, np.asarray(x)[None], np.array([z]))
    return float(mean[0]), float(covariance[0, 0])


def information_gap(kernel: Kernel, z: float) -> float:
    """xi(z): linear in settled fidelities for the paper's kernel, else what the prior correlation with z* leaves."""
    if isinstance(kernel, ProductKernel):
        return float((1.0 - z) ** kernel.settling / kernel.fidelity_scale)
    x, here, target = np.zeros(kernel.blocks[0].length_scales.shape), np.array(z), np.array(1.0)
    squared = between(kernel, x, here, x, target) ** 2
    return math.sqrt(1.0 - squared / (between(kernel, x, here, x, here) * between(kernel, x, target, x, target)))


def is_in_reduced_space(
    process: GaussianProcess,
    x: np.ndarray,  # (d,)
    z: float,
    cost_share: float,  # C(x, z) / C(x, z*)
    iteration: int,
    cheapest: float = 0.0,  # the lowest z of the grid
) -> bool:
    """The conditions of section 4.1 of [Belakaria2020] as docs/explanation/errata.md has them, one number at a time."""
    if z == 1.0:
        return True
    kernel = process.kernel
    gap, largest_gap = information_gap(kernel, z), information_gap(kernel, cheapest)
    beta = max(BETA_MINIMUM, math.sqrt(0.5 * math.log(2.0 * iteration * information_gap(kernel, 0.0) + 1.0)))
    power = 1.0 / (1 + len(x) + 2)
    deviation = math.sqrt(posterior(process, x, z)[1])
    is_informative = deviation > math.sqrt(kernel.signal_variance) * gap * cost_share**power
    return is_informative and gap > largest_gap / beta
