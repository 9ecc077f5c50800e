"""Maximum a posteriori hyperparameters of an additive multi-level process, with analytic gradients."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from imoca.arrays import Array, IntArray
from imoca.models.additive_fidelity import AdditiveProcess, AdditiveScales
from imoca.models.fitting import FAILED_VALUE, LOG_BOUNDS_WIDTH, best_logs, prior_logs, thinned
from imoca.models.gp import JITTERS
from imoca.models.kernel import design_kernel

ERROR_VARIANCE = (0.1, 1.5)  # median and deviation of the logarithm: levels are alike until the data say otherwise

NEARLY_EQUAL = np.log(0.01)  # of the logarithm of the error variance, from the median to the second start


def additive_prior_logs(n_columns: int) -> tuple[Array, Array]:
    """Mean and standard deviation of the logarithms; whatever both kinds of process have, they have the same prior."""
    mean, deviation = prior_logs(n_columns)
    lengths, signal, noise = slice(0, n_columns), slice(-2, -1), slice(-1, None)

    def arranged(logs: Array, error: float) -> Array:
        return np.concatenate([logs[lengths], logs[lengths], logs[signal], [error], logs[noise]])

    return arranged(mean, float(np.log(ERROR_VARIANCE[0]))), arranged(deviation, ERROR_VARIANCE[1])


def additive_negative_log_posterior(logs: Array, x: Array, levels: IntArray, values: Array) -> tuple[float, Array]:
    """Negative log marginal likelihood plus negative log prior (up to a constant), and its gradient in ``logs``."""
    scales = AdditiveScales.from_logs(logs)
    base = scales.signal_variance * design_kernel(x, x, scales.length_scales)
    shared = np.minimum(levels[:, None], levels)
    error = scales.error_variance * shared * design_kernel(x, x, scales.error_length_scales)
    noisy = base + error
    noisy.flat[:: len(x) + 1] += scales.noise_variance + JITTERS[0] * scales.signal_variance
    factor, failed = lapack.dpotrf(noisy, lower=1)
    if failed:
        return FAILED_VALUE, np.zeros_like(logs)
    lower_inverse, _ = lapack.dpotri(factor, lower=1)
    inverse = np.tril(lower_inverse) + np.tril(lower_inverse, -1).T
    weights = inverse @ values

    outer = np.outer(weights, weights) - inverse  # d log-likelihood = tr(outer dK) / 2
    trace = float(np.trace(outer))
    gradient = np.concatenate(
        [
            _by_log_lengths(outer * base, x, scales.length_scales),
            _by_log_lengths(outer * error, x, scales.error_length_scales),
            [0.5 * (float((outer * base).sum()) + JITTERS[0] * scales.signal_variance * trace)],
            [0.5 * float((outer * error).sum())],
            [0.5 * scales.noise_variance * trace],
        ]
    )
    prior_mean, prior_deviation = additive_prior_logs(x.shape[1])
    standard = (logs - prior_mean) / prior_deviation
    log_determinant_half = float(np.log(factor.diagonal()).sum())
    value = 0.5 * float(values @ weights) + log_determinant_half + 0.5 * float(standard @ standard)
    return value, standard / prior_deviation - gradient


def _by_log_lengths(product: Array, x: Array, length_scales: Array) -> Array:  # (n, n), (n, d) -> (d,)
    spread = product.sum(axis=1) @ x**2 - np.einsum("ai,ai->i", x, product @ x)
    return spread / length_scales**2


def fit_additive(
    x: Array,  # (n, d)
    levels: IntArray,  # (n,)
    values: Array,  # (n,) standardised
    n_levels: int,
) -> AdditiveProcess:
    """A process at its MAP hyperparameters: one start at the prior medians, one where all levels are nearly equal."""
    prior_mean, prior_deviation = additive_prior_logs(x.shape[1])
    low, high = (prior_mean + side * LOG_BOUNDS_WIDTH * prior_deviation for side in (-1.0, 1.0))
    nearly_equal = prior_mean.copy()
    nearly_equal[-2] += NEARLY_EQUAL
    kept = thinned(len(values))
    data = (x[kept], levels[kept], values[kept])
    logs = best_logs(additive_negative_log_posterior, (prior_mean, nearly_equal), data, low, high)
    return AdditiveProcess.condition(x, levels, values, n_levels, AdditiveScales.from_logs(logs))
