"""Draws of whole functions from a posterior at the target fidelity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.gp import Z_TARGET, GaussianProcess
from imoca.models.kernel import TARGET_FIDELITY, Block, WeightedFunctions, settled

N_FREQUENCIES = 256  # each gives a cosine and a sine feature


class Draws(Protocol):
    """S drawn functions of the design."""

    @property
    def n_paths(self) -> int: ...

    def __call__(self, x: Array) -> Array:
        """(n, d) -> (n, S): all draws at all designs."""

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        """Value (n,) and gradient (n, d) of one draw per design: design i is evaluated on draw ``path[i]``."""


@dataclass(frozen=True)
class BlockPaths:
    """One block's share of S functions of the design, each ``features(x) @ prior + kernel(x) @ update``."""

    x_data: Array  # (N, d) designs observed
    block: Block
    frequencies: Array  # (M, d) of the design columns
    phases: Array  # (M,) the constant contribution of z*
    prior: Array  # (2M, S)
    update: Array  # (N, S)

    def __call__(self, x: Array) -> Array:  # (n, d) -> (n, S)
        features, kernel = self._features(x)
        return features @ self.prior + kernel @ self.update

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        features, kernel = self._features(x)
        prior, update = self.prior[:, path].T, self.update[:, path].T  # (n, 2M), (n, N)
        values = (features * prior).sum(axis=1) + (kernel * update).sum(axis=1)
        half = len(self.phases)
        turned = features[:, :half] * prior[:, half:] - features[:, half:] * prior[:, :half]
        pull = self.block.pull(kernel) * update
        by_kernel = (pull @ self.x_data - pull.sum(axis=1)[:, None] * x) / self.block.length_scales**2
        return values, turned @ self.frequencies + by_kernel

    def _features(self, x: Array) -> tuple[Array, Array]:
        return cosines_and_sines(x @ self.frequencies.T + self.phases), self.block.design_kernel(x, self.x_data)


@dataclass(frozen=True)
class Paths:
    """S functions of the design, sums of the shares of the blocks that full accuracy is made of.

    Pathwise conditioning [Wilson2020]: a draw from the prior by random Fourier features, plus the kernel
    correction that makes it pass through the data. Departure from [Belakaria2020], which draws the weights of the
    features from their posterior: such draws lose variance as data accumulate. The S draws share their
    frequencies (not their weights), so that one evaluation of the features serves them all.
    """

    blocks: tuple[BlockPaths, ...]

    @property
    def n_paths(self) -> int:
        return int(self.blocks[0].prior.shape[1])

    def __call__(self, x: Array) -> Array:  # (n, d) -> (n, S)
        """All draws at all designs."""
        return np.sum([block(x) for block in self.blocks], axis=0)

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        """Value (n,) and gradient (n, d) of one draw per design: design i is evaluated on draw ``path[i]``."""
        parts = [block.own_values(x, path) for block in self.blocks]
        return np.sum([values for values, _ in parts], axis=0), np.sum([gradient for _, gradient in parts], axis=0)


@dataclass(frozen=True)
class PriorDraw:
    """S draws from the prior of one block."""

    frequencies: Array  # (M, d)
    phases: Array  # (M,) at full accuracy
    weights: Array  # (2M, S) of the features at full accuracy
    at_data: Array  # (N, S)


def draw_paths(gp: GaussianProcess, n_paths: int, rng: np.random.Generator) -> Paths:
    """``n_paths`` draws of f(x) = g(x, z*) from the posterior."""
    blocks = gp.kernel.blocks
    draws = [_draw_prior(block, gp.x, gp.z, n_paths, rng) for block in blocks]
    at_data = np.sum([draw.at_data for draw in draws], axis=0)
    noise = np.sqrt(gp.kernel.noise(gp.z) + gp.told_noise)[:, None] * rng.standard_normal(at_data.shape)
    solved = gp.inverse_factor.T @ (gp.inverse_factor @ (gp.values[:, None] - at_data - noise))
    paths = []
    for block, draw in zip(blocks, draws, strict=True):
        # Only the target fidelity is ever evaluated, so its part of the kernel and of the angles is fixed here.
        to_target = block.fidelity.covariance(TARGET_FIDELITY, gp.z)[0]
        if draw.weights.any():  # an error is no part of full accuracy
            update = to_target[:, None] * solved
            paths.append(BlockPaths(gp.x, block, draw.frequencies, draw.phases, draw.weights, update))
    return Paths(tuple(paths))


def _draw_prior(block: Block, x: Array, z: Array, n_paths: int, rng: np.random.Generator) -> PriorDraw:
    frequencies = rng.standard_normal((N_FREQUENCIES, x.shape[1])) / block.length_scales
    if not math.isinf(block.evenness):  # a mixture of squared exponentials, by their squared frequencies
        frequencies *= np.sqrt(rng.gamma(block.evenness, 1.0 / block.evenness, size=(N_FREQUENCIES, 1)))
    angles = x @ frequencies.T
    if isinstance(block.fidelity, WeightedFunctions):
        weights_at_data = block.fidelity.weights(z)  # (N, R)
        weights_at_target = block.fidelity.weights(TARGET_FIDELITY)[0]
        features, phases = cosines_and_sines(angles), np.zeros(N_FREQUENCIES)
        at_data, weights = np.zeros((len(x), n_paths)), np.zeros((2 * N_FREQUENCIES, n_paths))
        for r, variance in enumerate(block.fidelity.variances):
            drawn = np.sqrt(variance / N_FREQUENCIES) * rng.standard_normal(weights.shape)
            at_data += weights_at_data[:, r, None] * (features @ drawn)
            weights += weights_at_target[r] * drawn
        return PriorDraw(frequencies, phases, weights, at_data)
    fidelity_frequencies = rng.standard_normal(N_FREQUENCIES) / block.fidelity.scale
    weights = np.sqrt(block.fidelity.variance / N_FREQUENCIES) * rng.standard_normal((2 * N_FREQUENCIES, n_paths))
    angles += np.outer(settled(z, block.fidelity.settling), fidelity_frequencies)
    return PriorDraw(frequencies, Z_TARGET * fidelity_frequencies, weights, cosines_and_sines(angles) @ weights)


def cosines_and_sines(angles: Array) -> Array:  # (n, M) -> (n, 2M)
    """Cosines, then sines, by the tangent of half the angle: NumPy has that vectorised, and takes 13 ns for a cosine.

    With t = tan(a / 2) and w = 2 / (1 + t^2): cos a = w - 1, sin a = t w. Exact to round-off for every angle.
    """
    features = np.empty((len(angles), 2 * angles.shape[1]))
    cosines, sines = features[:, : angles.shape[1]], features[:, angles.shape[1] :]
    np.multiply(angles, 0.5, out=sines)
    np.tan(sines, out=sines)
    np.multiply(sines, sines, out=cosines)
    cosines += 1.0
    np.divide(2.0, cosines, out=cosines)
    sines *= cosines
    cosines -= 1.0
    return features
