"""One database as the page sees it: read again and again, never written, and its faults in words."""

from __future__ import annotations

import hashlib
import logging
import math
import shlex
import threading
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from imoca.dashboard.content import columns, row, trial_content
from imoca.dashboard.logs import Stream, log_tail
from imoca.errors import ImocaError
from imoca.problem.problem import Problem
from imoca.report.page.navigator import Commands
from imoca.snapshot.snapshot import Snapshot
from imoca.study.study import Study
from imoca.trials.table import TrialTable
from imoca.trials.trial import Run, SimulatorState, Trial, TrialState

logger = logging.getLogger(__name__)

ALL = 10**17 - 1  # more trials than there will ever be
MOST_ROWS = 1000  # of a table told at once: while they are made and read nobody else is answered
FRESH = 0.3  # seconds for which what was read counts as new: all who look share one reading
RETRY = 2.0  # seconds until a file that could not be read is tried again


@dataclass(frozen=True)
class Mark:
    """Up to where somebody has seen a study: all changes before a version, and some of that version's."""

    opened: str = ""  # another one each time the database is opened, for its trials may be others
    version: int = 0  # grows with every change seen
    number: int = ALL  # of the last trial seen of those that changed then

    @staticmethod
    def read(text: str) -> Mark:
        """What `str` wrote; nothing seen if it is anything else."""
        opened, *numbers = text.split(".")
        if len(numbers) != 2 or not all(each.isascii() and each.isdecimal() and len(each) < 18 for each in numbers):
            return Mark()
        return Mark(opened, *map(int, numbers))

    def __str__(self) -> str:
        return f"{self.opened}.{self.version}.{self.number}"


@dataclass(frozen=True)
class Changes:
    """What happened to a study since a mark."""

    mark: Mark
    is_reset: bool  # forget what was seen before
    is_all: bool  # else there is more: ask again with the mark
    problem: Problem | None  # None if the study cannot be read
    trials: tuple[Trial, ...]


