"""A constraint as it is believed: what its output is at full accuracy, and how likely that lies within its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from imoca.arrays import Array
from imoca.models.dataset import OutputData
from imoca.models.gp import GaussianProcess
from imoca.problem.simulator import Constraint


@dataclass(frozen=True)
class Limit:
    """The surrogate of a constraint's output, and its bounds as the surrogate sees them."""

    data: OutputData
    surrogate: GaussianProcess
    low: float  # standardised like the data; -inf where there is none
    high: float  # inf where there is none

    @staticmethod
    def of(constraint: Constraint, data: OutputData, surrogate: GaussianProcess) -> Limit:
        return Limit(data, surrogate, *standardised_bounds(constraint, data))

    @property
    def was_violated(self) -> bool:
        """Whether some answer, of whatever fidelity, lies outside."""
        return bool(self.violation(self.data.values).any())

    def violation(self, values: Array) -> Array:
        """By how much standardised values lie outside; any shape."""
        return np.maximum(0.0, np.maximum(self.low - values, values - self.high))

    def log_probability(self, x: Array) -> Array:  # (n, d) -> (n,)
        """Of lying within the bounds at full accuracy."""
        mean, variance = self.surrogate.mean_and_variance_at_target(x)
        deviation = np.sqrt(variance)
        return log_normal_within((self.low - mean) / deviation, (self.high - mean) / deviation)


def log_feasibility(limits: Sequence[Limit], x: Array) -> Array:  # (n, d) -> (n,)
    """Logarithm of the probability that every limit holds at full accuracy."""
    return sum((limit.log_probability(x) for limit in limits), start=np.zeros(len(x)))


def standardised_bounds(constraint: Constraint, data: OutputData) -> tuple[float, float]:
    """What a logarithm never reaches is no bound."""
    low, high = constraint.lower, constraint.upper
    if low is not None and data.is_log and low <= 0.0:
        low = None
    ends = [-np.inf if low is None else low, np.inf if high is None else high]
    as_seen = [each if np.isinf(each) else float(data.standardised(np.array(each))) for each in ends]
    return as_seen[0], as_seen[1]


def log_normal_within(low: Array, high: Array) -> Array:
    """Logarithm of the probability that a standard normal number lies between; exact far out on either side."""
    is_right = low > 0.0
    low, high = np.where(is_right, -high, low), np.where(is_right, -low, high)
    above = log_ndtr(high)
    return above + np.log1p(-np.exp(log_ndtr(low) - above))
