"""Trials to arrays."""

import numpy as np
import pytest
from deciding import output_data
from scipy.stats import lognorm, norm

from imoca.models import dataset
from imoca.models.dataset import centre_and_scale, has_logarithms
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Goal, Objective, Simulator
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial


def test_values_are_maximised_standardised_and_come_back() -> None:
    fidelity = Fidelity.continuous(10.0, 30.0)
    problem = Problem(
        [Real("a", 0.0, 2.0)],
        [
            Simulator("s", [Objective("f", "minimize")], fidelity=fidelity, cost="z"),
            Simulator("t", [Objective("g", "maximize")], fidelity=fidelity, cost="z"),
        ],
    )
    answers = [Answer({"f": 3.0, "g": 1.0}), Answer({"f": 7.0}, failures={"t": "broke"}), None]
    trials = [Trial(i, {"a": float(i)}, {"s": 10.0 + 5 * i, "t": 30.0}, {}, a) for i, a in enumerate(answers)]
    data = output_data(problem, problem.objectives[0], trials)
    np.testing.assert_allclose(data.x, [[0.0], [0.5]])
    np.testing.assert_allclose(data.z, [0.0, 0.25])
    np.testing.assert_allclose(data.values, [1.0, -1.0])
    np.testing.assert_allclose(data.to_user(data.values), [3.0, 7.0])
    other = output_data(problem, problem.objectives[1], trials)
    assert len(other.values) == 1
    np.testing.assert_allclose(other.z, [1.0])  # its own simulator's


def test_of_two_maximised_values_the_larger_is_the_better() -> None:
    problem = Problem([Real("a", 0.0, 2.0)], [Simulator("s", [Objective("f", "maximize")])])
    trials = [Trial(i, {"a": 1.0}, {"s": None}, {}, Answer({"f": value})) for i, value in enumerate((3.0, 7.0))]
    data = output_data(problem, problem.objectives[0], trials)
    np.testing.assert_allclose(data.values, [-1.0, 1.0])
    np.testing.assert_allclose(data.to_user(np.array([-1.0, 0.0, 2.0])), [3.0, 5.0, 9.0])
    np.testing.assert_allclose(data.z, 1.0)


@pytest.mark.parametrize("raw", [[5.0], [2.0, 2.0, 2.0], [1e12, 1e12], []])
def test_a_constant_sample_has_scale_one(raw: list[float]) -> None:
    assert centre_and_scale(np.array(raw))[1] == 1.0


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_any_scale_is_standardised(scale: float, rng: np.random.Generator) -> None:
    raw = scale * rng.standard_normal(50)
    centre, spread = centre_and_scale(raw)
    assert ((raw - centre) / spread).std() == pytest.approx(1.0)


def positive_problem(goal: Goal) -> Problem:
    return Problem([Real("a", 0.0, 2.0)], [Simulator("s", [Objective("f", goal)])])


@pytest.mark.parametrize("goal", ["minimize", "maximize"])
def test_logarithms_keep_the_order_and_come_back(goal: Goal) -> None:
    problem, raw = positive_problem(goal), np.array([0.01, 3.0, 700.0])
    trials = [Trial(i, {"a": 1.0}, {"s": None}, {}, Answer({"f": float(value)})) for i, value in enumerate(raw)]
    table = TrialTable.encode(problem, trials)
    assert has_logarithms(table, 0)
    data = dataset.output_data(table, 0, is_log=True)
    np.testing.assert_allclose(data.to_user(data.values), raw)
    np.testing.assert_allclose(data.standardised(table.values[:, 0]), data.values)
    logs = np.log(raw) if goal == "maximize" else -np.log(raw)
    np.testing.assert_allclose(data.values, (logs - logs.mean()) / logs.std())


def test_the_jacobian_makes_densities_of_values_and_of_logarithms_comparable(rng: np.random.Generator) -> None:
    """Of log-normal values: the density by SciPy, and that of their standardised logarithms corrected."""
    raw = np.exp(1.3 + 0.7 * rng.standard_normal(200))
    problem = positive_problem("minimize")
    trials = [Trial(i, {"a": 1.0}, {"s": None}, {}, Answer({"f": float(value)})) for i, value in enumerate(raw)]
    data = dataset.output_data(TrialTable.encode(problem, trials), 0, is_log=True)
    own = -norm.logpdf(data.values).sum() + data.log_jacobian
    logs = np.log(raw)
    assert own == pytest.approx(-lognorm(s=logs.std(), scale=np.exp(logs.mean())).logpdf(raw).sum())


def test_values_that_are_not_all_positive_have_no_logarithms() -> None:
    problem = positive_problem("minimize")
    for worst in (0.0, -1.0):
        answers = [Answer({"f": 3.0}), Answer({"f": worst}), None]
        trials = [Trial(i, {"a": 1.0}, {"s": None}, {}, answer) for i, answer in enumerate(answers)]
        assert not has_logarithms(TrialTable.encode(problem, trials), 0)
