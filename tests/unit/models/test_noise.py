"""Values that scatter: told standard errors, repeated designs, and noise that is learned."""

import numpy as np
import pytest
from deciding import believe, output_data, trial_at
from kernels import joint_posterior

from imoca.methods.recall import recall
from imoca.models import outliers
from imoca.models.cost import cost_models
from imoca.models.dataset import LARGEST_ERROR, OutputData
from imoca.models.doubt import doubt_of, explained_by_cheap_runs
from imoca.models.fading import KnobFading
from imoca.models.fitting import fit
from imoca.models.gp import JITTERS, GaussianProcess
from imoca.models.truth_and_error import Error, TruthAndError, TruthAndErrorForm
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Answer, Trial, TrialTable

KNOB = Error(KnobFading(), np.zeros(1), np.array([0.5]), 0.2, 1e-3)
KERNEL = TruthAndError(np.array([0.3]), 1.0, 10.0, (KNOB,), 1e-3, 1e-4, np.empty(0))
FORM = TruthAndErrorForm.knob()
PROBLEM = Problem(
    [Real("a", 0.0, 1.0)],
    [Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z")],
)


def data(rng: np.random.Generator, n: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    z = rng.random(n)
    z[-3:] = 1.0
    return rng.random((n, 1)), z, rng.standard_normal(n)


def moments_of(process: GaussianProcess) -> np.ndarray:
    x, z = np.linspace(0.0, 1.0, 9)[:, None], np.array([0.0, 0.4, 1.0])
    moments = process.moments(x, z)
    return np.concatenate([moments.mean_g, moments.var_g, moments.cov], axis=None)


def test_an_error_of_nothing_is_no_error_to_the_last_bit(rng: np.random.Generator) -> None:
    x, z, values = data(rng)
    plain, told = (GaussianProcess.condition(x, z, values, KERNEL, each) for each in (None, np.zeros(12)))
    np.testing.assert_array_equal(moments_of(plain), moments_of(told))
    first, second = (fit(x, z, values, FORM, told_noise=each) for each in (None, np.zeros(12)))
    np.testing.assert_array_equal(first.kernel.to_logs(), second.kernel.to_logs())


def test_an_observation_with_a_huge_error_changes_nothing(rng: np.random.Generator) -> None:
    x, z, values = data(rng)
    told = np.append(np.full(11, 0.01), LARGEST_ERROR**2)
    with_it = GaussianProcess.condition(x, z, values, KERNEL, told)
    without = GaussianProcess.condition(x[:-1], z[:-1], values[:-1], KERNEL, told[:-1])
    np.testing.assert_allclose(moments_of(with_it), moments_of(without), atol=1e-9)


@pytest.mark.parametrize("n", [2, 7, 40])
def test_repeats_are_one_observation_of_their_mean_with_its_variance(n: int, rng: np.random.Generator) -> None:
    """n runs that scatter by v each, told or learned, are one that scatters by v / n."""
    x, z, values = data(rng)
    repeats, told = values[-1] + rng.standard_normal(n), 0.25
    many = GaussianProcess.condition(
        np.concatenate([x[:-1], np.repeat(x[-1:], n, axis=0)]),
        np.concatenate([z[:-1], np.ones(n)]),
        np.concatenate([values[:-1], repeats]),
        KERNEL,
        np.concatenate([np.zeros(11), np.full(n, told)]),
    )
    learned = KERNEL.noise_variance + JITTERS[0] * KERNEL.signal_variance
    one = GaussianProcess.condition(
        x, z, np.append(values[:-1], repeats.mean()), KERNEL, np.append(np.zeros(11), (learned + told) / n - learned)
    )
    np.testing.assert_allclose(moments_of(many), moments_of(one), atol=1e-7)


def test_many_repeats_without_any_error_give_their_mean_and_no_trouble(rng: np.random.Generator) -> None:
    x = np.repeat(np.array([[0.2], [0.5], [0.8]]), 60, axis=0)
    levels = np.repeat([0.0, 2.0, -1.0], 60)
    process = fit(x, np.ones(180), levels + 0.3 * rng.standard_normal(180), FORM)
    mean, variance = process.mean_and_variance_at_target(np.array([[0.2], [0.5], [0.8]]))
    np.testing.assert_allclose(mean, [0.0, 2.0, -1.0], atol=5.0 * 0.3 / np.sqrt(60))
    np.testing.assert_allclose(variance, 0.3**2 / 60, rtol=0.3)


@pytest.mark.parametrize("n", [1, 3])
def test_measured_values_lose_what_the_model_explains_of_their_errors(n: int, rng: np.random.Generator) -> None:
    """By the joint posterior of function and learned noise at the runs, which dense algebra gives."""
    x, z, values = data(rng)
    x, z = np.concatenate([x, np.repeat(x[-1:], n - 1, axis=0)]), np.append(z, np.ones(n - 1))
    values = np.append(values, rng.standard_normal(n - 1))
    told = np.full(len(z), 0.2)
    process = GaussianProcess.condition(x, z, values, KERNEL, told)
    rows = np.arange(len(z) - n, len(z))
    measured = values[rows].mean()
    noise = KERNEL.noise(z) + JITTERS[0] * KERNEL.signal_variance
    prior = joint_posterior(GaussianProcess.condition(x[:0], z[:0], values[:0], KERNEL), x, z)[1] + np.diag(noise)
    signal = prior @ np.linalg.solve(prior + np.diag(told), values)
    found = process.without_told_errors(x[-1:], np.array([measured]))
    assert found[0] == pytest.approx(signal[rows].mean(), abs=1e-8)
    assert abs(found[0] - measured) > 1e-3


def test_what_was_measured_without_an_error_or_not_at_all_is_left_as_it_is(rng: np.random.Generator) -> None:
    x, z, values = data(rng)
    told = np.full(12, 0.2)
    told[-1] = 0.0
    process = GaussianProcess.condition(x, z, values, KERNEL, told)
    elsewhere = np.array([[0.123456]])
    asked = np.concatenate([x[-1:], x[:1], elsewhere])  # exact, cheap, not run
    np.testing.assert_array_equal(process.without_told_errors(asked, np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x[-1:], asked[:1])


def test_runs_to_come_are_expected_to_scatter_as_others_at_their_fidelity() -> None:
    z = np.array([0.0, 0.0, 0.5, 1.0])
    told = np.array([1.0, 3.0, 0.5, 0.01])
    process = GaussianProcess.condition(np.array([[0.1], [0.3], [0.6], [0.9]]), z, np.zeros(4), KERNEL, told)
    asked = np.array([0.0, 0.5, 1.0, 0.85])  # the last is nearest to full accuracy, but not near
    np.testing.assert_allclose(process.expected_told_noise(asked), [2.0, 0.5, 0.01, 0.01], rtol=1e-3)
    moments = process.moments(np.array([[0.5]]), asked)
    np.testing.assert_allclose(moments.noise, KERNEL.noise(asked) + process.expected_told_noise(asked))
    assert process.noise_at_target == pytest.approx(1e-4)
    believing = process.believing(np.array([[0.7]]), np.array([0.5]))
    assert believing.told_noise[-1] == pytest.approx(0.5, rel=1e-3)


def simulated(n: int, at_full: float, at_cheap: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """A smooth function with a smooth error of cheap runs, which scatter by another deviation than full ones."""
    x, z = rng.random((n, 1)), np.repeat([0.0, 1.0], n // 2)
    truth = np.sin(6.0 * x[:, 0]) + 0.3 * (1.0 - z) * np.cos(4.0 * x[:, 0])
    return x, z, truth, np.where(z == 1.0, at_full, at_cheap)


@pytest.mark.parametrize(("at_full", "at_cheap"), [(0.1, 0.1), (0.05, 0.25), (0.1, 0.4)])
def test_noise_that_is_not_told_is_learned_at_both_ends(at_full: float, at_cheap: float) -> None:
    """Its variance, the mean of some samples: each has a relative error of sqrt(2 / 60)."""
    learned = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x, z, truth, deviations = simulated(120, at_full, at_cheap, rng)
        kernel = fit(x, z, truth + deviations * rng.standard_normal(120), FORM).kernel
        learned.append(kernel.noise(np.array([1.0, 0.0])))
    np.testing.assert_allclose(np.mean(learned, axis=0), [at_full**2, at_cheap**2], rtol=0.25)


def test_noise_that_is_told_is_not_learned_again(rng: np.random.Generator) -> None:
    x, z, truth, deviations = simulated(120, 0.2, 0.3, rng)
    values = truth + deviations * rng.standard_normal(120)
    told = fit(x, z, values, FORM, told_noise=deviations**2).kernel
    learned = fit(x, z, values, FORM).kernel
    ends = np.array([1.0, 0.0])
    assert (told.noise(ends) < 0.1 * learned.noise(ends)).all()


def trials(values: np.ndarray, errors: np.ndarray, z: np.ndarray) -> list[Trial]:
    x = np.linspace(0.0, 1.0, len(values))
    told = [({"f": value}, {"f": error} if error else {}) for value, error in zip(values.tolist(), errors, strict=True)]
    return [
        trial_at(PROBLEM, i, x[i : i + 1], [z[i]], Answer(value, errors=error)) for i, (value, error) in enumerate(told)
    ]


def seen(values: np.ndarray, errors: np.ndarray) -> OutputData:
    return output_data(PROBLEM, PROBLEM.objectives[0], trials(values, errors, np.ones(len(values))))


def test_errors_are_standardised_as_the_values_are() -> None:
    values, errors = np.array([10.0, 12.0, 20.0, 22.0]), np.array([0.5, 0.5, 0.5, 0.5])
    found = seen(values, errors)
    np.testing.assert_allclose(found.told_noise, (0.5 / values.std()) ** 2)
    table = TrialTable.encode(PROBLEM, trials(values, errors, np.ones(4)))
    from imoca.models.dataset import output_data as as_seen

    logarithms = as_seen(table, 0, is_log=True)
    expected = errors / values
    weights = 1.0 / (1.0 + (expected / np.log(values)[expected <= np.median(expected)].std()) ** 2) ** 2
    centre = np.average(np.log(values), weights=weights)
    scale = np.sqrt(np.average((np.log(values) - centre) ** 2, weights=weights))
    np.testing.assert_allclose(np.sqrt(logarithms.told_noise), expected / scale)
    assert (logarithms.centre, logarithms.scale) == pytest.approx((-centre, scale))


def test_an_answer_with_a_huge_error_moves_neither_centre_nor_scale() -> None:
    values = np.array([10.0, 12.0, 20.0, 22.0, 15.0, 1e7])
    errors = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 1e7])
    with_it, without = seen(values, errors), seen(values[:-1], errors[:-1])
    assert with_it.centre == pytest.approx(without.centre, abs=0.01)
    assert with_it.scale == pytest.approx(without.scale, rel=0.01)
    np.testing.assert_allclose(with_it.told_noise[-1], min((1e7 / with_it.scale) ** 2, LARGEST_ERROR**2))
    one = seen(np.array([3.0]), np.array([0.5]))
    assert (one.centre, one.scale, one.told_noise[0]) == (-3.0, 1.0, 0.25)
    assert seen(np.array([1.0, 2.0]), np.array([1e150, 0.0])).told_noise.max() == LARGEST_ERROR**2


@pytest.mark.parametrize(("error", "is_aside"), [(0.0, True), (1.0, True), (400.0, False)])
def test_an_answer_is_impossible_unless_its_own_error_explains_it(
    error: float, is_aside: bool, rng: np.random.Generator
) -> None:
    x = np.linspace(0.0, 1.0, 30)[:, None]
    values = np.sin(5.0 * x[:, 0]) + 0.05 * rng.standard_normal(30)
    errors = np.full(30, 0.05)
    values[12], errors[12] = 1000.0, error
    found = outliers.set_aside(x, np.ones(30), values, FORM, errors)
    assert np.flatnonzero(found).tolist() == ([12] if is_aside else [])


def test_one_mistake_is_found_beside_an_answer_that_scatters_as_much(rng: np.random.Generator) -> None:
    x = np.linspace(0.0, 1.0, 30)[:, None]
    values = np.sin(5.0 * x[:, 0]) + 0.05 * rng.standard_normal(30)
    errors = np.full(30, 0.05)
    values[[12, 20]], errors[20] = 1000.0, 1000.0
    assert np.flatnonzero(outliers.set_aside(x, np.ones(30), values, FORM, errors)).tolist() == [12]


def test_full_runs_that_scatter_by_their_told_errors_leave_the_doubt_as_it_was() -> None:
    x = np.linspace(0.0, 1.0, 24)[:, None]
    z = np.where(np.arange(24) % 6 == 0, 1.0, 0.0)
    values, signs = np.sin(5.0 * x[:, 0]), np.where(np.arange(24) % 12 == 0, 1.0, -1.0)
    scattered = values + np.where(z == 1.0, 10.0 * signs, 0.0)
    told_noise = np.where(z == 1.0, 100.0, 0.0)
    told = doubt_of(GaussianProcess.condition(x, z, scattered, KERNEL, told_noise), has_knob=True)
    not_told = doubt_of(GaussianProcess.condition(x, z, scattered, KERNEL), has_knob=True)
    nothing = doubt_of(GaussianProcess.condition(x[z < 1.0], z[z < 1.0], values[z < 1.0], KERNEL), has_knob=True)
    ours, others, prior = (each.weights @ each.factors for each in (told, not_told, nothing))
    assert ours == pytest.approx(prior, rel=0.2)
    assert others > 2.0 * prior


def test_cheap_runs_are_not_blamed_for_the_noise_of_full_ones(rng: np.random.Generator) -> None:
    x = np.linspace(0.0, 1.0, 60)[:, None]
    z = np.where(np.arange(60) % 3 == 0, 1.0, 0.0)
    noise = np.where(z == 1.0, 0.6, 0.0)
    values = np.sin(5.0 * x[:, 0]) + noise * rng.standard_normal(60)
    told = explained_by_cheap_runs(GaussianProcess.condition(x, z, values, KERNEL, noise**2))
    not_told = explained_by_cheap_runs(GaussianProcess.condition(x, z, values, KERNEL))
    assert told > 0.85
    assert not_told < 0.7
    drowned = GaussianProcess.condition(x, z, values, KERNEL, np.where(z == 1.0, 25.0, 0.0))
    assert explained_by_cheap_runs(drowned) == 1.0


def test_beliefs_of_a_study_hold_its_errors_now_and_when_they_are_recalled(rng: np.random.Generator) -> None:
    values = 3.0 + np.sin(np.linspace(0.0, 6.0, 20)) + 0.2 * rng.standard_normal(20)
    errors, z = np.full(20, 0.2), np.where(np.arange(20) % 2, 1.0, 0.3)
    asked = trials(values, errors, z)
    beliefs = believe(PROBLEM, asked)
    assert beliefs is not None
    (process,), (seen_now,) = beliefs.surrogates, beliefs.data
    np.testing.assert_allclose(process.told_noise, seen_now.told_noise)
    assert seen_now.told_noise.min() > 0.0
    table = TrialTable.encode(PROBLEM, asked)
    then = Trial(20, {"a": 0.5}, {"s": 1.0}, beliefs.fitted)
    recalled = recall(table, then, "truth-and-error", cost_models(table))
    assert recalled is not None
    assert recalled.data[0].is_log == seen_now.is_log
    x = rng.random((5, 1))
    np.testing.assert_allclose(recalled.surrogates[0].mean_at_target(x), process.mean_at_target(x), atol=1e-9)


def test_a_logarithm_is_considered_only_where_errors_are_small_beside_the_values(rng: np.random.Generator) -> None:
    """Of plain values with additive noise that comes near to zero, a logarithm would excuse every miss."""
    x = np.linspace(0.0, 1.0, 40)
    positive = np.abs(2.0 + 2.0 * np.sin(6.0 * x) + 0.5 * rng.standard_normal(40)) + 1e-3
    logarithmic = np.exp(3.0 * np.sin(6.0 * x) + 0.05 * rng.standard_normal(40))
    for values, errors, is_log in ((positive, np.full(40, 0.5), False), (logarithmic, 0.05 * logarithmic, True)):
        asked = trials(values, errors, np.ones(40))
        beliefs = believe(PROBLEM, asked)
        assert beliefs is not None
        assert beliefs.data[0].is_log is is_log
        table = TrialTable.encode(PROBLEM, asked)
        recalled = recall(
            table, Trial(40, {"a": 0.5}, {"s": 1.0}, beliefs.fitted), "truth-and-error", cost_models(table)
        )
        assert recalled is not None
        assert recalled.data[0].is_log is is_log


def test_a_logarithm_that_is_declared_is_taken_whatever_the_errors(rng: np.random.Generator) -> None:
    outputs = [Objective("f", "minimize", log=True)]
    problem = Problem(PROBLEM.parameters, [Simulator("s", outputs, fidelity=Fidelity.continuous(), cost="0.1 + z")])
    values = np.exp(rng.standard_normal(12))
    asked = [
        trial_at(problem, i, np.array([i / 11]), [1.0], Answer({"f": value}, errors={"f": 0.5 * value}))
        for i, value in enumerate(values.tolist())
    ]
    beliefs = believe(problem, asked)
    assert beliefs is not None
    assert beliefs.data[0].is_log
    np.testing.assert_allclose(np.sqrt(beliefs.data[0].told_noise), 0.5 / beliefs.data[0].scale)
