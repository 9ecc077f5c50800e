"""The map between an interval, linear or logarithmic, and [0, 1], exact at both ends."""

import math

import numpy as np

from imoca.arrays import Array
from imoca.problem.names import is_number
from imoca.wording import shown


def interval_fault(low: object, high: object, log: object) -> str | None:
    """What is wrong with an interval, in words; None when nothing is."""
    if not (is_number(low) and is_number(high)):
        return f"the bounds are {shown(low)} and {shown(high)}, but must be finite numbers"
    if not isinstance(log, bool):
        return f"log is {shown(log)}, but must be True or False"
    if not low < high:
        return f"low = {shown(low)} must be less than high = {shown(high)}"
    if not math.isfinite(float(high) - float(low)):
        return f"the range from {shown(low)} to {shown(high)} is too wide for floating point"
    if log and low <= 0.0:
        return f"a logarithmic scale needs low > 0, but low = {shown(low)}"
    if log and not math.log(low) < math.log(high):
        return f"low = {shown(low)} and high = {shown(high)} have the same logarithm"
    return None


def interval_to_unit(values: Array, low: float, high: float, log: bool) -> Array:
    """Where the values lie between low (0) and high (1); any shape."""
    if log:
        values, low, high = np.log(values), float(np.log(low)), float(np.log(high))
    # Not np.clip, which takes ten times as long on a scalar.
    return np.minimum(np.maximum((values - low) / (high - low), 0.0), 1.0)


def interval_from_unit(u: Array, low: float, high: float, log: bool) -> Array:
    """The inverse of `interval_to_unit`; never outside the bounds, whatever the round-off."""
    inside = np.clip(u, 0.0, 1.0)
    if log:
        values = np.exp(np.log(low) + inside * (np.log(high) - np.log(low)))
    else:
        values = low + inside * (high - low)
    values = np.where(inside == 0.0, low, np.where(inside == 1.0, high, values))
    return np.clip(values, low, high)
