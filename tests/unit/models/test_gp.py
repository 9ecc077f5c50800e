"""The posterior against scikit-learn, its gradients against finite differences, its rescue from bad matrices."""

import logging

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from imoca.models.gp import JITTERS, GaussianProcess, Partials
from imoca.models.kernel import Hyperparameters

SCALES = Hyperparameters(np.array([0.3, 0.7]), 1.4, 2.3, 1e-3, settling=2.5)


def make_data(rng: np.random.Generator, n: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rng.random((n, 2)), rng.random(n), rng.standard_normal(n)


@pytest.fixture
def process(rng: np.random.Generator) -> GaussianProcess:
    return GaussianProcess.condition(*make_data(rng), SCALES)


def sklearn_twin(process: GaussianProcess) -> GaussianProcessRegressor:
    """Of the settled fidelities, which scikit-learn is given as they are."""
    scales = process.hyperparameters
    kernel = ConstantKernel(scales.signal_variance) * RBF([*scales.length_scales, scales.fidelity_scale])
    alpha = scales.noise_variance + JITTERS[0] * scales.signal_variance
    twin = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None)
    return twin.fit(np.column_stack([process.x, 1.0 - (1.0 - process.z) ** 2.5]), process.values)


def test_moments_on_a_grid_equal_scikit_learn(process: GaussianProcess, rng: np.random.Generator) -> None:
    x, z = rng.random((7, 2)), np.array([0.0, 0.35, 1.0])
    moments = process.moments(x, z)
    twin = sklearn_twin(process)
    for i in range(len(x)):
        queries = np.array([[*x[i], 1.0 - (1.0 - value) ** 2.5] for value in (*z, 1.0)])
        mean, covariance = twin.predict(queries, return_cov=True)
        np.testing.assert_allclose(moments.mean_g[i], mean[:-1], atol=1e-8)
        np.testing.assert_allclose(moments.var_g[i], covariance.diagonal()[:-1], atol=1e-8)
        np.testing.assert_allclose(moments.mean_f[i], mean[-1], atol=1e-8)
        np.testing.assert_allclose(moments.var_f[i], covariance[-1, -1], atol=1e-8)
        np.testing.assert_allclose(moments.cov[i], covariance[:-1, -1], atol=1e-8)


def test_single_moment_routes_agree_with_the_grid(process: GaussianProcess, rng: np.random.Generator) -> None:
    x, z = rng.random((4, 2)), np.array([0.2, 1.0])
    moments = process.moments(x, z)
    mean, variance = process.mean_and_variance_at_target(x)
    np.testing.assert_allclose(process.mean(x, z), moments.mean_g, atol=1e-12)
    np.testing.assert_allclose(process.mean_at_target(x), moments.mean_f, atol=1e-12)
    np.testing.assert_allclose((mean, variance), (moments.mean_f, moments.var_f), atol=1e-12)


def test_at_the_target_fidelity_g_and_f_are_the_same(process: GaussianProcess, rng: np.random.Generator) -> None:
    moments = process.moments(rng.random((5, 2)), np.array([1.0]))
    np.testing.assert_allclose(moments.var_g[:, 0], moments.var_f, atol=1e-12)
    np.testing.assert_allclose(moments.cov[:, 0], moments.var_f, atol=1e-12)


@pytest.mark.parametrize("moment", ["mean_g", "var_g", "mean_f", "var_f", "cov"])
def test_the_gradient_of_each_moment_matches_finite_differences(
    process: GaussianProcess, rng: np.random.Generator, moment: str
) -> None:
    x, z, chosen = rng.random((6, 2)), np.array([0.0, 0.4, 1.0]), rng.integers(0, 3, 6)

    def value(designs: np.ndarray) -> np.ndarray:
        found = getattr(process.moments(designs, z), moment)
        return found if found.ndim == 1 else found[np.arange(6), chosen]

    weights = {name: np.zeros(6) for name in ("mean_g", "var_g", "mean_f", "var_f", "cov")} | {moment: np.ones(6)}
    gradient = process.moments(x, z).gradient(chosen, Partials(**weights))
    step = 1e-6
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (value(x + shift) - value(x - shift)) / (2 * step)
        np.testing.assert_allclose(gradient[:, column], numeric, atol=1e-6)


def test_the_gradient_of_the_mean_matches_finite_differences(
    process: GaussianProcess, rng: np.random.Generator
) -> None:
    x, z, step = rng.random((3, 2)), np.array([0.1, 0.5, 1.0]), 1e-6
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (process.mean(x + shift, z) - process.mean(x - shift, z)).diagonal() / (2 * step)
        np.testing.assert_allclose(process.mean_gradient(x, z)[:, column], numeric, atol=1e-6)


def test_a_noiseless_process_passes_through_its_data(rng: np.random.Generator) -> None:
    x, z, values = make_data(rng, 8)
    process = GaussianProcess.condition(x, z, values, Hyperparameters(np.array([0.2, 0.2]), 0.5, 1.0, 1e-10))
    np.testing.assert_allclose(process.mean(x, z).diagonal(), values, atol=1e-6)


def test_believing_its_own_mean_leaves_the_mean_and_lowers_the_variance(
    process: GaussianProcess, rng: np.random.Generator
) -> None:
    asked, z = rng.random((1, 2)), np.array([0.3])
    believing = process.believing(asked, z)
    x = rng.random((20, 2))
    np.testing.assert_allclose(believing.mean_at_target(x), process.mean_at_target(x), atol=1e-7)
    before, after = (float(p.moments(asked, z).var_g[0, 0]) for p in (process, believing))
    noise = SCALES.noise_variance + JITTERS[0] * SCALES.signal_variance
    assert after == pytest.approx(before * noise / (before + noise), rel=1e-6)


def test_exact_duplicates_without_noise_give_finite_moments(rng: np.random.Generator) -> None:
    x = np.repeat(rng.random((3, 2)), 40, axis=0)
    values = np.repeat(rng.standard_normal(3), 40)
    noiseless = Hyperparameters(np.array([5.0, 5.0]), 9.0, 1e6, 1e-14)
    process = GaussianProcess.condition(x, np.ones(120), values, noiseless)
    moments = process.moments(x[:3], np.array([0.0, 1.0]))
    assert np.isfinite(moments.mean_g).all()
    assert (moments.var_g > 0.0).all()


def test_a_matrix_beyond_rescue_is_reported_and_a_linear_algebra_error(caplog: pytest.LogCaptureFixture) -> None:
    x = np.full((2, 1), np.nan)
    with caplog.at_level(logging.WARNING), pytest.raises(np.linalg.LinAlgError, match="Cholesky"):
        GaussianProcess.condition(x, np.ones(2), np.zeros(2), Hyperparameters(np.ones(1), 1.0, 1.0, 1e-6))
    assert len(caplog.records) == len(JITTERS)  # every rung of the ladder was tried and reported
