"""MAP hyperparameters: gradient, prior, and data sets that would break a careless fit."""

from dataclasses import replace

import numpy as np
import pytest
from kernels import noisy_matrix
from scipy.optimize import OptimizeResult, minimize
from scipy.stats import expon, multivariate_normal, norm

from imoca.models import fitting
from imoca.models.additive_levels import AdditiveLevelsForm
from imoca.models.fitting import MAX_FIT_POINTS, explore, fit, negative_log_posterior, starts_of, thinned
from imoca.models.form import LOG_BOUNDS_WIDTH, Form, Prior
from imoca.models.kernel import covariance
from imoca.models.product import SETTLING_RATE, ProductForm, ProductKernel
from imoca.models.smooth import SmoothForm
from imoca.models.truth_and_error import TruthAndError, TruthAndErrorForm
from imoca.problem.fidelity import Fidelity

PRODUCT = ProductForm()
FORMS: dict[str, tuple[Form, int]] = {  # and the number of steps from the cheapest fidelity, 0 where it is continuous
    "product": (PRODUCT, 0),
    "exact": (TruthAndErrorForm.exact(), 0),
    "knob": (TruthAndErrorForm.knob(), 0),
    "two knobs": (TruthAndErrorForm.knobs(Fidelity.knobs(mesh=[1, 2, 3], steps=[1, 2]).positions), 5),
    "levels": (TruthAndErrorForm.levels(4), 3),
    "two levels": (TruthAndErrorForm.levels(2), 1),
    "sources": (TruthAndErrorForm.sources(3), 2),
    "additive levels": (AdditiveLevelsForm(3), 2),
    "smooth": (SmoothForm(), 0),
}


