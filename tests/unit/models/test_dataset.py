"""Trials to arrays."""

import numpy as np
import pytest
from deciding import output_data

from imoca.models.dataset import centre_and_scale
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
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
