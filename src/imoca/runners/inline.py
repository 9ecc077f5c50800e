"""Run jobs here and now, one after the other."""

from __future__ import annotations

from imoca.runners.base import Finished, Job
from imoca.runners.execution import run_job


class InlineRunner:
    runs_here = True

    def __init__(self) -> None:
        self._waiting: list[Job] = []

    def n_slots(self) -> int:
        return 1

    def submit(self, job: Job) -> None:
        self._waiting.append(job)

    def collect(self, timeout: float) -> list[Finished]:
        if not self._waiting:
            return []
        job = self._waiting.pop(0)
        return [Finished(job, run_job(job))]

    def cancel(self) -> None:
        self._waiting.clear()

    def close(self) -> None:
        pass
