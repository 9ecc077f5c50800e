"""The posterior against plain algebra and scikit-learn, its gradients against differences, its rescue."""

import logging

import numpy as np
import pytest
from kernels import joint_posterior
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from imoca.models.additive_levels import AdditiveLevelsForm
from imoca.models.fitting import negative_log_likelihood
from imoca.models.form import Form
from imoca.models.gp import JITTERS, GaussianProcess, Partials, inverse_cholesky
from imoca.models.product import ProductForm, ProductKernel
from imoca.models.smooth import SmoothForm
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.problem.fidelity import Fidelity

SCALES = ProductKernel(np.array([0.3, 0.7]), 1.4, 2.3, 1e-3, settling=2.5)
FORMS: dict[str, Form] = {
    "product": ProductForm(),
    "exact": TruthAndErrorForm.exact(),
    "knob": TruthAndErrorForm.knob(),
    "two knobs": TruthAndErrorForm.knobs(Fidelity.knobs(mesh=[1, 2, 3], steps=[1, 2]).positions),
    "levels": TruthAndErrorForm.levels(4),
    "sources": TruthAndErrorForm.sources(3),
    "additive levels": AdditiveLevelsForm(3),
    "smooth": SmoothForm(),
}


def fidelities(name: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Some of each kind, the last at full accuracy."""
    n_steps = {"levels": 3, "sources": 2, "additive levels": 2, "two knobs": 5}.get(name)
    z = rng.integers(0, n_steps + 1, n) / n_steps if n_steps else rng.random(n)
    if name == "exact":
        z[:] = 1.0
    z[-1] = 1.0
    return z


def process_of(name: str, rng: np.random.Generator, n: int = 15) -> GaussianProcess:
    """At hyperparameters drawn around the medians, with noise that no rounding hides; half are told with an error."""
    form = FORMS[name]
    prior = form.prior(2)
    logs = np.clip(prior.mean + 0.5 * rng.standard_normal(len(prior.mean)), prior.low, prior.high)
    x, z, values = rng.random((n, 2)), fidelities(name, n, rng), rng.standard_normal(n)
    told_noise = np.where(rng.random(n) < 0.5, rng.exponential(0.1, n), 0.0)
    return GaussianProcess.condition(x, z, values, form.kernel(logs, 2), told_noise)


@pytest.fixture
def process(rng: np.random.Generator) -> GaussianProcess:
    return GaussianProcess.condition(rng.random((25, 2)), rng.random(25), rng.standard_normal(25), SCALES)


@pytest.mark.parametrize("name", FORMS)
def test_moments_at_all_fidelities_are_those_of_plain_algebra(name: str, rng: np.random.Generator) -> None:
    process = process_of(name, rng)
    x, z = rng.random((4, 2)), fidelities(name, 3, rng)
    moments = process.moments(x, z)
    with_target = np.concatenate([z, np.ones_like(z[:1])])
    for i, design in enumerate(x):
        mean, covariance = joint_posterior(process, np.tile(design, (4, 1)), with_target)
        np.testing.assert_allclose(moments.mean_g[i], mean[:-1], atol=1e-6)
        np.testing.assert_allclose(moments.var_g[i], covariance.diagonal()[:-1], atol=1e-6)
        np.testing.assert_allclose(moments.mean_f[i], mean[-1], atol=1e-6)
        np.testing.assert_allclose(moments.var_f[i], covariance[-1, -1], atol=1e-6)
        np.testing.assert_allclose(moments.cov[i], covariance[:-1, -1], atol=1e-6)


@pytest.mark.parametrize("name", FORMS)
def test_single_moment_routes_agree_with_the_grid(name: str, rng: np.random.Generator) -> None:
    process = process_of(name, rng)
    x, z = rng.random((4, 2)), fidelities(name, 3, rng)
    moments = process.moments(x, z)
    mean, variance = process.mean_and_variance_at_target(x)
    np.testing.assert_allclose(process.mean(x, z), moments.mean_g, atol=1e-10)
    np.testing.assert_allclose(process.mean_at_target(x), moments.mean_f, atol=1e-10)
    np.testing.assert_allclose((mean, variance), (moments.mean_f, moments.var_f), atol=1e-9)
    np.testing.assert_allclose(process.covariance_at_target(x, x).diagonal(), variance, atol=1e-9)
    _, covariance = joint_posterior(process, x[:2], np.ones((2, *z.shape[1:])))
    assert process.covariance_at_target(x[:1], x[1:2])[0, 0] == pytest.approx(covariance[0, 1], abs=1e-6)


@pytest.mark.parametrize("name", FORMS)
def test_at_the_target_fidelity_g_and_f_are_the_same(name: str, rng: np.random.Generator) -> None:
    target = np.ones_like(fidelities(name, 1, rng))
    moments = process_of(name, rng).moments(rng.random((5, 2)), target)
    np.testing.assert_allclose(moments.mean_g[:, 0], moments.mean_f, atol=1e-12)
    np.testing.assert_allclose(moments.var_g[:, 0], moments.var_f, atol=1e-12)
    np.testing.assert_allclose(moments.cov[:, 0], moments.var_f, atol=1e-9)


@pytest.mark.parametrize("moment", ["mean_g", "var_g", "mean_f", "var_f", "cov"])
@pytest.mark.parametrize("name", FORMS)
def test_the_gradient_of_each_moment_matches_finite_differences(
    name: str, moment: str, rng: np.random.Generator
) -> None:
    process = process_of(name, rng)
    x, z, chosen = rng.random((6, 2)), fidelities(name, 3, rng), rng.integers(0, 3, 6)

    def value(designs: np.ndarray) -> np.ndarray:
        found = getattr(process.moments(designs, z), moment)
        return found if found.ndim == 1 else found[np.arange(6), chosen]

    weights = {name: np.zeros(6) for name in ("mean_g", "var_g", "mean_f", "var_f", "cov")} | {moment: np.ones(6)}
    gradient = process.moments(x, z).gradient(chosen, Partials(**weights))
    step = 1e-5
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (value(x + shift) - value(x - shift)) / (2 * step)
        np.testing.assert_allclose(gradient[:, column], numeric, atol=2e-4, rtol=1e-4)


@pytest.mark.parametrize("name", FORMS)
def test_the_gradient_of_the_mean_matches_finite_differences(name: str, rng: np.random.Generator) -> None:
    process = process_of(name, rng)
    x, z, step = rng.random((3, 2)), fidelities(name, 3, rng), 1e-5
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (process.mean(x + shift, z) - process.mean(x - shift, z)).diagonal() / (2 * step)
        np.testing.assert_allclose(process.mean_gradient(x, z)[:, column], numeric, atol=1e-4, rtol=1e-4)


def test_moments_of_the_product_kernel_equal_scikit_learn(process: GaussianProcess, rng: np.random.Generator) -> None:
    """Of the settled fidelities, which scikit-learn is given as they are."""
    kernel = ConstantKernel(SCALES.signal_variance) * RBF([*SCALES.length_scales, SCALES.fidelity_scale])
    alpha = SCALES.noise_variance + JITTERS[0] * SCALES.signal_variance
    twin = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None)
    twin.fit(np.column_stack([process.x, 1.0 - (1.0 - process.z) ** 2.5]), process.values)
    x, z = rng.random((7, 2)), np.array([0.0, 0.35, 1.0])
    moments = process.moments(x, z)
    for i in range(len(x)):
        queries = np.array([[*x[i], 1.0 - (1.0 - value) ** 2.5] for value in z])
        mean, covariance = twin.predict(queries, return_cov=True)
        np.testing.assert_allclose(moments.mean_g[i], mean, atol=1e-8)
        np.testing.assert_allclose(moments.var_g[i], covariance.diagonal(), atol=1e-8)


def test_observations_at_full_accuracy_scatter_less_than_cheap_ones(rng: np.random.Generator) -> None:
    told = process_of("knob", rng)
    process = GaussianProcess.condition(told.x, told.z, told.values, told.kernel)
    noise = process.moments(rng.random((2, 2)), np.array([0.0, 0.5, 1.0])).noise
    assert noise[0] > noise[1] > noise[2] == process.noise_at_target


@pytest.mark.parametrize("name", FORMS)
def test_one_question_more_is_believed_as_if_all_were_conditioned_anew(name: str, rng: np.random.Generator) -> None:
    process, asked, z = process_of(name, rng), rng.random((2, 2)), fidelities(name, 2, rng)
    quick = process.believing_one(asked[0], z[0]).believing_one(asked[1], z[1])
    anew = process.believing(asked, z)  # the second belief changes nothing of the first
    x, grid = rng.random((4, 2)), fidelities(name, 3, rng)
    for attribute in ("mean_g", "var_g", "mean_f", "var_f", "cov"):
        ours, theirs = (getattr(each.moments(x, grid), attribute) for each in (quick, anew))
        np.testing.assert_allclose(ours, theirs, atol=1e-7)
    np.testing.assert_allclose(quick.values, anew.values, atol=1e-9)


def test_a_noiseless_process_passes_through_its_data(rng: np.random.Generator) -> None:
    x, z, values = rng.random((8, 2)), rng.random(8), rng.standard_normal(8)
    process = GaussianProcess.condition(x, z, values, ProductKernel(np.array([0.2, 0.2]), 0.5, 1.0, 1e-10))
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


@pytest.mark.parametrize("name", FORMS)
def test_other_answers_to_the_same_runs_are_believed_as_if_they_were_the_first(
    name: str, rng: np.random.Generator
) -> None:
    process, others = process_of(name, rng), rng.standard_normal(15)
    moved = process.with_values(others)
    anew = GaussianProcess.condition(process.x, process.z, others, process.kernel, process.told_noise)
    np.testing.assert_allclose(moved.weights, anew.weights)
    assert moved.values is others
    likelihoods = [
        negative_log_likelihood(each.kernel, each.x, each.z, each.values, each.told_noise)[0]
        for each in (process, moved)
    ]  # another route
    assert [process.misfit, moved.misfit] == pytest.approx(likelihoods)


def test_exact_duplicates_without_noise_give_finite_moments(rng: np.random.Generator) -> None:
    x = np.repeat(rng.random((3, 2)), 40, axis=0)
    values = np.repeat(rng.standard_normal(3), 40)
    noiseless = ProductKernel(np.array([5.0, 5.0]), 9.0, 1e6, 1e-14)
    process = GaussianProcess.condition(x, np.ones(120), values, noiseless)
    moments = process.moments(x[:3], np.array([0.0, 1.0]))
    assert np.isfinite(moments.mean_g).all()
    assert (moments.var_g > 0.0).all()


def test_a_matrix_beyond_rescue_is_reported_and_a_linear_algebra_error(caplog: pytest.LogCaptureFixture) -> None:
    x = np.full((2, 1), np.nan)
    with caplog.at_level(logging.WARNING), pytest.raises(np.linalg.LinAlgError, match="Cholesky"):
        GaussianProcess.condition(x, np.ones(2), np.zeros(2), ProductKernel(np.ones(1), 1.0, 1.0, 1e-6))
    assert len(caplog.records) == len(JITTERS)  # every rung of the ladder was tried and reported


@pytest.mark.parametrize("whole", [3, 7, 20])
def test_a_matrix_taken_by_halves_has_the_inverse_factor_of_numpy(
    whole: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr("imoca.models.gp.WHOLE", whole)
    roots, noise = rng.standard_normal((23, 23)), rng.random(23)
    covariance = roots @ roots.T
    expected = np.linalg.inv(np.linalg.cholesky(covariance + np.diag(noise)))
    assert np.allclose(inverse_cholesky(covariance, noise, 0.0), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("spoilt", [2, 20])
def test_a_matrix_taken_by_halves_is_rescued_by_jitter_whichever_half_needs_it(
    spoilt: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("imoca.models.gp.WHOLE", 6)
    diagonal = np.ones(23)
    diagonal[spoilt] = -5e-9  # made positive by the second jitter
    inverse = inverse_cholesky(np.diag(diagonal), np.zeros(23), 1.0)
    assert len(caplog.records) == 1
    assert inverse[spoilt, spoilt] == pytest.approx((JITTERS[1] - 5e-9) ** -0.5)
