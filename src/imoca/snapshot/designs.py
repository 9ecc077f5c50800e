"""A design as a user names it: by its id on the front, as a point of it, or by its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from imoca.arrays import Array
from imoca.errors import ParameterError
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.snapshot.prediction import LIKELY
from imoca.snapshot.recommendation import ParetoPoint, design_id
from imoca.snapshot.snapshot import Snapshot
from imoca.wording import shown

Design = str | ParetoPoint | Mapping[str, Value]  # an id of the front, a point of it, or parameters
Parameters = Mapping[str, Value]


def parameters_of(snapshot: Snapshot, design: Design) -> Parameters:
    """Its parameters; an error if it is unknown or not possible."""
    if isinstance(design, str):
        return _by_id(snapshot, design)
    space = snapshot.problem.space
    parameters = space.check(design.parameters if isinstance(design, ParetoPoint) else design)
    if not space.is_allowed(space.encode(parameters)[None])[0]:
        raise ParameterError(
            f"The design {shown(parameters)} violates a constraint on parameters.",
            hint=f"It must hold {', '.join(condition.text for condition in space.conditions)}.",
        )
    return parameters


def balanced_point(problem: Problem, front: Sequence[ParetoPoint]) -> ParetoPoint | None:
    """The design nearest to being the best in all objectives, of those to be held up; None of an empty front."""
    offered = worth_offering(front)
    return offered[nearest_to_best(robust_values(problem, offered))] if offered else None


def worth_offering(front: Sequence[ParetoPoint]) -> list[ParetoPoint]:
    """Those that the model vouches for and that likely hold all constraints, or else the next best of today."""
    vouched = [point for point in front if point.is_vouched_for] or [point for point in front if not point.is_earlier]
    return [point for point in vouched if point.feasibility >= LIKELY] or vouched


def nearest_to_best(values: Array) -> int:  # (n, K) maximised
    """The row nearest to the best of every column, each in units of its range."""
    spread = np.where(np.ptp(values, axis=0) > 0.0, np.ptp(values, axis=0), 1.0)
    return int(np.argmin((((values.max(axis=0) - values) / spread) ** 2).sum(axis=1)))


def robust_values(problem: Problem, front: Sequence[ParetoPoint]) -> Array:  # (n, K) maximised
    """Measured where that is exact, else the worse end of the interval: what may be good by luck is not."""
    signs = problem.signs[problem.objective_columns]
    rows = [
        [
            sign * point.measured[objective.name]
            if point.measured is not None and objective.name not in point.errors
            else min(sign * end for end in point.interval.get(objective.name, (point.predicted[objective.name],)))
            for sign, objective in zip(signs, problem.objectives, strict=True)
        ]
        for point in front
    ]
    return np.array(rows)


def _by_id(snapshot: Snapshot, name: str) -> Parameters:
    """Of the front, or of a design that was asked before."""
    named: list[Parameters] = []
    for parameters in (*(p.parameters for p in snapshot.front), *(trial.parameters for trial in snapshot.trials)):
        if design_id(parameters) == name.upper() and dict(parameters) not in named:
            named.append(dict(parameters))
    if not named:
        raise ParameterError(
            f"There is no design {shown(name)} on the front.",
            hint="Its ids are shown by imoca front, and are those of study.pareto_front(); they go with the designs.",
        )
    if len(named) > 1:
        raise ParameterError(f"{len(named)} designs are called {shown(name)}.", hint="Give the parameters instead.")
    return named[0]
