"""What becomes of a run whose driver died, and whether runs cost what they take."""

from dataclasses import replace

import pytest

from imoca import Objective, Problem, Real, Simulator
from imoca.study.journal import MOST_DEATHS, after_driver_death, are_costs_times
from imoca.trials import Answer, Run, RunState

SIMULATOR = Simulator("s", [Objective("f", "minimize")], cost="measured")
RUNNING = Run(0, "s", 9, 100.0)
DIED = Run(0, "s", 1, 1.0, None, 5.0)
ABANDONED = replace(DIED, answer=Answer())
FAILED = replace(DIED, answer=Answer(failures={"s": "exploded"}))
OTHER = replace(DIED, simulator="t")


@pytest.mark.parametrize(
    ("earlier", "state"),
    [
        ([], RunState.LOST),
        ([DIED], RunState.LOST),
        ([DIED, DIED], RunState.FAILED),
        ([FAILED, DIED, DIED], RunState.FAILED),
        ([DIED, FAILED, DIED], RunState.LOST),  # not in a row
        ([DIED, ABANDONED], RunState.LOST),  # a driver ended it on purpose
        ([DIED, OTHER, OTHER], RunState.LOST),  # another simulator's deaths
        ([OTHER, DIED, OTHER, DIED], RunState.FAILED),
    ],
)
def test_the_third_death_in_a_row_is_a_failure(earlier: list[Run], state: RunState) -> None:
    run = after_driver_death(SIMULATOR, RUNNING, earlier, 103.0)
    assert run.state is state
    assert run.ended == 103.0
    if run.answer is not None:
        assert run.answer.costs == {"s": 3.0}  # its time is charged
        assert f"{MOST_DEATHS} times in a row" in run.answer.failures["s"]


def answered(simulator: str, cost: float | None, seconds: float) -> Run:
    costs = {} if cost is None else {simulator: cost}
    return Run(0, simulator, 1, 100.0, None, 100.0 + seconds, Answer({"f" if simulator == "s" else "g": 1.0}, costs))


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([answered("s", 3.9, 4.0), answered("t", 2.0, 2.01)], True),
        ([answered("s", 3.9, 4.0), answered("s", 0.02, 0.2), answered("t", 2.0, 2.0)], True),  # started and stored
        ([answered("s", 3.9, 4.0), answered("s", 4.1, 4.0), answered("t", 2.0, 2.0)], False),  # told: in no time
        ([answered("s", 0.1, 4.0), answered("t", 2.0, 2.0)], False),  # told: core hours
        ([answered("s", 3.9, 4.0)], False),  # nothing is known of the other one
        ([answered("s", 3.9, 4.0), replace(answered("t", 2.0, 2.0), answer=Answer(failures={"t": "no"}))], False),
        ([answered("s", 3.9, 4.0), answered("t", None, 2.0)], False),
        ([], False),
    ],
)
def test_costs_are_times_if_runs_took_no_less_and_the_longest_about_that(runs: list[Run], expected: bool) -> None:
    other = Simulator("t", [Objective("g", "minimize")], cost="measured")
    assert are_costs_times(Problem([Real("x", 0.0, 1.0)], [SIMULATOR, other]), runs) is expected
    declared = Simulator("t", [Objective("g", "minimize")], cost=2.0)
    assert not are_costs_times(Problem([Real("x", 0.0, 1.0)], [SIMULATOR, declared]), runs)
