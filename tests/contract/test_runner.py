"""Every runner keeps the contract; and what worker processes do besides."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm_cluster import Slurm, slurm_cluster

from imoca.errors import ProblemError
from imoca.problem.simulator import Objective, Simulator
from imoca.runners.base import Runner
from imoca.runners.dask import DaskRunner
from imoca.runners.inline import InlineRunner
from imoca.runners.slurm import SlurmRunner
from imoca.runners.workers import WorkerRunner
from imoca.testing import RunnerContract
from imoca.testing.runner import collect_all, make_job, product


class TestInlineRunner(RunnerContract):
    def open_runner(self) -> Runner:
        return InlineRunner()


class TestWorkerRunner(RunnerContract):
    def open_runner(self) -> Runner:
        return WorkerRunner(2, [])


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install imoca[dask]")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


class TestDaskRunner(RunnerContract):
    @pytest.fixture(autouse=True)
    def use_one_cluster(self, scheduler: str) -> None:
        self.address = scheduler

    def open_runner(self) -> Runner:
        return DaskRunner(self.address)


class TestSlurmRunner(RunnerContract):
    @pytest.fixture(autouse=True)
    def use_one_cluster(self, slurm: Slurm, tmp_path: Path) -> None:
        self.folder = tmp_path

    def open_runner(self) -> Runner:
        return SlurmRunner("", 2, [], self.folder)


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with slurm_cluster() as cluster:
        yield cluster


def die(a: float, z: float) -> float:
    os._exit(3)


def sleep(a: float, z: float) -> float:
    time.sleep(a)
    return a


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
    simulator = Simulator("s", [Objective("f", "minimize")], lambda a: a)
    with pytest.raises(ProblemError, match="top level"):
        WorkerRunner(1, [simulator])
