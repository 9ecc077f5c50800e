"""Predictions in the user's units: within bounds, and as likely as their intervals say."""

import numpy as np
import pytest
from deciding import trial_at

from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot.prediction import Predictions
from imoca.snapshot.recommendation import believe_answers
from imoca.trials import Answer, TrialTable

X = np.linspace(0.0, 1.0, 9)[:, None]


def predictions(objective: Objective, values: np.ndarray, x: np.ndarray = X) -> Predictions:
    """Of one objective, its values told at nine designs at full accuracy."""
    simulator = Simulator("s", [objective], fidelity=Fidelity.continuous(), cost="0.1 + z")
    problem = Problem([Real("a", 0.0, 1.0)], [simulator])
    name = objective.name
    trials = [trial_at(problem, i, X[i], [1.0], Answer({name: float(value)})) for i, value in enumerate(values)]
    beliefs = believe_answers(TrialTable.encode(problem, trials))
    assert beliefs is not None
    return Predictions.at(beliefs, x)


@pytest.mark.parametrize("goal", ["minimize", "maximize"])
def test_no_prediction_leaves_the_declared_bounds_and_one_that_wants_to_is_doubtful(goal: str) -> None:
    values = np.array([0.9, 0.5, 0.2, 0.01, 0.0, 0.01, 0.2, 0.5, 0.9])
    x = np.linspace(0.0, 1.0, 101)[:, None]
    free = predictions(Objective("f", goal, log=False), values, x)  # type: ignore[arg-type]
    bounded = predictions(Objective("f", goal, log=False, low=0.0, high=0.8), values, x)  # type: ignore[arg-type]
    is_outside = ((free.centres() < 0.0) | (free.centres() > 0.8))[:, 0]
    assert is_outside.any()
    assert ((bounded.centres() >= 0.0) & (bounded.centres() <= 0.8)).all()
    for ends in bounded.intervals(0.9):
        assert ((ends >= 0.0) & (ends <= 0.8)).all()
    assert bounded.is_doubtful()[is_outside].all()
    np.testing.assert_allclose(bounded.centres()[~is_outside], free.centres()[~is_outside])


def test_intervals_of_a_logarithm_are_positive_and_lopsided() -> None:
    values = np.exp(np.array([3.0, 1.0, -2.0, 4.0, 0.5, -1.0, 2.0, 5.0, 0.0]))
    found = predictions(Objective("f", "minimize", log=True), values, np.array([[0.06], [0.44]]))
    low, high = found.intervals(0.9)
    assert (low > 0.0).all()
    np.testing.assert_allclose(low * high, found.centres() ** 2, rtol=1e-9)  # symmetric in the logarithm


def test_an_interval_is_about_its_centre_on_the_side_of_the_goal() -> None:
    for goal in ("minimize", "maximize"):
        found = predictions(Objective("f", goal), np.arange(9.0) ** 2)
        low, high = found.intervals(0.9)
        assert ((low < found.centres()) & (found.centres() < high)).all()
        np.testing.assert_allclose(found.centres()[:, 0], np.arange(9.0) ** 2, atol=1.0)


def test_designs_that_are_surely_worse_have_no_chance_and_alone_one_is_certain() -> None:
    found = predictions(Objective("f", "maximize"), np.arange(9.0), X[[0, 8]])
    np.testing.assert_allclose(found.probabilities(np.empty((0, 1)), np.random.default_rng(0)), [0.0, 1.0], atol=0.05)
    alone = predictions(Objective("f", "maximize"), np.arange(9.0), X[[3]])
    assert alone.probabilities(np.empty((0, 1)), np.random.default_rng(0)) == [1.0]


def test_what_was_measured_is_not_drawn_but_known() -> None:
    """The first of two equal designs was measured far above all that is predicted."""
    found = predictions(Objective("f", "maximize"), np.arange(9.0), X[[3, 4]])
    chances = found.probabilities(np.array([[50.0]]), np.random.default_rng(0))
    np.testing.assert_allclose(chances, [1.0, 0.0])


def test_of_two_designs_that_nobody_can_tell_apart_either_may_be_the_better() -> None:
    """Mirror images of each other, between the data: the chances are even, and they add up to one."""
    wave = np.array([0.0, 1.0, -0.5, 0.8, 0.1, 0.8, -0.5, 1.0, 0.0])
    found = predictions(Objective("f", "maximize"), wave, np.array([[0.06], [0.94]]))
    chances = found.probabilities(np.empty((0, 1)), np.random.default_rng(0))
    assert chances.sum() == pytest.approx(1.0)
    assert 0.2 < chances[0] < 0.8  # of 64 draws; five standard errors
