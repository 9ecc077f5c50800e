"""Yes or no of a hidden Gaussian process by expectation propagation: section 3.6 of [Rasmussen2006].

A run is yes with probability Phi(h) of the latent value h there. In the posterior every run's Phi is replaced by a
normal factor, its *site*, such that the marginal of h there keeps mean and variance with Phi in the place of its site.
Departure: all sites move at once, part of the way, instead of one after the other: a sweep is one factorisation.

Laplace's approximation, by the mode of the posterior, is too unsure by far: `experiments/edges.py`, decision 12.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, solve_triangular
from scipy.special import erfcx, log_ndtr

from imoca.arrays import Array

MAX_SWEEPS = 200  # ten to twenty are usual
FIRST_PACE = 0.8  # of the way to where sites should be
SLOWING = 0.7  # of it, whenever they come no nearer: runs that agree overshoot together
TOLERANCE = 1e-7  # of a site's parameters, beside 1 or their size
SMALLEST_PRECISION = 1e-10  # of a site and of what is left without it: positive but for round-off
SQRT_2, SQRT_2_OVER_PI = np.sqrt(2.0), np.sqrt(2.0 / np.pi)


@dataclass(frozen=True)
class Sites:
    """A normal factor per run, of how far its latent value is from the prior mean."""

    precisions: Array  # (n,)
    shifts: Array  # (n,) precisions times means

    @staticmethod
    def flat(n: int) -> Sites:
        """That say nothing."""
        return Sites(np.zeros(n), np.zeros(n))

    def towards(self, other: Sites, pace: float) -> Sites:
        return Sites(*(a + pace * (b - a) for a, b in zip(self._both, other._both, strict=True)))

    def distance(self, other: Sites) -> float:
        pairs = zip(self._both, other._both, strict=True)
        return max(float(np.max(np.abs(b - a) / (1.0 + np.abs(a)), initial=0.0)) for a, b in pairs)

    @property
    def _both(self) -> tuple[Array, Array]:
        return self.precisions, self.shifts


@dataclass(frozen=True)
class Hidden:
    """The normal distribution that stands in for the posterior of the latent values."""

    weights: Array  # (n,) a: its mean is the prior's plus the covariance K times these
    precision: Array  # (n, n) R: its covariance is K - K R K
    log_evidence: float
    sites: Sites

    @property
    def by_covariance(self) -> Array:  # (n, n), symmetric
        """Derivative of the log-evidence in K: in the sites it is 0."""
        return 0.5 * (np.outer(self.weights, self.weights) - self.precision)

    @property
    def by_mean(self) -> float:
        """The same in the prior mean."""
        return float(self.weights.sum())


def propagate(
    covariance: Array,  # (n, n) K
    mean: float,  # of the prior, the same everywhere
    signs: Array,  # (n,) +1 for yes, -1 for no
    start: Sites | None = None,  # of a like problem
) -> Hidden:
    sites = Sites.flat(len(signs)) if start is None else start
    pace, distance = FIRST_PACE, np.inf
    for _ in range(MAX_SWEEPS):
        wanted = _Marginals.under(sites, covariance).matched(sites, mean, signs)
        before, distance = distance, sites.distance(wanted)
        pace *= 1.0 if distance < before else SLOWING
        sites = sites.towards(wanted, pace)
        if distance <= TOLERANCE:
            break
    marginals = _Marginals.under(sites, covariance)
    roots = np.sqrt(sites.precisions)
    precision = roots[:, None] * _inverse(marginals.factor) * roots
    weights = sites.shifts - precision @ (covariance @ sites.shifts)
    return Hidden(weights, precision, marginals.log_evidence(sites, mean, signs), sites)


@dataclass(frozen=True)
class _Marginals:
    """Of the latent values less the prior mean, under the prior times the sites."""

    means: Array  # (n,)
    variances: Array  # (n,)
    factor: Array  # (n, n) lower Cholesky factor of B = I + T^1/2 K T^1/2, T the precisions of the sites

    @staticmethod
    def under(sites: Sites, covariance: Array) -> _Marginals:
        roots = np.sqrt(sites.precisions)
        scaled = roots[:, None] * covariance
        factor = _factor(scaled * roots)
        explained = solve_triangular(factor, scaled, lower=True, check_finite=False)
        means = covariance @ sites.shifts - explained.T @ (explained @ sites.shifts)
        return _Marginals(means, covariance.diagonal() - np.einsum("ij,ij->j", explained, explained), factor)

    def without(self, sites: Sites) -> tuple[Array, Array]:  # (n,), (n,)
        """Means and precisions of the cavities: the marginals without their own site."""
        precisions = np.maximum(1.0 / self.variances - sites.precisions, SMALLEST_PRECISION)
        return (self.means / self.variances - sites.shifts) / precisions, precisions

    def matched(self, sites: Sites, mean: float, signs: Array) -> Sites:
        """The sites that give each cavity times its Phi the mean and variance that it has."""
        means, precisions = self.without(sites)
        variances = 1.0 / precisions
        spread = np.sqrt(1.0 + variances)
        u = signs * (mean + means) / spread
        ratio = SQRT_2_OVER_PI / erfcx(-u / SQRT_2)  # phi / Phi, also where both underflow
        step = signs * ratio / spread  # derivative of log Phi(u) in the cavity's mean
        bend = ratio * (u + ratio) / (1.0 + variances)  # minus the second
        new = np.maximum(bend / (1.0 - variances * bend), SMALLEST_PRECISION)
        return Sites(new, (new + precisions) * (means + variances * step) - precisions * means)

    def log_evidence(self, sites: Sites, mean: float, signs: Array) -> float:
        """Equation (3.65) of [Rasmussen2006], arranged as in its (3.73) and (3.74)."""
        means, precisions = self.without(sites)
        u = signs * (mean + means) / np.sqrt(1.0 + 1.0 / precisions)
        both = precisions + sites.precisions
        volume = 0.5 * np.log1p(sites.precisions / precisions).sum() - np.log(self.factor.diagonal()).sum()
        pull = sites.shifts @ (self.means - sites.shifts / both)
        push = (means * precisions / both) @ (sites.precisions * means - 2.0 * sites.shifts)
        return float(log_ndtr(u).sum() + volume + 0.5 * (pull + push))


def _factor(scaled: Array) -> Array:  # (n, n) T^1/2 K T^1/2, overwritten -> (n, n)
    scaled.flat[:: len(scaled) + 1] += 1.0
    factor, failed = lapack.dpotrf(scaled, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("I + T^1/2 K T^1/2 has no Cholesky factor.")
    return factor


def _inverse(factor: Array) -> Array:  # (n, n) -> (n, n)
    """Of the matrix whose lower Cholesky factor it is."""
    lower, _ = lapack.dpotri(factor, lower=1)
    inverse = lower + lower.T  # above the diagonal the factor has zeros
    inverse.flat[:: len(inverse) + 1] *= 0.5
    return np.asarray(inverse)
