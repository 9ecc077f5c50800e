"""How far a study has come, as one number that needs no reference point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.pareto.indicators import estimate_hypervolume
from imoca.problem.problem import Problem
from imoca.study.recommendation import ParetoPoint
from imoca.trials import Trial


def front_volume(problem: Problem, trials: Sequence[Trial], front: Sequence[ParetoPoint]) -> float:
    """Hypervolume of the recommended front, the box from the worst to the best values seen being 1.

    The box grows with what is seen, at whatever fidelity, so this tells a user how things go; studies are compared
    by hypervolumes with one fixed reference point.
    """
    names = [objective.name for objective in problem.objectives]
    signs = np.array([1.0 if objective.goal == "maximize" else -1.0 for objective in problem.objectives])
    seen = np.array([[t.values[name] for name in names] for t in trials if all(name in t.values for name in names)])
    if not front or not len(seen):
        return 0.0
    seen = seen * signs
    spread = np.ptp(seen, axis=0)
    best = np.array([[(point.measured or point.predicted)[name] for name in names] for point in front]) * signs
    scaled = (best - seen.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return float(estimate_hypervolume(scaled, np.zeros(len(names)), np.random.default_rng(0)).volume)
