"""F29: somebody sets the clock while a run is measured."""

import dataclasses
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.storage.memory import MemoryStorage
from imoca.storage.owner import this_process
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Run, RunState

PATIENCE = 120.0  # seconds after which a process counts as hanging
DAYS = 1e6  # seconds by which the clock is set

# The clock of the process that drives is set, as whoever asks it the time sees it; the machine's stays as it is.
DRIVER = """
import sys, time
from imoca import Objective, Problem, Real, Simulator, Study
true_time, by = time.time, float(sys.argv[3])
shift = 0.0
time.time = lambda: true_time() + shift

def first(x):
    global shift
    shift = by
    open("started", "w").close()
    time.sleep(float(sys.argv[2]))
    return x

def problem(): return Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")], first, cost="measured")])

if __name__ == "__main__":
    with Study(problem(), method="random", storage=sys.argv[1]) as study:
        study.optimize(trials=1)
"""


def test_a_lost_run_is_charged_with_what_its_driver_had_lasted_whatever_the_clock_said(
    until_the_end: ExitStack,
) -> None:
    problem = Problem(
        [Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")], lambda x: x, cost="measured", full_cost=1.0)]
    )
    storage = MemoryStorage()
    study = until_the_end.enter_context(Study(problem, method="random", storage=storage))
    storage.claim(dataclasses.replace(this_process(), born="another time", since=1000.0, lasted=14.0, seen=1e9))
    study.launch()
    storage.record(Run(0, "s", 1, 1010.0))
    study.optimize(trials=1)
    assert study.trials[0].wasted == {"s": 4.0}


def start(folder: Path, sleep: float, by: float) -> subprocess.Popen[bytes]:
    (folder / "driver.py").write_text(DRIVER, encoding="utf-8")
    return subprocess.Popen([sys.executable, "driver.py", "study.db", str(sleep), str(by)], cwd=folder)


@pytest.mark.slow
@pytest.mark.parametrize("by", [DAYS, -DAYS], ids=["forward", "back"])
def test_a_measured_run_is_charged_with_the_time_that_passed(
    by: float, tmp_path: Path, until_the_end: ExitStack
) -> None:
    began = time.monotonic()
    assert start(tmp_path, 0.5, by).wait(PATIENCE) == 0
    passed = time.monotonic() - began
    study = until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True))
    assert 0.5 <= study.trials[0].costs["s"] <= passed


@pytest.mark.slow
@pytest.mark.parametrize("by", [DAYS, -DAYS], ids=["forward", "back"])
def test_a_lost_run_is_charged_with_what_heartbeats_witnessed(
    by: float, tmp_path: Path, until_the_end: ExitStack
) -> None:
    began = time.monotonic()
    process = start(tmp_path, 600.0, by)
    path = tmp_path / "study.db"
    while not (tmp_path / "started").exists() or witnessed(path) < 2.0:
        assert time.monotonic() < began + PATIENCE
        time.sleep(0.1)
    process.kill()
    process.wait()
    passed, expected = time.monotonic() - began, witnessed(path)
    assert start(tmp_path, 0.0, 0.0).wait(PATIENCE) == 0
    study = until_the_end.enter_context(Study.load(path, read_only=True))
    assert [run.state for run in study.runs] == [RunState.LOST, RunState.ANSWERED]
    assert study.trials[0].wasted["s"] == pytest.approx(expected)
    assert 2.0 <= expected <= passed


def witnessed(path: Path) -> float:
    """Seconds of the first run that the last heartbeat saw."""
    with closing(SQLiteStorage(path, read_only=True)) as storage:
        owner = storage.owner()
        assert owner is not None
        return owner.since + owner.lasted - storage.runs()[0].started
