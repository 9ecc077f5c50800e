"""Trials as BoTorch's tutorials hold them: complete rows of inputs and outcomes, and what is pending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.errors import MethodError
from imoca.models.dataset import encode_designs, encode_fidelities, output_data
from imoca.problem.problem import Problem
from imoca.trials import Trial

MINIMUM_COMPLETE = 2  # answered trials before a model makes sense
FEWEST_OBJECTIVES = 2


@dataclass(frozen=True)
class Observations:
    """Values are maximised and standardised. A trial that lacks an answer, failed or still running, is pending."""

    x: Array  # (n, d)
    z: Array  # (n, K) fidelity of each objective's simulator
    values: Array  # (n, K)
    centre: Array  # (K,)
    scale: Array  # (K,)
    pending_x: Array  # (m, d)
    pending_z: Array  # (m, K)

    def standardised(self, point: Sequence[float]) -> Array:  # (K,) maximised, in the user's units
        return (np.asarray(point, dtype=np.float64) - self.centre) / self.scale


def check_objectives(problem: Problem, method: str) -> None:
    if len(problem.objectives) < FEWEST_OBJECTIVES:
        raise MethodError(
            f"BoTorch's {method} needs two or more objectives; the problem has {len(problem.objectives)}.",
            hint="Use a method of our own, such as imoca-p.",
        )


def observe(problem: Problem, trials: Sequence[Trial]) -> Observations | None:
    """None while fewer than two trials are complete."""
    is_complete = np.array([all(o.name in trial.values for o in problem.objectives) for trial in trials], dtype=bool)
    if is_complete.sum() < MINIMUM_COMPLETE:
        return None
    complete = [trial for trial, answered in zip(trials, is_complete, strict=True) if answered]
    x, z = encode_designs(problem, trials), objective_fidelities(problem, trials)
    data = [output_data(problem, objective, complete, x[is_complete]) for objective in problem.objectives]
    return Observations(
        x[is_complete],
        z[is_complete],
        np.column_stack([each.values for each in data]),
        np.array([each.centre for each in data]),
        np.array([each.scale for each in data]),
        x[~is_complete],
        z[~is_complete],
    )


def objective_fidelities(problem: Problem, trials: Sequence[Trial]) -> Array:  # (n, K)
    """The shared fidelity for objectives whose simulator has no knob: constant, it would tell a model nothing."""
    shared = shared_fidelities(problem, trials)
    columns = []
    for objective in problem.objectives:
        simulator = problem.simulator_of(objective.name)
        has_knob = simulator.fidelity.has_knob
        columns.append(encode_fidelities(simulator, trials) if has_knob else shared)
    return np.column_stack(columns)


def shared_fidelities(problem: Problem, trials: Sequence[Trial]) -> Array:  # (n,)
    """The smallest of a trial's fidelities: all are the same unless the trial was asked by somebody else."""
    turned = [simulator for simulator in problem.simulators if simulator.fidelity.has_knob]
    if not turned:
        return np.ones(len(trials))
    return np.min([encode_fidelities(simulator, trials) for simulator in turned], axis=0)
