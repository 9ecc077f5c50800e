"""What every runner must do."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from imoca.problem.fidelity import Fidelity
from imoca.problem.simulator import Command, Objective, Runnable, Simulator
from imoca.runners.base import Finished, Job, Runner
from imoca.trials import Answer

PATIENCE = 120.0  # seconds after which a runner counts as hanging; never waited for by one that works
SOLVER = """
import json
question = json.load(open("params.json"))
json.dump({"f": question["parameters"]["a"] * question["fidelity"]}, open("result.json", "w"))
"""
SLEEPER = """
import os, pathlib, time
pathlib.Path("pid.part").write_text(str(os.getpid()))
os.rename("pid.part", "pid")
time.sleep(300)
"""


def product(a: float, z: float) -> float:
    return a * z


def explode(a: float, z: float) -> float:
    raise ValueError("mesh exploded")


class RunnerContract(ABC):
    """Inherit it in a class named ``Test...``; simulators are this module's functions and programs."""

    @abstractmethod
    def open_runner(self) -> Runner:
        """A runner of which nothing was asked yet; every test opens one and closes it."""

    @pytest.fixture
    def runner(self) -> Iterator[Runner]:
        with closing(self.open_runner()) as runner:
            yield runner

    def test_every_job_is_answered_once(self, runner: Runner, tmp_path: Path) -> None:
        finished = []
        for first in range(0, 6, runner.n_slots()):
            numbers = range(first, min(first + runner.n_slots(), 6))
            for trial in numbers:
                runner.submit(make_job(product, tmp_path, trial, a=float(trial)))
            finished += collect_all(runner, len(numbers))
        assert {each.job.trial: each.answer for each in finished} == {n: Answer({"f": 3.0 * n}) for n in range(6)}

    def test_a_failing_simulator_is_an_answer(self, runner: Runner, tmp_path: Path) -> None:
        runner.submit(make_job(explode, tmp_path))
        (finished,) = collect_all(runner, 1)
        assert finished.answer.failures == {"s": "ValueError: mesh exploded"}

    def test_a_program_is_run_in_a_folder_of_its_own(self, runner: Runner, tmp_path: Path) -> None:
        (tmp_path / "solver.py").write_text(SOLVER, encoding="utf-8")
        runner.submit(make_job(Command(["{python}", "solver.py"]), tmp_path))
        (finished,) = collect_all(runner, 1)
        assert finished.answer.values == {"f": 6.0}
        assert (tmp_path / "run-0" / "result.json").exists()

    def test_nothing_to_collect_is_an_empty_list(self, runner: Runner) -> None:
        assert runner.collect(0.01) == []

    def test_after_cancel_nothing_comes_any_more_and_no_program_runs(self, tmp_path: Path) -> None:
        (tmp_path / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
        pid_file = tmp_path / "run-0" / "pid"
        with closing(self.open_runner()) as runner:
            runner.submit(make_job(Command(["{python}", "sleeper.py"]), tmp_path))
            if not runner.runs_here:  # else nothing runs before it is collected
                wait_until(pid_file.exists)
            runner.cancel()
            assert runner.collect(0.01) == []
            if pid_file.exists():
                pid = int(pid_file.read_text(encoding="utf-8"))
                wait_until(lambda: not is_running(pid))


def make_job(run: Runnable, folder: Path, trial: int = 0, a: float = 2.0, timeout: float | None = None) -> Job:
    """The fidelity is 3."""
    simulator = Simulator(
        "s", [Objective("f", "minimize")], run, fidelity=Fidelity.continuous(1, 5), cost="z", timeout=timeout
    )
    return Job(trial, simulator, {"a": a}, 3.0, 1, folder, folder / f"run-{trial}")


def collect_all(runner: Runner, n: int) -> list[Finished]:
    finished: list[Finished] = []
    deadline = time.monotonic() + PATIENCE
    while len(finished) < n:
        finished += runner.collect(0.2)
        assert time.monotonic() < deadline
    return finished


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")  # one that ended but was not waited for by its parent runs no more
    return not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in ("Z", "X")
