"""Posterior of one continuous-fidelity Gaussian process (CF-GP): moments, all fidelities at once, gradients.

The prior is GP(0, kappa) on standardised values with the product kernel of section 4 of [Belakaria2020].
``g`` is the function at a queried fidelity z, ``f`` the same function at the target fidelity z* = 1.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from imoca.arrays import Array, IntArray
from imoca.models.kernel import Hyperparameters, design_kernel, fidelity_kernel

logger = logging.getLogger(__name__)

Z_TARGET = 1.0  # every fidelity is encoded so that full accuracy is 1
JITTERS = (
    1e-10,
    1e-8,
    1e-6,
    1e-4,
)  # relative to the signal variance; each is tried when the one before fails
VARIANCE_FLOOR = 1e-12  # relative to the signal variance: below it a variance is round-off


@dataclass(frozen=True)
class Partials:
    """Derivatives of some scalar per design with respect to the five posterior moments of one output."""

    mean_g: Array  # (n,)
    var_g: Array  # (n,)
    mean_f: Array  # (n,)
    var_f: Array  # (n,)
    cov: Array  # (n,)


@dataclass(frozen=True)
class Moments:
    """Posterior moments at every pair of n designs and m fidelities, and at the target fidelity.

    Keeps the kernel rows that produced it, so that gradients with respect to the design cost no second pass.
    """

    gp: GaussianProcess
    x: Array  # (n, d)
    mean_g: Array  # (n, m)
    var_g: Array  # (n, m)
    mean_f: Array  # (n,)
    var_f: Array  # (n,)
    cov: Array  # (n, m) between g(x, z) and f(x)
    kernel_g: Array  # (n, m, N)
    kernel_f: Array  # (n, N)
    white_g: Array  # (n, m, N) kernel rows times the inverse Cholesky factor
    white_f: Array  # (n, N)

    @property
    def noise_variance(self) -> float:
        return self.gp.hyperparameters.noise_variance

    def gradient(self, chosen: IntArray, partials: Partials) -> Array:  # chosen: (n,) column of z per design
        """Chain rule: d(scalar)/dx (n, d) from its partial derivatives in the moments at the chosen fidelity."""
        rows = np.arange(len(self.x))
        kernel_g, kernel_f = self.kernel_g[rows, chosen], self.kernel_f
        solved_g = self.white_g[rows, chosen] @ self.gp.inverse_factor
        solved_f = self.white_f @ self.gp.inverse_factor
        weights = self.gp.weights
        by_kernel_g = partials.mean_g[:, None] * weights - (
            2.0 * partials.var_g[:, None] * solved_g + partials.cov[:, None] * solved_f
        )
        by_kernel_f = partials.mean_f[:, None] * weights - (
            2.0 * partials.var_f[:, None] * solved_f + partials.cov[:, None] * solved_g
        )
        pull = by_kernel_g * kernel_g + by_kernel_f * kernel_f  # (n, N)
        scales = self.gp.hyperparameters.length_scales
        return (pull @ self.gp.x - pull.sum(axis=1)[:, None] * self.x) / scales**2


@dataclass(frozen=True)
class GaussianProcess:
    """A Gaussian process conditioned on data; values are standardised and maximised."""

    hyperparameters: Hyperparameters
    x: Array  # (N, d)
    z: Array  # (N,)
    values: Array  # (N,)
    inverse_factor: Array  # (N, N) lower triangular inverse of the Cholesky factor of K + eta^2 I
    weights: Array  # (N,) (K + eta^2 I)^-1 y

    @staticmethod
    def condition(x: Array, z: Array, values: Array, hyperparameters: Hyperparameters) -> GaussianProcess:
        """Posterior given observations; a matrix that is not positive definite is rescued by jitter."""
        covariance = hyperparameters.signal_variance * (
            design_kernel(x, x, hyperparameters.length_scales) * fidelity_kernel(z, z, hyperparameters)
        )
        inverse_factor = inverse_cholesky(covariance, hyperparameters.noise_variance, hyperparameters.signal_variance)
        weights = inverse_factor.T @ (inverse_factor @ values)
        return GaussianProcess(hyperparameters, x, z, values, inverse_factor, weights)

    def believing(self, x: Array, z: Array) -> GaussianProcess:  # (m, d), (m,)
        """The same process after seeing its own mean at (x, z): for questions that are asked but not answered."""
        if not len(x):
            return self
        predicted = np.array([self.mean(x[i : i + 1], z[i : i + 1])[0, 0] for i in range(len(x))])
        return GaussianProcess.condition(
            np.concatenate([self.x, x]),
            np.concatenate([self.z, z]),
            np.concatenate([self.values, predicted]),
            self.hyperparameters,
        )

    def mean_at_target(self, x: Array) -> Array:  # (n, d) -> (n,)
        return self._kernel_at_target(x) @ self.weights

    def mean_and_variance_at_target(self, x: Array) -> tuple[Array, Array]:  # (n, d) -> (n,), (n,)
        kernel_f = self._kernel_at_target(x)
        white_f = kernel_f @ self.inverse_factor.T
        return kernel_f @ self.weights, self._variance(white_f)

    def covariance_at_target(self, x: Array, others: Array) -> Array:  # (n, d), (m, d) -> (n, m)
        """Posterior covariance of f between every two designs."""
        scales = self.hyperparameters
        prior = scales.signal_variance * design_kernel(x, others, scales.length_scales)
        white, white_others = (self._kernel_at_target(each) @ self.inverse_factor.T for each in (x, others))
        return prior - white @ white_others.T

    def mean_gradient(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n, d)
        """Gradient in x of the posterior mean at (x, z), one fidelity per design."""
        scales = self.hyperparameters
        kernel = scales.signal_variance * design_kernel(x, self.x, scales.length_scales)
        pull = kernel * fidelity_kernel(z, self.z, scales) * self.weights
        return (pull @ self.x - pull.sum(axis=1)[:, None] * x) / scales.length_scales**2

    def mean(self, x: Array, z: Array) -> Array:  # (n, d), (m,) -> (n, m)
        """Posterior mean at every pair of design and fidelity."""
        scales = self.hyperparameters
        kernel_x = scales.signal_variance * design_kernel(x, self.x, scales.length_scales)
        return (kernel_x * self.weights) @ fidelity_kernel(z, self.z, scales).T

    def moments(self, x: Array, z: Array) -> Moments:  # (n, d), (m,)
        """Moments at all n x m pairs. The product kernel shares the design part between the fidelities."""
        scales = self.hyperparameters
        kernel_x = scales.signal_variance * design_kernel(x, self.x, scales.length_scales)
        kernel_z = fidelity_kernel(z, self.z, scales)
        kernel_to_target = fidelity_kernel(np.array([Z_TARGET]), self.z, scales)[0]
        kernel_g = kernel_x[:, None, :] * kernel_z
        kernel_f = kernel_x * kernel_to_target
        n, m, n_data = kernel_g.shape
        white_g = (kernel_g.reshape(n * m, n_data) @ self.inverse_factor.T).reshape(n, m, n_data)
        white_f = kernel_f @ self.inverse_factor.T
        prior_cov = scales.signal_variance * fidelity_kernel(z, np.array([Z_TARGET]), scales)[:, 0]
        return Moments(
            gp=self,
            x=x,
            mean_g=kernel_g @ self.weights,
            var_g=self._variance(white_g),
            mean_f=kernel_f @ self.weights,
            var_f=self._variance(white_f),
            cov=prior_cov - (white_g @ white_f[:, :, None])[:, :, 0],
            kernel_g=kernel_g,
            kernel_f=kernel_f,
            white_g=white_g,
            white_f=white_f,
        )

    def _kernel_at_target(self, x: Array) -> Array:  # (n, N)
        scales = self.hyperparameters
        kernel_to_target = fidelity_kernel(np.array([Z_TARGET]), self.z, scales)[0]
        return design_kernel(x, self.x, scales.length_scales) * (scales.signal_variance * kernel_to_target)

    def _variance(self, white: Array) -> Array:  # (..., N) -> (...)
        signal = self.hyperparameters.signal_variance
        return np.maximum(signal - np.einsum("...i,...i->...", white, white), VARIANCE_FLOOR * signal)


def inverse_cholesky(
    covariance: Array,  # (N, N) without noise
    noise_variance: float,
    signal_variance: float,
) -> Array:  # (N, N)
    """Lower triangular inverse of the Cholesky factor of the noisy covariance, rescued by jitter where need be."""
    for jitter in JITTERS:
        noisy = covariance.copy()
        noisy.flat[:: len(noisy) + 1] += noise_variance + jitter * signal_variance
        factor, failed = lapack.dpotrf(noisy, lower=1)
        if not failed and np.isfinite(factor.diagonal()).all():  # LAPACK may let NaN through
            inverse_factor, _ = lapack.dtrtri(factor, lower=1)
            return np.ascontiguousarray(np.tril(inverse_factor))
        logger.warning(
            "Covariance of %d points is not positive definite with jitter %.0e; trying more.",
            len(noisy),
            jitter,
        )
    msg = f"no Cholesky factor even with jitter {JITTERS[-1]:.0e}"
    raise np.linalg.LinAlgError(msg)
