"""The additive multi-level process: posterior, fit and draws, each by another route."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from imoca.arrays import Array
from imoca.models.additive_fidelity import AdditiveProcess, AdditiveScales
from imoca.models.additive_fitting import additive_negative_log_posterior, additive_prior_logs, fit_additive
from imoca.models.additive_paths import draw_additive_paths
from imoca.models.gp import JITTERS
from imoca.models.kernel import design_kernel

SCALES = AdditiveScales(np.array([0.3, 0.5]), np.array([0.8, 0.4]), 1.2, 0.3, 1e-4)


def covariance(x: np.ndarray, levels: np.ndarray, scales: AdditiveScales) -> np.ndarray:
    """Every level is the one below plus an independent error: built up level by level."""
    answer = scales.signal_variance * design_kernel(x, x, scales.length_scales)
    for level in range(1, int(levels.max()) + 1):
        reaches = (levels >= level).astype(float)
        error = scales.error_variance * design_kernel(x, x, scales.error_length_scales)
        answer = answer + np.outer(reaches, reaches) * error
    return answer


@pytest.fixture
def process(rng: np.random.Generator) -> AdditiveProcess:
    return AdditiveProcess.condition(
        rng.random((15, 2)), rng.integers(0, 3, 15), rng.standard_normal(15), n_levels=3, scales=SCALES
    )


def test_scales_survive_their_logarithms() -> None:
    back = AdditiveScales.from_logs(SCALES.to_logs())
    np.testing.assert_allclose(back.to_logs(), SCALES.to_logs())
    np.testing.assert_allclose(back.error_length_scales, SCALES.error_length_scales)


def test_moments_match_conditioning_the_joint_gaussian(process: AdditiveProcess, rng: np.random.Generator) -> None:
    x = rng.random((4, 2))
    moments = process.moments(x)
    for i in range(4):
        joint_x = np.vstack([process.x, np.tile(x[i], (3, 1))])
        joint = covariance(joint_x, np.concatenate([process.levels, np.arange(3)]), SCALES)
        noisy = joint[:15, :15] + (SCALES.noise_variance + JITTERS[0] * SCALES.variance(2)) * np.eye(15)
        solved = np.linalg.solve(noisy, joint[:15, 15:])
        posterior = joint[15:, 15:] - joint[15:, :15] @ solved
        np.testing.assert_allclose(moments.mean[i], solved.T @ process.values, atol=1e-8)
        np.testing.assert_allclose(moments.variance[i], posterior.diagonal(), atol=1e-8)
        np.testing.assert_allclose(moments.cov[i], posterior[:, -1], atol=1e-8)
    np.testing.assert_allclose(process.mean_at_target(x), moments.mean[:, -1])


def test_believing_its_own_mean_changes_no_mean_but_the_variance(process: AdditiveProcess) -> None:
    x, levels = np.array([[0.4, 0.6], [0.9, 0.1]]), np.array([0, 2])
    after = process.believing(x, levels).moments(x)
    before = process.moments(x)
    np.testing.assert_allclose(after.mean, before.mean, atol=1e-6)
    assert after.variance[1, 2] < 1e-3 < before.variance[1, 2]


def test_the_gradient_matches_finite_differences(rng: np.random.Generator) -> None:
    x, levels, values = rng.random((14, 2)), rng.integers(0, 3, 14), rng.standard_normal(14)
    logs = additive_prior_logs(2)[0] + 0.4 * rng.standard_normal(7)
    logs[-1] = np.log(1e-2)
    _, gradient = additive_negative_log_posterior(logs, x, levels, values)
    step = 1e-5
    for i, unit in enumerate(np.eye(7)):
        ahead, behind = (additive_negative_log_posterior(logs + s * step * unit, x, levels, values)[0] for s in (1, -1))
        assert gradient[i] == pytest.approx((ahead - behind) / (2 * step), abs=1e-5, rel=1e-5)


def test_the_objective_is_the_log_density_of_the_data_plus_that_of_the_prior(rng: np.random.Generator) -> None:
    x, levels, values = rng.random((9, 2)), rng.integers(0, 3, 9), rng.standard_normal(9)

    def by_scipy(logs: np.ndarray) -> float:
        scales = AdditiveScales.from_logs(logs)
        noise = scales.noise_variance + JITTERS[0] * scales.signal_variance
        density = multivariate_normal(cov=covariance(x, levels, scales) + noise * np.eye(9)).logpdf(values)
        return -density - norm(*additive_prior_logs(2)).logpdf(logs).sum()

    first, second = (additive_prior_logs(2)[0] + 0.5 * rng.standard_normal(7) for _ in range(2))
    ours = [additive_negative_log_posterior(logs, x, levels, values)[0] for logs in (first, second)]
    assert ours[0] - ours[1] == pytest.approx(by_scipy(first) - by_scipy(second), rel=1e-9)


def test_a_fit_tells_levels_that_agree_from_levels_that_differ(rng: np.random.Generator) -> None:
    x, levels = rng.random((60, 1)), rng.integers(0, 2, 60)
    same: Array = np.sin(6 * x[:, 0])
    different = same + levels * np.cos(9 * x[:, 0])
    alike, unlike = (fit_additive(x, levels, values, 2).scales for values in (same, different))
    assert alike.error_variance < 0.01 < 0.1 < unlike.error_variance


@pytest.mark.parametrize("n", [1, 2])
def test_one_level_and_few_points_still_give_a_finite_model(n: int, rng: np.random.Generator) -> None:
    moments = fit_additive(rng.random((n, 3)), np.zeros(n, dtype=np.int64), np.zeros(n), 1).moments(rng.random((5, 3)))
    assert np.isfinite(moments.mean).all()
    assert (moments.variance > 0.0).all()


@pytest.mark.slow
def test_draws_have_the_mean_and_variance_of_the_exact_posterior(
    process: AdditiveProcess, rng: np.random.Generator
) -> None:
    x = rng.random((6, 2))
    draws = np.concatenate([draw_additive_paths(process, 10, rng)(x) for _ in range(400)], axis=1)
    moments = process.moments(x)
    error = np.sqrt(moments.variance[:, -1] / draws.shape[1])
    assert (np.abs(draws.mean(axis=1) - moments.mean[:, -1]) < 4.0 * error + 1e-3).all()
    np.testing.assert_allclose(draws.var(axis=1), moments.variance[:, -1], rtol=0.12)


def test_far_from_the_data_draws_spread_as_the_prior_of_the_target_level(rng: np.random.Generator) -> None:
    scales = AdditiveScales(np.array([0.3]), np.array([0.4]), 0.5, 1.0, 1e-4)
    process = AdditiveProcess.condition(np.zeros((1, 1)), np.array([1]), np.ones(1), n_levels=3, scales=scales)
    draws = np.concatenate([draw_additive_paths(process, 400, rng)(np.array([[9.0]])) for _ in range(10)], axis=1)
    # Two steps of error above the lowest level; 4000 draws know a variance within 2 %, features within as much again
    assert draws.var() == pytest.approx(0.5 + 2 * 1.0, rel=0.2)


def test_gradients_of_draws_match_finite_differences(process: AdditiveProcess, rng: np.random.Generator) -> None:
    paths, x, step = draw_additive_paths(process, 4, rng), rng.random((4, 2)), 1e-6
    values, gradient = paths.own_values(x, np.arange(4))
    np.testing.assert_allclose(values, paths(x).diagonal(), atol=1e-10)
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (paths(x + shift) - paths(x - shift)).diagonal() / (2 * step)
        np.testing.assert_allclose(gradient[:, column], numeric, atol=1e-5)
