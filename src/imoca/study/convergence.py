"""How far a study has come, as one number that needs no reference point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.arrays import Array
from imoca.pareto.indicators import estimate_hypervolume
from imoca.problem.problem import Problem
from imoca.study.recommendation import ParetoPoint
from imoca.trials import Trial


def front_volume(problem: Problem, trials: Sequence[Trial], front: Sequence[ParetoPoint]) -> float:
    """Hypervolume of a recommended front, the box from the worst to the best values seen being 1.

    The box grows with what is seen, at whatever fidelity, so this tells a user how things go; studies are compared
    by hypervolumes with one fixed reference point.
    """
    if not front:
        return 0.0
    worst, spread = _seen_box(problem, trials)
    scaled = (front_values(problem, front) - worst) / spread
    return float(estimate_hypervolume(scaled, np.zeros(len(worst)), np.random.default_rng(0)).volume)


def front_values(problem: Problem, front: Sequence[ParetoPoint]) -> Array:  # (n, K) maximised
    """Measured where measured, else predicted."""
    names = [objective.name for objective in problem.objectives]
    rows = [[(point.measured or point.predicted)[name] for name in names] for point in front]
    return np.array(rows) * _signs(problem)


def _seen_box(problem: Problem, trials: Sequence[Trial]) -> tuple[Array, Array]:  # (K,), (K,)
    """The worst value of every objective, maximised, and the distance from it to the best."""
    worst, spread = [], []
    for objective, sign in zip(problem.objectives, _signs(problem), strict=True):
        seen = sign * np.array([trial.values[objective.name] for trial in trials if objective.name in trial.values])
        worst.append(seen.min())
        spread.append(np.ptp(seen) or 1.0)
    return np.array(worst), np.array(spread)


def _signs(problem: Problem) -> Array:  # (K,)
    return np.array([1.0 if objective.goal == "maximize" else -1.0 for objective in problem.objectives])
