"""Every kernel of the house by plain loops: what the code computes by arrays and latent functions, number by number."""

from __future__ import annotations

import math

import numpy as np

from imoca.models.additive_levels import AdditiveLevels
from imoca.models.fading import KnobFading, LevelFading, SourceFading
from imoca.models.gp import JITTERS, GaussianProcess
from imoca.models.kernel import Kernel
from imoca.models.product import ProductKernel
from imoca.models.smooth import Smooth
from imoca.models.truth_and_error import Error, TruthAndError


def rational(a: np.ndarray, b: np.ndarray, length_scales: np.ndarray, evenness: float) -> float:
    squared = sum(((p - q) / length) ** 2 for p, q, length in zip(a, b, length_scales, strict=True))
    return float((1.0 + squared / (2.0 * evenness)) ** -evenness)


def gaussian(a: np.ndarray, b: np.ndarray, length_scales: np.ndarray) -> float:
    return math.exp(-0.5 * sum(((p - q) / length) ** 2 for p, q, length in zip(a, b, length_scales, strict=True)))


def error_weight(error: Error, z: np.ndarray) -> float:
    """w, from the definition of each kind."""
    fading = error.fading
    if isinstance(fading, KnobFading):
        return float((1.0 - z) ** math.exp(error.parameters[0]))
    if isinstance(fading, LevelFading):
        every = range(fading.n_levels) if fading.level_of is None else fading.level_of
        level = every[round(float(z) * (len(every) - 1))]
        if level == fading.n_levels - 1:
            return 0.0
        return math.prod(math.exp(ratio) for ratio in error.parameters[:level])
    assert isinstance(fading, SourceFading)
    return 1.0 if round(float(z) * (fading.n_sources - 1)) == fading.source else 0.0


def truth_weight(kernel: TruthAndError, z: np.ndarray) -> float:
    n = len(kernel.ratios)
    return 1.0 if not n else float([*kernel.ratios, 1.0][round(float(z) * n)])


def between(kernel: Kernel, x1: np.ndarray, z1: np.ndarray, x2: np.ndarray, z2: np.ndarray) -> float:
    """Covariance of g(x1, z1) and g(x2, z2)."""
    if isinstance(kernel, Smooth):
        return kernel.signal_variance * gaussian(x1, x2, kernel.length_scales)
    if isinstance(kernel, ProductKernel):
        apart = (1.0 - z2) ** kernel.settling - (1.0 - z1) ** kernel.settling
        return float(
            kernel.signal_variance
            * gaussian(x1, x2, kernel.length_scales)
            * math.exp(-0.5 * float(apart / kernel.fidelity_scale) ** 2)
        )
    if isinstance(kernel, AdditiveLevels):
        levels = min(round(float(z) * (kernel.n_levels - 1)) for z in (z1, z2))
        steps = levels * kernel.error_variance * gaussian(x1, x2, kernel.error_length_scales)
        return kernel.lowest_variance * gaussian(x1, x2, kernel.length_scales) + steps
    assert isinstance(kernel, TruthAndError)
    shared = truth_weight(kernel, z1) * truth_weight(kernel, z2)
    total = kernel.signal_variance * shared * rational(x1, x2, kernel.length_scales, kernel.evenness)
    for error in kernel.errors:
        w1, w2 = error_weight(error, z1), error_weight(error, z2)
        bend = error.bend_variance * 16.0 * w1 * (1.0 - w1) * w2 * (1.0 - w2)
        total += (error.variance * w1 * w2 + bend) * gaussian(x1, x2, error.length_scales)
    return total


def scatter(kernel: Kernel, z: np.ndarray) -> float:
    """Noise variance of an observation at z."""
    if isinstance(kernel, TruthAndError):
        squares = sum(error_weight(error, z) ** 2 for error in kernel.errors)
        return kernel.noise_variance + kernel.scatter_variance * squares
    assert isinstance(kernel, ProductKernel | AdditiveLevels | Smooth)
    return kernel.noise_variance


def matrix(kernel: Kernel, x1: np.ndarray, z1: np.ndarray, x2: np.ndarray, z2: np.ndarray) -> np.ndarray:
    return np.array(
        [[between(kernel, a, p, b, q) for b, q in zip(x2, z2, strict=True)] for a, p in zip(x1, z1, strict=True)]
    )


def noisy_matrix(kernel: Kernel, x: np.ndarray, z: np.ndarray, told_noise: np.ndarray | None = None) -> np.ndarray:
    noise = [scatter(kernel, each) + JITTERS[0] * kernel.signal_variance for each in z]
    told = np.zeros(len(z)) if told_noise is None else told_noise
    return matrix(kernel, x, z, x, z) + np.diag(noise) + np.diag(told)


def joint_posterior(process: GaussianProcess, x: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (m,) and covariance (m, m) of g at m pairs, by solving with the whole covariance matrix."""
    rows = matrix(process.kernel, x, z, process.x, process.z)
    solved = np.linalg.solve(noisy_matrix(process.kernel, process.x, process.z, process.told_noise), rows.T)
    return solved.T @ process.values, matrix(process.kernel, x, z, x, z) - rows @ solved
