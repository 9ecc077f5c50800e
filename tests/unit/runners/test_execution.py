"""One job run in this process: what is an answer, and what is a failure."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca.problem.fidelity import Fidelity
from imoca.problem.simulator import FunctionReference, Objective, Simulator
from imoca.runners.base import Job
from imoca.runners.execution import run_job
from imoca.trials.trial import Answer


def run(function: Any, outputs: tuple[str, ...] = ("f",), cost: str = "z") -> Answer:
    simulator = Simulator(
        "s", [Objective(name, "minimize") for name in outputs], function, fidelity=Fidelity.continuous(1, 5), cost=cost
    )
    return run_job(Job(0, simulator, {"a": 2.0}, 3.0, 1, Path(), Path()))


@pytest.mark.parametrize(
    ("function", "outputs", "expected"),
    [
        (lambda a, z: a * z, ("f",), {"f": 6.0}),
        (lambda a, z: np.float32(2.5), ("f",), {"f": 2.5}),
        (lambda a, z: {"f": a, "h": z}, ("f", "h"), {"f": 2.0, "h": 3.0}),
    ],
)
def test_a_number_or_a_dict_of_outputs_is_an_answer(
    function: Callable[..., Any], outputs: tuple[str, ...], expected: dict[str, float]
) -> None:
    assert run(function, outputs) == Answer(expected)


def test_a_simulator_without_a_fidelity_is_called_with_its_parameters_alone() -> None:
    simulator = Simulator("s", [Objective("f", "minimize")], lambda a: a + 1)
    assert run_job(Job(0, simulator, {"a": 2.0}, None, 1, Path(), Path())).values == {"f": 3.0}


def test_a_cost_may_be_returned_with_the_outputs() -> None:
    assert run(lambda a, z: (a, 12.5), cost="measured").costs == {"s": 12.5}


def test_a_measured_cost_is_the_wall_time_when_none_is_returned() -> None:
    assert 0.0 < run(lambda a, z: a, cost="measured").costs["s"] < 10.0


@pytest.mark.parametrize(
    "returned",
    [float("nan"), float("inf"), None, 1j, "1.0", np.array([1.0]), True, {"wrong": 1.0}, {}, (1.0, -1.0), (1.0, 2, 3)],
    ids=repr,
)
def test_what_is_no_answer_is_a_failure(returned: Any) -> None:
    answer = run(lambda a, z: returned)
    assert not answer.values
    assert set(answer.failures) == {"s"}


@pytest.mark.parametrize("returned", [(1.0, 2.0), (1.0, -2.0), (1.0, 2.0, 3.0), ([1.0, 2.0], 3.0)], ids=repr)
def test_several_outputs_in_a_tuple_are_no_answer_for_a_pair_is_outputs_and_cost(returned: Any) -> None:
    answer = run(lambda a, z: returned, outputs=("f", "h"))
    assert not answer.costs
    assert answer.failures["s"] == (
        f"TrialError: Simulator 's' returned {returned!r}, but has the outputs ['f', 'h']. Return a dict with them, or"
        " (that dict, what the run cost)."
    )


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (-1.0, "TrialError: Output 'f' came as -1.0, which lies below its declared low = 0.0."),
        (4, "TrialError: Output 'f' came as 4.0, which lies above its declared high = 3.0."),
        (0.0, "TrialError: Output 'f' came as 0.0, which has no logarithm"),
    ],
)
def test_an_answer_that_is_declared_impossible_is_a_failure_that_is_paid_for(returned: float, reason: str) -> None:
    objective = Objective("f", "minimize", low=0, high=3, log=True)
    simulator = Simulator("s", [objective], lambda a: (returned, 7.0), cost="measured")
    answer = run_job(Job(0, simulator, {"a": 2.0}, None, 1, Path(), Path()))
    assert not answer.values
    assert answer.failures["s"].startswith(reason)
    assert answer.costs["s"] > 0.0


def test_an_exception_is_the_reason_of_the_failure() -> None:
    def explode(a: float, z: float) -> float:
        raise ValueError("mesh exploded")

    assert run(explode).failures == {"s": "ValueError: mesh exploded"}


def test_a_reference_is_resolved_and_called() -> None:
    simulator = Simulator("s", [Objective("f", "minimize")], FunctionReference("math:sqrt"))
    failures = run_job(Job(0, simulator, {"x": 4.0}, None, 1, Path(), Path())).failures
    assert "TypeError" in failures["s"]  # math.sqrt takes no keyword: it was called, as x=4.0


def test_what_is_told_beyond_the_outputs_is_ignored_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    simulator = Simulator("talkative", [Objective("f", "minimize")], lambda a: ({"f": a, "g": 1.0, "note": "x"}, 3.0))
    for _ in range(2):
        answer = run_job(Job(0, simulator, {"a": 2.0}, None, 1, Path(), Path()))
        assert answer == Answer({"f": 2.0}, {"talkative": 3.0})
    (record,) = caplog.records
    assert record.getMessage() == (
        "Simulator 'talkative' answers with ['g', 'note'], which are no outputs of it; they are ignored."
    )


def test_an_unknown_output_in_the_place_of_one_that_is_missing_is_a_slip() -> None:
    answer = run(lambda a, z: {"f": a, "hh": z}, outputs=("f", "h"))
    assert "unknown ['hh'], missing ['h']" in answer.failures["s"]
