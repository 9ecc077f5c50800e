"""Doubt at full accuracy: mixtures by Monte Carlo, and what runs there make of the prior."""

import numpy as np
import pytest
from kernels import joint_posterior
from scipy.optimize import brentq
from scipy.stats import norm

from imoca.models.dataset import OutputData
from imoca.models.doubt import (
    FACTOR_PRIOR,
    FACTORS,
    FEWEST_ALONE,
    FITTED_ALONE,
    OFFSET_PRIOR,
    Doubt,
    by_fitting,
    doubt_of,
    left_out_misses,
    log_score,
    may_mislead,
)
from imoca.models.fading import KnobFading
from imoca.models.gp import GaussianProcess
from imoca.models.truth_and_error import Error, TruthAndError

KNOB = Error(KnobFading(), np.zeros(1), np.array([0.5]), 0.05, 1e-4)
KERNEL = TruthAndError(np.array([0.3]), 1.0, 10.0, (KNOB,), 1e-4, 1e-5, np.empty(0))
DOUBT = Doubt(np.array([0.5, 2.0]), np.array([0.0, 0.3]), np.array([0.7, 0.3]))


def cheap_process(rng: np.random.Generator, full_offset: float | None = None, n_full: int = 4) -> GaussianProcess:
    """Cheap runs of a smooth function; with an offset some runs at full accuracy, so far from where they point."""
    x = np.linspace(0.0, 1.0, 20)[:, None]
    z, values = np.zeros(20), np.sin(5.0 * x[:, 0])
    if full_offset is not None:
        at = np.array([[0.1], [0.37], [0.61], [0.88]])[:n_full]
        signs = np.array([1.0, -1.0, 1.0, -1.0])[:n_full]
        x, z = np.concatenate([x, at]), np.concatenate([z, np.ones(n_full)])
        values = np.concatenate([values, np.sin(5.0 * at[:, 0]) + full_offset * signs])
    return GaussianProcess.condition(x, z, values, KERNEL)


def test_an_interval_holds_the_share_of_a_mixture_that_it_says(rng: np.random.Generator) -> None:
    variance = np.array([0.04, 1.0])
    picked = rng.choice(2, size=200_000, p=DOUBT.weights)
    for probability in (0.5, 0.9):
        half = DOUBT.half_widths(variance, probability)
        for i in range(2):
            deviations = np.sqrt(DOUBT.factors**2 * variance[i] + DOUBT.offsets**2)
            drawn = deviations[picked] * rng.standard_normal(len(picked))
            assert np.mean(np.abs(drawn) <= half[i]) == pytest.approx(probability, abs=0.005)  # five standard errors


def test_without_doubt_an_interval_is_that_of_the_normal_distribution() -> None:
    sure = Doubt(np.ones(1), np.zeros(1), np.ones(1))
    np.testing.assert_allclose(sure.half_widths(np.array([4.0]), 0.9), norm.ppf(0.95) * 2.0)


@pytest.mark.parametrize("weights", [[0.95, 0.05, 0.0], [0.5, 0.3, 0.2], [0.0, 0.0, 1.0]])
def test_an_interval_is_found_where_the_scales_of_a_mixture_are_far_apart(weights: list[float]) -> None:
    doubt = Doubt(np.array([0.7, 1.0, 1.0]), np.array([0.0, 0.01, 1.0]), np.array(weights))
    deviations = np.array([0.7e-6, 0.01, 1.0])
    for probability in (0.68, 0.9):

        def lacking(width: float, probability: float = probability) -> float:
            return float((norm.cdf(width / deviations) - norm.cdf(-width / deviations)) @ weights - probability)

        expected = brentq(lacking, 1e-9, 10.0, xtol=1e-15, rtol=1e-12)
        np.testing.assert_allclose(doubt.half_widths(np.array([1e-12]), probability), expected, rtol=1e-6)


def test_an_observation_left_out_misses_by_what_the_others_predict(rng: np.random.Generator) -> None:
    process = cheap_process(rng, 0.2)
    misses, variances = left_out_misses(process)
    for i in (0, 7, 22):
        others = np.arange(len(process.x)) != i
        left = GaussianProcess.condition(process.x[others], process.z[others], process.values[others], KERNEL)
        mean, covariance = joint_posterior(left, process.x[i : i + 1], process.z[i : i + 1])
        assert misses[i] == pytest.approx(process.values[i] - mean[0], abs=1e-6)
        assert variances[i] == pytest.approx(covariance[0, 0] + KERNEL.noise(process.z[i : i + 1])[0], rel=1e-3)


def test_nothing_at_full_accuracy_leaves_the_prior(rng: np.random.Generator) -> None:
    process = cheap_process(rng)
    doubt = doubt_of(process, has_knob=True)
    np.testing.assert_allclose(np.unique(as_guessed(doubt, process).round(9)), FACTORS)
    assert doubt.factors.max() > FACTORS.max()
    np.testing.assert_allclose(doubt.weights, np.outer(FACTOR_PRIOR, OFFSET_PRIOR).ravel())
    assert doubt.weights.sum() == pytest.approx(1.0)


