"""MAP hyperparameters: gradient, prior, and data sets that would break a careless fit."""

import numpy as np
import pytest
from scipy.stats import expon, multivariate_normal, norm

from imoca.models import fitting
from imoca.models.fitting import (
    LOG_BOUNDS_WIDTH,
    MAX_FIT_POINTS,
    SETTLING_AT,
    SETTLING_RATE,
    best_logs,
    fit,
    negative_log_posterior,
    prior_logs,
    thinned,
)
from imoca.models.gp import JITTERS
from imoca.models.kernel import Hyperparameters, design_kernel, fidelity_kernel


def test_hyperparameters_survive_their_logarithms() -> None:
    scales = Hyperparameters(np.array([0.1, 2.0, 3.0]), 0.7, 1.5, 1e-4, 2.5)
    back = Hyperparameters.from_logs(scales.to_logs())
    np.testing.assert_allclose(back.to_logs(), scales.to_logs())
    np.testing.assert_allclose(back.length_scales, scales.length_scales)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_the_gradient_matches_finite_differences(rng: np.random.Generator, d: int) -> None:
    x, z, values = rng.random((15, d)), rng.random(15), rng.standard_normal(15)
    z[:3] = 0.0, 0.0, 1.0
    logs = prior_logs(d)[0] + 0.4 * rng.standard_normal(d + 4)
    logs[-1] = np.log(1e-2)  # differences of an ill-conditioned likelihood are no reference
    _, gradient = negative_log_posterior(logs, x, z, values)
    step = 1e-5
    for i, unit in enumerate(np.eye(d + 4)):
        ahead, behind = (negative_log_posterior(logs + s * step * unit, x, z, values)[0] for s in (1, -1))
        assert gradient[i] == pytest.approx((ahead - behind) / (2 * step), abs=1e-5, rel=1e-5)


def test_the_objective_is_the_log_density_of_the_data_plus_that_of_the_prior(rng: np.random.Generator) -> None:
    x, z, values = rng.random((9, 2)), rng.random(9), rng.standard_normal(9)

    def by_scipy(logs: np.ndarray) -> float:
        scales = Hyperparameters.from_logs(logs)
        kernel = design_kernel(x, x, scales.length_scales) * fidelity_kernel(z, z, scales)
        noise = scales.noise_variance + JITTERS[0] * scales.signal_variance
        covariance = scales.signal_variance * kernel + noise * np.eye(9)
        prior = norm(*prior_logs(2)).logpdf(logs)
        prior[SETTLING_AT] = expon(scale=1.0 / SETTLING_RATE).logpdf(logs[SETTLING_AT])
        return -multivariate_normal(cov=covariance).logpdf(values) - prior.sum()

    first, second = (prior_logs(2)[0] + 0.5 * rng.standard_normal(6) for _ in range(2))
    first[SETTLING_AT], second[SETTLING_AT] = 0.3, 1.2
    ours = negative_log_posterior(first, x, z, values)[0] - negative_log_posterior(second, x, z, values)[0]
    assert ours == pytest.approx(by_scipy(first) - by_scipy(second), rel=1e-9)


def test_length_scale_priors_grow_with_the_root_of_the_dimension() -> None:
    two, eight = (np.exp(prior_logs(d)[0][0]) for d in (2, 8))
    assert eight == pytest.approx(2.0 * two)


def test_a_fit_recovers_the_scales_of_a_drawn_function(rng: np.random.Generator) -> None:
    x, z = rng.random((150, 2)), rng.random(150)
    drawn_from = Hyperparameters(np.array([0.2, 0.6]), 0.8, 1.0, 1e-8, settling=3.0)
    kernel = design_kernel(x, x, drawn_from.length_scales) * fidelity_kernel(z, z, drawn_from)
    values = np.linalg.cholesky(kernel + 1e-8 * np.eye(150)) @ rng.standard_normal(150)
    scales = fit(x, z, values).hyperparameters
    np.testing.assert_allclose(scales.length_scales, [0.2, 0.6], rtol=0.35)
    assert scales.fidelity_scale == pytest.approx(0.8, rel=0.5)
    assert scales.settling == pytest.approx(3.0, rel=0.3)


