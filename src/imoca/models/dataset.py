"""The answers that one output received, as the models want them: maximised, standardised, perhaps as logarithms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.problem.simulator import Constraint
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState

SMALLEST_SCALE = 1e-300  # a spread below this is no spread
LARGEST_SHARE = 0.2  # of a value that its standard error may be for the logarithm to scatter normally, too
LARGEST_ERROR = 1e6  # standard error, in spreads of the answers: such an answer tells nothing


@dataclass(frozen=True)
class OutputData:
    """Observations of one output: maximised if an objective, and standardised to mean 0 and deviation 1.

    Neither dominance nor a bound changes under a monotone transform: what is positive may be seen as its logarithm.
    """

    x: Array  # (n, d)
    z: Array  # (n,)
    values: Array  # (n,)
    sign: float  # +1 to maximise, -1 to minimise
    centre: float
    scale: float
    told_noise: Array  # (n,) variances of the standard errors told with the values, standardised; 0 where none was
    is_log: bool = False  # centre and scale are those of logarithms

    def to_user(self, values: Array) -> Array:
        """Standardised and maximised values back to what the simulator returns."""
        seen = self.sign * (self.centre + self.scale * values)
        return np.exp(seen) if self.is_log else seen

    def standardised(self, values: Array) -> Array:
        """Maximised values in the user's units as the models see them."""
        return (transformed(values, self.sign, self.is_log) - self.centre) / self.scale

    def rows(self, kept: IntArray) -> OutputData:
        """Some of the observations, standardised as they are."""
        return replace(self, x=self.x[kept], z=self.z[kept], values=self.values[kept], told_noise=self.told_noise[kept])

    @property
    def log_jacobian(self) -> float:
        """Logarithm of by how much standardising shrank the volume of all answers: what makes densities comparable."""
        shrunk = len(self.values) * float(np.log(self.scale))
        return shrunk + float(np.log(self.to_user(self.values)).sum()) if self.is_log else shrunk


def output_data(table: TrialTable, j: int, is_log: bool = False) -> OutputData:
    """Every answer that the problem's modelled output of this position received, from whichever trials hold one."""
    problem = table.problem
    column = problem.modelled_columns[j]
    rows = ~np.isnan(table.values[:, column])
    sign = float(problem.signs[column])
    values, errors = table.values[rows, column], table.errors[rows, column]
    raw = transformed(values, sign, is_log)
    errors = errors / np.abs(values) if is_log else errors  # of a logarithm, by the delta method
    centre, scale = centre_and_scale(raw, weights_of(raw, errors))
    z = table.z[rows, problem.simulator_columns[j]]
    told_noise = np.minimum(errors / scale, LARGEST_ERROR) ** 2
    return OutputData(table.x[rows], z, (raw - centre) / scale, sign, centre, scale, told_noise, is_log)


def has_logarithms(table: TrialTable, j: int) -> bool:
    """Whether every answer that a modelled output received is positive, and none is wanted that is not."""
    output, column = table.problem.modelled[j], table.problem.modelled_columns[j]
    if isinstance(output, Constraint) and output.upper is not None and output.upper <= 0.0:
        return False
    values = table.problem.signs[column] * table.values[:, column]
    return bool((values[~np.isnan(values)] > 0.0).all())


def errors_suit_logarithms(table: TrialTable, j: int) -> bool:
    """Whether every told error of a modelled output is small beside its value, so that the delta method holds.

    Else the smallest values, whose logarithms seem to scatter most, would fit any model of them.
    """
    column = table.problem.modelled_columns[j]
    errors, values = table.errors[:, column], table.values[:, column]
    return not np.any(errors > LARGEST_SHARE * np.abs(values))


def transformed(values: Array, sign: float, is_log: bool) -> Array:
    """Maximised values, or the logarithms of what the simulator returned with the sign put back."""
    return sign * np.log(sign * values) if is_log else values


def unanswered(table: TrialTable, j: int) -> tuple[Array, Array]:  # (m, d), (m,)
    """Designs and fidelities at which an output was asked for and has no answer: still running, or failed."""
    s = table.problem.simulator_columns[j]
    rows = np.isin(table.states[:, s], [SimulatorState.PENDING, SimulatorState.FAILED])
    return table.x[rows], table.z[rows, s]


def weights_of(raw: Array, errors: Array) -> Array | None:  # (n,), (n,) -> (n,)
    """How much each answer counts for centre and scale: the less the larger its standard error; None if all are alike.

    One that scatters by far more than the better half spread counts for nothing, whatever it says.
    """
    if not errors.any():
        return None
    spread = float(raw[errors <= np.median(errors)].std())
    return (1.0 + (errors / spread) ** 2) ** -2 if spread > SMALLEST_SCALE else None


def centre_and_scale(raw: Array, weights: Array | None = None) -> tuple[float, float]:
    """Mean and standard deviation; a constant sample has scale 1."""
    if weights is None:
        centre = float(raw.mean()) if len(raw) else 0.0
        scale = float((raw - centre).std()) if len(raw) > 1 else 0.0
    else:
        centre = float(np.average(raw, weights=weights))
        scale = float(np.sqrt(np.average((raw - centre) ** 2, weights=weights)))
    is_constant = scale <= max(SMALLEST_SCALE, 1e-14 * abs(centre))
    return centre, 1.0 if is_constant else scale