def test_runs_at_full_accuracy_that_agree_shrink_the_bars_and_such_that_do_not_widen_them(
    rng: np.random.Generator,
) -> None:
    variance = np.array([0.01])
    before, agreed, differed = (
        float(doubt_of(cheap_process(rng, offset), has_knob=True).half_widths(variance, 0.9)[0])
        for offset in (None, 0.0, 0.8)
    )
    assert agreed < before / 2.0
    assert differed > 0.8


def as_guessed(doubt: Doubt, process: GaussianProcess) -> np.ndarray:
    """The factors before they are stretched for having been fitted."""
    return doubt.factors / by_fitting(*process.x.shape)


@pytest.mark.parametrize(("n", "d"), [(30, 8), (14, 2), (200, 4)])
def test_a_model_is_too_sure_by_what_a_regression_with_as_many_coefficients_is(
    n: int, d: int, rng: np.random.Generator
) -> None:
    """Residuals of least squares, fitted to noise alone."""
    columns, noise = rng.standard_normal((n, d + FITTED_ALONE)), rng.standard_normal((n, 4000))
    residuals = noise - columns @ np.linalg.lstsq(columns, noise, rcond=None)[0]
    assert by_fitting(n, d) == pytest.approx(1.0 / np.sqrt(np.mean(residuals**2)), rel=0.01)


def test_of_fewer_observations_than_are_needed_a_model_is_twice_too_sure() -> None:
    assert by_fitting(5, 33) == by_fitting(36, 33) == pytest.approx(2.0)


def test_the_posterior_of_the_grid_is_that_of_bayes_rule(rng: np.random.Generator) -> None:
    process = cheap_process(rng, 0.1)
    doubt, misses = doubt_of(process, has_knob=True), left_out_misses(process)
    deviations = np.sqrt(as_guessed(doubt, process) ** 2 * misses[1][20:, None] + doubt.offsets**2)
    joint = np.outer(FACTOR_PRIOR, OFFSET_PRIOR).ravel() * norm.pdf(misses[0][20:, None], scale=deviations).prod(axis=0)
    np.testing.assert_allclose(doubt.weights, joint / joint.sum(), rtol=1e-6)


@pytest.mark.parametrize("n_full", [1, 2, 3])
def test_one_or_two_runs_at_full_accuracy_count_for_a_third_or_two_of_what_they_say(
    n_full: int, rng: np.random.Generator
) -> None:
    process = cheap_process(rng, 0.0, n_full)
    doubt, misses = doubt_of(process, has_knob=True), left_out_misses(process)
    deviations = np.sqrt(as_guessed(doubt, process) ** 2 * misses[1][20:, None] + doubt.offsets**2)
    likelihood = norm.pdf(misses[0][20:, None], scale=deviations).prod(axis=0)
    joint = np.outer(FACTOR_PRIOR, OFFSET_PRIOR).ravel() * likelihood ** (n_full / 3.0)
    np.testing.assert_allclose(doubt.weights, joint / joint.sum(), rtol=1e-6)


def test_a_simulator_without_a_knob_has_no_offset(rng: np.random.Generator) -> None:
    process = cheap_process(rng, 0.8)
    doubt = doubt_of(process, has_knob=False)
    np.testing.assert_allclose(as_guessed(doubt, process), FACTORS)
    assert doubt.factors.max() > FACTORS.max()
    assert (doubt.offsets == 0.0).all()
    np.testing.assert_allclose(doubt.weights, FACTOR_PRIOR)


@pytest.mark.parametrize("is_log", [False, True])
def test_the_score_of_full_runs_is_their_density_given_all_others(is_log: bool, rng: np.random.Generator) -> None:
    process = cheap_process(rng, full_offset=0.2)
    data = OutputData(process.x, process.z, process.values, -1.0, 0.7, 2.5, process.told_noise, is_log)
    expected = 0.0
    for i in np.flatnonzero(process.z == 1.0):
        others = np.arange(len(process.z)) != i
        left = GaussianProcess.condition(process.x[others], process.z[others], process.values[others], KERNEL)
        mean, variance = left.mean_and_variance_at_target(process.x[i : i + 1])
        density = norm(mean[0], np.sqrt(variance[0] + left.noise_at_target)).logpdf(process.values[i]) - np.log(2.5)
        seen = float(data.to_user(process.values[i : i + 1])[0])
        expected += density - (np.log(seen) if is_log else 0.0)  # per unit of what the simulator returns
    assert log_score(data, process) == pytest.approx(expected, rel=1e-6)


def test_cheap_runs_may_mislead_where_several_full_ones_are_not_what_they_say(rng: np.random.Generator) -> None:
    assert not may_mislead(cheap_process(rng, full_offset=0.0))
    contrary = cheap_process(rng, full_offset=3.0)
    assert may_mislead(contrary)
    few = np.arange(len(contrary.x)) < 20 + FEWEST_ALONE - 1
    assert not may_mislead(GaussianProcess.condition(contrary.x[few], contrary.z[few], contrary.values[few], KERNEL))
    full = contrary.z == 1.0  # there is nothing to leave out
    assert not may_mislead(GaussianProcess.condition(contrary.x[full], contrary.z[full], contrary.values[full], KERNEL))
