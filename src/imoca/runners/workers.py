"""Run jobs in processes of this machine. One that dies or hangs takes no other with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler

from imoca.errors import ProblemError, RunnerError, StorageError
from imoca.problem.simulator import Command, Simulator
from imoca.runners.base import Finished, Job
from imoca.runners.execution import run_job
from imoca.runners.process_tree import MARK, end_processes

READY = "ready"
MOST_STARTS = 3  # of one worker: what kills all of them will kill the next one too
START_SECONDS = 120.0  # for a worker to import what it needs
PARENT_CHECK_SECONDS = 0.5


class WorkerRunner:
    """A fixed number of worker processes; one that is lost is replaced."""

    runs_here = False

    def __init__(self, n_workers: int, simulators: Sequence[Simulator]) -> None:
        _check_portable(simulators)
        self._simulators = tuple(simulators)
        self._workers = [_Worker(self._simulators) for _ in range(n_workers)]
        for i in range(n_workers):
            self._on_living(i, _Worker.await_ready)

    def n_slots(self) -> int:
        return len(self._workers)

    def submit(self, job: Job) -> None:
        free = next(i for i, worker in enumerate(self._workers) if worker.job is None)
        self._on_living(free, lambda worker: worker.start(job))

    def _on_living(self, i: int, act: Callable[[_Worker], None]) -> None:
        """A worker that turns out to be dead, for whatever killed it while it had nothing to do, is replaced."""
        for n_more in reversed(range(MOST_STARTS)):
            try:
                act(self._workers[i])
                break
            except RunnerError:
                if not n_more:
                    raise
                self._workers[i] = _Worker(self._simulators)

    def collect(self, timeout: float) -> list[Finished]:
        busy = {worker.connection: worker for worker in self._workers if worker.job is not None}
        deadlines = [worker.deadline for worker in busy.values() if worker.deadline is not None]
        patience = min([timeout, *(max(0.0, deadline - time.monotonic()) for deadline in deadlines)])
        ready = wait(list(busy), patience)  # a connection is ready as well when its worker has died
        finished = [self._finished(busy[connection]) for connection in ready if isinstance(connection, Connection)]
        late = [w for w in self._workers if w.deadline is not None and w.deadline <= time.monotonic()]
        return finished + [self._replaced(worker, "TimeoutError: it ran longer than its timeout") for worker in late]

    def cancel(self) -> None:
        for i, worker in enumerate(self._workers):
            if worker.job is not None:
                worker.end()
                self._workers[i] = _Worker(self._simulators)

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    def _finished(self, worker: _Worker) -> Finished:
        try:
            finished = worker.take()
        except (EOFError, OSError):
            worker.process.join()
            return self._replaced(worker, f"The worker process died ({_death(worker.process.exitcode)})")
        return finished

    def _replaced(self, worker: _Worker, reason: str) -> Finished:
        job = worker.job
        if job is None:
            raise RunnerError("An idle worker was reported as finished.", hint="This is a defect; please report it.")
        worker.end()
        self._workers[self._workers.index(worker)] = _Worker(self._simulators)
        return Finished(job, job.failed(reason))


class _Worker:
    """One process, and the job it runs."""

    def __init__(self, simulators: tuple[Simulator, ...]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_work, args=(theirs, os.getpid(), simulators))
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.deadline: float | None = None  # for functions; a program's timeout is kept by who started it
        self._is_ready = False

    def await_ready(self) -> None:
        if self._is_ready:
            return
        try:
            self._is_ready = self.connection.poll(START_SECONDS) and self.connection.recv() == READY
        except (EOFError, OSError):
            self._is_ready = False
        if not self._is_ready:
            self.end()
            raise RunnerError(
                "A worker process ended before it was ready.",
                hint="In a script, start the study below `if __name__ == '__main__':`, for workers import the script.",
            )

    def start(self, job: Job) -> None:
        self.await_ready()
        try:
            self.connection.send(job)
        except OSError as error:
            self.end()
            raise RunnerError(
                "A worker process died while it had nothing to do.", hint="The same command goes on."
            ) from error
        self.job = job
        has_deadline = job.simulator.timeout is not None and not isinstance(job.simulator.run, Command)
        self.deadline = time.monotonic() + job.simulator.timeout if has_deadline else None  # type: ignore[operator]

    def take(self) -> Finished:
        answer = self.connection.recv()
        if isinstance(answer, StorageError):
            raise answer
        job, self.job, self.deadline = self.job, None, None
        return Finished(job, answer)  # type: ignore[arg-type]

    def end(self) -> None:
        """End the process, and what its job started."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        if self.job is not None:
            end_processes(None, str(self.job.folder))


def _work(connection: Connection, parent: int, simulators: tuple[Simulator, ...]) -> None:
    """The life of a worker. It is given the simulators so that their modules are imported before the first job."""
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends them to everyone; the driver decides
        signal.signal(number, signal.SIG_IGN)
    running: list[Job] = []
    threading.Thread(target=_die_with, args=(parent, running), daemon=True).start()
    connection.send(READY)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        running[:] = [job]
        os.environ[MARK] = str(job.folder)
        try:
            connection.send(run_job(job))
        except StorageError as error:
            connection.send(error)


def _die_with(parent: int, running: list[Job]) -> None:
    """A driver that was killed leaves no simulator running: it would be run a second time after a restart."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_SECONDS)
    for job in running:
        end_processes(None, str(job.folder))
    os._exit(1)


def _check_portable(simulators: Sequence[Simulator]) -> None:
    for simulator in simulators:
        try:
            ForkingPickler.dumps(simulator)
        except Exception as error:  # pickling fails in many ways
            raise ProblemError(
                f"Simulator {simulator.name!r} cannot be sent to a worker process: {error}.",
                hint="Define its functions with def at the top level of a module; a lambda will not do.",
            ) from error


def _death(exit_code: int | None) -> str:
    return f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"exit code {exit_code}"
