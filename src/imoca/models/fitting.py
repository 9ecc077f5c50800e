"""Maximum a posteriori hyperparameters of a Gaussian process, with analytic gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import OptimizeResult, minimize

from imoca.arrays import Array, IntArray
from imoca.models.form import Form, Prior
from imoca.models.gp import JITTERS, GaussianProcess
from imoca.models.kernel import BlockGradient, Kernel

MAX_FIT_POINTS = 400  # larger data sets are thinned for the fit only: a fit costs n^3 per step
MAX_ITERATIONS = 60
FIRST_ITERATIONS = 8  # of every start, on at most
FEW_POINTS = 100  # observations; the best one goes on to the end there, and then makes at most
LAST_ITERATIONS = 30  # steps on all that are fitted
TOLERANCE = 1e-5  # relative gain of a step below which a climb ends; 1e-8 takes a fifth longer and finds no more
KEPT_BYTES = 31 * 2**20  # just below the largest block whose release makes glibc keep freed memory
FAILED_VALUE = 1e10  # what the objective answers where the covariance has no Cholesky factor


def negative_log_posterior(
    logs: Array, form: Form, prior: Prior, x: Array, z: Array, values: Array, told_noise: Array | None = None
) -> tuple[float, Array]:
    """Negative log marginal likelihood plus negative log prior (up to a constant), and its gradient in ``logs``."""
    kernel = form.kernel(logs, x.shape[1])
    value, gradient = negative_log_likelihood(kernel, x, z, values, told_noise)
    penalty, by_penalty = prior.penalty(logs)
    return value + penalty, gradient + by_penalty


def negative_log_likelihood(
    kernel: Kernel,
    x: Array,
    z: Array,
    values: Array,
    told_noise: Array | None = None,  # (n,) variances
) -> tuple[float, Array]:
    """Up to a constant, and its gradient in the logarithms of the hyperparameters."""
    n = len(values)
    noise = kernel.noise(z) if told_noise is None else kernel.noise(z) + told_noise
    designs = [block.slopes(x) for block in kernel.blocks]
    parts = [block.fidelity.covariance(z, z) for block in kernel.blocks]
    noisy = np.zeros((n, n))
    for design, part in zip(designs, parts, strict=True):
        noisy += design.kernel * part
    noisy.flat[:: n + 1] += noise + JITTERS[0] * kernel.signal_variance
    factor, failed = lapack.dpotrf(noisy, lower=1, overwrite_a=1)
    if failed:
        return FAILED_VALUE, np.zeros(len(kernel.to_logs()))
    log_determinant_half = float(np.log(factor.diagonal()).sum())
    lower_inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse = lower_inverse + lower_inverse.T  # above the diagonal dpotrf has left zeros
    inverse.flat[:: n + 1] *= 0.5
    weights = inverse @ values
    by_covariance = 0.5 * (inverse - np.outer(weights, weights))  # of the negative logarithm
    by_block = []
    for block, design, part in zip(kernel.blocks, designs, parts, strict=True):
        by_design = by_covariance * part
        by_lengths = by_log_lengths(by_design * design.pull, x, block.length_scales)
        by_evenness = 0.0 if design.by_log_evenness is None else float(np.vdot(by_design, design.by_log_evenness))
        by_block.append(BlockGradient(by_covariance * design.kernel, by_lengths, by_evenness))
    gradient = kernel.log_gradient(z, by_block, by_covariance.diagonal())
    return 0.5 * float(values @ weights) + log_determinant_half, gradient


def by_log_lengths(product: Array, x: Array, length_scales: Array) -> Array:  # (n, n), (n, d) -> (d,)
    """sum_ab product_ab (x_a - x_b)^2 / l^2 for every column at once, without the n x n x d array."""
    spread = product.sum(axis=1) @ x**2 - np.einsum("ai,ai->i", x, product @ x)
    return 2.0 * spread / length_scales**2


@dataclass(frozen=True)
class Explored:
    """Where a fit goes on: the most promising of its starts, and what a few steps from it found."""

    start: Array  # (p,)
    logs: Array  # (p,) of the hyperparameters
    cost: float  # negative log posterior there, as if of all observations


def fit(
    x: Array,  # (n, d)
    z: Array,  # (n,)
    values: Array,  # (n,) standardised
    form: Form,
    warm_start: Array | None = None,  # (p,) logarithms of an earlier fit; of another number they are ignored
    told_noise: Array | None = None,  # (n,) variances of the standard errors told with the values
) -> GaussianProcess:
    """A Gaussian process at its MAP hyperparameters, the best from the form's starts and from the last fit."""
    told_noise = np.zeros(len(z)) if told_noise is None else told_noise
    explored = explore(x, z, values, told_noise, form, starts_of(form, x, warm_start))
    return fit_on(explored, x, z, values, told_noise, form)


