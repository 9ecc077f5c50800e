"""How far a surrogate is to be trusted at full accuracy.

A model says what it believes given that its form is right, and nothing tells from cheap runs alone whether full
accuracy is where they point. Two unknowns stand for that: the factor by which the model is too sure of itself, and how
far full accuracy lies from what all cheaper runs say, an offset with a standard deviation. Both have a prior, found by
measuring (docs/decisions/0008-truth-plus-error.md), and are learned from the runs at full accuracy alone: from how far
each lies from what all other runs predict of it. The search does without: it hopes, the report doubts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from imoca.arrays import Array
from imoca.models.dataset import OutputData
from imoca.models.gp import GaussianProcess

FACTORS = np.array([0.7, 1.0, 1.5, 2.5, 5.0, 10.0])
FACTOR_PRIOR = np.array([0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
OFFSETS = np.array([0.0, 0.01, 0.03, 0.1, 0.3, 1.0])  # in standard deviations of all answers
OFFSET_PRIOR = np.array([0.2, 0.15, 0.2, 0.2, 0.15, 0.1])
FEWEST_FULL = 3  # runs of an output at full accuracy: fewer do not tell what cheap ones are worth
FEWEST_ALONE = 4  # before which full runs are no model by themselves
LITTLE = 0.9  # of what full runs answered: if cheap runs explain less, it is tried without them
FITTED_ALONE = 3  # hyperparameters of the truth beside a length scale per column: variance, evenness, noise
MOST_FITTED = 0.75  # of the observations, that are taken as used up by them
MOST_STEPS = 100  # of the search for a quantile, which takes about ten
SHORTEST_STEP = 1e-10  # of a quantile
TWICE_THE_PEAK = float(np.sqrt(2.0 / np.pi))  # of the standard normal density


@dataclass(frozen=True)
class Doubt:
    """A grid of the two unknowns with a probability each: predictions are mixtures of normals with one mean."""

    factors: Array  # (G,)
    offsets: Array  # (G,)
    weights: Array  # (G,) adding up to 1

    def deviations(self, variance: Array) -> Array:  # (n,) of the model -> (n, G)
        return self.deviations_measured(variance, np.zeros(len(variance)))

    def deviations_measured(self, variance: Array, told_noise: Array) -> Array:  # (n,), (n,) -> (n, G)
        """Of what is measured with known errors: there is no doubt about those."""
        return np.sqrt(self.factors**2 * variance[:, None] + self.offsets**2 + told_noise[:, None])

    def half_widths(self, variance: Array, probability: float) -> Array:  # (n,)
        """How far from the mean the interval reaches that holds the truth with this probability.

        By Newton's method from below: what an interval holds grows ever more slowly with its width, so that no step
        goes too far.
        """
        deviations = self.deviations(variance)
        width = ndtri(0.5 * (1.0 + probability)) * deviations.min(axis=1)  # what the surest of the mixture would say
        for _ in range(MOST_STEPS):
            densities = np.exp(-0.5 * (width[:, None] / deviations) ** 2) / deviations
            step = (probability - self.within(width, deviations)) / (TWICE_THE_PEAK * densities @ self.weights)
            width = width + step
            if (step <= SHORTEST_STEP * width).all():
                break
        return width

    def stretched(self, factor: float) -> Doubt:
        """With a model that is so many times as unsure in every case."""
        return Doubt(factor * self.factors, self.offsets, self.weights)

    def within(self, distance: Array, deviations: Array) -> Array:  # (n,), (n, G) -> (n,)
        """Probability that the truth lies at most so far from the mean."""
        return (2.0 * ndtr(distance[:, None] / deviations) - 1.0) @ self.weights


def doubt_of(surrogate: GaussianProcess, has_knob: bool) -> Doubt:
    """What the runs at full accuracy leave of the prior; without a knob there is nothing that lies between.

    One or two of them tell of their surroundings, not of all designs: their evidence counts for a part. And all that a
    model says, of left-out runs too, it says with hyperparameters that were fitted to them.
    """
    offsets, offset_prior = (OFFSETS, OFFSET_PRIOR) if has_knob else (OFFSETS[:1], np.ones(1))
    factors, offsets = (each.ravel() for each in np.meshgrid(FACTORS, offsets, indexing="ij"))
    prior = np.outer(FACTOR_PRIOR, offset_prior).ravel()
    misses, variances = left_out_misses(surrogate)
    is_full = surrogate.is_full_accuracy
    doubt = Doubt(factors, offsets, prior / prior.sum())
    if not has_knob or not is_full.any():
        return doubt.stretched(by_fitting(*surrogate.x.shape))
    told_noise = surrogate.told_noise[is_full]
    deviations = doubt.deviations_measured(variances[is_full] - told_noise, told_noise)  # (m, G)
    log_likelihood = (-0.5 * (misses[is_full, None] / deviations) ** 2 - np.log(deviations)).sum(axis=0)
    log_likelihood *= min(1.0, len(deviations) / FEWEST_FULL)
    weights = doubt.weights * np.exp(log_likelihood - log_likelihood.max())
    return Doubt(factors, offsets, weights / weights.sum()).stretched(by_fitting(*surrogate.x.shape))


def by_fitting(n: int, d: int) -> float:
    """How many times too sure of itself a model of n observations is for having been fitted to them.

    As residuals of a regression with p coefficients are too small by the root of (n - p) / n.
    """
    return 1.0 / math.sqrt(1.0 - min((d + FITTED_ALONE) / n, MOST_FITTED))


def left_out_misses(process: GaussianProcess) -> tuple[Array, Array]:  # (n,), (n,)
    """By how much every observation misses what all others predict, and the variance of that, noise included.

    Eqs. (5.10) to (5.12) of [Rasmussen2006].
    """
    precision = (process.inverse_factor**2).sum(axis=0)
    return process.weights / precision, 1.0 / precision


def explained_by_cheap_runs(surrogate: GaussianProcess) -> float:
    """The share of the variance of the answers at full accuracy that the other runs alone predict; at first 1."""
    if not can_be_explained(surrogate):
        return 1.0
    is_full = surrogate.is_full_accuracy
    x, z, values, cheap = surrogate.x, surrogate.z, surrogate.values, ~is_full
    informed = GaussianProcess.condition(
        x[cheap], z[cheap], values[cheap], surrogate.kernel, surrogate.told_noise[cheap]
    )
    misses = values[is_full] - informed.mean_at_target(x[is_full])
    around = values[is_full] - values[is_full].mean()
    told_noise = surrogate.told_noise[is_full].sum()  # nobody can explain it
    missed, spread = (max(0.0, float(each @ each - told_noise)) for each in (misses, around))
    largest = max(spread, missed)
    return float(np.clip(1.0 - missed / largest, 0.0, 1.0)) if largest > 0.0 else 1.0


def can_be_explained(surrogate: GaussianProcess) -> bool:
    """Whether there are enough runs at full accuracy, and others beside them, to compare."""
    is_full = surrogate.is_full_accuracy
    return bool(is_full.sum() >= FEWEST_FULL and not is_full.all())


def may_mislead(surrogate: GaussianProcess) -> bool:
    """Whether cheap runs explain so little of several full ones that it is worth trying without them."""
    n_full = int(surrogate.is_full_accuracy.sum())
    return FEWEST_ALONE <= n_full < len(surrogate.x) and explained_by_cheap_runs(surrogate) < LITTLE


def log_score(data: OutputData, surrogate: GaussianProcess) -> float:
    """Logarithm of the density of every answer at full accuracy given all others, in the user's units, added up."""
    is_full = surrogate.is_full_accuracy
    misses, variances = (each[is_full] for each in left_out_misses(surrogate))
    densities = -0.5 * misses**2 / variances - 0.5 * np.log(2.0 * np.pi * variances)
    return float(densities.sum()) - data.rows(np.flatnonzero(is_full)).log_jacobian