def test_a_fidelity_that_settles_early_is_trusted_near_full_accuracy(rng: np.random.Generator) -> None:
    """As of an integrator whose error falls with its step: seen up to z = 0.4, values at z = 1 are predicted."""
    x, z = rng.random((60, 1)), 0.4 * rng.random(60)

    def simulate(x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.sin(6.0 * x[:, 0]) + (1.0 + x[:, 0]) * np.exp(-12.0 * z)

    process = fit(x, z, simulate(x, z))
    tried = np.linspace(0.05, 0.95, 30)[:, None]
    error = process.mean_at_target(tried) - simulate(tried, np.ones(30))
    assert process.hyperparameters.settling > 5.0
    assert np.sqrt(np.mean(error**2)) < 0.01


def noisy_sine(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Few and noisy: explained by noise, or by a function that changes within a hundredth of the range."""
    rng = np.random.default_rng(seed)
    x = rng.random((15, 1))
    values = np.sin(10.0 * x[:, 0]) + 0.3 * rng.standard_normal(15)
    return x, np.ones(15), (values - values.mean()) / values.std()


@pytest.mark.parametrize("seed", [22, 61, 155])
def test_a_warm_start_leads_to_the_better_of_two_optima(seed: int) -> None:
    data = noisy_sine(seed)
    near_the_truth = Hyperparameters(np.array([0.15]), 3.0, 1.0, 0.1)
    fresh, warm = (fit(*data, start).hyperparameters for start in (None, near_the_truth))
    fresh_value, warm_value = (negative_log_posterior(each.to_logs(), *data)[0] for each in (fresh, warm))
    assert warm_value < fresh_value - 1.0
    assert warm.noise_variance > 0.01 > fresh.noise_variance


def test_a_warm_start_outside_the_bounds_is_taken_at_the_bound(rng: np.random.Generator) -> None:
    x, z, values = rng.random((8, 2)), rng.random(8), rng.standard_normal(8)
    far_off = Hyperparameters(np.array([1e9, 1e-9]), 1e9, 1e9, 1e-30, 1e-3)
    logs = fit(x, z, values, far_off).hyperparameters.to_logs()
    medians, deviations = prior_logs(2)
    assert (np.abs(logs - medians) <= LOG_BOUNDS_WIDTH * deviations + 1e-9).all()
    assert logs[SETTLING_AT] >= 0.0


def test_the_start_is_the_prior_medians_and_the_last_fit_within_the_bounds(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []

    def recording(_: object, starts: list[np.ndarray], __: object, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        seen.extend([*starts, low, high])
        return starts[0]

    monkeypatch.setattr(fitting, "best_logs", recording)
    warm = Hyperparameters(np.array([0.4, 0.5]), 1.5, 2.0, 1e-4, 1.3)
    fit(rng.random((5, 2)), rng.random(5), rng.standard_normal(5), warm)
    medians, reach = np.log([0.3, 0.3, 1.0, 3.0, 1.0, 1e-5]), LOG_BOUNDS_WIDTH * np.array([1, 1, 1, 1, 1, 2])
    np.testing.assert_allclose(seen[0], medians)
    np.testing.assert_allclose(seen[1], np.log([0.4, 0.5, 1.3, 1.5, 2.0, 1e-4]))
    np.testing.assert_allclose(seen[3], medians + reach)
    reach[2] = 0.0  # settling is never below 1
    np.testing.assert_allclose(seen[2], medians - reach)


def test_the_best_of_several_starts_is_taken_wherever_it_stands() -> None:
    def two_wells(logs: np.ndarray) -> tuple[float, np.ndarray]:  # minima near -1 and 1, the first one deeper
        t = float(logs[0])
        return (t**2 - 1.0) ** 2 + 0.3 * t, np.array([4.0 * t * (t**2 - 1.0) + 0.3])

    bounds = np.array([-3.0]), np.array([3.0])
    for starts in ([[-1.1], [1.1]], [[1.1], [-1.1]]):
        best = best_logs(two_wells, [np.array(start) for start in starts], (), *bounds)
        assert best[0] == pytest.approx(-1.035, abs=0.02)


def test_many_observations_are_thinned_evenly_and_the_newest_is_kept() -> None:
    np.testing.assert_array_equal(thinned(MAX_FIT_POINTS), np.arange(MAX_FIT_POINTS))
    kept = thinned(3 * MAX_FIT_POINTS)
    assert len(kept) == MAX_FIT_POINTS
    assert (kept[0], kept[-1]) == (0, 3 * MAX_FIT_POINTS - 1)
    assert set(np.diff(kept)) <= {2, 3, 4}


def test_the_scales_come_from_the_kept_observations_and_the_posterior_from_all(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, z = rng.random((30, 2)), rng.random(30)
    values = np.sin(6 * x[:, 0]) + np.cos(5 * x[:, 1])
    monkeypatch.setattr(fitting, "MAX_FIT_POINTS", 10)
    rows = np.linspace(0, 29, 10).round().astype(int)
    of_all, of_part = fit(x, z, values), fit(x[rows], z[rows], values[rows])
    np.testing.assert_allclose(of_all.hyperparameters.to_logs(), of_part.hyperparameters.to_logs(), atol=1e-6)
    assert len(of_all.x) == 30


@pytest.mark.parametrize("kind", ["two points", "all equal", "duplicates", "one point"])
def test_poor_data_still_give_a_finite_model(rng: np.random.Generator, kind: str) -> None:
    n = {"two points": 2, "one point": 1}.get(kind, 20)
    x, z, values = rng.random((n, 3)), rng.random(n), rng.standard_normal(n)
    if kind == "all equal":
        values = np.zeros(n)
    if kind == "duplicates":
        x[:], z[:], values[:] = x[0], z[0], values[0]
    moments = fit(x, z, values).moments(rng.random((5, 3)), np.array([0.0, 1.0]))
    assert np.isfinite(moments.mean_g).all()
    assert (moments.var_g > 0.0).all()


@pytest.mark.slow
def test_a_large_data_set_is_fitted_on_a_part_and_conditioned_on_all(rng: np.random.Generator) -> None:
    x, z = rng.random((900, 2)), rng.random(900)
    values = np.sin(6 * x[:, 0]) + np.cos(5 * x[:, 1])
    process = fit(x, z, (values - values.mean()) / values.std())
    assert len(process.x) == 900
    np.testing.assert_allclose(process.mean(x[:5], z[:5]).diagonal(), process.values[:5], atol=1e-2)
