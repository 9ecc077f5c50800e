"""Costs in units of the budget: declared and learned."""

import numpy as np
import pytest
from deciding import cost_model

from imoca.models import cost as cost_module
from imoca.models.cost import (
    PRIOR_LEVEL_SD,
    PRIOR_SLOPE,
    PRIOR_SLOPE_SD,
    TREND_NOISE_SD,
    KnownCostModel,
    LearnedCostModel,
    costs_of_runs,
    fitted_cost_models,
    key_of,
    learn_cost,
    remembered_costs,
)
from imoca.problem.cost import MeasuredCost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import CostUnit, Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.problem.space import SearchSpace
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial


def make_problem(cost: str | MeasuredCost, full_cost: float = 1.0, relative_to: CostUnit = "mean") -> Problem:
    simulator = Simulator(
        "s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost=cost, full_cost=full_cost
    )
    return Problem([Real("a", 0.0, 2.0), Real("b", 0.0, 1.0)], [simulator], cost_relative_to=relative_to)


def learned(
    x: np.ndarray,
    z: np.ndarray,
    log_costs: np.ndarray,
    cost: MeasuredCost | str = "measured",
    fidelity: Fidelity | None = None,
    full_cost: float = 1.0,
) -> LearnedCostModel:
    """Of a simulator with a continuous knob, unless another is given; fitted."""
    knob = Fidelity.continuous() if fidelity is None else fidelity
    simulator = Simulator("s", [Objective("f", "minimize")], fidelity=knob, cost=cost, full_cost=full_cost)
    space = SearchSpace([Real("a", 0.0, 2.0), Real("b", 0.0, 1.0)])
    return learn_cost(simulator, space, x, z, log_costs, is_fitting=True)


