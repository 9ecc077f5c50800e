"""By how much a Gaussian exceeds a threshold, in expectation."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

from imoca.acquisition.truncated_gain import LOG_SQRT_2PI
from imoca.arrays import Array

FAR = 1e3  # deviations beyond which 1 - t phi-ratio(t) is 1 / t^2 to six digits and its difference form is round-off


def log_standard_excess(t: Array) -> Array:
    """ln E[(u - t)+] for a standard normal u, ``phi(t) - t Phi(-t)``, without underflow or cancellation."""
    upper = np.maximum(t, 0.0)
    remainder = 1.0 - math.sqrt(0.5 * math.pi) * upper * erfcx(upper / math.sqrt(2.0))
    remainder = np.where(upper > FAR, 1.0 / np.maximum(upper, FAR) ** 2, remainder)
    tail = np.log(remainder) - 0.5 * upper**2 - LOG_SQRT_2PI
    lower = np.minimum(t, 0.0)
    head = np.log(np.exp(-0.5 * lower**2 - LOG_SQRT_2PI) - lower * ndtr(-lower))
    return np.where(t > 0.0, tail, head)


def expected_excess(mean: Array, std: Array, threshold: Array) -> Array:
    """E[(Y - threshold)+] of a Gaussian Y (broadcasts)."""
    return std * np.exp(log_standard_excess((threshold - mean) / std))


def log_expected_improvement(mean: Array, std: Array, best: float) -> Array:
    """Logarithm of the expected improvement over ``best`` [Jones1998]: it still tells designs apart after underflow."""
    return np.log(std) + log_standard_excess((best - mean) / std)
