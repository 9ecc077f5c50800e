"""How far a study has come, as one number that needs no reference point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.pareto.indicators import glance_hypervolume
from imoca.problem.problem import Problem
from imoca.snapshot.recommendation import ParetoPoint, front_values
from imoca.trials.table import TrialTable


@dataclass(frozen=True)
class Box:
    """From the worst to the best values of the objectives, maximised: one for all fronts that are compared."""

    worst: Array  # (K,)
    best: Array  # (K,)


def box_around(problem: Problem, fronts: Sequence[Sequence[ParetoPoint]], *seen: TrialTable) -> Box:
    """All that was seen, at whatever fidelity, and fronts: those recommended last."""
    tables = [table.values[:, table.problem.objective_columns] for table in seen]
    values = np.concatenate([*tables, *(front_values(problem, front) for front in fronts if front)])
    if np.isnan(values).all():
        return Box(np.zeros(values.shape[1]), np.ones(values.shape[1]))
    return Box(np.nanmin(values, axis=0), np.nanmax(values, axis=0))


def front_volume(problem: Problem, front: Sequence[ParetoPoint], box: Box) -> float:
    """Hypervolume of a recommended front as a share of the box; what lies beyond counts as far as the box reaches.

    It tells a user how things go; studies are compared by hypervolumes with one fixed reference point.
    """
    if not front:
        return 0.0
    spread = box.best - box.worst
    scaled = np.minimum((front_values(problem, front) - box.worst) / np.where(spread > 0.0, spread, 1.0), 1.0)
    return glance_hypervolume(scaled, np.zeros(len(spread)))