class StudyView:
    """A study that is opened when first looked at, and again if its file is another one."""

    def __init__(self, path: Path, budget: float | str | None = None) -> None:
        self.path = path
        self.budget = budget  # as written; a database does not know it, its study file does
        self.id = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self._lock = threading.Lock()
        self._study: Study | None = None
        self._fault = ""
        self._file: tuple[int, int] | None = None
        self._read_at = float("-inf")
        self._mark = Mark()
        self._snapshot: Snapshot | None = None
        self._trials: tuple[Trial, ...] = ()
        self._changed_at: list[int] = []  # per trial, the version with which it came
        self._states: list[str] = []  # per trial
        self._standing: dict[str, Any] = {}
        self._driver: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def commands(self) -> Commands:
        """How the command line is told of it."""
        return Commands(f" {shlex.quote(str(self.path))}")

    @property
    def study(self) -> Study | None:
        """None if it cannot be read."""
        return self._study

    def moment(self) -> tuple[Mark, Snapshot | None]:
        """The study as it was last read, of which all figures are made, and its mark; None if it cannot be read."""
        with self._lock:
            return self._mark, self._snapshot

    def refresh(self) -> None:
        """Read what is new. Whatever is wrong with the file is kept in words: the other studies go on."""
        with self._lock:
            if time.monotonic() - self._read_at < (RETRY if self._fault else FRESH):
                return
            try:
                self._read()
                self._fault = ""
            except ImocaError as error:
                self._close(f"{error.message} {error.hint}")
            except Exception as error:
                logger.warning("%s cannot be shown: %s: %s", self.path, type(error).__name__, error)
                self._close(f"{self.path} cannot be shown: {type(error).__name__}: {error}")
            self._read_at = time.monotonic()

    def changes(self, since: Mark) -> Changes:
        with self._lock:
            is_reset = since.opened != self._mark.opened or since.version > self._mark.version
            last = Mark(self._mark.opened) if is_reset else since
            changed_at = np.array(self._changed_at, dtype=np.int64)
            rest = np.flatnonzero(changed_at == last.version)
            newer = np.flatnonzero(changed_at > last.version)
            new = np.concatenate([rest[rest > last.number], newer[np.argsort(changed_at[newer], kind="stable")]])
            told, is_all = new[:MOST_ROWS], len(new) <= MOST_ROWS
            mark = self._mark if is_all else Mark(last.opened, int(changed_at[told[-1]]), int(told[-1]))
            problem = None if self._study is None else self._study.problem
            return Changes(mark, is_reset, is_all, problem, tuple(self._trials[i] for i in told))

    def overview(self) -> dict[str, Any]:
        """How the study stands, or why it cannot be read."""
        with self._lock:
            content = {"id": self.id, "name": self.name, "path": str(self.path), "fault": self._fault or None}
            return content if self._study is None else content | self._standing | {"driver": self._driver}

    def table(self, since: Mark) -> dict[str, Any]:
        """The rows of trials that are new since a mark, or of the first of them; the columns with the very first."""
        changes = self.changes(since)
        problem = changes.problem
        content: dict[str, Any] = {
            "mark": str(changes.mark),
            "reset": changes.is_reset,
            "is_all": changes.is_all,
            "rows": [],
        }
        if problem is None:
            return content | {"columns": []}
        if changes.is_reset:
            content["columns"] = columns(problem)
        return content | {"rows": [row(problem, trial) for trial in changes.trials]}

    def trial(self, number: int) -> dict[str, Any] | None:
        with self._lock:  # or it might be closed meanwhile
            study, trials = self._study, self._trials
            if study is None or not 0 <= number < len(trials):
                return None
            is_driven = self._driver is not None
            return trial_content(trials[number], _runs(study, number), study.runs_folder, is_driven)

    def log(self, number: int, run: int, stream: Stream) -> str | None:
        """The tail of the log of a trial's run, counted from 0; None if there is none."""
        with self._lock:
            if (study := self._study) is None:
                return None
            runs, runs_folder = _runs(study, number), study.runs_folder
        folder = runs[run].folder if 0 <= run < len(runs) else None
        return None if folder is None else log_tail(runs_folder, folder, stream)

    def close(self) -> None:
        """Let go of the database until somebody looks again."""
        with self._lock:
            self._close("")
            self._read_at = float("-inf")

    def _read(self) -> None:
        study = self._opened()
        table = study.table()
        trials, known = table.trials, self._trials
        changed = [i for i, trial in enumerate(trials) if i >= len(known) or trial is not known[i]]
        owner = study.owner
        if changed:
            version = self._mark.version + 1
            self._changed_at += [version] * (len(trials) - len(known))
            self._states += [""] * (len(trials) - len(known))
            for i in changed:
                self._changed_at[i] = version
                self._states[i] = str(trials[i].state)
            self._trials, self._mark = trials, Mark(self._mark.opened, version)
            snapshot = Snapshot(study.method, study.seed, table, study.runs, study.model)
            self._snapshot, self._standing = snapshot, _standing(snapshot, self._states)
        self._driver = None if owner is None else {"pid": owner.pid, "host": owner.host, "since": owner.since}

    def _opened(self) -> Study:
        status = self.path.stat() if self.path.exists() else None
        file = None if status is None else (status.st_dev, status.st_ino)
        if self._study is None or file != self._file:
            self._close("")
            self._study = Study.load(self.path, read_only=True)
            self._file, self._mark = file, Mark(uuid.uuid4().hex, 0)
            self._snapshot = Snapshot(self._study.method, self._study.seed, TrialTable.encode(self._study.problem, ()))
            self._standing = _standing(self._snapshot, self._states)
        return self._study

    def _close(self, fault: str) -> None:
        study, self._study, self._snapshot, self._fault = self._study, None, None, fault
        if study is not None:
            study.close()
        self._trials, self._changed_at, self._states, self._mark = (), [], [], Mark()
        self._standing, self._driver = {}, None


def _standing(snapshot: Snapshot, state_of: Sequence[str]) -> dict[str, Any]:
    """``state_of``: of every trial."""
    trials, states = snapshot.trials, Counter(state_of)
    has_failed = np.flatnonzero((snapshot.table.states == SimulatorState.FAILED).any(axis=1)).tolist()
    failures = [(trials[i].number, name, why) for i in has_failed for name, why in trials[i].failures.items()]
    last = dict(zip(("trial", "simulator", "reason"), failures[-1], strict=True)) if failures else None
    return {
        "method": snapshot.method,
        "seed": snapshot.seed,
        "objectives": [{"name": each.name, "goal": each.goal} for each in snapshot.problem.objectives],
        "n_trials": len(trials),
        "states": {state: states[state] for state in TrialState},
        "n_failures": len(failures),
        "last_failure": last,
        "cost_spent": None if math.isnan(snapshot.bill.total) else snapshot.bill.total,
        "cost_of_verification": None if math.isnan(snapshot.bill.verification) else snapshot.bill.verification,
    }


def _runs(study: Study, number: int) -> list[Run]:
    return [run for run in study.runs if run.trial == number]
