"""What every runner must do. A new runner is added to the fixture."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from imoca.problem.fidelity import Fidelity
from imoca.problem.simulator import Command, Objective, Simulator
from imoca.runners.base import Finished, Job, Runner
from imoca.runners.dask import DaskRunner
from imoca.runners.inline import InlineRunner
from imoca.runners.workers import WorkerRunner
from imoca.trials.trial import Answer


def product(a: float, z: float) -> float:
    return a * z


def explode(a: float, z: float) -> float:
    raise ValueError("mesh exploded")


def die(a: float, z: float) -> float:
    os._exit(3)


def sleep(a: float, z: float) -> float:
    time.sleep(a)
    return a


@pytest.fixture(scope="module", params=["inline", "workers", "dask"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    if request.param == "inline":
        yield InlineRunner()
    elif request.param == "workers":
        workers = WorkerRunner(2, [])
        yield workers
        workers.close()
    else:
        distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install imoca[dask]")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster:
            dask = DaskRunner(cluster.scheduler_address)
            yield dask
            dask.close()


def make_job(run: object, folder: Path, trial: int = 0, a: float = 2.0, timeout: float | None = None) -> Job:
    simulator = Simulator(
        "s",
        [Objective("f", "minimize")],
        run,  # type: ignore[arg-type]
        fidelity=Fidelity.continuous(1, 5),
        cost="z",
        timeout=timeout,
    )
    return Job(trial, simulator, {"a": a}, 3.0, 1, folder, folder / f"run-{trial}")


def collect_all(runner: Runner, n: int) -> list[Finished]:
    finished: list[Finished] = []
    deadline = time.monotonic() + 60.0
    while len(finished) < n:
        finished += runner.collect(0.2)
        assert time.monotonic() < deadline
    return finished


def test_every_job_is_answered_once(runner: Runner, tmp_path: Path) -> None:
    finished = []
    for first in range(0, 6, runner.n_slots()):
        numbers = range(first, min(first + runner.n_slots(), 6))
        for trial in numbers:
            runner.submit(make_job(product, tmp_path, trial, a=float(trial)))
        finished += collect_all(runner, len(numbers))
    assert {each.job.trial: each.answer for each in finished} == {n: Answer({"f": 3.0 * n}) for n in range(6)}


def test_a_failing_simulator_is_an_answer(runner: Runner, tmp_path: Path) -> None:
    runner.submit(make_job(explode, tmp_path))
    (finished,) = collect_all(runner, 1)
    assert finished.answer.failures == {"s": "ValueError: mesh exploded"}


def test_a_program_is_run_in_a_folder_of_its_own(runner: Runner, tmp_path: Path) -> None:
    script = tmp_path / "solver.py"
    script.write_text(
        "import json\n"
        "question = json.load(open('params.json'))\n"
        "json.dump({'f': question['parameters']['a'] * question['fidelity']}, open('result.json', 'w'))\n",
        encoding="utf-8",
    )
    runner.submit(make_job(Command(["{python}", "solver.py"]), tmp_path))
    (finished,) = collect_all(runner, 1)
    assert finished.answer.values == {"f": 6.0}
    assert (tmp_path / "run-0" / "result.json").exists()


def test_nothing_to_collect_is_an_empty_list(runner: Runner) -> None:
    assert runner.collect(0.01) == []


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerRunner]:
    runner = WorkerRunner(2, [])
    yield runner
    runner.close()


@pytest.mark.slow
def test_a_worker_that_dies_fails_its_job_alone_and_is_replaced(workers: WorkerRunner, tmp_path: Path) -> None:
    workers.submit(make_job(die, tmp_path, trial=0))
    workers.submit(make_job(product, tmp_path, trial=1))
    answers = {each.job.trial: each.answer for each in collect_all(workers, 2)}
    assert answers[0].failures == {"s": "The worker process died (exit code 3)"}
    assert answers[1].values == {"f": 6.0}
    workers.submit(make_job(product, tmp_path, trial=2))
    workers.submit(make_job(product, tmp_path, trial=3))
    assert all(each.answer.values for each in collect_all(workers, 2))


@pytest.mark.slow
def test_a_function_is_ended_at_its_timeout(workers: WorkerRunner, tmp_path: Path) -> None:
    workers.submit(make_job(sleep, tmp_path, a=60.0, timeout=0.3))
    started = time.monotonic()
    (finished,) = collect_all(workers, 1)
    assert "timeout" in finished.answer.failures["s"]
    assert time.monotonic() - started < 20.0


@pytest.mark.slow
def test_a_lambda_cannot_be_sent_to_workers() -> None:
    from imoca.errors import ProblemError

    simulator = Simulator("s", [Objective("f", "minimize")], lambda a: a)
    with pytest.raises(ProblemError, match="top level"):
        WorkerRunner(1, [simulator])
