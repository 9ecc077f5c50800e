"""Running simulators in this process."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from imoca.errors import ProblemError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command, FunctionReference, Objective, Simulator
from imoca.runners.inline import run_inline
from imoca.trials import Answer, Trial


def run(function: Any, outputs: tuple[str, ...] = ("f",), cost: str = "z") -> Answer:
    good = Simulator("good", [Objective("g", "minimize")], lambda a: a + 1)
    simulator = Simulator(
        "s", [Objective(name, "minimize") for name in outputs], function, fidelity=Fidelity.continuous(1, 5), cost=cost
    )
    problem = Problem([Real("a", 0.0, 10.0)], [good, simulator])
    return run_inline(problem, Trial(0, {"a": 2.0}, {"good": None, "s": 3.0}))


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
    answer = run(function, outputs)
    assert answer.values == {"g": 3.0, **expected}
    assert not answer.failures
    assert not answer.costs


def test_a_cost_may_be_returned_with_the_outputs() -> None:
    assert run(lambda a, z: (a, 12.5), cost="measured").costs == {"s": 12.5}


def test_a_measured_cost_is_the_wall_time_when_none_is_returned() -> None:
    assert 0.0 < run(lambda a, z: a, cost="measured").costs["s"] < 10.0


@pytest.mark.parametrize(
    "returned",
    [float("nan"), float("inf"), None, 1j, "1.0", np.array([1.0]), True, {"wrong": 1.0}, {}, (1.0, -1.0), (1.0, 2, 3)],
    ids=repr,
)
def test_what_is_no_answer_fails_that_simulator_alone(returned: Any) -> None:
    answer = run(lambda a, z: returned)
    assert answer.values == {"g": 3.0}
    assert set(answer.failures) == {"s"}


def test_an_exception_is_the_reason_of_the_failure() -> None:
    def explode(a: float, z: float) -> float:
        raise ValueError("mesh exploded")

    assert run(explode).failures == {"s": "ValueError: mesh exploded"}


def test_a_reference_is_resolved_and_called() -> None:
    simulator = Simulator("s", [Objective("f", "minimize")], FunctionReference("math:sqrt"))
    problem = Problem([Real("x", 0.0, 10.0)], [simulator])
    failures = run_inline(problem, Trial(0, {"x": 4.0}, {"s": None})).failures
    assert "TypeError" in failures["s"]  # math.sqrt takes no keyword: it was called, as x=4.0


@pytest.mark.parametrize("run_as", [None, Command(["./cfd.sh"])])
def test_a_simulator_without_a_function_is_an_error_before_anything_is_told(run_as: Any) -> None:
    with pytest.raises(ProblemError, match="no Python function"):
        run(run_as)
