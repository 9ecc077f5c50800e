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
from scipy.special import ndtri

from imoca.arrays import Array

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
