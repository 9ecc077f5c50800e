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
