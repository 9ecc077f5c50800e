"""How far a study has come, as one number that needs no reference point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.pareto.indicators import estimate_hypervolume
from imoca.snapshot.recommendation import ParetoPoint, front_values
from imoca.trials.table import TrialTable


def front_volume(front: Sequence[ParetoPoint], *seen: TrialTable) -> float:
    """Hypervolume of a recommended front, the box from the worst to the best values seen being 1.

    The box grows with what is seen, at whatever fidelity, so this tells a user how things go; studies are compared
    by hypervolumes with one fixed reference point.
    """
    if not front:
        return 0.0
    problem = seen[0].problem
    values = np.concatenate([table.values[:, table.problem.objective_columns] for table in seen])
    worst, spread = np.nanmin(values, axis=0), np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    scaled = (front_values(problem, front) - worst) / np.where(spread > 0.0, spread, 1.0)
    return float(estimate_hypervolume(scaled, np.zeros(len(worst)), np.random.default_rng(0)).volume)
