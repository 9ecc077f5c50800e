"""Trials in memory: gone with the process."""

from __future__ import annotations

import dataclasses
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from imoca.storage import base
from imoca.storage.answering import merged, unknown_trial
from imoca.storage.base import closed_storage, refuse_second_driver, replaced_driver
from imoca.storage.definition import Definition
from imoca.storage.owner import Owner
from imoca.trials.trial import Answer, Candidate, Run, Trial


class MemoryStorage:
    """One study; any number of threads may use it at once."""

    place = "memory"

    def __init__(self) -> None:
        self.name = f"imoca-{uuid.uuid4().hex[:12]}"  # studies of other processes may have runs in the same folder
        self._definition: Definition | None = None
        self._trials: tuple[Trial, ...] = ()
        self._runs: dict[tuple[int, str, int], Run] = {}
        self._owner: Owner | None = None
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._is_closed = False

    @property
    def folder(self) -> Path:
        return Path.cwd()

    def define(self, definition: Definition) -> Definition:
        with self._transaction():
            if self._definition is None:
                self._definition = definition
            return self._definition

    def redefine(self, definition: Definition) -> None:
        with self._transaction():
            self._definition = definition

    def definition(self) -> Definition | None:
        with self._transaction():
            return self._definition

    def trials(self) -> tuple[Trial, ...]:
        with self._transaction():
            return self._trials

    def append(self, number: int, candidate: Candidate, is_launched: bool) -> Trial | None:
        with self._transaction():
            if number != len(self._trials):
                return None
            return self._grow(Trial.asked(number, candidate, None, is_launched))

    @contextmanager
    def asking(self) -> Iterator[None]:
        with self._transaction():
            pass
        is_granted = self._turn.acquire(timeout=base.ASKING_SECONDS)
        try:
            yield
        finally:
            if is_granted:
                self._turn.release()

    def add(self, candidate: Candidate, answer: Answer) -> Trial:
        with self._transaction():
            return self._grow(Trial.asked(len(self._trials), candidate, answer))

    def finish(self, number: int, answer: Answer) -> Trial:
        with self._transaction():
            if not 0 <= number < len(self._trials):
                raise unknown_trial(number, len(self._trials))
            finished = merged(self._trials[number], answer)
            self._trials = (*self._trials[:number], finished, *self._trials[number + 1 :])
        return finished

    def runs(self) -> tuple[Run, ...]:
        with self._transaction():
            return tuple(sorted(self._runs.values(), key=lambda run: run.started))

    def record(self, run: Run) -> None:
        with self._transaction():
            self._runs[run.trial, run.simulator, run.attempt] = run

    def owner(self) -> Owner | None:
        with self._transaction():
            return self._owner

    def claim(self, owner: Owner) -> Owner | None:
        with self._transaction():
            refuse_second_driver(self._owner)
            previous, self._owner = self._owner, owner
        return previous

    def beat(self, owner: Owner, lasted: float) -> None:
        with self._transaction():
            if not self._is_claimed_by(owner):
                raise replaced_driver(self.place)
            self._owner = dataclasses.replace(owner, seen=time.time(), lasted=lasted)

    def release(self, owner: Owner) -> None:
        with self._transaction():
            if self._is_claimed_by(owner):
                self._owner = None

    def check(self) -> None:
        with self._transaction():
            pass

    def close(self) -> None:
        with self._lock:
            self._is_closed = True

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            if self._is_closed:
                raise closed_storage(self.place)
            yield

    def _is_claimed_by(self, owner: Owner) -> bool:
        return self._owner is not None and self._owner.token == owner.token

    def _grow(self, trial: Trial) -> Trial:
        self._trials = (*self._trials, trial)
        return trial
