"""Trials in memory: gone with the process."""

from __future__ import annotations

import dataclasses
import threading
import time

from imoca.storage.answering import check_answer, unknown_trial
from imoca.storage.base import refuse_second_driver
from imoca.storage.owner import Owner
from imoca.trials.trial import Answer, Candidate, Run, Trial


class MemoryStorage:
    def __init__(self) -> None:
        self._trials: tuple[Trial, ...] = ()
        self._runs: dict[tuple[int, str, int], Run] = {}
        self._owner: Owner | None = None
        self._lock = threading.Lock()

    def trials(self) -> tuple[Trial, ...]:
        return self._trials

    def append(self, number: int, candidate: Candidate, is_launched: bool) -> Trial | None:
        with self._lock:
            if number != len(self._trials):
                return None
            return self._grow(Trial.asked(number, candidate, None, is_launched))

    def add(self, candidate: Candidate, answer: Answer) -> Trial:
        with self._lock:
            return self._grow(Trial.asked(len(self._trials), candidate, answer))

    def finish(self, number: int, answer: Answer) -> Trial:
        with self._lock:
            if not 0 <= number < len(self._trials):
                raise unknown_trial(number, len(self._trials))
            check_answer(self._trials[number], answer)
            finished = self._trials[number].answered(answer)
            self._trials = (*self._trials[:number], finished, *self._trials[number + 1 :])
        return finished

    def runs(self) -> tuple[Run, ...]:
        return tuple(self._runs.values())

    def record(self, run: Run) -> None:
        self._runs[run.trial, run.simulator, run.attempt] = run

    def owner(self) -> Owner | None:
        return self._owner

    def claim(self, owner: Owner) -> Owner | None:
        with self._lock:
            refuse_second_driver(self._owner)
            previous, self._owner = self._owner, owner
        return previous

    def beat(self, owner: Owner) -> None:
        self._owner = dataclasses.replace(owner, seen=time.time())

    def release(self, owner: Owner) -> None:
        self._owner = None

    def _grow(self, trial: Trial) -> Trial:
        self._trials = (*self._trials, trial)
        return trial
