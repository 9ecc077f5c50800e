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
    learn_cost,
)
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import CostUnit, Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials.trial import Answer, Trial


def make_problem(cost: str, full_cost: float = 1.0, relative_to: CostUnit = "mean") -> Problem:
    simulator = Simulator(
        "s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost=cost, full_cost=full_cost
    )
    return Problem([Real("a", 0.0, 2.0), Real("b", 0.0, 1.0)], [simulator], cost_relative_to=relative_to)


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
    model = learn_cost(x, z, np.log(5.0) + 4.0 * z + 0.5 * np.sin(3 * x[:, 0]), full_cost=1.0)
    queries, grid = rng.random((10, 2)), np.array([0.0, 0.3, 0.8])
    np.testing.assert_allclose(model.ratio(queries, grid), np.tile(np.exp(4.0 * (grid - 1.0)), (10, 1)), rtol=0.1)
    exact = 5.0 * np.exp(4.0 + 0.5 * np.sin(3 * queries[0, 0]))
    assert model.target_costs(queries[:1])[0] == pytest.approx(exact, rel=0.1)
    assert model.counted(queries[:1], np.array([exact]))[0] == pytest.approx(1.0, rel=0.1)


def test_one_run_above_ten_cheap_ones_is_enough_to_see_the_slope(rng: np.random.Generator) -> None:
    x, z = rng.random((11, 2)), np.append(np.zeros(10), 0.7)
    model = learn_cost(x, z, np.log(600.0) * z, full_cost=1.0)
    assert model.ratio(x[:1], np.array([0.0]))[0, 0] == pytest.approx(1 / 600, rel=1.0)


def test_the_gradient_of_a_learned_cost_matches_finite_differences(rng: np.random.Generator) -> None:
    x, z = rng.random((30, 2)), rng.random(30)
    scatter = 0.05 * rng.standard_normal(30)  # without it the matrix is ill-conditioned and differences are noise
    model = learn_cost(x, z, 3.0 * z * (1 + x[:, 0]) + x[:, 1] + scatter, full_cost=2.0)
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
    model = cost_model(problem, problem.simulators[0], trials)
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
    model = learn_cost(np.full((9, 2), 0.5), z, logs, full_cost=1.0)
    rows = np.column_stack([np.ones(9), z]) / TREND_NOISE_SD
    prior = np.diag([1.0 / PRIOR_LEVEL_SD, 1.0 / PRIOR_SLOPE_SD])
    wanted = np.concatenate([logs / TREND_NOISE_SD, [0.0, PRIOR_SLOPE / PRIOR_SLOPE_SD]])
    level, slope = np.linalg.lstsq(np.concatenate([rows, prior]), wanted, rcond=None)[0]
    assert model.slope == pytest.approx(slope)
    assert model.level == pytest.approx(level + (logs - level - slope * z).mean())  # what is left over is centred


def test_of_very_many_runs_a_part_spread_over_all_teaches_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_module, "MAX_LEARNED", 5)
    problem = make_problem("measured")
    trials = [
        Trial(i, {"a": i / 10, "b": 0.5}, {"s": i / 20}, {}, Answer({"f": 1.0}, {"s": 1.0 + i})) for i in range(21)
    ]
    model = cost_model(problem, problem.simulators[0], trials)
    assert isinstance(model, LearnedCostModel)
    assert model.residual is not None
    np.testing.assert_allclose(model.residual.z, [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(model.residual.x[:, 0], [0.0, 0.25, 0.5, 0.75, 1.0])


def test_runs_whose_cost_does_not_depend_on_the_design_cost_what_each_fidelity_does() -> None:
    problem = make_problem("1 + z", full_cost=3.0)
    z = np.array([0.0, 0.5, 1.0, 0.25])
    costs = costs_of_runs(KnownCostModel(problem.simulators[0], problem.space), np.full((4, 2), 0.3), z)
    np.testing.assert_allclose(costs, 3.0 * (1.0 + z) / 2.0)
