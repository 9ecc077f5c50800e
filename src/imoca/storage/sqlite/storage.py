"""Trials in an SQLite file: what was told survives any crash."""

from __future__ import annotations

import sqlite3
import time
from contextlib import AbstractContextManager
from dataclasses import astuple, replace
from pathlib import Path

from imoca.storage import base
from imoca.storage.answering import merged, unknown_trial
from imoca.storage.base import refuse_second_driver, replaced_driver
from imoca.storage.definition import Definition
from imoca.storage.owner import Owner
from imoca.storage.sqlite.database import Database
from imoca.storage.sqlite.keeping import read_keeping, write_keeping
from imoca.storage.sqlite.rows import (
    answer_text,
    checksum,
    definition_text,
    question_text,
    read_definition,
    read_run,
    read_trial,
)
from imoca.storage.sqlite.told import Told
from imoca.trials.trial import Answer, Candidate, Run, Trial

OWNER_COLUMNS = "pid, host, born, since, seen, token, lasted"
RUN_COLUMNS = "trial, simulator, attempt, started, folder, ended, answer"


class SQLiteStorage:
    """One file, one study; any number of processes and threads may use it at once."""

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._database = Database(self.path, read_only)
        self._trials: list[Trial] = []
        self._last_change = 0  # up to which trials are known here
        self._runs: dict[tuple[int, str, int], Run] = {}  # by trial, simulator and attempt
        self._in_order: tuple[Run, ...] = ()
        self._last_row = 0  # up to which runs are known here; a run that is recorded again gets a row after it, or it

    @property
    def place(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def folder(self) -> Path:
        return self.path.absolute().parent

    def define(self, definition: Definition) -> Definition:
        if (known := self.definition()) is not None:
            return known
        with self._database.transaction() as connection:
            stored = self._definition(connection)
            if stored is None:
                self._write_definition(connection, definition)
            return stored or definition

    def redefine(self, definition: Definition) -> None:
        with self._database.transaction() as connection:
            self._write_definition(connection, definition)

    def definition(self) -> Definition | None:
        with self._database.reading() as connection:
            return self._definition(connection)

    def trials(self) -> tuple[Trial, ...]:
        with self._database.reading() as connection:
            new = connection.execute(
                "SELECT change, number, question, answer FROM trials WHERE change > ? ORDER BY number",
                (self._last_change,),
            ).fetchall()
            for change, number, question, answer in new:
                self._trials[number : number + 1] = [read_trial(number, question, answer)]
                self._last_change = max(self._last_change, change)
            return tuple(self._trials)

    def append(self, number: int, candidate: Candidate, is_launched: bool) -> Trial | None:
        with self._database.transaction() as connection:
            if self._n_trials(connection) != number:
                return None
            return self._insert(connection, Trial.asked(number, candidate, None, is_launched))

    def asking(self) -> AbstractContextManager[None]:
        return self._database.asking(base.ASKING_SECONDS)

    def add(self, candidate: Candidate, answer: Answer) -> Trial:
        with self._database.transaction() as connection:
            trial = self._insert(connection, Trial.asked(self._n_trials(connection), candidate, answer))
            self._count_answer(connection)
        self._keep(trial.number)
        return trial

    def finish(self, number: int, answer: Answer) -> Trial:
        with self._database.transaction() as connection:
            n_trials = self._n_trials(connection)
            if not 0 <= number < n_trials:
                raise unknown_trial(number, n_trials)
            row = connection.execute("SELECT question, answer FROM trials WHERE number = ?", (number,)).fetchone()
            known = read_trial(number, *row)
            answered = merged(known, answer)
            if answered != known:
                text = answer_text(answered.answer)
                connection.execute(
                    "UPDATE trials SET answer = ?, finished = ?, change = ?, checksum = ? WHERE number = ?",
                    (text, time.time(), self._next_change(connection), checksum(number, row[0], text), number),
                )
                if known.answer is None:
                    self._count_answer(connection)
        self._keep(number)
        return answered

    def runs(self) -> tuple[Run, ...]:
        with self._database.reading() as connection:
            new = connection.execute(
                f"SELECT rowid, {RUN_COLUMNS} FROM runs WHERE rowid >= ? ORDER BY rowid",  # noqa: S608
                (self._last_row,),
            ).fetchall()
            for row, *cells in new:
                run = read_run(tuple(cells))
                key = (run.trial, run.simulator, run.attempt)
                self._runs.pop(key, None)  # so that they stay in the order of their rows
                self._runs[key] = run
                self._last_row = row
            if new:
                self._in_order = tuple(sorted(self._runs.values(), key=lambda run: run.started))
            return self._in_order

    def record(self, run: Run) -> None:
        text = answer_text(run.answer)
        cells = (run.trial, run.simulator, run.attempt, run.started, run.folder, run.ended, text)
        with self._database.transaction() as connection:
            connection.execute(
                f"REPLACE INTO runs ({RUN_COLUMNS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (*cells, checksum(*cells)),
            )

    def owner(self) -> Owner | None:
        with self._database.reading() as connection:
            return self._owner(connection)

    def claim(self, owner: Owner) -> Owner | None:
        with self._database.transaction(needs_driver=False) as connection:
            previous = self._owner(connection)
            refuse_second_driver(previous)
            connection.execute(
                f"REPLACE INTO owner (id, {OWNER_COLUMNS}, checksum) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (*astuple(owner), checksum(*astuple(owner))),
            )
        self._database.write_as(owner.token)
        return previous

    def beat(self, owner: Owner, lasted: float) -> None:
        with self._database.transaction() as connection:
            alive = replace(owner, seen=time.time(), lasted=lasted)
            changed = connection.execute(
                "UPDATE owner SET seen = ?, lasted = ?, checksum = ? WHERE token = ?",
                (alive.seen, alive.lasted, checksum(*astuple(alive)), owner.token),
            )
            if not changed.rowcount:
                raise replaced_driver(self.place)

    def release(self, owner: Owner) -> None:
        self._database.write_as(None)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM owner WHERE token = ?", (owner.token,))
        self._database.let_go()

    def check(self) -> None:
        self._database.check()

    def close(self) -> None:
        self._database.close()

    def _insert(self, connection: sqlite3.Connection, trial: Trial) -> Trial:
        now = time.time()
        question, text = question_text(trial), answer_text(trial.answer)
        connection.execute(
            "INSERT INTO trials (number, question, answer, asked, finished, change, checksum)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(trial.number, question, text, now, None if text is None else now),
                *(self._next_change(connection), checksum(trial.number, question, text)),
            ),
        )
        return trial

    def _count_answer(self, connection: sqlite3.Connection) -> None:
        keeping = read_keeping(connection)
        write_keeping(connection, replace(keeping, n_answers=keeping.n_answers + 1))

    def _keep(self, number: int) -> None:
        """See to it that an answer outlives the log: if it cannot be moved out of there, a second place knows of it."""
        if not self._database.empty_log():
            with self._database.reading() as connection:
                query = "SELECT number, question, answer, change FROM trials WHERE number = ?"
                self._database.note(Told(*connection.execute(query, (number,)).fetchone()))

    def _write_definition(self, connection: sqlite3.Connection, definition: Definition) -> None:
        text = definition_text(definition)
        connection.execute(
            "INSERT INTO study (id, definition, created, checksum) VALUES (1, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, checksum = excluded.checksum",
            (text, time.time(), checksum(text)),
        )

    def _definition(self, connection: sqlite3.Connection) -> Definition | None:
        row = connection.execute("SELECT definition FROM study").fetchone()
        return None if row is None else read_definition(row[0])

    def _owner(self, connection: sqlite3.Connection) -> Owner | None:
        row = connection.execute(f"SELECT {OWNER_COLUMNS} FROM owner").fetchone()  # noqa: S608
        return None if row is None else Owner(*row)

    def _n_trials(self, connection: sqlite3.Connection) -> int:
        (count,) = connection.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM trials").fetchone()
        return int(count)

    def _next_change(self, connection: sqlite3.Connection) -> int:
        (last,) = connection.execute("SELECT COALESCE(MAX(change), 0) FROM trials").fetchone()
        return int(last) + 1