def test_a_declared_cost_is_normalised_by_its_value_at_the_target(rng: np.random.Generator) -> None:
    problem = make_problem("0.05 + z**2", full_cost=3.0)
    model = cost_model(problem, problem.simulators[0], [])
    ratio = model.ratio(rng.random((4, 2)), np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(ratio, np.tile([3 * 0.05 / 1.05, 3 * 0.3 / 1.05, 3.0], (4, 1)))
    assert model.counted(np.array([[0.1, 0.2]]), np.array([0.525]))[0] == pytest.approx(1.5)
    np.testing.assert_array_equal(model.gradient(rng.random((4, 2)), np.full(4, 0.5)), 0.0)


def test_the_gradient_of_a_cost_that_depends_on_the_design_is_that_of_its_formula() -> None:
    problem = make_problem("1 + a * z")  # ratio (1 + 2u z) / (1 + 2u) with a = 2u
    model = KnownCostModel(problem.simulators[0], problem.space)
    u, z = 0.3, 0.4
    exact = 2 * (z - 1) / (1 + 2 * u) ** 2
    np.testing.assert_allclose(model.gradient(np.array([[u, 0.5]]), np.array([z])), [[exact, 0.0]], atol=1e-8)


@pytest.mark.parametrize("n", [0, 1, 150])
def test_the_cost_of_every_run_is_that_of_its_design_at_its_fidelity(n: int, rng: np.random.Generator) -> None:
    problem = make_problem("1 + a * z", full_cost=2.0)
    x, z = rng.random((n, 2)), rng.random(n)
    costs = costs_of_runs(KnownCostModel(problem.simulators[0], problem.space), x, z)
    np.testing.assert_allclose(costs, 2.0 * (1.0 + 2.0 * x[:, 0] * z) / (1.0 + 2.0 * x[:, 0]))


def test_a_learned_cost_recovers_the_law_that_made_the_data(rng: np.random.Generator) -> None:
    x, z = rng.random((40, 2)), rng.random(40)
    model = learned(x, z, np.log(5.0) + 4.0 * z + 0.5 * np.sin(3 * x[:, 0]))
    queries, grid = rng.random((10, 2)), np.array([0.0, 0.3, 0.8])
    np.testing.assert_allclose(model.ratio(queries, grid), np.tile(np.exp(4.0 * (grid - 1.0)), (10, 1)), rtol=0.1)
    exact = 5.0 * np.exp(4.0 + 0.5 * np.sin(3 * queries[0, 0]))
    assert model.target_costs(queries[:1])[0] == pytest.approx(exact, rel=0.1)
    assert model.counted(queries[:1], np.array([exact]))[0] == pytest.approx(1.0, rel=0.1)


def test_one_run_above_ten_cheap_ones_is_enough_to_see_the_slope(rng: np.random.Generator) -> None:
    x, z = rng.random((11, 2)), np.append(np.zeros(10), 0.7)
    model = learned(x, z, np.log(600.0) * z)
    assert model.ratio(x[:1], np.array([0.0]))[0, 0] == pytest.approx(1 / 600, rel=1.0)


def test_the_gradient_of_a_learned_cost_matches_finite_differences(rng: np.random.Generator) -> None:
    x, z = rng.random((30, 2)), rng.random(30)
    scatter = 0.05 * rng.standard_normal(30)  # without it the matrix is ill-conditioned and differences are noise
    model = learned(x, z, 3.0 * z * (1 + x[:, 0]) + x[:, 1] + scatter, full_cost=2.0)
    queries, at, step = rng.random((3, 2)), np.array([0.1, 0.5, 0.9]), 1e-6
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (model.ratio(queries + shift, at) - model.ratio(queries - shift, at)).diagonal() / (2 * step)
        np.testing.assert_allclose(model.gradient(queries, at)[:, column], numeric, atol=1e-5)


def test_before_any_run_full_accuracy_is_taken_to_cost_ten_times_the_cheapest() -> None:
    problem = make_problem("measured")
    model = cost_model(problem, problem.simulators[0], [])
    assert isinstance(model, LearnedCostModel)
    np.testing.assert_allclose(model.ratio(np.zeros((1, 2)), np.array([0.0, 1.0])), [[0.1, 1.0]])
    np.testing.assert_array_equal(model.gradient(np.zeros((1, 2)), np.array([0.0])), 0.0)


def test_runs_that_failed_do_not_teach_the_cost() -> None:
    problem = make_problem("measured")
    trials = [
        Trial(0, {"a": 0.5, "b": 0.5}, {"s": 1.0}, {}, Answer({"f": 1.0}, {"s": 100.0}, {})),
        Trial(1, {"a": 0.6, "b": 0.5}, {"s": 1.0}, {}, Answer({}, {"s": 1e-3}, {"s": "crashed"})),
    ]
    model = cost_model(problem, problem.simulators[0], trials)
    counted = model.counted(np.array([[0.25, 0.5], [0.3, 0.5]]), np.array([100.0, 100.0]))
    np.testing.assert_allclose(counted, 1.0, rtol=0.1)  # at the design of the failed run as beside it


@pytest.mark.parametrize("at", [[0.0, 0.5], [1.0, 0.5]])
def test_the_gradient_of_a_declared_cost_at_the_edge_of_the_cube_is_one_sided(at: list[float]) -> None:
    problem = make_problem("1 + a * z", full_cost=3.0)
    model = KnownCostModel(problem.simulators[0], problem.space)
    exact = 3.0 * 2 * (0.4 - 1) / (1 + 2 * at[0]) ** 2
    gradient = model.gradient(np.array([at, [0.3, 0.1]]), np.array([0.4, 1.0]))
    np.testing.assert_allclose(gradient, [[exact, 0.0], [0.0, 0.0]], atol=1e-4)


def test_told_amounts_count_by_the_full_cost_of_their_own_design() -> None:
    problem = make_problem("1 + a", full_cost=3.0, relative_to="design")  # a full run takes 1.5 and 2.5
    model = cost_model(problem, problem.simulators[0], [])
    counted = model.counted(np.array([[0.25, 0.5], [0.75, 0.5]]), np.array([3.0, 1.25]))
    np.testing.assert_allclose(counted, [6.0, 1.5])


def test_relative_to_the_mean_a_design_that_is_cheap_counts_less() -> None:
    problem = make_problem("1 + a * z", full_cost=3.0)  # a = 2u: a full run takes 2 on average over the space
    model = cost_model(problem, problem.simulators[0], [])
    x, z = np.array([[0.0, 0.5], [0.3, 0.2], [1.0, 0.9]]), np.array([0.0, 0.4, 1.0])
    expected = 3.0 * (1.0 + 2.0 * x[:, :1] * z) / 2.0
    np.testing.assert_allclose(model.ratio(x, z), expected, rtol=1e-3)
    np.testing.assert_allclose(model.counted(x, np.array([2.0, 1.0, 4.0])), [3.0, 1.5, 6.0], rtol=1e-3)
    np.testing.assert_allclose(model.gradient(x[1:2], z[1:2]), [[3.0 * 0.4, 0.0]], rtol=1e-3, atol=1e-9)


def test_a_learned_cost_relative_to_the_mean_is_in_units_of_its_mean_over_the_space(rng: np.random.Generator) -> None:
    trials = [
        Trial(i, {"a": 2.0 * u, "b": v}, {"s": z}, {}, Answer({"f": 1.0}, {"s": float(np.exp(2.0 * z + 1.5 * u))}))
        for i, (u, v, z) in enumerate(rng.random((60, 3)).tolist())
    ]
    problem = make_problem("measured", full_cost=2.0)
    (model,) = fitted_cost_models(TrialTable.encode(problem, trials))
    unit = np.exp(2.0) * (np.exp(1.5) - 1.0) / 1.5  # the mean of a full run over u in [0, 1]
    x, z = np.array([[0.1, 0.5], [0.5, 0.5], [0.9, 0.5]]), np.array([0.0, 0.5, 1.0])
    np.testing.assert_allclose(model.ratio(x, z), 2.0 * np.exp(2.0 * z + 1.5 * x[:, :1]) / unit, rtol=0.05)
    np.testing.assert_allclose(model.counted(x, np.full(3, unit)), 2.0, rtol=0.05)
    step, at = 1e-5, np.array([0.1, 0.5, 0.9])
    shift = step * np.array([1.0, 0.0])
    numeric = (model.ratio(x + shift, at) - model.ratio(x - shift, at)).diagonal() / (2 * step)
    np.testing.assert_allclose(model.gradient(x, at)[:, 0], numeric, rtol=1e-3)


def test_the_straight_line_is_the_bayesian_one_by_least_squares_with_the_prior_as_further_data(
    rng: np.random.Generator,
) -> None:
    z = rng.random(9)
    logs = 2.0 + 3.0 * z + 0.2 * rng.standard_normal(9)
    model = learned(np.full((9, 2), 0.5), z, logs)
    rows = np.column_stack([np.ones(9), z - 1.0]) / TREND_NOISE_SD
    prior = np.diag([1.0 / PRIOR_LEVEL_SD, 1.0 / PRIOR_SLOPE_SD])
    wanted = np.concatenate([logs / TREND_NOISE_SD, [0.0, PRIOR_SLOPE / PRIOR_SLOPE_SD]])
    level, slope = np.linalg.lstsq(np.concatenate([rows, prior]), wanted, rcond=None)[0]
    np.testing.assert_allclose(model.slopes, [slope])
    assert model.level == pytest.approx(
        level + (logs - level - slope * (z - 1.0)).mean()
    )  # what is left over is centred


def test_of_very_many_runs_a_part_spread_over_all_teaches_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_module, "MAX_LEARNED", 5)
    problem = make_problem("measured")
    trials = [
        Trial(i, {"a": i / 10, "b": 0.5}, {"s": i / 20}, {}, Answer({"f": 1.0}, {"s": 1.0 + i})) for i in range(21)
    ]
    model = cost_model(problem, problem.simulators[0], trials)
    assert isinstance(model, LearnedCostModel)
    assert model.residual is not None
    np.testing.assert_allclose(model.residual.x[:, 0], [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(model.residual.x[:, 2], [1.0, 0.75, 0.5, 0.25, 0.0])  # from full accuracy


def test_runs_whose_cost_does_not_depend_on_the_design_cost_what_each_fidelity_does() -> None:
    problem = make_problem("1 + z", full_cost=3.0)
    z = np.array([0.0, 0.5, 1.0, 0.25])
    costs = costs_of_runs(KnownCostModel(problem.simulators[0], problem.space), np.full((4, 2), 0.3), z)
    np.testing.assert_allclose(costs, 3.0 * (1.0 + z) / 2.0)


def law(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Logarithms of costs that vary tenfold over designs."""
    return 2.0 + 4.0 * z + 1.15 * np.sin(3.0 * x[:, 0])


def errors(model: LearnedCostModel, rng: np.random.Generator) -> np.ndarray:
    """Of the logarithms of costs at random designs and fidelities."""
    x, z = rng.random((100, 2)), rng.random(100)
    return np.log(model.own_costs(x, z)) - law(x, z)


@pytest.mark.parametrize(("n", "largest"), [(20, 0.4), (60, 0.1)])
def test_one_run_that_hung_for_an_hour_does_not_ruin_what_is_known(
    n: int, largest: float, rng: np.random.Generator
) -> None:
    x, z = rng.random((n, 2)), rng.random(n)
    logs = law(x, z) + 0.05 * rng.standard_normal(n)
    logs[n // 2] += np.log(3600.0)
    model = learned(x, z, logs)
    assert np.sqrt((errors(model, rng) ** 2).mean()) < largest
    at = model.own_costs(x[n // 2 : n // 2 + 1], z[n // 2 : n // 2 + 1])
    assert abs(float(np.log(at)[0] - law(x, z)[n // 2])) < np.log(2.0)  # also at its own place


def test_noise_of_the_clock_is_not_taken_for_a_law(rng: np.random.Generator) -> None:
    x, z = rng.random((40, 2)), rng.random(40)
    model = learned(x, z, law(x, z) + 0.2 * rng.standard_normal(40))
    assert np.sqrt((errors(model, rng) ** 2).mean()) < 0.15  # an interpolation would be off by the noise itself
    assert model.residual is not None
    assert model.scale * np.sqrt(model.residual.kernel.noise(np.ones(1))[0]) == pytest.approx(0.2, rel=0.4)


def test_before_any_run_a_cost_is_what_is_expected_of_it() -> None:
    problem = make_problem(MeasuredCost("0.05 + z**2 * (1 + a)"), full_cost=3.0)  # a full run takes 2.05 on average
    model = cost_model(problem, problem.simulators[0], [])
    x, z = np.array([[0.0, 0.5], [0.8, 0.1]]), np.array([0.0, 0.5, 1.0])
    exact = 3.0 * (0.05 + z**2 * (1.0 + 2.0 * x[:, :1])) / 2.05
    np.testing.assert_allclose(model.ratio(x, z), exact, rtol=1e-3)
    slope = 3.0 * 0.25 * 2.0 / 2.05
    np.testing.assert_allclose(model.gradient(x[:1], z[1:2]), [[slope, 0.0]], rtol=1e-3, atol=1e-9)


def test_runs_correct_what_was_expected_where_it_was_wrong(rng: np.random.Generator) -> None:
    x, z = rng.random((30, 2)), rng.random(30)
    told = np.log(7.0 * (0.05 + z**2)) + 0.8 * (1.0 - z) + 0.5 * x[:, 0]  # dearer at the cheap end, and by design
    model = learned(x, z, told + 0.02 * rng.standard_normal(30), MeasuredCost("0.05 + z**2"))
    ratio = model.ratio(np.array([[0.3, 0.3]]), np.array([0.0, 0.5]))[0]
    exact = (0.05 + np.array([0.0, 0.25])) / 1.05 * np.exp(0.8 * np.array([1.0, 0.5]))
    np.testing.assert_allclose(ratio, exact, rtol=0.1)
    np.testing.assert_allclose(model.target_costs(np.array([[0.9, 0.2]])), 7.0 * 1.05 * np.exp(0.45), rtol=0.1)


def test_a_formula_that_is_right_needs_but_one_run(rng: np.random.Generator) -> None:
    """Where nothing is expected, a run at one fidelity tells nothing of others."""
    x, z, told = np.array([[0.5, 0.5]]), np.array([0.2]), np.log(np.array([3.0 * (0.05 + 0.2**6.5)]))
    expecting = learned(x, z, told, MeasuredCost("0.05 + z**6.5")).target_costs(rng.random((5, 2)))
    np.testing.assert_allclose(expecting, 3.0 * 1.05, rtol=0.05)
    guessing = learned(x, z, told).target_costs(rng.random((5, 2)))
    assert (np.abs(np.log(guessing / 3.15)) > 1.0).all()


def test_costs_of_several_knobs_are_learned_along_each_of_them(rng: np.random.Generator) -> None:
    """Panels cost their square and steps nothing: over the order of all settings that is a ragged curve."""
    knobs = Fidelity.knobs(panels=[1, 2, 4, 8], steps=[1, 2, 3, 4])
    z = knobs.grid(16)[rng.permutation(16)[:9]]
    panels = knobs.variables(z)["panels"]
    model = learned(rng.random((9, 2)), z, np.log(5.0 * panels**2), fidelity=knobs)
    grid = knobs.grid(16)
    ratio = model.ratio(np.full((1, 2), 0.5), grid)[0]
    np.testing.assert_allclose(ratio, knobs.variables(grid)["panels"] ** 2 / 64.0, rtol=0.35)


def test_sources_without_order_cost_what_each_does(rng: np.random.Generator) -> None:
    sources = Fidelity.sources(["cheap", "dear", "fast", "full"])
    costs = np.array([1.0, 90.0, 3.0, 20.0])
    at = rng.integers(0, 4, 16)
    at[:4] = np.arange(4)
    model = learned(rng.random((16, 2)), at / 3.0, np.log(costs[at]), fidelity=sources)
    np.testing.assert_allclose(model.ratio(np.full((1, 2), 0.5), sources.grid(4))[0], costs / 20.0, rtol=0.1)


def test_a_bill_uses_the_hyperparameters_that_a_trial_remembers(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = make_problem("measured")
    trials = [
        Trial(
            i, {"a": 2.0 * u, "b": v}, {"s": z}, {}, Answer({"f": 1.0}, {"s": float(np.exp(2.0 * z + np.sin(5 * u)))})
        )
        for i, (u, v, z) in enumerate(rng.random((25, 3)).tolist())
    ]
    fitted = fitted_cost_models(TrialTable.encode(problem, trials))
    remembered = remembered_costs(fitted)
    assert list(remembered) == [key_of(problem.simulators[0])]
    asked = Trial(25, {"a": 1.0, "b": 0.5}, {"s": 0.5}, remembered)
    monkeypatch.setattr(cost_module, "fit", None)  # nothing is fitted any more
    model = cost_model(problem, problem.simulators[0], [*trials, asked])
    x, z = rng.random((5, 2)), np.array([0.0, 0.4, 1.0])
    np.testing.assert_allclose(model.ratio(x, z), fitted[0].ratio(x, z), rtol=1e-6)
    guessed = cost_model(problem, problem.simulators[0], trials)
    assert not np.allclose(guessed.ratio(x, z), fitted[0].ratio(x, z), rtol=1e-3)


def test_nor_does_it_when_few_others_are_known() -> None:
    """By the median of twenty studies of 12 runs."""
    off = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, z = rng.random((12, 2)), rng.random(12)
        logs = law(x, z) + 0.05 * rng.standard_normal(12)
        logs[6] += np.log(3600.0)
        off.append(np.sqrt((errors(learned(x, z, logs), rng) ** 2).mean()))
    assert np.median(off) < 0.25
