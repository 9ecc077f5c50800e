"""Maximum a posteriori hyperparameters of a CF-GP, with analytic gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from imoca.arrays import Array, IntArray
from imoca.models.gp import JITTERS, GaussianProcess
from imoca.models.kernel import Hyperparameters, design_kernel, fidelity_kernel, settled

# Log-normal priors (median, standard deviation of the logarithm) for inputs in [0, 1] and standardised values.
LENGTH_SCALE_PER_ROOT_DIMENSION = 0.3 / math.sqrt(2.0)  # medians grow with sqrt(d) [Hvarfner2024]; 0.3 at d = 2
LENGTH_SCALE_LOG_SD = 1.0
SETTLING = (1.0, 1.0)  # for its bounds only: the prior of its logarithm is exponential instead,
SETTLING_RATE = 2.0  # so that it stays at 1 until the data insist
FIDELITY_SCALE = (3.0, 1.0)  # fidelities are alike until the data say otherwise; a small sample cannot tell
SIGNAL_VARIANCE = (1.0, 1.0)
NOISE_VARIANCE = (1e-5, 2.0)  # simulators are nearly deterministic

LOG_BOUNDS_WIDTH = 5.0  # search within so many prior standard deviations
MAX_FIT_POINTS = 400  # larger data sets are thinned for the fit only: a fit costs n^3 per step
MAX_ITERATIONS = 60
SMALLEST_REST = 1e-300  # of 1 - z, whose logarithm is needed times itself
SETTLING_AT = -4  # in the logarithms
FAILED_VALUE = 1e10  # what the objective answers where the covariance has no Cholesky factor


def prior_logs(n_columns: int) -> tuple[Array, Array]:
    """Mean and standard deviation of the logarithms, in the order of ``Hyperparameters.to_logs``."""
    length_scale = LENGTH_SCALE_PER_ROOT_DIMENSION * math.sqrt(n_columns)
    tail = (SETTLING, FIDELITY_SCALE, SIGNAL_VARIANCE, NOISE_VARIANCE)
    medians = np.array([length_scale] * n_columns + [median for median, _ in tail])
    deviations = np.array([LENGTH_SCALE_LOG_SD] * n_columns + [deviation for _, deviation in tail])
    return np.log(medians), deviations


def negative_log_posterior(logs: Array, x: Array, z: Array, values: Array) -> tuple[float, Array]:
    """Negative log marginal likelihood plus negative log prior (up to a constant), and its gradient in ``logs``."""
    scales = Hyperparameters.from_logs(logs)
    n = len(values)
    kernel = scales.signal_variance * (design_kernel(x, x, scales.length_scales) * fidelity_kernel(z, z, scales))
    noisy = kernel.copy()
    noisy.flat[:: n + 1] += scales.noise_variance + JITTERS[0] * scales.signal_variance
    factor, failed = lapack.dpotrf(noisy, lower=1, overwrite_a=1)
    if failed:
        return FAILED_VALUE, np.zeros_like(logs)
    log_determinant_half = float(np.log(factor.diagonal()).sum())
    lower_inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse = np.tril(lower_inverse) + np.tril(lower_inverse, -1).T
    weights = inverse @ values

    outer = np.outer(weights, weights) - inverse  # d log-likelihood = tr(outer dK) / 2
    product = outer * kernel
    row_sums = product.sum(axis=1)
    # sum_ab product_ab (x_a - x_b)^2 / 2 for every column at once, without the n x n x d array
    inputs = np.column_stack([x, settled(z, scales.settling)])
    multiplied = product @ inputs
    spread = row_sums @ inputs**2 - np.einsum("ai,ai->i", inputs, multiplied)
    by_settling = (1.0 - inputs[:, -1]) * np.log((1.0 - inputs[:, -1]).clip(SMALLEST_REST))  # minus d settled / d log a
    gradient = np.empty_like(logs)
    gradient[:-4] = spread[:-1] / scales.length_scales**2
    gradient[SETTLING_AT] = by_settling @ (row_sums * inputs[:, -1] - multiplied[:, -1]) / scales.fidelity_scale**2
    gradient[-3] = spread[-1] / scales.fidelity_scale**2
    gradient[-2] = 0.5 * (row_sums.sum() + JITTERS[0] * scales.signal_variance * np.trace(outer))
    gradient[-1] = 0.5 * scales.noise_variance * np.trace(outer)

    prior_mean, prior_deviation = prior_logs(x.shape[1])
    standard = (logs - prior_mean) / prior_deviation
    standard[SETTLING_AT] = 0.0
    gradient[SETTLING_AT] -= SETTLING_RATE
    value = 0.5 * float(values @ weights) + log_determinant_half + 0.5 * float(standard @ standard)
    return value + SETTLING_RATE * float(logs[SETTLING_AT]), standard / prior_deviation - gradient


def fit(
    x: Array,  # (n, d)
    z: Array,  # (n,)
    values: Array,  # (n,) standardised
    warm_start: Hyperparameters | None = None,
) -> GaussianProcess:
    """A GP at its MAP hyperparameters: one start at the prior medians, one at the last fit."""
    prior_mean, prior_deviation = prior_logs(x.shape[1])
    low = prior_mean - LOG_BOUNDS_WIDTH * prior_deviation
    high = prior_mean + LOG_BOUNDS_WIDTH * prior_deviation
    low[SETTLING_AT] = 0.0  # 1; below it the last step to full accuracy would be the largest
    starts = [prior_mean]
    if warm_start is not None:
        starts.append(np.clip(warm_start.to_logs(), low, high))
    kept = thinned(len(values))
    logs = best_logs(negative_log_posterior, starts, (x[kept], z[kept], values[kept]), low, high)
    return GaussianProcess.condition(x, z, values, Hyperparameters.from_logs(logs))


def best_logs(
    negative_log: Callable[..., tuple[float, Array]],  # of the logarithms and the data; with its gradient
    starts: Sequence[Array],  # the first one is the answer where no start leads anywhere
    data: tuple[Array | IntArray, ...],
    low: Array,
    high: Array,
) -> Array:
    """The logarithms of the hyperparameters at which the posterior is largest, from the best of the starts."""
    best, best_value = starts[0], np.inf
    for start in starts:
        answer = minimize(
            negative_log,
            start,
            args=data,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([low, high]),
            options={"maxiter": MAX_ITERATIONS, "ftol": 1e-8, "gtol": 1e-3},
        )
        if answer.fun < best_value:
            best, best_value = answer.x, answer.fun
    return best


def thinned(n: int) -> IntArray:
    """Indices of at most MAX_FIT_POINTS observations, evenly through time, the newest included."""
    if n <= MAX_FIT_POINTS:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, MAX_FIT_POINTS).round().astype(int))
