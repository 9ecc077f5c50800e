"""What can still be read of a damaged database, row by row, and a new database made of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from imoca.errors import ImocaError, StorageError
from imoca.storage.sqlite.keeping import read_keeping, write_keeping
from imoca.storage.sqlite.rows import checksum, read_definition, read_run, read_trial
from imoca.storage.sqlite.schema import VERSION, create, upgrade
from imoca.storage.sqlite.soundness import SUMMED_COLUMNS
from imoca.storage.sqlite.told import Told, noted

Row = dict[str, Any]

SMALLEST_ROW = 16  # bytes; tells up to where rows are looked for in a table that cannot be read from end to end
UNREADABLE = (sqlite3.Error, UnicodeDecodeError, OverflowError)


@dataclass(frozen=True)
class Salvage:
    """The rows that match their checksums, and what the second place knows."""

    version: int
    tables: Mapping[str, Sequence[Row]]
    n_spoilt: Mapping[str, int]  # per table, rows that can be read but not trusted
    told: Mapping[int, Told]

    @property
    def present(self) -> set[int]:
        """The trials whose answers are in the database, whole."""
        return {row["number"] for row in self.tables["trials"] if row["answer"] is not None} - self.elsewhere

    @property
    def elsewhere(self) -> set[int]:
        """The trials whose answers, or the last parts of them, are in the second place alone."""
        changes = {row["number"]: row["change"] for row in self.tables["trials"] if row["answer"] is not None}
        return {number for number, told in self.told.items() if not _is_as_new(changes.get(number), told)}

    @property
    def n_saved(self) -> int:
        """Answers that are here or in the second place."""
        return len(self.present | self.elsewhere)

    @property
    def n_acknowledged(self) -> int:
        """At least so many; more are not known of."""
        return max([self.n_saved, *(row["n_answers"] for row in self.tables["keeping"])])

    def trials(self) -> list[Row]:
        """Every trial of which the question is known, with its answer if that is known anywhere."""
        known = {row["number"]: row for row in self.tables["trials"]}
        for number in self.elsewhere:
            known[number] = {"asked": 0.0} | known.get(number, {}) | vars(self.told[number]) | {"finished": 0.0}
        return [known[number] for number in sorted(known)]


def read_what_is_left(connection: sqlite3.Connection, path: Path, version: int) -> Salvage:
    tables: dict[str, list[Row]] = {}
    n_spoilt: dict[str, int] = {}
    for table in SUMMED_COLUMNS:
        rows = list(_rows(connection, table, path.stat().st_size // SMALLEST_ROW))
        sound = [row for row in rows if row["checksum"] == _checksum(table, row)]
        tables[table] = [row for row in sound if version < VERSION or _is_ours(table, row)]
        n_spoilt[table] = len(rows) - len(tables[table])
    told = noted(path, tables["keeping"][0]["study"]) if tables["keeping"] else {}
    return Salvage(version, tables, n_spoilt, told)


def fill(connection: sqlite3.Connection, saved: Salvage) -> dict[int, int]:
    """Make an empty file that study; the trials whose number changed, for a gap between numbers is closed."""
    if not saved.tables["study"]:
        raise StorageError(
            "What the study is about (its parameters, simulators and method) cannot be read any more.",
            hint="Restore a backup; nothing can be saved without it.",
        )
    create(connection, saved.version)
    trials = saved.trials()
    numbers = {row["number"]: i for i, row in enumerate(trials)}
    connection.execute("BEGIN")
    for table in ("study", "owner"):
        for row in saved.tables[table]:
            _insert(connection, table, row)
    for i, row in enumerate(trials):
        _insert(connection, "trials", row | {"number": i, "change": i + 1})
    for row in saved.tables["runs"]:
        if row["trial"] in numbers:
            _insert(connection, "runs", row | {"trial": numbers[row["trial"]]})
    with suppress(sqlite3.OperationalError):  # older ones do not count; the upgrade does
        write_keeping(connection, replace(read_keeping(connection), n_answers=saved.n_saved))
    connection.execute("COMMIT")
    upgrade(connection, saved.version)
    return {old: new for old, new in numbers.items() if old != new}


def _rows(connection: sqlite3.Connection, table: str, n_places: int) -> Iterator[Row]:
    """Every row that can be read: looked for one by one where the table cannot be read from end to end."""
    names: list[str] = []
    with suppress(*UNREADABLE):
        names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    if not names:
        return
    query = f"SELECT {', '.join(names)} FROM {table}"  # noqa: S608
    try:
        found = connection.execute(query).fetchall()
    except UNREADABLE:
        found = []
        for place in range(n_places):
            with suppress(*UNREADABLE):
                found += connection.execute(f"{query} WHERE rowid = ?", (place,)).fetchall()
    yield from (dict(zip(names, row, strict=True)) for row in found)


def _is_ours(table: str, row: Row) -> bool:
    """Whether it can be read as we write it; rows of older versions are in another form."""
    cells = tuple(row[column] for column in SUMMED_COLUMNS[table])
    try:
        match table:
            case "study":
                read_definition(*cells)
            case "trials":
                read_trial(*cells)
            case "runs":
                read_run(cells)
    except (sqlite3.Error, ImocaError):
        return False
    return True


def _is_as_new(change: object, told: Told) -> bool:
    return isinstance(change, int) and change >= told.change  # no checksum covers it, so it may be anything


def _insert(connection: sqlite3.Connection, table: str, row: Row) -> None:
    row = row | {"checksum": _checksum(table, row)}
    places = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", tuple(row.values()))  # noqa: S608


def _checksum(table: str, row: Row) -> int:
    return checksum(*(row[column] for column in SUMMED_COLUMNS[table] if column in row))
