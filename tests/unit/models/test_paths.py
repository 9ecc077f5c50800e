"""Drawn functions: distributed as the exact posterior at the target fidelity."""

import numpy as np
import pytest

from imoca.models.gp import GaussianProcess
from imoca.models.kernel import Hyperparameters
from imoca.models.paths import draw_paths


@pytest.fixture
def process(rng: np.random.Generator) -> GaussianProcess:
    scales = Hyperparameters(np.array([0.3, 0.5]), 1.2, 1.5, 1e-4, settling=3.0)
    return GaussianProcess.condition(rng.random((20, 2)), rng.random(20), rng.standard_normal(20), scales)


@pytest.mark.slow
def test_draws_have_the_mean_and_variance_of_the_exact_posterior(
    process: GaussianProcess, rng: np.random.Generator
) -> None:
    x = rng.random((6, 2))
    # Many sets with frequencies of their own: the error of the features averages out, only Monte Carlo noise is left.
    draws = np.concatenate([draw_paths(process, 10, rng)(x) for _ in range(400)], axis=1)
    mean, variance = process.mean_and_variance_at_target(x)
    standard_error = np.sqrt(variance / draws.shape[1])
    assert (np.abs(draws.mean(axis=1) - mean) < 4.0 * standard_error + 1e-3).all()
    np.testing.assert_allclose(draws.var(axis=1), variance, rtol=0.12)


def test_draws_pass_through_noiseless_data_at_the_target(rng: np.random.Generator) -> None:
    x, values = rng.random((12, 2)), rng.standard_normal(12)
    scales = Hyperparameters(np.array([0.3, 0.3]), 1.0, 1.0, 1e-10)
    process = GaussianProcess.condition(x, np.ones(12), values, scales)
    draws = draw_paths(process, 5, rng)(x)
    np.testing.assert_allclose(draws, np.tile(values[:, None], 5), atol=1e-3)


def test_values_and_gradients_of_own_draws_match_the_joint_evaluation_and_finite_differences(
    process: GaussianProcess, rng: np.random.Generator
) -> None:
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
    scales = Hyperparameters(np.array([0.3, 0.5]), 1.2, 1.5, 0.2, settling=3.0)
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
