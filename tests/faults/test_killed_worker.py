"""F2: a worker process is killed, while it simulates, waits or starts."""

import multiprocessing
import os
import signal
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.runners.workers import WorkerRunner
from imoca.testing.runner import collect_all, make_job, product
from imoca.trials.trial import RunState, TrialState


def killed_in_the_left_half(x: float) -> float:
    """Kills its own process the first time, or always, as the file beside it says; a kernel short of memory does so."""
    place = Path(os.environ["IMOCA_TEST_FOLDER"])
    if x < 0.5 and ((place / "always").exists() or not (place / "killed").exists()):
        (place / "killed").touch()
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def harmless(x: float) -> float:
    return -x


def make_study(folder: Path, retries: int) -> Study:
    problem = Problem(
        [Real("x", 0.0, 1.0)],
        [
            Simulator(
                "fragile", [Objective("f", "minimize")], killed_in_the_left_half, cost="measured", retries=retries
            ),
            Simulator("harmless", [Objective("g", "minimize")], harmless),
        ],
    )
    return Study(problem, method="random", seed=1, storage=folder / "study.db")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("IMOCA_TEST_FOLDER", str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_a_killed_run_is_tried_again_and_what_it_cost_is_charged(folder: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(make_study(folder, retries=1))
    study.optimize(8.0, workers=2)
    assert (folder / "killed").exists()
    assert all(trial.state is TrialState.COMPLETE and not trial.failures for trial in study.trials)
    killed = [run for run in study.runs if run.state is RunState.FAILED]
    assert len(killed) == 1
    assert killed[0].answer is not None
    assert killed[0].answer.failures == {"fragile": "The worker process died (signal 9)"}
    victim = study.trials[killed[0].trial]
    assert victim.wasted["fragile"] > 0.04  # seconds it had run


@pytest.mark.slow
def test_a_run_that_is_killed_each_time_fails_with_the_reason_and_the_others_stand(
    folder: Path, until_the_end: ExitStack
) -> None:
    (folder / "always").touch()
    study = until_the_end.enter_context(make_study(folder, retries=1))
    study.optimize(6.0, workers=2)
    failed = [trial for trial in study.trials if trial.failures]
    unharmed = [trial for trial in study.trials if not trial.failures]
    assert failed
    assert unharmed
    for trial in failed:
        assert trial.failures == {"fragile": "The worker process died (signal 9)"}
        assert trial.values == {"g": -float(trial.parameters["x"])}
        assert trial.costs["fragile"] > 0.04
        assert trial.wasted["fragile"] > 0.04
    assert threading.active_count() == 1 or all(t.daemon for t in threading.enumerate()[1:])


def kill_all_workers() -> None:
    for worker in multiprocessing.active_children():
        worker.kill()
        worker.join()


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_has_nothing_to_do_is_replaced(tmp_path: Path) -> None:
    with closing(WorkerRunner(1, [])) as runner:
        kill_all_workers()
        runner.submit(make_job(product, tmp_path, trial=0))
        (finished,) = collect_all(runner, 1)
        assert finished.answer.values == {"f": 6.0}


@pytest.mark.slow
def test_a_worker_that_is_killed_before_it_is_ready_is_replaced(tmp_path: Path) -> None:
    with closing(WorkerRunner(1, [])) as runner:
        runner.submit(make_job(sleep, tmp_path, trial=0, a=60.0))
        kill_all_workers()
        (lost,) = collect_all(runner, 1)
        assert "died" in lost.answer.failures["s"]
        kill_all_workers()  # the one that took its place, and has hardly begun
        runner.submit(make_job(product, tmp_path, trial=1))
        (finished,) = collect_all(runner, 1)
        assert finished.answer.values == {"f": 6.0}


def sleep(a: float, z: float) -> float:
    time.sleep(a)
    return a
