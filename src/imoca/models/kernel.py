"""Covariances over designs and fidelities: sums of blocks, each a covariance over designs times one over fidelities.

Every surrogate of the house is such a sum: the paper's product kernel is one block, truth plus error one for the truth
and one per error, the levels of MF-OSEMO one for the lowest level and one for the steps above it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imoca.arrays import Array

TARGET_FIDELITY = np.ones(1)  # full accuracy
SMALLEST_REST = 1e-300  # of 1 - z, whose logarithm is needed times itself


@dataclass(frozen=True)
class Latents:
    """The few functions of the design of which a block at some fidelities is a weighted sum."""

    loadings: Array  # (m, R) how much of each latent function counts at each fidelity
    rows: Array  # (R, N) covariance of each with the block at the fidelities of the data
    prior: Array  # (R, R) their covariance


class FidelityCovariance(Protocol):
    """Covariance of one block between fidelities at the same design."""

    def covariance(self, z: Array, others: Array) -> Array:
        """(m,), (N,) -> (m, N)."""

    def latents(self, z: Array, z_data: Array) -> Latents:
        """(m,), (N,): ``loadings @ rows`` is the covariance."""


@dataclass(frozen=True)
class WeightedFunctions:
    """Independent functions of the design, each with a variance and a weight at every fidelity."""

    variances: Array  # (R,)
    weights: WeightFunction

    def covariance(self, z: Array, others: Array) -> Array:
        weights = self.weights(z)
        return (weights * self.variances) @ (weights if others is z else self.weights(others)).T

    def latents(self, z: Array, z_data: Array) -> Latents:
        return Latents(self.weights(z), (self.weights(z_data) * self.variances).T, np.diag(self.variances))


class WeightFunction(Protocol):
    def __call__(self, z: Array) -> Array:
        """(n,) -> (n, R): the weight of each of R functions."""


@dataclass(frozen=True)
class SquaredExponential:
    """``s^2 exp(-(u - u')^2 / 2 h^2)`` over settled fidelities u: the fidelity's part of [Belakaria2020]'s kernel."""

    variance: float
    scale: float  # h
    settling: float  # a; 1 is the kernel as printed

    def covariance(self, z: Array, others: Array) -> Array:
        apart = settled(z, self.settling)[:, None] - settled(others, self.settling)
        return self.variance * np.exp(-0.5 * (apart / self.scale) ** 2)

    def latents(self, z: Array, z_data: Array) -> Latents:
        """No few functions span it: the latent ones are its values at the fidelities asked for."""
        return Latents(np.eye(len(z)), self.covariance(z, z_data), self.covariance(z, z))


@dataclass(frozen=True)
class Block:
    """A term of a kernel."""

    length_scales: Array  # (d,) of the designs' part
    fidelity: WeightedFunctions | SquaredExponential
    evenness: float = math.inf  # of the designs' part: infinite if all of it changes at one scale

    def design_kernel(self, x: Array, x_data: Array) -> Array:  # (m, d), (n, d) -> (m, n)
        return design_kernel(x, x_data, self.length_scales, self.evenness)

    def slopes(self, x: Array) -> DesignSlopes:  # (n, d)
        """The kernel among the data with its derivatives: together they take the logarithms of one."""
        half = 0.5 * squared_distances(x, x, self.length_scales)
        if math.isinf(self.evenness):
            kernel = np.exp(-half)
            return DesignSlopes(kernel, kernel, None)
        stretched = half / self.evenness
        logs = -self.evenness * np.log1p(stretched)
        kernel = np.exp(logs)
        pull = kernel / (1.0 + stretched)
        return DesignSlopes(kernel, pull, pull * half + kernel * logs)

    def pull(self, kernel: Array) -> Array:
        """P, of a kernel's values k, with ``dk / dx = -P (x - x') / l^2``."""
        return kernel if math.isinf(self.evenness) else kernel ** (1.0 + 1.0 / self.evenness)


@dataclass(frozen=True)
class DesignSlopes:
    """A block's designs' part among the data, and what its derivatives are made of; all (n, n)."""

    kernel: Array
    pull: Array  # as of ``Block.pull``
    by_log_evenness: Array | None  # derivatives of every value; None where the evenness is infinite


class Kernel(Protocol):
    """A kernel at given hyperparameters."""

    @property
    def blocks(self) -> Sequence[Block]: ...

    @property
    def signal_variance(self) -> float:
        """Of the function at full accuracy: the unit of round-off."""

    def noise(self, z: Array) -> Array:
        """(n,) -> (n,): variance by which an observation at a fidelity scatters."""

    def information_gap(self, z: Array) -> Array:
        """(m,) -> (m,): xi(z) of [Kandasamy2017], how little a fidelity tells of full accuracy; 0 there."""

    def to_logs(self) -> Array:
        """(p,)."""

    def log_gradient(self, z: Array, by_block: Sequence[BlockGradient], by_noise: Array) -> Array:
        """Gradient (p,) in the logarithms of the hyperparameters of a function of the covariance of the data.

        ``by_noise`` (n,) holds its derivatives in the diagonal.
        """


@dataclass(frozen=True)
class BlockGradient:
    """Derivatives of a function of the covariance of the data, by one block."""

    by_fidelity: Array  # (n, n) in the fidelity's part of the covariance
    by_log_lengths: Array  # (d,)
    by_log_evenness: float  # 0 where it is infinite


def design_kernel(
    x: Array,  # (m, d)
    x_data: Array,  # (n, d)
    length_scales: Array,  # (d,)
    evenness: float = math.inf,  # alpha
) -> Array:  # (m, n)
    """Rational quadratic over designs with one length scale per column, 1 on the diagonal.

    ``(1 + r^2 / 2 alpha)^-alpha``: functions that change at several scales at once, a mixture of squared exponentials
    of different length; one of them, ``exp(-r^2 / 2)``, where alpha is infinite.
    """
    squared = squared_distances(x, x_data, length_scales)
    if math.isinf(evenness):
        squared *= -0.5
    else:
        squared *= 0.5 / evenness
        np.log1p(squared, out=squared)
        squared *= -evenness
    return np.exp(squared, out=squared)


def squared_distances(x: Array, x_data: Array, length_scales: Array) -> Array:  # (m, d), (n, d), (d,) -> (m, n)
    """In length scales."""
    scaled, scaled_data = x / length_scales, x_data / length_scales
    squared = (scaled**2).sum(axis=1)[:, None] + (scaled_data**2).sum(axis=1)
    squared -= 2.0 * scaled @ scaled_data.T
    return np.maximum(squared, 0.0, out=squared)


def covariance(kernel: Kernel, x: Array, z: Array) -> Array:  # (n, d), (n,) -> (n, n)
    """Of the values at the data, without noise."""
    total = np.zeros((len(z), len(z)))
    for each in kernel.blocks:
        part = each.design_kernel(x, x)
        part *= each.fidelity.covariance(z, z)
        total += part
    return total


def settled(z: Array, settling: float) -> Array:
    """``1 - (1 - z)^a`` for fidelities in [0, 1]: where a simulator has converged, more fidelity changes little."""
    return 1.0 - (1.0 - z) ** settling
