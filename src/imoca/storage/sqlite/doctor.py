"""What is wrong with a database, in words, and what can be saved of it into a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from imoca.storage.owner import Owner
from imoca.storage.sqlite.backup import new_study, refuse_taken
from imoca.storage.sqlite.beside import log_path, told_path
from imoca.storage.sqlite.file import connect_to_view, faults_in_words, journal_mode
from imoca.storage.sqlite.salvage import Salvage, fill, read_what_is_left
from imoca.storage.sqlite.schema import VERSION, check_schema, check_version
from imoca.storage.sqlite.soundness import listed

__all__ = ["Diagnosis", "Mended", "examine", "mend"]

COUNTING = 5  # the version since which a database counts its answers
N_SHOWN = 5  # lines of what SQLite finds


@dataclass(frozen=True)
class Diagnosis:
    """How a database is."""

    faults: tuple[str, ...]  # what is wrong
    remarks: tuple[str, ...]  # what else one should know
    n_acknowledged: int  # answers, at least
    n_present: int  # of them
    n_saved: int  # of them, that a new file would hold


@dataclass(frozen=True)
class Mended:
    """What a new database holds."""

    n_trials: int
    n_answers: int
    n_missing: int  # answers that were acknowledged and are nowhere any more
    renumbered: dict[int, int]


def examine(path: Path) -> Diagnosis:
    """Look at a database without changing it; a StorageError if it is not an iMOCA study, or a newer one."""
    with closing(_connected(path)) as connection:
        try:
            saved = _saved(connection, path)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return Diagnosis((f"nothing of it can be read: {error}",), (), 0, 0, 0)
        faults = (*_faults_of_file(connection, saved), *_faults_of_rows(saved))
        remarks = tuple(_remarks(connection, path, saved))
        return Diagnosis(faults, remarks, saved.n_acknowledged, len(saved.present), saved.n_saved)


def mend(path: Path, new: Path) -> Mended:
    """Save what can be saved into a new file; the old one is left as it is."""
    refuse_taken(new)
    with closing(_connected(path)) as connection:
        with faults_in_words(path):
            saved = _saved(connection, path)
        with new_study(new) as target:
            renumbered = fill(target, saved)
    return Mended(len(saved.trials()), saved.n_saved, saved.n_acknowledged - saved.n_saved, renumbered)


def _connected(path: Path) -> sqlite3.Connection:
    connection, _ = connect_to_view(path)
    return connection


def _saved(connection: sqlite3.Connection, path: Path) -> Salvage:
    if path.stat().st_size == 0:
        raise sqlite3.DatabaseError("the file is empty")
    connection.execute("BEGIN")  # one moment, whoever writes meanwhile
    return read_what_is_left(connection, path, check_version(connection, path))


def _faults_of_file(connection: sqlite3.Connection, saved: Salvage) -> Iterator[str]:
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({N_SHOWN})").fetchall():
            if line != "ok":
                yield f"SQLite says: {line}"
        check_schema(connection, saved.version)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield f"SQLite says: {error}"


def _faults_of_rows(saved: Salvage) -> Iterator[str]:
    for table, n in saved.n_spoilt.items():
        if n:
            yield f"{n} row{'s' if n > 1 else ''} of table {table} cannot be trusted: another checksum, or another form"
    if not saved.tables["study"]:
        yield "what the study is about cannot be read"
    if not saved.tables["keeping"] and saved.version >= COUNTING:
        yield "how many results were acknowledged cannot be read"
    known = {row["number"] for row in saved.trials()}
    if gaps := set(range(max(known, default=-1))) - known:
        yield f"the question of trial {listed(gaps)} cannot be read"
    if saved.n_acknowledged > len(saved.present):
        yield f"{saved.n_acknowledged} results were acknowledged, {len(saved.present)} are here"
    if saved.elsewhere:
        yield f"the result of trial {listed(saved.elsewhere)} is not in the database, but noted beside it"


def _remarks(connection: sqlite3.Connection, path: Path, saved: Salvage) -> Iterator[str]:
    if saved.version < VERSION:
        yield f"it has version {saved.version}; the next command that writes makes it version {VERSION}, after a backup"
    for row in saved.tables["owner"]:
        owner = Owner(*(row.get(name, 0.0) for name in ("pid", "host", "born", "since", "seen", "token", "lasted")))
        if owner.token:
            yield (
                f"it is being run by {owner}"
                if owner.is_alive()
                else f"{owner} ran it and died; the next run takes over"
            )
    log = log_path(path)
    if log.exists() and (size := log.stat().st_size):
        yield f"{size} bytes of it are in {log.name}: copy it with imoca backup, or both files"
    elif not log.exists() and not told_path(path).exists() and any(row["in_use"] for row in saved.tables["keeping"]):
        yield f"it was copied while it was in use, without {log.name}: what was told last may be missing"
    if journal_mode(path) != "WAL":
        yield "it lies on a network file system: let one machine at a time write to it"
