"""What a model says about designs at full accuracy: a distribution per design and objective, whatever its shape.

Everything that is measured asks only this, so that a model whose distributions are no Gaussians (of a logarithm, say,
or within bounds) joins by a class of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from scipy.special import logsumexp, ndtr, ndtri

from imoca.arrays import Array
from imoca.models.dataset import OutputData
from imoca.models.doubt import Doubt
from imoca.snapshot.prediction import Predictions

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


class Prediction(Protocol):
    """Of one objective at n designs, in the user's own units and sign."""

    @property
    def centre(self) -> Array:  # (n,)
        """The value that a user is shown."""

    def interval(self, level: float) -> tuple[Array, Array]:  # (n,), (n,)
        """Low and high end of the central interval that holds the truth with this probability."""

    def scores(self, values: Array) -> Array:  # (n,) -> (n,)
        """How many standard deviations of a normal distribution the values are off: ``Phi^-1(F(value))``.

        For a Gaussian that is error / sigma; a normal distribution for whoever knows what he does not know.
        """

    def log_density(self, values: Array) -> Array:  # (n,) -> (n,)
        """Logarithm of the density at the values, per unit of the objective."""


class Predictor(Protocol):
    """A model that was fitted to the trials of a study."""

    def predict(self, x: Array) -> Sequence[Prediction]:  # (n, d) in the unit cube
        """One prediction per objective, in the problem's order."""


@final
@dataclass(frozen=True)
class GaussianPrediction:
    """A mean and a standard deviation per design."""

    mean: Array  # (n,)
    deviation: Array  # (n,) > 0

    @property
    def centre(self) -> Array:
        return self.mean

    def interval(self, level: float) -> tuple[Array, Array]:
        half_width = float(ndtri(0.5 + 0.5 * level)) * self.deviation
        return self.mean - half_width, self.mean + half_width

    def scores(self, values: Array) -> Array:
        return (values - self.mean) / self.deviation

    def log_density(self, values: Array) -> Array:
        return -0.5 * self.scores(values) ** 2 - np.log(self.deviation) - LOG_SQRT_2PI


@final
@dataclass(frozen=True)
class DoubtfulPrediction:
    """Of iMOCA: a mixture of normals about one mean, in the objective's own units or of its logarithm."""

    predictions: Predictions
    j: int  # which objective

    @property
    def centre(self) -> Array:
        return self.predictions.centres()[:, self.j]

    def interval(self, level: float) -> tuple[Array, Array]:
        low, high = self.predictions.intervals(level)
        return low[:, self.j], high[:, self.j]

    def scores(self, values: Array) -> Array:
        """Beyond what a double can tell from certainty they stay finite."""
        distance, deviations = self._standardised(values)
        probability = ndtr(distance[:, None] / deviations) @ self._doubt.weights
        return np.asarray(self._data.sign * ndtri(np.clip(probability, 1e-300, 1.0 - 1e-16)))

    def log_density(self, values: Array) -> Array:
        distance, deviations = self._standardised(values)
        logs = -0.5 * (distance[:, None] / deviations) ** 2 - np.log(deviations) - LOG_SQRT_2PI
        unit = np.abs(values) * self._data.scale if self._data.is_log else self._data.scale
        return np.asarray(logsumexp(logs, axis=1, b=self._doubt.weights) - np.log(unit))

    @property
    def _data(self) -> OutputData:
        return self.predictions.beliefs.data[self.j]

    @property
    def _doubt(self) -> Doubt:
        return self.predictions.doubts[self.j]

    def _standardised(self, values: Array) -> tuple[Array, Array]:  # (n,), (n, G)
        seen = self._data.standardised(self._data.sign * values)
        return seen - self.predictions.means[:, self.j], self._doubt.deviations(self.predictions.variances[:, self.j])
