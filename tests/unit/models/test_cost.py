"""Costs in units of the budget: declared and learned."""

import numpy as np
import pytest

from imoca.models.cost import KnownCostModel, LearnedCostModel, cost_model, learn_cost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial


def make_problem(cost: str, full_cost: float = 1.0) -> Problem:
    simulator = Simulator(
        "s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost=cost, full_cost=full_cost
    )
    return Problem([Real("a", 0.0, 2.0), Real("b", 0.0, 1.0)], [simulator])


def test_a_declared_cost_is_normalised_by_its_value_at_the_target(rng: np.random.Generator) -> None:
    problem = make_problem("0.05 + z**2", full_cost=3.0)
    model = cost_model(TrialTable.encode(problem, []), 0)
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
    model = cost_model(TrialTable.encode(problem, []), 0)
    assert isinstance(model, LearnedCostModel)
    np.testing.assert_allclose(model.ratio(np.zeros((1, 2)), np.array([0.0, 1.0])), [[0.1, 1.0]])
    np.testing.assert_array_equal(model.gradient(np.zeros((1, 2)), np.array([0.0])), 0.0)


def test_runs_that_failed_do_not_teach_the_cost() -> None:
    problem = make_problem("measured")
    trials = [
        Trial(0, {"a": 0.5, "b": 0.5}, {"s": 1.0}, {}, Answer({"f": 1.0}, {"s": 100.0}, {})),
        Trial(1, {"a": 0.6, "b": 0.5}, {"s": 1.0}, {}, Answer({}, {"s": 1e-3}, {"s": "crashed"})),
    ]
    model = cost_model(TrialTable.encode(problem, trials), 0)
    assert model.counted(np.array([[0.25, 0.5]]), np.array([100.0]))[0] == pytest.approx(1.0, rel=1e-3)
