"""What becomes of a run whose driver died."""

from dataclasses import replace

import pytest

from imoca import Objective, Simulator
from imoca.study.journal import MOST_DEATHS, after_driver_death
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
