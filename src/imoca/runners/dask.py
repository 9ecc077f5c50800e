"""Run jobs on a Dask cluster, given by the address of its scheduler."""

from __future__ import annotations

import dataclasses
import logging
import queue
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from imoca.errors import RunnerError, StorageError
from imoca.problem.resources import Needs
from imoca.runners.base import Finished, Job
from imoca.runners.execution import free_folder, run_job
from imoca.runners.process_tree import end_orphans, end_processes

if TYPE_CHECKING:
    from distributed import Client, Future

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 10.0


def run_on_worker(job: Job) -> Finished:
    """Run a job where Dask wants it, perhaps for the second time: it runs again what a dead worker had.

    The program of that worker may still be at work in its folder, here or on another machine. So the job gets a folder
    of its own, and what was left running on this machine is ended.
    """
    end_orphans(str(job.study_folder))
    again = dataclasses.replace(job, folder=free_folder(job.folder))
    return Finished(again, run_job(again))


def _end_run(folder: str) -> None:
    """On every worker: what runs in the folder of a job, and in those of its reruns."""
    end_processes(None, folder)
    for rerun in Path(folder).parent.glob(f"{Path(folder).name}-rerun-*"):
        end_processes(None, str(rerun))


class DaskRunner:
    """As many jobs at a time as the cluster has threads, or ``n_workers``. Dask reruns what a dead worker had."""

    runs_here = False

    def __init__(self, address: str, n_workers: int | None = None) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise RunnerError("Dask is not installed.", hint="pip install imoca[dask]") from error
        self._address = address
        self._n_workers = n_workers
        self._study_folders: set[str] = set()
        self._warned: set[str] = set()
        self._jobs: dict[Future, Job] = {}
        self._done: queue.Queue[Future] = queue.Queue()  # filled by Dask's own thread
        try:
            self._client: Client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise self._lost(error) from error

    def n_slots(self) -> int:
        if self._n_workers is not None:
            return self._n_workers
        try:
            return max(1, sum(self._client.nthreads().values()))
        except OSError as error:
            raise self._lost(error) from error

    def submit(self, job: Job) -> None:
        self._check_scheduler()
        self._study_folders.add(str(job.study_folder))
        future = self._client.submit(run_on_worker, job, pure=False, resources=self._asked_for(job.needs))
        self._jobs[future] = job
        future.add_done_callback(self._done.put)

    def _asked_for(self, needs: Needs) -> dict[str, int]:
        """What is asked of a worker: of what the run takes, the kinds that workers declare to have."""
        if not needs.declared:
            return {}
        offers = [worker["resources"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values()]
        kinds = {kind for offer in offers for kind in offer}
        asked = {kind: amount for kind, amount in needs.declared.items() if kind in kinds or not offers}
        if not asked:
            self._warn("No Dask worker declares cores, memory or walltime, so what a run takes is not asked for.")
        elif offers and not any(all(offer.get(kind, 0) >= asked[kind] for kind in asked) for offer in offers):
            listed = ", ".join(f"{kind}={amount}" for kind, amount in asked.items())
            self._warn(f"No Dask worker has {listed}; a run waits until one comes.")
        return asked

    def _warn(self, words: str) -> None:
        """Once."""
        if words not in self._warned:
            self._warned.add(words)
            logger.warning("%s Workers declare what they have by --resources 'cores=8 memory=16e9'.", words)

    def collect(self, timeout: float) -> list[Finished]:
        finished: list[Finished] = []
        with suppress(queue.Empty):
            future = self._done.get(timeout=timeout)
            while future.status in ("finished", "error"):
                finished.append(self._finished(future))
                future = self._done.get_nowait()
            self._done.put(future)  # cancelled: the scheduler is gone, but first what is finished
        if not finished:
            self._check_scheduler()
        return finished

    def cancel(self) -> None:
        """Dask cannot end a function that runs; programs are ended on every worker."""
        with suppress(OSError):  # without a scheduler there is nobody to ask
            self._client.cancel(list(self._jobs))
            for job in self._jobs.values():
                self._client.run(_end_run, str(job.folder))
        self._jobs.clear()

    def close(self) -> None:
        try:
            self._end_orphans()
            self._client.close()
        except (RuntimeError, OSError, TimeoutError) as error:
            # Dask stumbles over a scheduler that vanished just now. Whoever noticed that is telling it already.
            logger.warning(
                "The connection to the Dask scheduler at %s was not closed cleanly: %s", self._address, error
            )

    def _end_orphans(self) -> None:
        """What dead workers left running on machines that no job came to since."""
        with suppress(OSError):  # without a scheduler there is nobody to ask
            for folder in self._study_folders:
                self._client.run(end_orphans, folder, on_error="ignore")

    def _finished(self, future: Future) -> Finished:
        job = self._jobs.pop(future)
        if future.status == "finished":
            return future.result()
        error = future.exception()
        if isinstance(error, StorageError):
            raise error
        return Finished(job, job.failed(f"The Dask worker failed: {error!r}"))

    def _check_scheduler(self) -> None:
        gone = [future for future in self._jobs if future.status in ("cancelled", "lost")]
        if self._client.status != "running" or gone:
            raise self._lost(RuntimeError(f"the client is {self._client.status}, {len(gone)} job(s) were lost"))

    def _lost(self, error: Exception) -> RunnerError:
        return RunnerError(
            f"The Dask scheduler at {self._address} cannot be reached: {error}.",
            hint="Trials that were running are queued again: start the scheduler and run the same command.",
        )
