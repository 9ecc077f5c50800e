"""Whether cheap runs are worth it: the learned error, the price, and what full runs say of it."""

import math

import numpy as np
import pytest

from imoca import Constraint, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.models.gp import GaussianProcess
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.problem.simulator import Output
from imoca.snapshot.cheap_runs import CheapRuns, typical_error


def test_the_typical_error_is_that_of_the_kernel() -> None:
    form = TruthAndErrorForm.knob()
    kernel = form.kernel(form.prior(2).mean + 0.3, 2)
    process = GaussianProcess.condition(np.full((1, 2), 0.5), np.zeros(1), np.zeros(1), kernel)
    assert typical_error(process) == pytest.approx(math.sqrt(kernel.errors[0].variance / kernel.signal_variance))


@pytest.mark.parametrize(
    ("error", "price", "explained", "is_worth_it"),
    [
        (0.3, 0.05, None, True),  # the model's word: 91 % of the variance
        (0.3, 0.95, None, False),
        (2.0, 0.05, None, False),
        (0.3, 0.05, 0.0, False),  # full runs tell better
        (2.0, 0.05, 0.5, True),
    ],
)
def test_they_are_worth_it_where_they_tell_more_than_they_cost(
    error: float, price: float, explained: float | None, is_worth_it: bool
) -> None:
    assert CheapRuns("f", "s", error, price, 5, explained).is_worth_it == is_worth_it


def test_in_words() -> None:
    assert CheapRuns("f", "s", 0.304, 0.05, 1, None).words == (
        "5 % of the cost, off by 30 % of the spread as the model sees it; of full runs there are too few to tell (1)"
    )
    assert CheapRuns("f", "s", 0.304, 0.05, 6, 0.97).words.endswith("they explain 97 % of what 6 full runs measured")
    misled = CheapRuns("f", "s", 0.304, 0.05, 6, 0.0, are_left_out=True)
    assert misled.verdict.startswith("not worth it")
    assert "they mislead: 6 full runs are predicted better without them" in misled.words


def make_study(cheap_slope: float) -> Study:
    def wave(x: float, z: float) -> float:
        return math.sin(6.0 * x) * (z + cheap_slope * (1.0 - z))

    fidelity = Fidelity.continuous()
    simulators = [
        Simulator("wave", [Objective("f", "minimize")], wave, fidelity=fidelity, cost="0.1 + 0.9 * z"),
        Simulator("line", [Objective("g", "minimize")], lambda x: x),
    ]
    study = Study(Problem([Real("x", 0.0, 1.0)], simulators), n_fronts=2)
    study.optimize(trials=14, progress=False)
    study.verify(n=4)
    study.optimize(trials=len(study.trials) + 1, progress=False)
    return study


def test_honest_and_contrary_cheap_runs_are_told_apart() -> None:
    (honest,) = make_study(0.95).snapshot().cheap_runs  # the line has no fidelity
    (contrary,) = make_study(-1.0).snapshot().cheap_runs
    assert (honest.output, honest.simulator) == ("f", "wave")
    assert honest.price == pytest.approx(0.1)
    assert honest.n_full >= 4
    assert honest.error < contrary.error
    assert honest.explained is not None
    assert honest.explained > 0.9
    assert honest.is_worth_it


def test_without_a_model_nothing_is_said() -> None:
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], lambda x: x)])
    assert Study(problem).snapshot().cheap_runs == ()


def test_constraints_are_told_of_too() -> None:
    outputs: list[Output] = [Objective("f", "minimize"), Constraint("c", upper=0.5)]

    def both(x: float, z: float) -> dict[str, float]:
        return {"f": math.sin(6.0 * x), "c": x + 0.3 * (1.0 - z) * math.cos(9.0 * x)}

    wave = Simulator("wave", outputs, both, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z")
    with Study(Problem([Real("x", 0.0, 1.0)], [wave]), n_fronts=2) as study:
        study.optimize(trials=13, progress=False)
        assert [each.output for each in study.snapshot().cheap_runs] == ["f", "c"]