def data_for(name: str, d: int, rng: np.random.Generator, n: int = 15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Designs, fidelities with some at the ends, values."""
    n_steps = FORMS[name][1]
    z = rng.integers(0, n_steps + 1, n) / n_steps if n_steps else rng.random(n)
    z[:2], z[2:4] = 0.0, 1.0
    return rng.random((n, d)), z, rng.standard_normal(n)


def logs_near_the_medians(prior: Prior, rng: np.random.Generator) -> np.ndarray:
    logs = np.clip(prior.mean + 0.4 * rng.standard_normal(len(prior.mean)), prior.low + 0.05, prior.high - 0.05)
    logs[np.isclose(np.exp(prior.mean), 1e-5)] = np.log(1e-2)  # differences of an ill-conditioned likelihood
    return logs


@pytest.mark.parametrize("name", FORMS)
def test_hyperparameters_survive_their_logarithms(name: str, rng: np.random.Generator) -> None:
    form = FORMS[name][0]
    logs = logs_near_the_medians(form.prior(3), rng)
    np.testing.assert_allclose(form.kernel(logs, 3).to_logs(), logs, atol=1e-12)


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("name", FORMS)
def test_the_gradient_matches_finite_differences(name: str, d: int, is_told: bool, rng: np.random.Generator) -> None:
    form, data = FORMS[name][0], (*data_for(name, d, rng), rng.exponential(0.2, 15) if is_told else None)
    prior = form.prior(d)
    logs = logs_near_the_medians(prior, rng)
    _, gradient = negative_log_posterior(logs, form, prior, *data)
    step = 1e-5
    for i, unit in enumerate(np.eye(len(logs))):
        ahead, behind = (negative_log_posterior(logs + s * step * unit, form, prior, *data)[0] for s in (1, -1))
        assert gradient[i] == pytest.approx((ahead - behind) / (2 * step), abs=2e-5, rel=2e-5)


def likeness_by_scipy(log_ratios: np.ndarray) -> float:
    """Up to a constant: each scatters by a half, and below 1 what is common to all by 1."""
    d = len(log_ratios)
    density = multivariate_normal(cov=0.5**2 * np.eye(d) + (1.0**2 if log_ratios.mean() < 0.0 else 0.0))
    return float(density.logpdf(log_ratios) - density.logpdf(np.zeros(d)))


@pytest.mark.parametrize("name", FORMS)
def test_the_objective_is_the_log_density_of_the_data_plus_that_of_the_prior(
    name: str, rng: np.random.Generator
) -> None:
    form, (x, z, values) = FORMS[name][0], data_for(name, 2, rng, n=9)
    prior, told_noise = form.prior(2), rng.exponential(0.2, 9)

    def by_scipy(logs: np.ndarray) -> float:
        density = multivariate_normal(cov=noisy_matrix(form.kernel(logs, 2), x, z, told_noise)).logpdf(values)
        by_itself = np.isfinite(prior.deviation)
        normal = norm(prior.mean, np.where(by_itself, prior.deviation, 1.0)).logpdf(logs)
        above_one = expon(scale=1.0 / SETTLING_RATE).logpdf(logs)
        like = sum(likeness_by_scipy(logs[each.rows] - logs[each.to]) for each in prior.likenesses)
        return float(-density - np.where(prior.rate > 0.0, above_one, normal)[by_itself].sum() - like)

    first, second = (logs_near_the_medians(prior, rng) for _ in range(2))
    ours = [negative_log_posterior(logs, form, prior, x, z, values, told_noise)[0] for logs in (first, second)]
    assert ours[0] - ours[1] == pytest.approx(by_scipy(first) - by_scipy(second), rel=1e-7)


@pytest.mark.parametrize("name", ["knob", "two knobs", "levels", "sources"])
def test_an_error_is_believed_to_change_along_the_parameters_along_which_the_truth_does(
    name: str, rng: np.random.Generator
) -> None:
    form, d = FORMS[name][0], 4
    prior = form.prior(d)
    kernel = form.kernel(logs_near_the_medians(prior, rng), d)
    assert isinstance(kernel, TruthAndError)

    def believed(lengths: np.ndarray) -> float:
        """Of all errors, up to a constant."""
        errors = [replace(error, length_scales=lengths) for error in kernel.errors]
        return -prior.penalty(replace(kernel, errors=tuple(errors)).to_logs())[0]

    alike, faster, slower = (believed(ratio * kernel.length_scales) for ratio in (1.0, 0.5, 2.0))
    crossed = np.array([4.0, 0.25, 4.0, 0.25])  # flat where the truth changes
    assert alike > faster > slower > believed(crossed * kernel.length_scales)
    for ratios in (np.array([0.5, 0.2, 1.0, 0.6]), np.array([2.0, 3.0, 1.0, 0.7]), crossed):
        expected = len(kernel.errors) * likeness_by_scipy(np.log(ratios))
        assert believed(ratios * kernel.length_scales) - alike == pytest.approx(expected, rel=1e-9)


def test_length_scale_priors_grow_with_the_root_of_the_dimension() -> None:
    two, eight = (np.exp(PRODUCT.prior(d).mean[0]) for d in (2, 8))
    assert eight == pytest.approx(2.0 * two)


def test_a_fit_recovers_the_scales_of_a_drawn_function(rng: np.random.Generator) -> None:
    x, z = rng.random((150, 2)), rng.random(150)
    drawn_from = ProductKernel(np.array([0.2, 0.6]), 0.8, 1.0, 1e-8, settling=3.0)
    values = np.linalg.cholesky(covariance(drawn_from, x, z) + 1e-8 * np.eye(150)) @ rng.standard_normal(150)
    kernel = fit(x, z, values, PRODUCT).kernel
    assert isinstance(kernel, ProductKernel)
    np.testing.assert_allclose(kernel.length_scales, [0.2, 0.6], rtol=0.35)
    assert kernel.fidelity_scale == pytest.approx(0.8, rel=0.5)
    assert kernel.settling == pytest.approx(3.0, rel=0.3)


@pytest.mark.parametrize("form", [PRODUCT, TruthAndErrorForm.knob()])
def test_a_fidelity_that_settles_early_is_trusted_near_full_accuracy(form: Form, rng: np.random.Generator) -> None:
    """As of an integrator whose error falls with its step: seen up to z = 0.4, values at z = 1 are predicted."""
    x, z = rng.random((60, 1)), 0.4 * rng.random(60)

    def simulate(x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.sin(6.0 * x[:, 0]) + (1.0 + x[:, 0]) * np.exp(-12.0 * z)

    process = fit(x, z, simulate(x, z), form)
    tried = np.linspace(0.05, 0.95, 30)[:, None]
    error = process.mean_at_target(tried) - simulate(tried, np.ones(30))
    assert np.sqrt(np.mean(error**2)) < 0.02


def noisy_sine(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Few and noisy: explained by noise, or by a function that changes within a hundredth of the range."""
    rng = np.random.default_rng(seed)
    x = rng.random((15, 1))
    values = np.sin(10.0 * x[:, 0]) + 0.3 * rng.standard_normal(15)
    return x, np.ones(15), (values - values.mean()) / values.std()


@pytest.mark.parametrize("seed", [22, 61, 155])
def test_a_warm_start_leads_to_the_better_of_two_optima(seed: int) -> None:
    data = noisy_sine(seed)
    near_the_truth = ProductKernel(np.array([0.15]), 3.0, 1.0, 0.1).to_logs()
    fresh, warm = (fit(*data, PRODUCT, start).kernel for start in (None, near_the_truth))
    assert isinstance(fresh, ProductKernel)
    assert isinstance(warm, ProductKernel)
    values = [negative_log_posterior(each.to_logs(), PRODUCT, PRODUCT.prior(1), *data)[0] for each in (fresh, warm)]
    assert values[1] < values[0] - 1.0
    assert warm.noise_variance > 0.01 > fresh.noise_variance


@pytest.mark.parametrize("seed", [22, 61, 155])
def test_truth_and_error_finds_the_better_of_two_optima_by_itself(seed: int) -> None:
    kernel = fit(*noisy_sine(seed), TruthAndErrorForm.exact()).kernel
    assert kernel.noise(np.ones(1))[0] > 0.01


def test_truth_and_error_starts_at_the_medians_at_half_the_lengths_and_with_noise() -> None:
    form = TruthAndErrorForm.knob()
    medians, rougher, noisier = (form.kernel(start, 2) for start in form.starts(form.prior(2), 2))
    np.testing.assert_allclose(2.0 * rougher.length_scales, medians.length_scales)
    np.testing.assert_allclose([medians.noise_variance, noisier.noise_variance], [1e-5, 0.1])


def test_the_best_of_many_starts_goes_on_to_the_end(rng: np.random.Generator) -> None:
    form, x, z = TruthAndErrorForm.knob(), rng.random((30, 2)), rng.random(30)
    values = np.sin(6.0 * x[:, 0]) + x[:, 1] + 0.3 * (1.0 - z) * np.cos(8.0 * x[:, 1])
    values = (values - values.mean()) / values.std()
    prior, found = form.prior(2), fit(x, z, values, form).kernel.to_logs()
    bounds = np.column_stack([prior.low, prior.high])
    onwards = minimize(
        negative_log_posterior, found, args=(form, prior, x, z, values), jac=True, method="L-BFGS-B", bounds=bounds
    )
    assert negative_log_posterior(found, form, prior, x, z, values)[0] < onwards.fun + 0.1


def test_a_warm_start_outside_the_bounds_is_taken_at_the_bound(rng: np.random.Generator) -> None:
    x, z, values = rng.random((8, 2)), rng.random(8), rng.standard_normal(8)
    far_off = ProductKernel(np.array([1e9, 1e-9]), 1e9, 1e9, 1e-30, 1e-3).to_logs()
    logs, prior = fit(x, z, values, PRODUCT, far_off).kernel.to_logs(), PRODUCT.prior(2)
    assert (logs >= prior.low - 1e-9).all()
    assert (logs <= prior.high + 1e-9).all()


def test_the_starts_are_those_of_the_form_and_the_last_fit_within_the_bounds(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []

    def recording(_: object, prior: Prior, start: np.ndarray, *__: object) -> OptimizeResult:
        seen.extend([start, prior.low, prior.high])
        return OptimizeResult(x=start, fun=0.0)

    monkeypatch.setattr(fitting, "climbed", recording)
    warm = ProductKernel(np.array([0.4, 0.5]), 1.5, 2.0, 1e-4, 1.3)
    fit(rng.random((5, 2)), rng.random(5), rng.standard_normal(5), PRODUCT, warm.to_logs())
    medians, reach = np.log([0.3, 0.3, 1.0, 3.0, 1.0, 1e-5]), LOG_BOUNDS_WIDTH * np.array([1, 1, 1, 1, 1, 2])
    np.testing.assert_allclose(seen[0], medians)
    np.testing.assert_allclose(seen[3], np.log([0.4, 0.5, 1.3, 1.5, 2.0, 1e-4]))
    np.testing.assert_allclose(seen[2], medians + reach)
    reach[2] = 0.0  # settling is never below 1
    np.testing.assert_allclose(seen[1], medians - reach)
    assert len(seen) == 9  # and from the better one once more


def test_a_warm_start_of_another_number_of_hyperparameters_is_no_start(rng: np.random.Generator) -> None:
    x, z, values = rng.random((8, 2)), rng.random(8), rng.standard_normal(8)
    fresh, other = (fit(x, z, values, PRODUCT, start).kernel.to_logs() for start in (None, np.zeros(9)))
    np.testing.assert_allclose(fresh, other)


@pytest.mark.parametrize("starts", [[-1.1, 1.1], [1.1, -1.1], [1.3, 1.2, -1.2], [-1.2, 1.3, 1.2]])
def test_the_best_of_several_starts_is_taken_wherever_it_stands(
    starts: list[float], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two_wells(logs: np.ndarray, *_: object) -> tuple[float, np.ndarray]:
        """Minima near -1 and 1, the first one deeper."""
        t = logs[0]
        return (t**2 - 1.0) ** 2 + 0.3 * t, np.append(4.0 * t * (t**2 - 1.0) + 0.3, np.zeros(len(logs) - 1))

    class Starts(ProductForm):
        def starts(self, prior: Prior, n_columns: int) -> list[np.ndarray]:
            return [np.append(start, prior.mean[1:]) for start in starts]

    monkeypatch.setattr(fitting, "negative_log_posterior", two_wells)
    x, z, values = rng.random((6, 1)), rng.random(6), rng.standard_normal(6)
    explored = explore(x, z, values, np.zeros(len(z)), form := Starts(), form.starts(form.prior(1), 1))
    assert explored.logs[0] == pytest.approx(-1.035, abs=0.02)
    assert fit(x, z, values, form).kernel.to_logs()[0] == pytest.approx(-1.035, abs=0.02)


def test_starts_explore_on_few_observations_and_the_best_ends_on_all(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, seen = TruthAndErrorForm.knob(), list[tuple[int, int]]()

    def recording(_: object, __: object, start: np.ndarray, n_iterations: int, *data: np.ndarray) -> OptimizeResult:
        seen.append((n_iterations, len(data[0])))
        return OptimizeResult(x=start, fun=float(len(seen) != 2))

    monkeypatch.setattr(fitting, "climbed", recording)
    x, z, values = rng.random((500, 1)), rng.random(500), rng.standard_normal(500)
    process = fit(x, z, values, form)
    np.testing.assert_allclose(process.kernel.to_logs(), form.starts(form.prior(1), 1)[1])
    exploring = [(fitting.FIRST_ITERATIONS, fitting.FEW_POINTS)] * 3
    last = [(fitting.MAX_ITERATIONS, fitting.FEW_POINTS), (fitting.LAST_ITERATIONS, MAX_FIT_POINTS)]
    assert seen == [*exploring, *last]


def test_after_a_fit_its_result_is_tried_and_the_forms_starts_take_turns() -> None:
    form, warm = TruthAndErrorForm.knob(), np.zeros(len(TruthAndErrorForm.knob().prior(2).mean))
    fresh = form.starts(form.prior(2), 2)
    for n in range(6, 12):
        starts = starts_of(form, np.zeros((n, 2)), warm)
        np.testing.assert_array_equal(starts[0], fresh[n % 3])
        assert len(starts) == 2
    assert len(starts_of(form, np.zeros((9, 2)), None)) == 3


def test_the_cost_of_an_exploration_is_that_of_all_observations(rng: np.random.Generator) -> None:
    form, prior = TruthAndErrorForm.knob(), TruthAndErrorForm.knob().prior(1)
    x, z, values = rng.random((300, 1)), rng.random(300), rng.standard_normal(300)
    explored = explore(x, z, values, np.zeros(len(z)), form, form.starts(prior, 1))
    of_all, _ = negative_log_posterior(explored.logs, form, prior, x, z, values)
    assert explored.cost == pytest.approx(of_all, rel=0.1)  # noise alone: every third tells as much as every other


def test_many_observations_are_thinned_evenly_and_the_newest_is_kept() -> None:
    np.testing.assert_array_equal(thinned(np.zeros(MAX_FIT_POINTS), MAX_FIT_POINTS), np.arange(MAX_FIT_POINTS))
    kept = thinned(np.zeros(3 * MAX_FIT_POINTS), MAX_FIT_POINTS)
    assert len(kept) == MAX_FIT_POINTS
    assert (kept[0], kept[-1]) == (0, 3 * MAX_FIT_POINTS - 1)
    assert set(np.diff(kept)) <= {2, 3, 4}


def test_runs_at_full_accuracy_are_never_thinned_away() -> None:
    z = np.zeros(5 * MAX_FIT_POINTS)
    dear = np.arange(7, len(z), 97)
    z[dear] = 1.0
    kept = thinned(z, MAX_FIT_POINTS)
    assert set(dear) <= set(kept.tolist())
    assert len(kept) == MAX_FIT_POINTS


def test_very_many_runs_at_full_accuracy_leave_half_of_the_room_to_the_others() -> None:
    z = np.repeat([0.0, 1.0], 3 * MAX_FIT_POINTS)
    kept = thinned(z, MAX_FIT_POINTS)
    assert (z[kept] == 1.0).sum() == MAX_FIT_POINTS // 2 == (z[kept] == 0.0).sum()
    assert len(thinned(np.ones(3 * MAX_FIT_POINTS), MAX_FIT_POINTS)) == MAX_FIT_POINTS


def test_the_scales_come_from_the_kept_observations_and_the_posterior_from_all(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, z = rng.random((30, 2)), rng.random(30)
    values = np.sin(6 * x[:, 0]) + np.cos(5 * x[:, 1])
    for name in ("MAX_FIT_POINTS", "FEW_POINTS"):
        monkeypatch.setattr(fitting, name, 10)
    rows = np.linspace(0, 29, 10).round().astype(int)
    of_all, of_part = fit(x, z, values, PRODUCT), fit(x[rows], z[rows], values[rows], PRODUCT)
    np.testing.assert_allclose(of_all.kernel.to_logs(), of_part.kernel.to_logs(), atol=0.02)  # climbed once more
    assert len(of_all.x) == 30


@pytest.mark.parametrize("form", [PRODUCT, TruthAndErrorForm.knob()])
@pytest.mark.parametrize("kind", ["two points", "all equal", "duplicates", "one point"])
def test_poor_data_still_give_a_finite_model(form: Form, kind: str, rng: np.random.Generator) -> None:
    n = {"two points": 2, "one point": 1}.get(kind, 20)
    x, z, values = rng.random((n, 3)), rng.random(n), rng.standard_normal(n)
    if kind == "all equal":
        values = np.zeros(n)
    if kind == "duplicates":
        x[:], z[:], values[:] = x[0], z[0], values[0]
    moments = fit(x, z, values, form).moments(rng.random((5, 3)), np.array([0.0, 1.0]))
    assert np.isfinite(moments.mean_g).all()
    assert (moments.var_g > 0.0).all()


@pytest.mark.slow
def test_a_large_data_set_is_fitted_on_a_part_and_conditioned_on_all(rng: np.random.Generator) -> None:
    x, z = rng.random((900, 2)), rng.random(900)
    values = np.sin(6 * x[:, 0]) + np.cos(5 * x[:, 1])
    process = fit(x, z, (values - values.mean()) / values.std(), PRODUCT)
    assert len(process.x) == 900
    np.testing.assert_allclose(process.mean(x[:5], z[:5]).diagonal(), process.values[:5], atol=1e-2)
