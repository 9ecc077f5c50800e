"""The answers that one objective received, standardised as the models want them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.trials.table import TrialTable

SMALLEST_SCALE = 1e-300  # a spread below this is no spread


@dataclass(frozen=True)
class OutputData:
    """Observations of one objective: maximised, and standardised to mean 0 and deviation 1."""

    x: Array  # (n, d)
    z: Array  # (n,)
    values: Array  # (n,)
    sign: float  # +1 to maximise, -1 to minimise
    centre: float
    scale: float

    def to_user(self, values: Array) -> Array:
        """Standardised and maximised values back to what the simulator returns."""
        return self.sign * (self.centre + self.scale * values)

    def standardised(self, values: Array) -> Array:
        """Maximised values in the user's units as the models see them."""
        return (values - self.centre) / self.scale


def output_data(table: TrialTable, objective: int) -> OutputData:
    """Every answer that the problem's objective of this position received, from whichever trials hold one."""
    problem = table.problem
    column = problem.objective_columns[objective]
    rows = ~np.isnan(table.values[:, column])
    raw = table.values[rows, column]
    centre, scale = centre_and_scale(raw)
    z = table.z[rows, problem.simulator_columns[objective]]
    return OutputData(table.x[rows], z, (raw - centre) / scale, float(problem.signs[column]), centre, scale)


def unanswered(table: TrialTable, objective: int) -> tuple[Array, Array]:  # (m, d), (m,)
    """Designs and fidelities at which an objective has no answer: still running, failed, or never run."""
    problem = table.problem
    rows = np.isnan(table.values[:, problem.objective_columns[objective]])
    return table.x[rows], table.z[rows, problem.simulator_columns[objective]]


def centre_and_scale(raw: Array) -> tuple[float, float]:
    """Mean and standard deviation; a constant sample has scale 1."""
    centre = float(raw.mean()) if len(raw) else 0.0
    scale = float((raw - centre).std()) if len(raw) > 1 else 0.0
    is_constant = scale <= max(SMALLEST_SCALE, 1e-14 * abs(centre))
    return centre, 1.0 if is_constant else scale
