"""Posterior of one Gaussian process over designs and fidelities: moments at all fidelities at once, gradients.

``g`` is the function at a queried fidelity z, ``f`` the same function at full accuracy. At a design everything follows
from the posterior of a few latent functions (truth and errors, say): any fidelity is a weighted sum of them.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import blas, lapack

from imoca.arrays import Array, BoolArray, IntArray
from imoca.models.kernel import TARGET_FIDELITY, Kernel, covariance

logger = logging.getLogger(__name__)

WHOLE = 1000  # rows of a matrix that LAPACK inverts at once, within 0.03 s
Z_TARGET = 1.0  # every fidelity is encoded so that full accuracy is 1
JITTERS = (
    1e-10,
    1e-8,
    1e-6,
    1e-4,
)  # relative to the signal variance; each is tried when the one before fails
VARIANCE_FLOOR = 1e-12  # relative to the signal variance: below it a variance is round-off
NEARBY = 0.05  # of the range of fidelities, over which told errors are taken to be alike


@dataclass(frozen=True)
class Partials:
    """Derivatives of some scalar per design with respect to the five posterior moments of one output."""

    mean_g: Array  # (n,)
    var_g: Array  # (n,)
    mean_f: Array  # (n,)
    var_f: Array  # (n,)
    cov: Array  # (n,)
    design: Array | None = None  # (n, d) of what depends on the design in another way than by these moments

    def plus(self, other: Partials) -> Partials:
        designs = [each.design for each in (self, other) if each.design is not None]
        return Partials(
            self.mean_g + other.mean_g,
            self.var_g + other.var_g,
            self.mean_f + other.mean_f,
            self.var_f + other.var_f,
            self.cov + other.cov,
            np.sum(designs, axis=0) if designs else None,
        )

    def times(self, factor: Array) -> Partials:  # (n,)
        design = None if self.design is None else factor[:, None] * self.design
        return Partials(
            factor * self.mean_g,
            factor * self.var_g,
            factor * self.mean_f,
            factor * self.var_f,
            factor * self.cov,
            design,
        )


@dataclass(frozen=True)
class Moments:
    """Posterior moments at every pair of n designs and m fidelities, and at the target fidelity.

    Keeps the rows that produced it, so that gradients with respect to the design cost no second pass.
    """

    gp: GaussianProcess
    x: Array  # (n, d)
    z: Array  # (m,)
    mean_g: Array  # (n, m)
    var_g: Array  # (n, m)
    mean_f: Array  # (n,)
    var_f: Array  # (n,)
    cov: Array  # (n, m) between g(x, z) and f(x)
    noise: Array  # (m,) variance by which an observation at each fidelity is expected to scatter
    design_kernels: tuple[Array, ...]  # (n, N) per block
    loadings: Array  # (m + 1, R) of the latent functions at each fidelity, the target last
    white: Array  # (n, R, N) rows of the latent functions times the inverse Cholesky factor

    def gradient(self, chosen: IntArray, partials: Partials) -> Array:  # chosen: (n,) column of z per design
        """Chain rule: d(scalar)/dx (n, d) from its partial derivatives in the moments at the chosen fidelity."""
        solved_g = self._solved(self.loadings[chosen])
        solved_f = self._solved(np.broadcast_to(self.loadings[-1], (len(self.x), self.loadings.shape[1])))
        weights = self.gp.weights
        by_kernel_g = partials.mean_g[:, None] * weights - (
            2.0 * partials.var_g[:, None] * solved_g + partials.cov[:, None] * solved_f
        )
        by_kernel_f = partials.mean_f[:, None] * weights - (
            2.0 * partials.var_f[:, None] * solved_f + partials.cov[:, None] * solved_g
        )
        gradient = np.zeros_like(self.x) if partials.design is None else partials.design.copy()
        target = TARGET_FIDELITY
        for block, kernel_x in zip(self.gp.kernel.blocks, self.design_kernels, strict=True):
            to_g = block.fidelity.covariance(self.z, self.gp.z)[chosen]  # (n, N)
            to_f = block.fidelity.covariance(target, self.gp.z)[0]  # (N,)
            pull = block.pull(kernel_x) * (by_kernel_g * to_g + by_kernel_f * to_f)
            gradient += (pull @ self.gp.x - pull.sum(axis=1)[:, None] * self.x) / block.length_scales**2
        return gradient

    def _solved(self, loadings: Array) -> Array:  # (n, R) -> (n, N)
        return np.einsum("nr,nri->ni", loadings, self.white) @ self.gp.inverse_factor


@dataclass(frozen=True)
class GaussianProcess:
    """A Gaussian process conditioned on data; values are standardised and maximised."""

    kernel: Kernel
    x: Array  # (N, d)
    z: Array  # (N,)
    values: Array  # (N,)
    inverse_factor: Array  # (N, N) lower triangular inverse of the Cholesky factor of the noisy covariance
    weights: Array  # (N,) the noisy covariance's inverse times the values
    told_noise: Array  # (N,) variances of the standard errors told with the values, beside what the kernel learned

    @staticmethod
    def condition(
        x: Array, z: Array, values: Array, kernel: Kernel, told_noise: Array | None = None
    ) -> GaussianProcess:
        """Posterior given observations; a matrix that is not positive definite is rescued by jitter."""
        told_noise = np.zeros(len(z)) if told_noise is None else told_noise
        noise = kernel.noise(z) + told_noise
        inverse_factor = inverse_cholesky(covariance(kernel, x, z), noise, kernel.signal_variance)
        weights = inverse_factor.T @ (inverse_factor @ values)
        return GaussianProcess(kernel, x, z, values, inverse_factor, weights, told_noise)

    def believing(self, x: Array, z: Array) -> GaussianProcess:  # (m, d), (m,)
        """The same process after seeing its own mean at (x, z): for questions that are asked but not answered."""
        if not len(x):
            return self
        predicted = np.array([self.mean(x[i : i + 1], z[i : i + 1])[0, 0] for i in range(len(x))])
        return GaussianProcess.condition(
            np.concatenate([self.x, x]),
            np.concatenate([self.z, z]),
            np.concatenate([self.values, predicted]),
            self.kernel,
            np.concatenate([self.told_noise, self.expected_told_noise(z)]),
        )

    def believing_one(self, x: Array, z: float) -> GaussianProcess:  # (d,)
        """The same after one question more, in a fraction of the time: its own mean changes no weight."""
        at, fidelity = x[None], np.array([z])
        kernels = [
            (block.design_kernel(at, self.x) * block.fidelity.covariance(fidelity, self.z))[0]
            for block in self.kernel.blocks
        ]
        white = self.inverse_factor @ np.sum(kernels, axis=0)
        prior = sum(block.fidelity.covariance(fidelity, fidelity)[0, 0] for block in self.kernel.blocks)
        noise = self.noise_of_runs(fidelity)[0] + JITTERS[0] * self.kernel.signal_variance
        pivot = np.sqrt(max(prior - white @ white, VARIANCE_FLOOR * prior) + noise)
        n = len(self.x)
        inverse_factor = np.zeros((n + 1, n + 1))
        inverse_factor[:n, :n], inverse_factor[n, n] = self.inverse_factor, 1.0 / pivot
        inverse_factor[n, :n] = -(white @ self.inverse_factor) / pivot
        return GaussianProcess(
            self.kernel,
            np.concatenate([self.x, at]),
            np.append(self.z, z),
            np.append(self.values, self.mean(at, fidelity)[0, 0]),
            inverse_factor,
            np.append(self.weights, 0.0),
            np.append(self.told_noise, self.expected_told_noise(fidelity)),
        )

    def with_values(self, values: Array) -> GaussianProcess:  # (N,)
        """After the same runs with other answers."""
        return replace(self, values=values, weights=self.inverse_factor.T @ (self.inverse_factor @ values))

    @property
    def misfit(self) -> float:
        """Negative log marginal likelihood, up to a constant."""
        return 0.5 * float(self.values @ self.weights) - float(np.log(self.inverse_factor.diagonal()).sum())

    @property
    def noise_at_target(self) -> float:
        """As learned: what scatters beyond all that was told."""
        return float(self.kernel.noise(TARGET_FIDELITY)[0])

    def noise_of_runs(self, z: Array) -> Array:  # (m,) -> (m,)
        """Variance by which runs to come are expected to scatter: as learned, and as was told of others like them."""
        return self.kernel.noise(z) + self.expected_told_noise(z)

    def expected_told_noise(self, z: Array) -> Array:  # (m,) -> (m,)
        """The mean of what was told of runs at about these fidelities, or at the nearest there are."""
        if not self.told_noise.any():
            return np.zeros(len(z))
        logs = -0.5 * ((z[:, None] - self.z) / NEARBY) ** 2
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return weights @ self.told_noise / weights.sum(axis=1)

    @property
    def is_full_accuracy(self) -> BoolArray:  # (n,)
        """Of the observations."""
        return np.asarray(self.z == 1.0)

    def without_told_errors(self, x: Array, measured: Array) -> Array:  # (n, d), (n,) -> (n,)
        """Means of runs at full accuracy of designs, less what of their told errors all runs together explain.

        ``y = s + e``, with s what the function and the learned noise amount to, has ``E[s | all y] = y - e^2 K^-1 y``,
        K the noisy covariance: y itself where e = 0, and what the others predict where e is large.
        """
        values = measured.copy()
        for i, design in enumerate(x):
            runs = self.is_full_accuracy & (self.x == design).all(axis=1)
            if runs.any() and self.told_noise[runs].all():
                values[i] -= self.weights[runs].sum() / (1.0 / self.told_noise[runs]).sum()
        return values

    def mean_at_target(self, x: Array) -> Array:  # (n, d) -> (n,)
        return self._rows_at_target(x) @ self.weights

    def mean_and_variance_at_target(self, x: Array) -> tuple[Array, Array]:  # (n, d) -> (n,), (n,)
        rows = self._rows_at_target(x)
        white = rows @ self.inverse_factor.T
        prior = self._prior_at_target()
        variance = np.maximum(prior - np.einsum("ni,ni->n", white, white), VARIANCE_FLOOR * prior)
        return rows @ self.weights, variance

    def covariance_at_target(self, x: Array, others: Array) -> Array:  # (n, d), (m, d) -> (n, m)
        """Posterior covariance of f between every two designs."""
        target = TARGET_FIDELITY
        prior = [
            float(block.fidelity.covariance(target, target)[0, 0]) * block.design_kernel(x, others)
            for block in self.kernel.blocks
        ]
        white, white_others = (self._rows_at_target(each) @ self.inverse_factor.T for each in (x, others))
        return np.sum(prior, axis=0) - white @ white_others.T

    def mean_gradient(self, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n, d)
        """Gradient in x of the posterior mean at (x, z), one fidelity per design."""
        gradient = np.zeros_like(x)
        for block in self.kernel.blocks:
            pull = block.pull(block.design_kernel(x, self.x)) * block.fidelity.covariance(z, self.z) * self.weights
            gradient += (pull @ self.x - pull.sum(axis=1)[:, None] * x) / block.length_scales**2
        return gradient

    def mean(self, x: Array, z: Array) -> Array:  # (n, d), (m,) -> (n, m)
        """Posterior mean at every pair of design and fidelity."""
        parts = [
            (block.design_kernel(x, self.x) * self.weights) @ block.fidelity.covariance(z, self.z).T
            for block in self.kernel.blocks
        ]
        return np.sum(parts, axis=0)

    def moments(self, x: Array, z: Array) -> Moments:  # (n, d), (m,)
        """Moments at all n x m pairs: of the latent functions, then of their weighted sums."""
        with_target = np.concatenate([z, TARGET_FIDELITY])
        blocks = self.kernel.blocks
        latents = [block.fidelity.latents(with_target, self.z) for block in blocks]
        kernels = tuple(block.design_kernel(x, self.x) for block in blocks)
        rows = np.concatenate(
            [kernel[:, None, :] * each.rows for kernel, each in zip(kernels, latents, strict=True)], axis=1
        )  # (n, R, N)
        n, n_latents, n_data = rows.shape
        white = (rows.reshape(n * n_latents, n_data) @ self.inverse_factor.T).reshape(rows.shape)
        posterior = block_diagonal([each.prior for each in latents]) - white @ white.swapaxes(1, 2)  # (n, R, R)
        loadings = np.concatenate([each.loadings for each in latents], axis=1)  # (m + 1, R)
        means = (rows @ self.weights) @ loadings.T
        spread = loadings @ posterior  # (n, m + 1, R)
        variances = np.einsum("nmr,mr->nm", spread, loadings)
        variances = np.maximum(variances, VARIANCE_FLOOR * self._prior_at_target())
        return Moments(
            gp=self,
            x=x,
            z=z,
            mean_g=means[:, :-1],
            var_g=variances[:, :-1],
            mean_f=means[:, -1],
            var_f=variances[:, -1],
            cov=spread[:, :-1] @ loadings[-1],
            noise=self.noise_of_runs(z),
            design_kernels=kernels,
            loadings=loadings,
            white=white,
        )

    def _rows_at_target(self, x: Array) -> Array:  # (n, N)
        target = TARGET_FIDELITY
        rows = np.zeros((len(x), len(self.x)))
        for block in self.kernel.blocks:
            to_target = block.fidelity.covariance(target, self.z)[0]
            if to_target.any():  # an error is no part of full accuracy
                part = block.design_kernel(x, self.x)
                part *= to_target
                rows += part
        return rows

    def _prior_at_target(self) -> float:
        target = TARGET_FIDELITY
        return float(sum(block.fidelity.covariance(target, target)[0, 0] for block in self.kernel.blocks))


def block_diagonal(matrices: list[Array]) -> Array:  # (R_b, R_b) each -> (R, R)
    size = sum(len(each) for each in matrices)
    joined, at = np.zeros((size, size)), 0
    for each in matrices:
        joined[at : at + len(each), at : at + len(each)] = each
        at += len(each)
    return joined


def inverse_cholesky(
    covariance: Array,  # (N, N) without noise
    noise: Array,  # (N,) variances
    signal_variance: float,
) -> Array:  # (N, N)
    """Lower triangular inverse of the Cholesky factor of the noisy covariance, rescued by jitter where need be."""
    for jitter in JITTERS:
        noisy = covariance.copy()
        noisy.flat[:: len(noisy) + 1] += noise + jitter * signal_variance
        inverse_factor = _inverse_factor(noisy)
        if inverse_factor is not None and np.isfinite(inverse_factor.diagonal()).all():  # LAPACK may let NaN through
            return np.ascontiguousarray(np.tril(inverse_factor))
        logger.warning(
            "Covariance of %d points is not positive definite with jitter %.0e; trying more.",
            len(noisy),
            jitter,
        )
    msg = f"no Cholesky factor even with jitter {JITTERS[-1]:.0e}"
    raise np.linalg.LinAlgError(msg)


def _inverse_factor(matrix: Array) -> Array | None:  # (N, N), positive definite -> (N, N); only its lower part counts
    """Inverse of the Cholesky factor, a large one by halves; None if there is none.

    With A = [[A11, .], [A21, A22]] and M = L^-1: L21 = A21 M11^T, M22 is that of A22 - L21 L21^T, M21 = -M22 L21 M11.
    As fast as LAPACK's at once; but while LAPACK works no other thread runs, and a page has to answer meanwhile.
    """
    size = len(matrix)
    if size <= WHOLE:
        factor, failed = lapack.dpotrf(matrix, lower=1)
        return None if failed else lapack.dtrtri(factor, lower=1)[0]
    half = size // 2
    upper = _inverse_factor(matrix[:half, :half])
    if upper is None:
        return None
    between = blas.dtrmm(1.0, upper, matrix[half:, :half], side=1, lower=1, trans_a=1)  # L21
    lower = _inverse_factor(blas.dsyrk(-1.0, between, beta=1.0, c=matrix[half:, half:], lower=1))
    if lower is None:
        return None
    inverse = np.zeros((size, size), order="F")
    inverse[:half, :half], inverse[half:, half:] = upper, lower
    inverse[half:, :half] = blas.dtrmm(-1.0, lower, blas.dtrmm(1.0, upper, between, side=1, lower=1), lower=1)
    return inverse
