"""Draws of whole functions at the target level from an additive multi-level process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.additive_fidelity import AdditiveProcess
from imoca.models.paths import N_FREQUENCIES, Paths


@dataclass(frozen=True)
class SummedPaths:
    """S functions, each the sum of a draw of the lowest level and of the errors above it."""

    base: Paths
    error: Paths

    @property
    def n_paths(self) -> int:
        return self.base.n_paths

    def __call__(self, x: Array) -> Array:  # (n, d) -> (n, S)
        return self.base(x) + self.error(x)

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        base, error = self.base.own_values(x, path), self.error.own_values(x, path)
        return base[0] + error[0], base[1] + error[1]


def draw_additive_paths(process: AdditiveProcess, n_paths: int, rng: np.random.Generator) -> SummedPaths:
    """``n_paths`` draws of the function at the target level, by pathwise conditioning [Wilson2020]."""
    scales, target = process.scales, process.n_levels - 1
    base_frequencies, error_frequencies = (
        rng.standard_normal((N_FREQUENCIES, process.x.shape[1])) / lengths
        for lengths in (scales.length_scales, scales.error_length_scales)
    )
    base_prior, *steps = (
        np.sqrt(variance / N_FREQUENCIES) * rng.standard_normal((2 * N_FREQUENCIES, n_paths))
        for variance in [scales.signal_variance] + target * [scales.error_variance]
    )
    error_prior = np.cumsum([np.zeros_like(base_prior), *steps], axis=0)  # (M, 2F, S) of every level

    prior_at_data = _features(process.x, base_frequencies) @ base_prior
    at_levels = _features(process.x, error_frequencies) @ error_prior  # (M, N, S)
    prior_at_data += at_levels[process.levels, np.arange(len(process.x))]
    noise = np.sqrt(scales.noise_variance) * rng.standard_normal(prior_at_data.shape)
    residual = process.values[:, None] - prior_at_data - noise
    solved = process.inverse_factor.T @ (process.inverse_factor @ residual)
    still = np.zeros(N_FREQUENCIES)
    base_update = scales.signal_variance * solved
    error_update = scales.error_variance * process.levels[:, None] * solved  # min(level, target) = level
    return SummedPaths(
        Paths(process.x, scales.length_scales, base_frequencies, still, base_prior, base_update),
        Paths(process.x, scales.error_length_scales, error_frequencies, still, error_prior[-1], error_update),
    )


def _features(x: Array, frequencies: Array) -> Array:  # (n, 2F)
    angles = x @ frequencies.T
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
