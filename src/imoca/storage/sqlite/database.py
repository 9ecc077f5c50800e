"""A study's database, open: what is true around every transaction."""

from __future__ import annotations

import dataclasses
import logging
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from imoca.errors import LostStudyError, StorageError
from imoca.storage.base import closed_storage, replaced_driver
from imoca.storage.sqlite.beside import asking_path, log_path, told_path
from imoca.storage.sqlite.file import BUSY_SECONDS, faults_in_words, open_to_view, open_to_write
from imoca.storage.sqlite.keeping import read_keeping, write_keeping
from imoca.storage.sqlite.told import Told, note
from imoca.storage.turn import forget_turns, turn

logger = logging.getLogger(__name__)

LETTING_GO_SECONDS = 2.0  # to wait for readers when everything is moved into the database's own file


class Database:
    """One connection for all threads of a process.

    A transaction is wholly there, on the disk and in a file that still has its name, or it is refused.
    """

    def __init__(self, path: Path, read_only: bool) -> None:
        self.path = path
        self._place = path.absolute()  # a simulator may change the working directory
        moment = _moment(self._place)
        self._connection, is_frozen = open_to_view(path) if read_only else (open_to_write(path), False)
        self._frozen = moment if is_frozen else None
        self._file = _identity(self._place)
        self._lock = threading.RLock()
        self._driver: str | None = None  # the token of the claim under which this process writes
        self._study = ""  # the database's own name, known once something was written
        self._has_written = False
        self._is_read_only = read_only
        self._is_closed = False

    def write_as(self, token: str | None) -> None:
        """From now on every transaction is refused as soon as somebody else drives the study; None: no longer."""
        self._driver = token

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, faults_in_words(self.path):
            if self._is_closed:
                raise closed_storage(str(self.path))
            self._check_frozen()
            yield self._connection
            self._check_frozen()

    @contextmanager
    def transaction(self, *, needs_driver: bool = True) -> Iterator[sqlite3.Connection]:
        with self.reading() as connection:
            self._check_file()
            with _committed(connection):
                if needs_driver:
                    self._check_driver(connection)
                keeping = read_keeping(connection)
                if not keeping.in_use:
                    write_keeping(connection, dataclasses.replace(keeping, in_use=1))
                yield connection
            self._has_written, self._study = True, keeping.study
            if not keeping.in_use:
                checkpoint(connection, 0.0)  # so that a copy of the file alone tells that there may be more
            self._check_file()  # nothing is acknowledged into a file without a name

    def check(self) -> None:
        """A LostStudyError if a transaction would be refused for its file."""
        with self.reading():
            self._check_file()

    def asking(self, patience: float) -> AbstractContextManager[None]:
        with self.reading():  # not if it is closed
            return turn(asking_path(self._place), patience)

    def empty_log(self) -> bool:
        """Move everything into the one file; False if that cannot be done at this moment."""
        with self.reading() as connection:
            return checkpoint(connection, 0.0)

    def note(self, told: Told) -> None:
        """Tell the second place of an answer that a transaction stored."""
        note(self._place, self._study, told)

    def let_go(self) -> None:
        """Leave everything in the one file, if nobody else reads or writes at this moment; never an error."""
        with self._lock:
            try:
                if self._has_written and _identity(self._place) == self._file:
                    with _committed(self._connection):
                        keeping = read_keeping(self._connection)
                        write_keeping(self._connection, dataclasses.replace(keeping, in_use=0))
                    if checkpoint(self._connection, LETTING_GO_SECONDS):
                        told_path(self._place).unlink(missing_ok=True)
                    self._has_written = False
            except (sqlite3.Error, OSError) as error:
                logger.debug("%s still needs %s: %s", self.path, log_path(self.path).name, error)

    def close(self) -> None:
        with self._lock:  # not under another thread's transaction
            if self._is_closed:
                return
            self.let_go()
            self._is_closed = True
            if not self._is_read_only:
                forget_turns(asking_path(self._place))
            self._connection.close()

    def _check_frozen(self) -> None:
        if self._frozen is not None and _moment(self._place) != self._frozen:
            raise StorageError(
                f"{self.path} is being changed, and cannot be read meanwhile where nothing may be written.",
                hint="Look again in a while, or ask its owner for a copy made with imoca backup.",
            )

    def _check_file(self) -> None:
        if (found := _identity(self._place)) != self._file:
            what = "is gone" if found is None else "is another file now"
            raise LostStudyError(
                f"{self.path} {what}: it was deleted, moved or replaced while this process used it.",
                hint="Nothing more was stored. Put it back, or restore a backup, and run the same command again.",
            )
        if not self._place.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise LostStudyError(
                f"{self.path} is marked read-only.",
                hint="Nothing more was stored. Make it writable (chmod u+w) and run the same command again.",
            )

    def _check_driver(self, connection: sqlite3.Connection) -> None:
        if self._driver is not None:
            row = connection.execute("SELECT token FROM owner").fetchone()
            if row != (self._driver,):
                raise replaced_driver(str(self.path))


def checkpoint(connection: sqlite3.Connection, patience: float) -> bool:
    """Move the write-ahead log into the database's own file; False if somebody who reads or writes is in the way.

    What was committed is safe in either: an error here is none of whoever committed it.
    """
    connection.execute(f"PRAGMA busy_timeout = {1000 * patience:.0f}")
    try:
        is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        logger.debug("No checkpoint: %s", error)
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {1000 * BUSY_SECONDS:.0f}")
    return not is_busy


@contextmanager
def _committed(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file has the name; None if none has."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _moment(path: Path) -> tuple[object, ...]:
    """Another one after every change to the database."""
    moment = []
    for file in (path, log_path(path)):
        with suppress(OSError):
            status = file.stat()
            moment.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(moment)