def starts_of(form: Form, x: Array, warm_start: Array | None) -> list[Array]:
    """All of the form's; after an earlier fit that one and, in turn, one of them: what it finds the next fit keeps."""
    prior = form.prior(x.shape[1])
    fresh = form.starts(prior, x.shape[1])
    if warm_start is None or len(warm_start) != len(prior.mean):
        return fresh
    return [fresh[len(x) % len(fresh)], np.clip(warm_start, prior.low, prior.high)]


def explore(x: Array, z: Array, values: Array, told_noise: Array, form: Form, starts: Sequence[Array]) -> Explored:
    """A few steps from every start, on few observations."""
    keep_freed_memory()
    prior, kept = form.prior(x.shape[1]), thinned(z, FEW_POINTS)
    few = x[kept], z[kept], values[kept], told_noise[kept]
    answers = [climbed(form, prior, start, FIRST_ITERATIONS, *few) for start in starts]
    best = min(range(len(starts)), key=lambda i: answers[i].fun)
    found = answers[best]
    logs = starts[best] if found.fun >= FAILED_VALUE else np.asarray(found.x)
    return Explored(starts[best], logs, float(found.fun) * len(z) / len(kept))


def fit_on(explored: Explored, x: Array, z: Array, values: Array, told_noise: Array, form: Form) -> GaussianProcess:
    """The fit that began with an exploration of the same data."""
    prior, few = form.prior(x.shape[1]), thinned(z, FEW_POINTS)
    logs = climbed(form, prior, explored.logs, MAX_ITERATIONS, x[few], z[few], values[few], told_noise[few]).x
    if len(few) < len(z):
        kept = thinned(z, MAX_FIT_POINTS)
        logs = climbed(form, prior, logs, LAST_ITERATIONS, x[kept], z[kept], values[kept], told_noise[kept]).x
    return GaussianProcess.condition(x, z, values, form.kernel(logs, x.shape[1]), told_noise)


def climbed(
    form: Form, prior: Prior, start: Array, n_iterations: int, x: Array, z: Array, values: Array, told_noise: Array
) -> OptimizeResult:
    """The logarithms of the hyperparameters so many steps from a start."""
    return minimize(
        negative_log_posterior,
        start,
        args=(form, prior, x, z, values, told_noise),
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack([prior.low, prior.high]),
        options={"maxiter": n_iterations, "ftol": TOLERANCE, "gtol": 1e-3},
    )


def keep_freed_memory() -> None:
    """Tell the allocator not to give every matrix back to the system, to be fetched anew page by page.

    glibc raises its thresholds for doing so when a large block is freed (mallopt(3), M_MMAP_THRESHOLD). The block is
    never touched, and elsewhere nothing happens. Large fits spend half of their time so without it.
    """
    np.empty(KEPT_BYTES, dtype=np.uint8)


def thinned(z: Array, n_kept: int) -> IntArray:  # (n,)
    """Indices of at most so many observations: all at full accuracy, as far as half of the room allows, the rest
    evenly through time, the newest included."""
    n = len(z)
    if n <= n_kept:
        return np.arange(n)
    is_dear = z == 1.0
    dear, cheap = np.flatnonzero(is_dear), np.flatnonzero(~is_dear)
    n_dear = min(len(dear), max(n_kept // 2, n_kept - len(cheap)))
    kept = [evenly(dear, n_dear), evenly(cheap, n_kept - n_dear)]
    return np.sort(np.concatenate(kept))


def evenly(rows: IntArray, n: int) -> IntArray:
    """At most so many of them, the last included."""
    if len(rows) <= n:
        return rows
    return rows[np.unique(np.linspace(0, len(rows) - 1, n).round().astype(int))]
