"""PESMO: information about the Pareto *set*, by expectation propagation.

Given a sampled Pareto set X* = {x*_1 .. x*_P}, no design may dominate any x*_i. That is a product of factors
``1 - prod_k [d_k > 0]``, one for every x*_i and every design it is compared with, d_k being by how much the design is
better in objective k: linear in f_k. Each factor is replaced by Gaussians in its d_k whose moments match; what remains
of the predictive variance at a candidate is compared with what there was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from imoca.acquisition.gain import observation_variance
from imoca.acquisition.truncated_gain import LOG_SQRT_2PI
from imoca.arrays import Array
from imoca.models.gp import GaussianProcess
from imoca.models.kernel import TARGET_FIDELITY

N_SWEEPS = 50
DAMPING = 0.5  # share of each update that is made; factors of one set pull against each other
SMALLEST_STEP = 1e-3  # below which an update is given up: sites that widen may leave no proper Gaussian
CONVERGED = 1e-3  # largest change of a posterior mean, in standardised values
JITTER = 1e-6  # on the covariance of a sampled set, whose points may nearly coincide; values are standardised
SMALLEST_SHARE = 1e-4  # of a variance that one factor may leave
LARGEST_WIDENING = 1.0  # by one factor, relative to the variance
LARGEST_LOG_PRODUCT = -1e-10  # of prod Phi: keeps the probability of a factor off zero


def matched_sites(mean: Array, variance: Array) -> tuple[Array, Array]:  # (..., K) -> (..., K), (..., K)
    """Precision, and precision times mean, of the Gaussians in d_k that match ``1 - prod_k [d_k > 0]``.

    By the derivatives of ln Z with Z = 1 - prod_k Phi(mean_k / std_k), for d_k ~ N(mean_k, variance_k). Where the
    factor widens d_k the precision is negative.
    """
    std = np.sqrt(variance)
    alpha = mean / std
    log_cdf = log_ndtr(alpha)
    log_product = np.minimum(log_cdf.sum(axis=-1, keepdims=True), LARGEST_LOG_PRODUCT)
    weight = np.exp(log_product) / -np.expm1(log_product)  # prod Phi / Z
    pull = weight * np.exp(-0.5 * alpha**2 - LOG_SQRT_2PI - log_cdf)
    narrowing = np.clip(pull * (pull - alpha), -LARGEST_WIDENING, 1.0 - SMALLEST_SHARE)
    tilted_mean, tilted_variance = mean - std * pull, variance * (1.0 - narrowing)
    return 1.0 / tilted_variance - 1.0 / variance, tilted_mean / tilted_variance - mean / variance


@dataclass(frozen=True)
class ConditionedSet:
    """f at the points of one sampled Pareto set, before and after learning that nothing known dominates them."""

    designs: Array  # (P, d)
    inverse: Array  # (K, P, P) of the prior covariance
    prior_mean: Array  # (K, P)
    mean: Array  # (K, P)
    covariance: Array  # (K, P, P)


def condition_set(
    surrogates: Sequence[GaussianProcess],
    designs: Array,  # (P, d) a sampled Pareto set
    reached: Array,  # (l, K) maximised: values of designs already evaluated, none of which may dominate the set
) -> ConditionedSet:
    prior_mean = np.stack([surrogate.mean_at_target(designs) for surrogate in surrogates])
    prior = np.stack([surrogate.covariance_at_target(designs, designs) for surrogate in surrogates])
    inverse = inverted(prior + JITTER * np.eye(len(designs)))
    mean, covariance = propagate(inverse, prior_mean, *_comparisons(len(designs), reached))
    return ConditionedSet(designs, inverse, prior_mean, mean, covariance)


def _comparisons(n_points: int, reached: Array) -> tuple[Array, Array]:  # (F, P), (F, K)
    """d = rows @ f + offsets for all pairs of points of the set, and of reached values with points."""
    first, second = np.nonzero(~np.eye(n_points, dtype=np.bool_))
    unit = np.eye(n_points)
    rows = np.concatenate([unit[first] - unit[second], np.tile(-unit, (len(reached), 1))])
    offsets = np.concatenate([np.zeros((len(first), reached.shape[1])), np.repeat(reached, n_points, axis=0)])
    return rows, offsets


def propagate(
    inverse: Array,  # (K, P, P) of the prior covariance
    prior_mean: Array,  # (K, P)
    rows: Array,  # (F, P)
    offsets: Array,  # (F, K)
) -> tuple[Array, Array]:  # (K, P), (K, P, P)
    """Mean and covariance of f given all factors: expectation propagation, all sites in parallel, damped."""
    shift = offsets.T
    precision, linear = np.zeros_like(shift), np.zeros_like(shift)  # (K, F)
    mean = prior_mean
    covariance = inverted(inverse)
    for _ in range(N_SWEEPS):
        variance_d = np.einsum("fp,kpq,fq->kf", rows, covariance, rows, optimize=True)
        cavity_variance = 1.0 / np.maximum(1.0 / variance_d - precision, SMALLEST_SHARE / variance_d)
        cavity_mean = cavity_variance * ((mean @ rows.T + shift) / variance_d - linear)
        new_precision, new_linear = matched_sites(cavity_mean.T, cavity_variance.T)
        step = DAMPING
        while not _is_proper(moved := inverse + _between(precision, new_precision.T, step, rows)):
            step *= 0.5
            if step < SMALLEST_STEP:
                return mean, covariance
        precision = precision + step * (new_precision.T - precision)
        linear = linear + step * (new_linear.T - linear)
        covariance = inverted(moved)
        natural = np.einsum("kpq,kq->kp", inverse, prior_mean) + (linear - precision * shift) @ rows
        last, mean = mean, np.einsum("kpq,kq->kp", covariance, natural)
        if np.abs(mean - last).max() < CONVERGED:
            break
    return mean, covariance


def _between(old: Array, new: Array, step: float, rows: Array) -> Array:  # (K, F), (K, F) -> (K, P, P)
    """The precision that the sites add, ``step`` of the way from the old to the new ones."""
    return np.einsum("kf,fp,fq->kpq", old + step * (new - old), rows, rows, optimize=True)


def _is_proper(precision: Array) -> bool:
    return bool((np.linalg.eigvalsh(precision) > 0.0).all())


def inverted(matrices: Array) -> Array:  # (..., P, P)
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


@dataclass(frozen=True)
class ParetoSetEntropy:
    """Expected drop of the entropy of an observation by learning the Pareto set, eq. (4) of [HernandezLobato2016].

    Departures: the values at evaluated designs count as known, for simulators are nearly deterministic, so only the
    front reached so far is compared with; sites are Gaussians in the differences d_k, not in pairs of values: the
    factors depend on nothing else.
    """

    surrogates: Sequence[GaussianProcess]
    sets: Sequence[ConditionedSet]

    def __call__(self, x: Array) -> Array:  # (n, d) -> (n,)
        moments = [surrogate.mean_and_variance_at_target(x) for surrogate in self.surrogates]
        mean, variance = (np.stack(each) for each in zip(*moments, strict=True))  # (K, n)
        noise = np.array([observation_variance(each.noise_of_runs(TARGET_FIDELITY)[0]) for each in self.surrogates])
        remaining: Array = np.mean([np.log(self._variance(x, mean, variance, s) + noise) for s in self.sets], axis=0)
        return 0.5 * (np.log(variance.T + noise) - remaining).sum(axis=1)

    def _variance(self, x: Array, mean: Array, variance: Array, given: ConditionedSet) -> Array:  # (n, K)
        """Variance of f(x) given the set, and that x dominates none of its points."""
        prior_cov = np.stack([each.covariance_at_target(x, given.designs) for each in self.surrogates])  # (K, n, P)
        to_set = prior_cov @ given.inverse
        mean = mean + np.einsum("knp,kp->kn", to_set, given.mean - given.prior_mean)
        cov = to_set @ given.covariance
        known = ((to_set - cov @ given.inverse) * prior_cov).sum(axis=2)  # what the set tells of f(x) by itself
        variance = np.maximum(variance - known, SMALLEST_SHARE * variance)
        # d_i = f(x) - f(x*_i)
        cov_d = variance[:, :, None] - cov  # (K, n, P) with f(x)
        within = cov_d[:, :, :, None] - cov[:, :, None, :] + given.covariance[:, None]
        variance_d = np.maximum(np.einsum("knpp->knp", within), JITTER)
        precision, _ = matched_sites(
            np.moveaxis(mean[:, :, None] - given.mean[:, None, :], 0, -1), np.moveaxis(variance_d, 0, -1)
        )
        sites = np.moveaxis(precision, -1, 0)  # (K, n, P)
        system = np.eye(sites.shape[2]) + sites[:, :, :, None] * within
        drop = (cov_d * np.linalg.solve(system, (sites * cov_d)[..., None])[..., 0]).sum(axis=2)
        widest = (1.0 + LARGEST_WIDENING) * variance
        # Sites that widen f(x) without bound pass infinity and come back from below.
        remaining = np.where(variance > drop, variance - drop, widest)
        return np.clip(remaining, SMALLEST_SHARE * variance, widest).T
