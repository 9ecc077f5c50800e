"""Draws of whole functions from a CF-GP posterior at the target fidelity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.gp import Z_TARGET, GaussianProcess
from imoca.models.kernel import design_kernel, fidelity_kernel, settled

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
class Paths:
    """S functions of the design, each ``features(x) @ prior + kernel(x) @ update``.

    Pathwise conditioning [Wilson2020]: a draw from the prior by random Fourier features, plus the kernel
    correction that makes it pass through the data. Departure from [Belakaria2020], which draws the weights of the
    features from their posterior: such draws lose variance as data accumulate. The S draws share their
    frequencies (not their weights), so that one evaluation of the features serves them all.
    """

    x_data: Array  # (N, d) designs observed
    length_scales: Array  # (d,)
    frequencies: Array  # (M, d) of the design columns
    phases: Array  # (M,) the constant contribution of z*
    prior: Array  # (2M, S)
    update: Array  # (N, S)

    @property
    def n_paths(self) -> int:
        return int(self.prior.shape[1])

    def __call__(self, x: Array) -> Array:  # (n, d) -> (n, S)
        """All draws at all designs."""
        features, kernel, _ = self._features(x)
        return features @ self.prior + kernel @ self.update

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        """Value (n,) and gradient (n, d) of one draw per design: design i is evaluated on draw ``path[i]``."""
        features, kernel, angles = self._features(x)
        prior, update = self.prior[:, path].T, self.update[:, path].T  # (n, 2M), (n, N)
        values = (features * prior).sum(axis=1) + (kernel * update).sum(axis=1)
        half = angles.shape[1]
        turned = features[:, :half] * prior[:, half:] - features[:, half:] * prior[:, :half]
        pull = kernel * update
        by_kernel = (pull @ self.x_data - pull.sum(axis=1)[:, None] * x) / self.length_scales**2
        return values, turned @ self.frequencies + by_kernel

    def _features(self, x: Array) -> tuple[Array, Array, Array]:
        angles = x @ self.frequencies.T + self.phases
        features = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
        kernel = design_kernel(x, self.x_data, self.length_scales)
        return features, kernel, angles


def draw_paths(gp: GaussianProcess, n_paths: int, rng: np.random.Generator) -> Paths:
    """``n_paths`` draws of f(x) = g(x, z*) from the posterior."""
    scales = gp.hyperparameters
    frequencies = rng.standard_normal((N_FREQUENCIES, gp.x.shape[1])) / scales.length_scales
    fidelity_frequencies = rng.standard_normal(N_FREQUENCIES) / scales.fidelity_scale
    amplitude = np.sqrt(scales.signal_variance / N_FREQUENCIES)
    prior = amplitude * rng.standard_normal((2 * N_FREQUENCIES, n_paths))

    angles = gp.x @ frequencies.T + np.outer(settled(gp.z, scales.settling), fidelity_frequencies)
    prior_at_data = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) @ prior
    noise = np.sqrt(scales.noise_variance) * rng.standard_normal(prior_at_data.shape)
    residual = gp.values[:, None] - prior_at_data - noise
    solved = gp.inverse_factor.T @ (gp.inverse_factor @ residual)
    # Only the target fidelity is ever evaluated, so its part of the kernel and of the angles is fixed here.
    to_target = fidelity_kernel(np.array([Z_TARGET]), gp.z, scales)[0]
    update = scales.signal_variance * to_target[:, None] * solved
    return Paths(gp.x, scales.length_scales, frequencies, Z_TARGET * fidelity_frequencies, prior, update)
