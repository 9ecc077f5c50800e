"""Drawn functions: distributed as the exact posterior at the target fidelity."""

import numpy as np
import pytest
from kernels import joint_posterior

from imoca.models.additive_levels import AdditiveLevels
from imoca.models.fading import KnobFading, SourceFading
from imoca.models.gp import GaussianProcess
from imoca.models.kernel import Kernel
from imoca.models.paths import cosines_and_sines, draw_paths
from imoca.models.product import ProductKernel
from imoca.models.truth_and_error import Error, TruthAndError

LENGTHS = np.array([0.3, 0.5])
KNOB = Error(KnobFading(), np.log([2.0]), np.array([0.8, 0.4]), 0.5, 0.1)
SOURCES = tuple(Error(SourceFading(s, 3), np.empty(0), LENGTHS, 0.3, 0.0) for s in range(2))
KERNELS: dict[str, Kernel] = {
    "product": ProductKernel(LENGTHS, 1.2, 1.5, 1e-4, settling=3.0),
    "truth and error": TruthAndError(LENGTHS, 1.5, 0.8, (KNOB,), 0.05, 1e-4, np.empty(0)),
    "sources": TruthAndError(LENGTHS, 1.5, 2.0, SOURCES, 0.05, 1e-4, np.array([0.7, 1.3])),
    "additive levels": AdditiveLevels(3, LENGTHS, np.array([0.8, 0.4]), 1.0, 0.3, 1e-4),
}


def process_of(name: str, rng: np.random.Generator) -> GaussianProcess:
    z = rng.random(20) if name in ("product", "truth and error") else rng.integers(0, 3, 20) / 2
    x, values, told_noise = rng.random((20, 2)), rng.standard_normal(20), np.where(np.arange(20) < 10, 0.3, 0.0)
    return GaussianProcess.condition(x, z, values, KERNELS[name], told_noise)


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_draws_have_the_mean_and_variance_of_the_exact_posterior(name: str, rng: np.random.Generator) -> None:
    process, x = process_of(name, rng), rng.random((6, 2))
    # Many sets with frequencies of their own: the error of the features averages out, only Monte Carlo noise is left.
    draws = np.concatenate([draw_paths(process, 10, rng)(x) for _ in range(400)], axis=1)
    mean, covariance = joint_posterior(process, x, np.ones(6))
    variance = covariance.diagonal()
    standard_error = np.sqrt(variance / draws.shape[1])
    assert (np.abs(draws.mean(axis=1) - mean) < 4.0 * standard_error + 1e-3).all()
    np.testing.assert_allclose(draws.var(axis=1), variance, rtol=0.12)


def test_draws_pass_through_noiseless_data_at_the_target(rng: np.random.Generator) -> None:
    x, values = rng.random((12, 2)), rng.standard_normal(12)
    scales = ProductKernel(np.array([0.3, 0.3]), 1.0, 1.0, 1e-10)
    process = GaussianProcess.condition(x, np.ones(12), values, scales)
    draws = draw_paths(process, 5, rng)(x)
    np.testing.assert_allclose(draws, np.tile(values[:, None], 5), atol=1e-3)


@pytest.mark.parametrize("name", KERNELS)
def test_values_and_gradients_of_own_draws_match_the_joint_evaluation_and_finite_differences(
    name: str, rng: np.random.Generator
) -> None:
    process = process_of(name, rng)
    paths, x, which = draw_paths(process, 4, rng), rng.random((4, 2)), np.arange(4)
    values, gradient = paths.own_values(x, which)
    np.testing.assert_allclose(values, paths(x).diagonal(), atol=1e-10)
    step = 1e-6
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (paths(x + shift) - paths(x - shift)).diagonal() / (2 * step)
        np.testing.assert_allclose(gradient[:, column], numeric, atol=1e-5)


def test_far_from_the_data_draws_spread_as_the_prior_and_at_noisy_data_as_the_posterior(
    rng: np.random.Generator,
) -> None:
    """The spread over many draws; frequencies are shared by a set, so that several sets are drawn."""
    scales = ProductKernel(np.array([0.3, 0.5]), 1.2, 1.5, 0.2, settling=3.0)
    x, z, values = rng.random((6, 2)), np.array([0.1, 0.9, 0.3, 1.0, 0.0, 0.6]), rng.standard_normal(6)
    process = GaussianProcess.condition(x, z, values, scales)
    queries = np.concatenate([x[:2], [[9.0, 9.0]]])
    draws = np.concatenate([draw_paths(process, 400, rng)(queries) for _ in range(10)], axis=1)
    mean, variance = process.mean_and_variance_at_target(queries)
    np.testing.assert_allclose(variance[2], 1.5)
    # The variance of n draws has a relative standard error of sqrt(2 / n): 2 % of 4000; five of them, and as much again
    # for the features, of which ten sets of 256 are used.
    np.testing.assert_allclose(draws.var(axis=1), variance, rtol=0.2)
    assert (np.abs(draws.mean(axis=1) - mean) < 5.0 * np.sqrt(variance / 4000) + 0.02).all()


def test_cosines_and_sines_are_exact_to_round_off_at_every_angle(rng: np.random.Generator) -> None:
    """Also where the tangent of half of it has its poles, and far out."""
    poles = np.pi * np.arange(-50, 51)
    angles = np.concatenate([poles, poles + 1e-9, poles / 2.0, [0.0, 1e-300, 1e8], 30.0 * rng.standard_normal(1000)])
    found = cosines_and_sines(angles[None])
    assert found[0] == pytest.approx(np.concatenate([np.cos(angles), np.sin(angles)]), abs=1e-15)
