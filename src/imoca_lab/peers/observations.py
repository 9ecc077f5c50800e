"""Trials as BoTorch's tutorials hold them: complete rows of inputs and outcomes, and what is pending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.errors import MethodError
from imoca.models import output_data
from imoca.problem import Problem
from imoca.trials import TrialTable

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


def observe(table: TrialTable) -> Observations | None:
    """None while fewer than two trials are complete."""
    problem = table.problem
    is_complete = table.has_all_outputs
    if is_complete.sum() < MINIMUM_COMPLETE:
        return None
    z = objective_fidelities(table)
    data = [output_data(table.rows(is_complete), j) for j in range(len(problem.objectives))]
    return Observations(
        table.x[is_complete],
        z[is_complete],
        np.column_stack([each.values for each in data]),
        np.array([each.centre for each in data]),
        np.array([each.scale for each in data]),
        table.x[~is_complete],
        z[~is_complete],
    )


def objective_fidelities(table: TrialTable) -> Array:  # (n, K)
    """The shared fidelity for objectives whose simulator has no knob: constant, it would tell a model nothing."""
    shared, has_knob = shared_fidelities(table), _has_knob(table.problem)
    columns = [table.z[:, s] if has_knob[s] else shared for s in table.problem.simulator_columns]
    return np.column_stack(columns)


def shared_fidelities(table: TrialTable) -> Array:  # (n,)
    """The smallest of a trial's fidelities: all are the same unless the trial was asked by somebody else."""
    has_knob = _has_knob(table.problem)
    return table.z[:, has_knob].min(axis=1) if has_knob.any() else np.ones(len(table))


def _has_knob(problem: Problem) -> BoolArray:  # (n_simulators,)
    return np.array([simulator.fidelity.has_knob for simulator in problem.simulators], dtype=np.bool_)
