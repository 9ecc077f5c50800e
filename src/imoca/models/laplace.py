"""Yes or no of a hidden Gaussian process by Laplace's approximation: algorithms 3.1 and 5.1 of [Rasmussen2006].

A run is yes with probability Phi(h) of the latent value h there. The posterior of h is replaced by the normal
distribution with its mode and the curvature there. Probit likelihoods are log-concave: there is one mode.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.special import erfcx, log_ndtr

from imoca.arrays import Array

MAX_STEPS = 50  # of Newton's method; six are usual
MAX_HALVINGS = 12  # of a step that leads downhill
TOLERANCE = 1e-9  # nats that a further step gains
ROUND_OFF = 1e-11  # nats by which a step may seem to lead downhill: the last one still comes nearer to the mode
SMALLEST_BEND = 1e-9  # of u + phi / Phi, which is positive but for round-off
SQRT_2, SQRT_2_OVER_PI = math.sqrt(2.0), math.sqrt(2.0 / math.pi)


def log_likelihood(latent: Array, signs: Array) -> float:  # (n,), (n,)
    """Of what was seen: a sign is +1 for yes, -1 for no."""
    return float(log_ndtr(signs * latent).sum())


def likelihood_slopes(latent: Array, signs: Array) -> tuple[Array, Array, Array]:  # (n,), (n,) -> (n,), (n,), (n,)
    """First derivative of the log-likelihood per latent value, minus the second, and the third as its multiple."""
    u = signs * latent
    ratio = SQRT_2_OVER_PI / erfcx(-u / SQRT_2)  # phi / Phi, also where both underflow
    bend = np.maximum(u + ratio, SMALLEST_BEND)
    return signs * ratio, ratio * bend, signs * (bend - 1.0 / bend + ratio)


@dataclass(frozen=True)
class Mode:
    """The normal distribution that stands in for the posterior of the latent values."""

    weights: Array  # (n,) a: the mode is the prior mean plus the covariance times these
    roots: Array  # (n,) square roots of the likelihood's curvature W at the mode
    factor: Array  # (n, n) lower Cholesky factor of I + W^1/2 K W^1/2
    latent: Array  # (n,) the mode
    log_evidence: float

    def inverse(self) -> Array:  # (n, n)
        """Of ``B = I + W^1/2 K W^1/2``. The posterior covariance is ``K - K R K`` with ``R = W^1/2 B^-1 W^1/2``."""
        lower, _ = lapack.dpotri(self.factor, lower=1)
        inverse = lower + lower.T  # above the diagonal the factor has zeros
        inverse.flat[:: len(inverse) + 1] *= 0.5
        return inverse

    def precision(self) -> Array:  # (n, n)
        """R, which is ``(K + W^-1)^-1``."""
        return self.roots[:, None] * self.inverse() * self.roots


def find_mode(
    covariance: Array,  # (n, n) K
    mean: float,  # of the prior, the same everywhere
    signs: Array,  # (n,)
    start: Array | None = None,  # (n,) weights of a like problem
) -> Mode:
    """Newton's method, with steps halved where they would lead downhill."""
    here = _Place.at(np.zeros(len(signs)), covariance, mean, signs)
    if start is not None:
        here = max(here, _Place.at(start, covariance, mean, signs), key=lambda place: place.value)
    for _ in range(MAX_STEPS):
        step = _newton_step(here, covariance, mean, signs)
        tries = (_Place.at(here.weights + step / 2**i, covariance, mean, signs) for i in range(MAX_HALVINGS))
        there = next((place for place in tries if place.value >= here.value - ROUND_OFF), here)
        gained, here = there.value - here.value, there
        if gained < TOLERANCE:
            break
    weights, curvature, _ = likelihood_slopes(here.latent, signs)
    roots = np.sqrt(curvature)
    factor = _factor(covariance, roots)
    return Mode(weights, roots, factor, here.latent, here.value - float(np.log(factor.diagonal()).sum()))


@dataclass(frozen=True)
class _Place:
    """Where the search for the mode is."""

    weights: Array  # (n,)
    latent: Array  # (n,)
    value: float  # log posterior up to a constant

    @staticmethod
    def at(weights: Array, covariance: Array, mean: float, signs: Array) -> _Place:
        deviation = covariance @ weights
        value = log_likelihood(mean + deviation, signs) - 0.5 * float(weights @ deviation)
        return _Place(weights, mean + deviation, value)


def _newton_step(here: _Place, covariance: Array, mean: float, signs: Array) -> Array:  # (n,)
    first, curvature, _ = likelihood_slopes(here.latent, signs)
    roots = np.sqrt(curvature)
    ahead = curvature * (here.latent - mean) + first
    solved, _ = lapack.dpotrs(_factor(covariance, roots), roots * (covariance @ ahead), lower=1)
    return np.asarray(ahead - roots * solved - here.weights)


def evidence_slopes(covariance: Array, signs: Array, mode: Mode) -> tuple[Array, float]:  # (n, n)
    """Derivatives of the log-evidence in the covariance (symmetric) and in the prior mean."""
    inverse = mode.inverse()
    precision = mode.roots[:, None] * inverse * mode.roots
    first, _, turn = likelihood_slopes(mode.latent, signs)
    by_mode = 0.5 * (1.0 - inverse.diagonal()) * turn  # posterior variance times W is 1 - B^-1 on the diagonal
    moved = by_mode - precision @ (covariance @ by_mode)
    crossed = np.outer(moved, first)
    by_covariance = 0.5 * (np.outer(mode.weights, mode.weights) - precision + crossed + crossed.T)
    return by_covariance, float(mode.weights.sum() + moved.sum())


def _factor(covariance: Array, roots: Array) -> Array:  # (n, n), (n,) -> (n, n)
    scaled = roots[:, None] * covariance * roots
    scaled.flat[:: len(scaled) + 1] += 1.0
    factor, failed = lapack.dpotrf(scaled, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("I + W^1/2 K W^1/2 has no Cholesky factor.")
    return factor
