"""Whether a database holds all it should: SQLite checks the structure of its pages, not what is in them."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection
from pathlib import Path

from imoca.errors import StorageError
from imoca.storage.sqlite.beside import log_path
from imoca.storage.sqlite.keeping import Keeping, read_keeping
from imoca.storage.sqlite.rows import checksum
from imoca.storage.sqlite.schema import check_schema, check_version
from imoca.storage.sqlite.told import noted

logger = logging.getLogger(__name__)

SUMMED_COLUMNS = {  # per table, what its checksum covers
    "study": ("definition",),
    "trials": ("number", "question", "answer"),
    "runs": ("trial", "simulator", "attempt", "started", "folder", "ended", "answer"),
    "owner": ("pid", "host", "born", "since", "seen", "token", "lasted"),
    "keeping": ("study", "in_use", "n_answers"),
}
RESCUE = (
    "`imoca doctor STUDY` says what is wrong, and with `-o NEW.db` saves what can be saved into a new file; "
    "or restore a backup."
)
N_LISTED = 10  # trials


def check_sound(connection: sqlite3.Connection, path: Path, is_copied: bool) -> int:
    """The version of a database that is whole; an error says what is wrong with any other."""
    if path.stat().st_size == 0:
        raise sqlite3.DatabaseError("the file is empty")
    connection.execute("BEGIN")  # one snapshot: somebody else may migrate it meanwhile
    version = check_version(connection, path)
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    tables = check_schema(connection, version)
    for table in sorted(tables & SUMMED_COLUMNS.keys()):
        for *cells, stored in connection.execute(summed_rows(connection, table)):
            if checksum(*cells) != stored:
                raise sqlite3.DatabaseError(f"a row of table {table} does not match its checksum")
    n_trials, n_numbers = connection.execute("SELECT COUNT(*), COALESCE(MAX(number) + 1, 0) FROM trials").fetchone()
    if n_trials != n_numbers:
        raise sqlite3.DatabaseError(f"{n_numbers - n_trials} of {n_numbers} trials are missing")
    keeping = read_keeping(connection) if "keeping" in tables else None
    connection.execute("COMMIT")
    if keeping is not None:
        _check_answers(connection, path, keeping, is_copied)
    return version


def summed_rows(connection: sqlite3.Connection, table: str) -> str:
    """The query for a table's rows: what their checksum covers, as far as that version has it, and the checksum."""
    present = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
    columns = [column for column in SUMMED_COLUMNS[table] if column in present]
    return f"SELECT {', '.join(columns)}, checksum FROM {table}"  # noqa: S608


def _check_answers(connection: sqlite3.Connection, path: Path, keeping: Keeping, is_copied: bool) -> None:
    """Everything that was acknowledged is here; if that cannot be known, a warning says so."""
    told = noted(path, keeping.study)  # before the answers are counted: there may be more of them by then, never fewer
    changes = dict(connection.execute("SELECT number, change FROM trials WHERE answer IS NOT NULL"))
    missing = {number for number, answer in told.items() if changes.get(number, 0) < answer.change}
    n_acknowledged, n_here = max(keeping.n_answers, len(changes.keys() | missing)), len(changes.keys() - missing)
    if n_acknowledged > n_here:
        raise lost_answers(path, n_acknowledged, n_here, missing)
    if keeping.in_use and is_copied and connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        logger.warning(
            "%s was copied while it was in use, without %s: what was told last may be missing. imoca backup copies a "
            "study that is in use.",
            *(path, log_path(path).name),
        )


def lost_answers(path: Path, n_acknowledged: int, n_present: int, missing: Collection[int]) -> StorageError:
    names = f" Missing: trial {listed(missing)}." if missing else ""
    return StorageError(
        f"{path} is damaged: {n_acknowledged} results were acknowledged, {n_present} are here.{names}",
        hint=f"Nothing was changed. {RESCUE}",
    )


def listed(numbers: Collection[int]) -> str:
    """In order, and not too many of them."""
    more = f" and {len(numbers) - N_LISTED} more" if len(numbers) > N_LISTED else ""
    return ", ".join(map(str, sorted(numbers)[:N_LISTED])) + more
