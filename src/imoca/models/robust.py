"""What one value far off cannot do: carry a straight line or a process away.

A run that hung for an hour on a busy machine says that it took long, not how long runs take. Values stray as a normal
density says up to the tail, and beyond it as a power: the farther off, the less a value counts.
"""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array
from imoca.models.gp import GaussianProcess

TAIL = 3.0  # deviations, from which on the tail is a power
DEVIATION_OF_MEDIAN = 1.4826  # a normal deviation over the median of its absolute values
N_ROUNDS = 20  # of weighing anew; a few suffice
SMALLEST_CHANGE = 1e-3  # tails by which a value must move to be looked at again


def robust_line(
    inputs: Array,  # (n, p)
    values: Array,  # (n,)
    prior_mean: Array,  # (p,)
    prior_deviation: Array,  # (p,)
    noise: float,  # standard deviation, at least, by which values stray from the line
) -> Array:  # (p,)
    """The likeliest line, by least squares with weights: 1, and less for what lies in the tail."""
    prior_precision = np.diag(prior_deviation**-2.0)
    weights = np.ones(len(values))
    for _ in range(N_ROUNDS):
        weighted = weights[:, None] * inputs / noise**2
        precision = prior_precision + weighted.T @ inputs
        line = np.linalg.solve(precision, prior_precision @ prior_mean + weighted.T @ values)
        distances = values - inputs @ line
        before, weights = weights, weights_of(distances, tail_of(distances, noise))
        if np.allclose(before, weights):
            break
    return np.asarray(line)


def tail_of(distances: Array, noise: float) -> float:
    """From where on the tail begins, by the spread of the distances (n,) around 0 and at least that of the noise."""
    return TAIL * max(noise, DEVIATION_OF_MEDIAN * float(np.median(np.abs(distances))))


def weights_of(distances: Array, tail: float | Array) -> Array:
    """1, and beyond the tail the square of how much nearer it begins."""
    return (tail / np.maximum(np.abs(distances), tail)) ** 2


def without_tail(process: GaussianProcess) -> GaussianProcess:
    """As if every value in the tail of what the others predict of it lay nearer, by its weight."""
    values, precisions = process.values, (process.inverse_factor**2).sum(axis=0)
    tails = TAIL / np.sqrt(precisions)
    for _ in range(N_ROUNDS + len(values)):
        predicted = process.values - process.weights / precisions  # of each by all others
        distances = values - predicted
        believed = np.where(np.abs(distances) > tails, predicted + weights_of(distances, tails) * distances, values)
        changes = np.abs(believed - process.values) / tails
        farthest = np.argmax(changes)  # alone: it is what makes the others look wrong
        if changes[farthest] < SMALLEST_CHANGE:
            break
        process = process.with_values(np.where(np.arange(len(values)) == farthest, believed, process.values))
    return process
