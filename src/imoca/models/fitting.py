"""Maximum a posteriori hyperparameters of a Gaussian process, with analytic gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import OptimizeResult, minimize

from imoca.arrays import Array, IntArray
from imoca.models.form import Form, Prior
from imoca.models.gp import JITTERS, GaussianProcess
from imoca.models.kernel import Block, BlockGradient, Kernel

MAX_FIT_POINTS = 400  # larger data sets are thinned for the fit only: a fit costs n^3 per step
MAX_ITERATIONS = 60
MANY_STARTS = 3  # of so many each makes only
FIRST_ITERATIONS = 12  # steps, and the best one goes on to the end
SMALLEST_KERNEL = 1e-300  # whose logarithm is needed times itself
FAILED_VALUE = 1e10  # what the objective answers where the covariance has no Cholesky factor


def negative_log_posterior(
    logs: Array, form: Form, prior: Prior, x: Array, z: Array, values: Array
) -> tuple[float, Array]:
    """Negative log marginal likelihood plus negative log prior (up to a constant), and its gradient in ``logs``."""
    kernel = form.kernel(logs, x.shape[1])
    value, gradient = negative_log_likelihood(kernel, x, z, values)
    penalty, by_penalty = prior.penalty(logs)
    return value + penalty, gradient + by_penalty


def negative_log_likelihood(kernel: Kernel, x: Array, z: Array, values: Array) -> tuple[float, Array]:
    """Up to a constant, and its gradient in the logarithms of the hyperparameters."""
    n = len(values)
    blocks = kernel.blocks
    kernels = [block.design_kernel(x, x) for block in blocks]
    parts = [block.fidelity.covariance(z, z) for block in blocks]
    noisy = np.zeros((n, n))
    for design, part in zip(kernels, parts, strict=True):
        noisy += design * part
    noisy.flat[:: n + 1] += kernel.noise(z) + JITTERS[0] * kernel.signal_variance
    factor, failed = lapack.dpotrf(noisy, lower=1, overwrite_a=1)
    if failed:
        return FAILED_VALUE, np.zeros(len(kernel.to_logs()))
    log_determinant_half = float(np.log(factor.diagonal()).sum())
    lower_inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse = np.tril(lower_inverse) + np.tril(lower_inverse, -1).T
    weights = inverse @ values
    by_covariance = 0.5 * (inverse - np.outer(weights, weights))  # of the negative logarithm
    by_block = []
    for block, design, part in zip(blocks, kernels, parts, strict=True):
        by_design = by_covariance * part
        by_lengths = _by_log_lengths(by_design * block.pull(design), x, block.length_scales)
        by_block.append(BlockGradient(by_covariance * design, by_lengths, _by_log_evenness(by_design, design, block)))
    gradient = kernel.log_gradient(z, by_block, by_covariance.diagonal())
    return 0.5 * float(values @ weights) + log_determinant_half, gradient


def _by_log_lengths(product: Array, x: Array, length_scales: Array) -> Array:  # (n, n), (n, d) -> (d,)
    """sum_ab product_ab (x_a - x_b)^2 / l^2 for every column at once, without the n x n x d array."""
    spread = product.sum(axis=1) @ x**2 - np.einsum("ai,ai->i", x, product @ x)
    return 2.0 * spread / length_scales**2


def _by_log_evenness(by_design: Array, design: Array, block: Block) -> float:  # (n, n), (n, n)
    """From ``dk / d log alpha = k (alpha (1 - k^(1 / alpha)) + log k)``."""
    if math.isinf(block.evenness):
        return 0.0
    logs = np.log(design.clip(SMALLEST_KERNEL))
    return float((by_design * design * (logs - block.evenness * np.expm1(logs / block.evenness))).sum())


def negative_log_evidence(process: GaussianProcess, form: Form) -> float:
    """What the fit made small: the same for all observations, thinned as for the fit where they are many."""
    kept, prior = thinned(process.z), form.prior(process.x.shape[1])
    penalty, _ = prior.penalty(process.kernel.to_logs())
    value, _ = negative_log_likelihood(process.kernel, process.x[kept], process.z[kept], process.values[kept])
    return (value + penalty) * len(process.values) / len(kept)


def fit(
    x: Array,  # (n, d)
    z: Array,  # (n, ...)
    values: Array,  # (n,) standardised
    form: Form,
    warm_start: Array | None = None,  # (p,) logarithms of an earlier fit; of another number they are ignored
) -> GaussianProcess:
    """A Gaussian process at its MAP hyperparameters, the best from the form's starts and from the last fit."""
    n_columns = x.shape[1]
    prior = form.prior(n_columns)
    starts = form.starts(prior, n_columns)
    if warm_start is not None and len(warm_start) == len(prior.mean):
        starts.append(np.clip(warm_start, prior.low, prior.high))
    kept = thinned(z)
    logs = best_logs(form, prior, starts, x[kept], z[kept], values[kept])
    return GaussianProcess.condition(x, z, values, form.kernel(logs, n_columns))


def best_logs(form: Form, prior: Prior, starts: Sequence[Array], x: Array, z: Array, values: Array) -> Array:
    """The logarithms of the hyperparameters at which the posterior is largest, from the most promising start."""

    def climbed(start: Array, n_iterations: int) -> OptimizeResult:
        return minimize(
            negative_log_posterior,
            start,
            args=(form, prior, x, z, values),
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([prior.low, prior.high]),
            options={"maxiter": n_iterations, "ftol": 1e-8, "gtol": 1e-3},
        )

    are_many = len(starts) >= MANY_STARTS
    answers = [climbed(start, FIRST_ITERATIONS if are_many else MAX_ITERATIONS) for start in starts]
    best = min(answers, key=lambda answer: answer.fun)
    if best.fun >= FAILED_VALUE:
        return starts[0]
    return np.asarray(climbed(best.x, MAX_ITERATIONS).x if are_many else best.x)


def thinned(z: Array) -> IntArray:  # (n, ...)
    """Indices of at most MAX_FIT_POINTS observations: all at full accuracy, as far as half of the room allows, the rest
    evenly through time, the newest included."""
    n = len(z)
    if n <= MAX_FIT_POINTS:
        return np.arange(n)
    is_dear = (z.reshape(n, -1) == 1.0).all(axis=1)
    dear, cheap = np.flatnonzero(is_dear), np.flatnonzero(~is_dear)
    n_dear = min(len(dear), max(MAX_FIT_POINTS // 2, MAX_FIT_POINTS - len(cheap)))
    kept = [_evenly(dear, n_dear), _evenly(cheap, MAX_FIT_POINTS - n_dear)]
    return np.sort(np.concatenate(kept))


def _evenly(rows: IntArray, n: int) -> IntArray:
    if len(rows) <= n:
        return rows
    return rows[np.unique(np.linspace(0, len(rows) - 1, n).round().astype(int))]
