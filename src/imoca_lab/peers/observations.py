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
    """Of K objectives, then C constraints. Values are standardised, those of objectives also maximised.

    A trial that lacks an answer, failed or still running, is pending.
    """

    x: Array  # (n, d)
    z: Array  # (n, K + C) fidelity of each output's simulator
    values: Array  # (n, K + C)
    centre: Array  # (K + C,)
    scale: Array  # (K + C,)
    lower: Array  # (C,) standardised like the values; minus infinity where there is none
    upper: Array  # (C,)
    pending_x: Array  # (m, d)
    pending_z: Array  # (m, K + C)

    @property
    def n_objectives(self) -> int:
        return self.values.shape[1] - len(self.upper)

    def standardised(self, point: Sequence[float]) -> Array:  # (K,) maximised, in the user's units
        objectives = slice(self.n_objectives)
        return (np.asarray(point, dtype=np.float64) - self.centre[objectives]) / self.scale[objectives]

    def is_feasible(self, values: Array) -> BoolArray:  # (n, K + C), standardised -> (n,)
        limited = values[:, self.n_objectives :]
        return np.asarray(((limited >= self.lower) & (limited <= self.upper)).all(axis=1))


def check_problem(problem: Problem, method: str) -> None:
    """Of what no recipe can say that it is not for these methods."""
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
    z = output_fidelities(table)
    data = [output_data(table.rows(is_complete), j) for j in range(len(problem.modelled))]
    centre, scale = np.array([each.centre for each in data]), np.array([each.scale for each in data])
    lower = np.array([-np.inf if each.lower is None else each.lower for each in problem.constraints])
    upper = np.array([np.inf if each.upper is None else each.upper for each in problem.constraints])
    limits = slice(len(problem.objectives), None)
    return Observations(
        table.x[is_complete],
        z[is_complete],
        np.column_stack([each.values for each in data]),
        centre,
        scale,
        (lower - centre[limits]) / scale[limits],
        (upper - centre[limits]) / scale[limits],
        table.x[~is_complete],
        z[~is_complete],
    )


def output_fidelities(table: TrialTable) -> Array:  # (n, K + C)
    """The shared fidelity for outputs whose simulator has no knob: constant, it would tell a model nothing."""
    shared, has_knob = shared_fidelities(table), _has_knob(table.problem)
    columns = [table.z[:, s] if has_knob[s] else shared for s in table.problem.simulator_columns]
    return np.column_stack(columns)


def shared_fidelities(table: TrialTable) -> Array:  # (n,)
    """The smallest of a trial's fidelities: all are the same unless the trial was asked by somebody else."""
    has_knob = _has_knob(table.problem)
    return table.z[:, has_knob].min(axis=1) if has_knob.any() else np.ones(len(table))


def _has_knob(problem: Problem) -> BoolArray:  # (n_simulators,)
    return np.array([simulator.fidelity.has_knob for simulator in problem.simulators], dtype=np.bool_)
