"""The probability that a run fails: posterior by another route, gradients, limits, chance told from place."""

import numpy as np
import pytest
from scipy.stats import norm, qmc

from imoca.models.failure import (
    MAX_RUNS,
    RATE_MEAN,
    RATE_VARIANCE,
    FailureKernel,
    FailureModel,
    Running,
    failure_models,
    learn_failures,
    negative_log_posterior,
    thinned_runs,
)
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial

KERNEL = FailureKernel(np.array([0.3, 0.6]), 2.0, 0.35)


def designs(n: int, d: int) -> np.ndarray:
    return qmc.Sobol(d, seed=3).random(n)


def one_by_one(model: FailureModel, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Of runs at a fidelity each."""
    return np.array([model.probability(x[i : i + 1], z[i : i + 1])[0, 0] for i in range(len(x))])


def signs_of(has_failed: list[bool]) -> np.ndarray:
    return np.where(has_failed, 1.0, -1.0)


def plain_covariance(kernel: FailureKernel, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The formula of the hidden number, entry by entry: r + g(x) + (1 - z) (c + e(x))."""
    s2, e2 = kernel.place_variance, kernel.cheap_variance
    rows = np.empty((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            near = np.exp(-0.5 * (((x[i] - x[j]) / kernel.length_scales) ** 2).sum())
            both_cheap = (1.0 - z[i]) * (1.0 - z[j])
            rows[i, j] = RATE_VARIANCE * (1.0 + s2) + s2 * near + both_cheap * (e2 + e2 * near)
    return rows


def exact_probability(kernel: FailureKernel, x: np.ndarray, z: np.ndarray, signs: np.ndarray, n_draws: int) -> float:
    """Of a failure of the last of the runs given those before, by weighing draws of the prior; no approximation."""
    normal = norm.ppf(qmc.Sobol(len(x), seed=0).random(n_draws))
    hidden = (
        RATE_MEAN * np.sqrt(1.0 + kernel.place_variance)
        + normal @ np.linalg.cholesky(plain_covariance(kernel, x, z) + 1e-12 * np.eye(len(x))).T
    )
    likelihood = np.prod(norm.cdf(signs * hidden[:, :-1]), axis=1)
    return float(likelihood @ norm.cdf(hidden[:, -1]) / likelihood.sum())


@pytest.mark.parametrize("has_failed", [[True], [True, False], [True, True, False]])
def test_the_probability_is_near_that_by_integration_over_the_prior(has_failed: list[bool]) -> None:
    x = np.array([[0.2, 0.3], [0.6, 0.4], [0.3, 0.7], [0.35, 0.35]])[[*range(len(has_failed)), 3]]
    z = np.array([1.0, 0.4, 0.0, 0.8])[[*range(len(has_failed)), 3]]
    signs = signs_of(has_failed)
    model = FailureModel.condition(x[:-1], z[:-1], signs, KERNEL)
    exact = exact_probability(KERNEL, x, z, signs, 2**16)
    assert one_by_one(model, x[-1:], z[-1:])[0] == pytest.approx(exact, abs=0.04)


def test_with_little_to_learn_the_probability_is_the_exact_one() -> None:
    """The weaker place is, the more exact is Laplace's approximation of it; the rate stays as it is."""
    weak = FailureKernel(np.array([0.3]), 0.02, 1.0)
    x, z = np.array([[0.1], [0.5], [0.2]]), np.array([0.3, 1.0, 0.0])
    signs = signs_of([True, False])
    model = FailureModel.condition(x[:-1], z[:-1], signs, weak)
    exact = exact_probability(weak, x, z, signs, 2**16)
    before = norm.cdf(RATE_MEAN / np.sqrt(1.0 + RATE_VARIANCE))
    assert abs(exact - before) > 0.05  # something was learned
    assert one_by_one(model, x[-1:], z[-1:])[0] == pytest.approx(exact, abs=0.01)


def test_without_data_every_design_fails_at_the_rate_of_the_prior(rng: np.random.Generator) -> None:
    model = FailureModel(KERNEL, np.empty((0, 2)), np.empty(0), np.empty(0), np.empty((0, 0)))
    rate = norm.cdf(RATE_MEAN / np.sqrt(1.0 + RATE_VARIANCE))
    np.testing.assert_allclose(model.at_target(rng.random((6, 2))), rate, rtol=1e-12)
    assert 0.1 < rate < 0.2


def test_designs_and_fidelities_are_taken_in_every_combination(rng: np.random.Generator) -> None:
    x, z = rng.random((12, 2)), rng.random(12)
    model = FailureModel.condition(x, z, signs_of([i % 3 == 0 for i in range(12)]), KERNEL)
    queries, grid = rng.random((5, 2)), np.array([0.0, 0.3, 1.0])
    table = model.probability(queries, grid)
    assert table.shape == (5, 3)
    for m, setting in enumerate(grid):
        np.testing.assert_allclose(table[:, m], one_by_one(model, queries, np.full(5, setting)), rtol=1e-12)
    np.testing.assert_allclose(table[:, 2], model.at_target(queries), rtol=1e-12)
    assert model.probability(queries[:0], grid).shape == (0, 3)


def test_the_gradient_in_the_design_matches_finite_differences(rng: np.random.Generator) -> None:
    x, z = rng.random((15, 2)), rng.random(15)
    model = FailureModel.condition(x, z, signs_of((x[:, 0] + 0.3 * z > 0.7).tolist()), KERNEL)
    queries, settings = rng.random((7, 2)), rng.random(7)
    settings[:2] = [0.0, 1.0]
    gradient, step = model.probability_gradient(queries, settings), 1e-6
    for i in range(2):
        ahead, behind = queries.copy(), queries.copy()
        ahead[:, i] += step
        behind[:, i] -= step
        differences = (one_by_one(model, ahead, settings) - one_by_one(model, behind, settings)) / (2 * step)
        np.testing.assert_allclose(gradient[:, i], differences, atol=1e-7)
    assert np.abs(gradient).max() > 0.3


@pytest.mark.parametrize("d", [1, 3])
def test_the_gradient_in_the_hyperparameters_matches_finite_differences(d: int, rng: np.random.Generator) -> None:
    x, z = rng.random((20, d)), rng.random(20)
    signs = signs_of((x[:, 0] > 0.6).tolist())
    prior = FailureKernel.prior(d)
    logs = prior.mean + 0.5 * rng.standard_normal(len(prior.mean))
    gradient, step = negative_log_posterior(logs, prior, x, z, signs)[1], 1e-5
    for i, unit in enumerate(np.eye(len(logs))):
        ahead, behind = (negative_log_posterior(logs + s * step * unit, prior, x, z, signs)[0] for s in (1, -1))
        assert gradient[i] == pytest.approx((ahead - behind) / (2 * step), rel=1e-6, abs=1e-7)


def test_a_half_space_that_fails_is_learned() -> None:
    x = designs(64, 2)
    model = learn_failures(x, np.ones(64), x[:, 0] > 0.6)
    across = np.linspace(0.05, 0.95, 7)
    assert model.at_target(np.column_stack([np.full(7, 0.85), across])).min() > 0.9
    assert model.at_target(np.column_stack([np.full(7, 0.25), across])).max() < 0.1


@pytest.mark.parametrize("d", [2, 6])
def test_held_out_runs_of_a_failing_disc_are_foretold_much_better_than_by_their_rate(d: int) -> None:
    def fails(x: np.ndarray) -> np.ndarray:
        return ((x[:, :2] - 0.4) ** 2).sum(axis=1) < 0.08

    x, held_out = np.split(designs(1024, d), [80])
    model = learn_failures(x, np.ones(80), fails(x))
    errors = (model.at_target(held_out) - fails(held_out)) ** 2
    rate = fails(x).mean()
    assert errors.mean() < 0.4 * ((rate - fails(held_out)) ** 2).mean()


def test_a_fidelity_that_fails_is_told_from_those_that_do_not() -> None:
    inputs = designs(64, 3)
    x, z = inputs[:, :2], np.round(inputs[:, 2] * 4) / 4
    model = learn_failures(x, z, z < 0.3)
    probability = model.probability(designs(16, 2), np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    assert probability[:, 0].min() > 0.8
    assert probability[:, 3:].max() < 0.2


def test_failures_by_chance_have_no_place(rng: np.random.Generator) -> None:
    x = designs(128, 2)
    chancy = learn_failures(x, np.ones(128), rng.random(128) < 0.15)
    regional = learn_failures(x, np.ones(128), x[:, 0] > 0.85)
    queries = designs(256, 2)
    assert chancy.at_target(queries).max() < 0.5
    assert chancy.at_target(queries).mean() == pytest.approx(0.15, abs=0.07)
    assert regional.at_target(queries).max() > 0.9


def test_a_design_that_failed_and_succeeded_is_about_chance() -> None:
    x = designs(16, 2)
    failed_once = np.arange(16) == 5
    model = learn_failures(x, np.ones(16), failed_once)
    again = learn_failures(np.concatenate([x, x[[5, 5]]]), np.ones(18), np.append(failed_once, [False, False]))
    and_again = learn_failures(np.concatenate([x, x[[5, 5]]]), np.ones(18), np.append(failed_once, [True, True]))
    assert again.at_target(x[5:6])[0] < 0.25 < model.at_target(x[5:6])[0] < 0.7 < and_again.at_target(x[5:6])[0]


def test_many_runs_are_thinned_without_changing_the_rate() -> None:
    has_failed = np.arange(5000) % 250 == 0
    kept = thinned_runs(has_failed, MAX_RUNS)
    assert len(kept) == MAX_RUNS == len(np.unique(kept))
    assert has_failed[kept].mean() == pytest.approx(has_failed.mean())
    np.testing.assert_array_equal(thinned_runs(np.ones(7, dtype=np.bool_), MAX_RUNS), np.arange(7))
    np.testing.assert_array_equal(thinned_runs(np.arange(7) % 2 == 0, MAX_RUNS), np.arange(7))


def test_the_only_failure_of_many_runs_stays() -> None:
    assert 17 in thinned_runs(np.arange(5000) == 17, MAX_RUNS)


def test_the_rate_of_rare_failures_by_chance_survives_thinning(rng: np.random.Generator) -> None:
    model = learn_failures(rng.random((3000, 2)), np.ones(3000), np.arange(3000) % 50 == 0)
    assert model.at_target(designs(64, 2)).mean() == pytest.approx(0.02, abs=0.015)


def make_table(*answers: Answer | None) -> TrialTable:
    simulators = [
        Simulator("a", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="1 + z"),
        Simulator("b", [Objective("g", "minimize")]),
    ]
    problem = Problem([Real("u", 0.0, 2.0)], simulators)
    both: dict[str, FidelityValue] = {"a": 0.5, "b": None}
    alone: dict[str, FidelityValue] = {"b": None}
    trials = [
        Trial(i, {"u": 0.2 * i}, alone if answer is ONLY_B else both, answer=answer) for i, answer in enumerate(answers)
    ]
    return TrialTable.encode(problem, trials)


FINE = Answer({"f": 1.0, "g": 1.0})
ONLY_B = Answer({"g": 2.0})
A_FAILED = Answer({"g": 1.0}, failures={"a": "boom"})


def test_a_design_runs_if_none_of_its_simulators_fails_and_the_gradient_is_that_of_differences(
    rng: np.random.Generator,
) -> None:
    models = []
    for direction in (0, 1):
        x, z = rng.random((30, 2)), rng.random(30)
        models.append(learn_failures(x, z, x[:, direction] > 0.6))
    running, x = Running(tuple(models)), rng.random((7, 2))
    probability, gradient = running(x)
    np.testing.assert_allclose(probability, (1.0 - models[0].at_target(x)) * (1.0 - models[1].at_target(x)))
    np.testing.assert_allclose(np.log(probability), running.log_probability(x))
    for column, shift in enumerate(1e-6 * np.eye(2)):
        numeric = (running(x + shift)[0] - running(x - shift)[0]) / 2e-6
        np.testing.assert_allclose(gradient[:, column], numeric, atol=1e-6)


def test_there_is_a_model_only_of_simulators_that_failed() -> None:
    assert failure_models(make_table(FINE, FINE)) == (None, None)
    assert failure_models(make_table()) == (None, None)
    of_a, of_b = failure_models(make_table(FINE, A_FAILED, FINE))
    assert isinstance(of_a, FailureModel)
    assert of_b is None


def test_the_price_of_a_failure_is_learned_from_those_that_told_it() -> None:
    """A full run counts 1 and, at half the fidelity, 0.75: it was declared as 1 + z."""
    assert failure_models(make_table(FINE, A_FAILED))[0].price == 1.0  # type: ignore[union-attr]  # paid as declared
    cheap = Answer({"g": 1.0}, {"a": 0.3}, {"a": "boom"})  # a fifth of what it would cost
    for n in (1, 4):
        model = failure_models(make_table(FINE, *[cheap] * n))[0]
        assert model is not None
        assert model.price == pytest.approx((1.0 + 0.2 * n) / (1.0 + n))


def test_runs_that_have_not_ended_or_never_were_tell_nothing() -> None:
    half = Answer({"g": 1.0}, pending=("a",))
    with_others = failure_models(make_table(FINE, A_FAILED, FINE, None, ONLY_B, half))[0]
    alone = failure_models(make_table(FINE, A_FAILED, FINE))[0]
    assert with_others is not None
    assert alone is not None
    queries = np.linspace(0.0, 1.0, 5)[:, None]
    np.testing.assert_array_equal(with_others.at_target(queries), alone.at_target(queries))
    assert sorted(with_others.x[:, 0]) == pytest.approx([0.0, 0.1, 0.2])
    np.testing.assert_array_equal(with_others.z, 0.5)
