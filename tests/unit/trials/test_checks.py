"""Answers that contradict what is declared of an objective; those that are no numbers are met in tests/faults."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from imoca import Objective, Problem, Real, Simulator, Study, TrialState
from imoca.errors import TrialError
from imoca.trials.trial import Trial


def declared_problem(run: Any = None) -> Problem:
    outputs = [Objective("share", "maximize", low=0, high=1), Objective("ripple", "minimize", log=True)]
    return Problem([Real("x", 0.0, 1.0)], [Simulator("s", outputs, run)])


@pytest.mark.parametrize(
    ("share", "ripple", "words"),
    [
        (-0.1, 1.0, "'share' came as -0.1, which lies below its declared low = 0.0"),
        (np.float64(1.5), 1.0, "'share' came as 1.5, which lies above its declared high = 1.0"),
        (0.5, 0, "'ripple' came as 0.0, which has no logarithm"),
        (0.5, -1e-300, "'ripple' came as -1e-300, which has no logarithm"),
        (math.nan, 1.0, "'share' came as nan"),
    ],
)
def test_an_answer_that_is_declared_impossible_is_refused_by_tell_and_add(share: Any, ripple: Any, words: str) -> None:
    study = Study(declared_problem())
    trial = study.ask()
    calls: list[Callable[[], Trial]] = [
        lambda: study.tell(trial, {"share": share, "ripple": ripple}),
        lambda: study.add({"x": 0.5}, {}, {"share": share, "ripple": ripple}),
    ]
    for call in calls:
        with pytest.raises(TrialError, match=words) as caught:
            call()
        assert "study.fail" in caught.value.hint
    assert study.trials == (trial,)
    study.tell(trial, {"share": 1.0, "ripple": 1e-9})
    assert study.trials[0].values == {"share": 1.0, "ripple": 1e-9}


def test_a_run_whose_answer_is_declared_impossible_has_failed_and_says_why() -> None:
    study = Study(declared_problem(lambda x: {"share": x - 0.3, "ripple": 1.0}), method="random")
    study.optimize(trials=12)
    below = [trial for trial in study.trials if float(trial.parameters["x"]) < 0.3]
    assert 0 < len(below) < 12
    for trial in study.trials:
        assert trial.state is (TrialState.FAILED if trial in below else TrialState.COMPLETE)
    assert "which lies below its declared low = 0.0. If such a value is possible" in below[0].failures["s"]
    assert study.cost_spent == 12.0


def noisy_problem(run: Any = None) -> Problem:
    return Problem(
        [Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize"), Objective("g", "maximize")], run)]
    )


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ({"f": -0.4}, "The standard error of output 'f' came as -0.4."),
        ({"f": math.nan}, "The standard error of output 'f' came as nan."),
        ({"f": math.inf}, "The standard error of output 'f' came as inf."),
        ({"f": 1e151}, r"The standard error of output 'f' came as 1e\+151."),
        ({"f": "0.4"}, "The standard error of output 'f' came as '0.4'."),
        ({"f": None}, "The standard error of output 'f' came as None."),
        ({"f": True}, "The standard error of output 'f' came as True."),
        ({"h": 0.4}, r"Standard errors came for unknown name\(s\) \['h'\]"),
        (0.4, "Standard errors came as 0.4, which is no table."),
    ],
)
def test_a_wrong_standard_error_is_refused_in_words_and_nothing_is_changed(errors: Any, words: str) -> None:
    study = Study(noisy_problem())
    trial, values = study.ask(), {"f": 1.0, "g": 2.0}
    calls: list[Callable[[], Trial]] = [
        lambda: study.tell(trial, values, errors=errors),
        lambda: study.add({"x": 0.5}, {}, values, errors=errors),
    ]
    for call in calls:
        with pytest.raises(TrialError, match=words):
            call()
    assert study.trials == (trial,)
    assert study.tell(trial, values, errors={"f": np.float64(0.4), "g": 0}).errors == {"f": 0.4, "g": 0.0}


def test_an_error_of_what_was_not_answered_is_refused() -> None:
    simulators = [Simulator(name, [Objective(output, "minimize")]) for name, output in (("s", "f"), ("t", "g"))]
    study = Study(Problem([Real("x", 0.0, 1.0)], simulators))
    trial = study.ask()
    with pytest.raises(TrialError, match=r"A standard error came for output\(s\) \['g'\], of which no value was told"):
        study.tell(trial, {"f": 1.0}, errors={"g": 0.4})
    with pytest.raises(TrialError, match=r"output\(s\) \['g'\], of which no value"):
        study.tell(trial, {"f": 1.0}, failures={"t": "no mesh"}, errors={"g": 0.4})
    assert study.trials == (trial,)
    study.tell(trial, {"f": 1.0}, errors={"f": 0.1})
    assert study.tell(trial, {"g": 2.0}, errors={"g": 0.2}).errors == {"f": 0.1, "g": 0.2}


@pytest.mark.parametrize("pair", [(2.0, 0.4), [2.0, 0.4]])
def test_a_simulator_may_answer_with_a_pair_of_value_and_standard_error(pair: Any) -> None:
    study = Study(noisy_problem(lambda x: {"f": pair, "g": x}), method="random")
    study.optimize(trials=2, progress=False)
    for trial in study.trials:
        assert trial.values == {"f": 2.0, "g": trial.parameters["x"]}
        assert trial.errors == {"f": 0.4}
    assert study.runs[0].answer is not None
    assert study.runs[0].answer.errors == {"f": 0.4}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"f": (2.0, -0.4), "g": 1.0}, "The standard error of output 'f' came as -0.4."),
        ({"f": (2.0, math.nan), "g": 1.0}, "The standard error of output 'f' came as nan."),
        ({"f": (2.0, "wide"), "g": 1.0}, "The standard error of output 'f' came as 'wide'."),
        ({"f": (math.nan, 0.4), "g": 1.0}, "Output 'f' came as nan."),
        ({"f": (2.0, 0.4, 0.1), "g": 1.0}, "Output 'f' came as (2.0, 0.4, 0.1)."),
        ({"f": (2.0,), "g": 1.0}, "Output 'f' came as (2.0,)."),
    ],
)
def test_a_run_that_answers_with_no_such_pair_has_failed_and_says_why(answer: Any, words: str) -> None:
    study = Study(noisy_problem(lambda x: answer), method="random")
    study.optimize(trials=1, progress=False)
    assert words in study.trials[0].failures["s"]


def test_a_pair_that_is_returned_alone_is_value_and_cost_and_a_list_is_nothing() -> None:
    """Of a simulator with one output; a list might be two outputs, so an error is told in a dict alone."""
    for returned, fate in (((2.0, 0.4), {"s": 0.4}), ([2.0, 0.4], {}), (([2.0, 0.4], 3.0), {})):
        problem = Problem(
            [Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], lambda x, r=returned: r)]
        )
        study = Study(problem, method="random")
        study.optimize(trials=1, progress=False)
        (trial,) = study.trials
        assert (dict(trial.costs), dict(trial.errors)) == (fate, {})
        assert ("s" in trial.failures) == (not fate)
