"""The tables of a study's database, and how an older database becomes a newer one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path

from imoca.errors import StorageError
from imoca.storage.sqlite.conversions import convert_to_version_3, convert_to_version_4, convert_to_version_5

APPLICATION_ID = 0x494D4F43  # "IMOC", in the header of the file

# Step n leads from version n to version n + 1. A new database takes all of them, an older one those it lacks;
# a step that was ever released is never edited. The tables of a version are made by its statements alone; what a step
# does to the rows that are already there is in `CONVERSIONS`.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE study (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            definition TEXT NOT NULL,  -- JSON
            created REAL NOT NULL,
            checksum INTEGER NOT NULL
        )""",
        """CREATE TABLE trials (
            number INTEGER PRIMARY KEY,
            question TEXT NOT NULL,  -- JSON: parameters, fidelities, fitted, launched
            answer TEXT,  -- JSON: values, costs, failures, wasted
            asked REAL NOT NULL,
            finished REAL,
            change INTEGER NOT NULL,  -- grows with every write, so that a reader fetches only what is new
            checksum INTEGER NOT NULL
        )""",
        "CREATE UNIQUE INDEX trials_by_change ON trials (change)",
    ),
    (
        """CREATE TABLE runs (
            trial INTEGER NOT NULL REFERENCES trials (number),
            simulator TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            started REAL NOT NULL,
            folder TEXT,
            ended REAL,
            answer TEXT,  -- JSON
            checksum INTEGER NOT NULL,
            PRIMARY KEY (trial, simulator, attempt)
        )""",
        """CREATE TABLE owner (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            pid INTEGER NOT NULL,
            host TEXT NOT NULL,
            born TEXT NOT NULL,
            since REAL NOT NULL,
            seen REAL NOT NULL,
            token TEXT NOT NULL,
            checksum INTEGER NOT NULL
        )""",
    ),
    (),  # 2 to 3: "not run" is a state of its own in answers
    (),  # 3 to 4: what is not run is not asked, and answers may come in parts
    (
        """CREATE TABLE keeping (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            study TEXT NOT NULL,  -- random, so that files beside the database are known to belong to it
            in_use INTEGER NOT NULL,  -- 1 while something may be in the write-ahead log alone
            n_answers INTEGER NOT NULL,  -- that were acknowledged
            checksum INTEGER NOT NULL
        )""",
        "ALTER TABLE owner ADD COLUMN lasted REAL NOT NULL DEFAULT 0.0",
    ),
    (),  # 5 to 6: answers may hold standard errors; those that hold none are as they were
)
VERSION = len(STEPS)
CONVERSIONS: dict[int, Callable[[sqlite3.Connection], None]] = {  # by the version they start from
    2: convert_to_version_3,
    3: convert_to_version_4,
    4: convert_to_version_5,
}


def create(connection: sqlite3.Connection, version: int = VERSION) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    upgrade(connection, 0, version)


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the database, or an error if it is no study or a newer one."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise StorageError(
            f"{path} is not an iMOCA study.", hint="Give the database of a study, or a file name that is not taken."
        )
    if version > VERSION:
        raise StorageError(
            f"{path} has database version {version}; this imoca reads up to version {VERSION}.",
            hint="Update imoca, or open the study with the version that wrote it.",
        )
    return int(version)


def check_schema(connection: sqlite3.Connection, version: int) -> set[str]:
    """The tables of that version, or an error if one of them is missing or another than it was made."""
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in chain.from_iterable(STEPS[:version]):
            model.execute(statement)
        expected = _schema(model)
    if altered := expected - _schema(connection):
        raise sqlite3.DatabaseError(f"missing or altered: {sorted({name for _, name, _ in altered})}")
    return {name for kind, name, _ in expected if kind == "table"}


def _schema(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    return set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))


def migrate(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Bring an older database to the present version, in one transaction, after a backup beside it."""
    backup = path.with_name(f"{path.name}.version-{version}.backup")
    backup.touch(mode=0o600)
    with sqlite3.connect(backup) as copy:
        connection.backup(copy)
    copy.close()
    upgrade(connection, version)


def upgrade(connection: sqlite3.Connection, version: int, goal: int | None = None) -> None:
    """From one version to a newer one, the present one unless another is given, in one transaction."""
    goal = VERSION if goal is None else goal
    connection.execute("BEGIN EXCLUSIVE")
    try:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        for older in range(max(version, found), goal):
            for statement in STEPS[older]:
                connection.execute(statement)
            if older in CONVERSIONS:
                CONVERSIONS[older](connection)
        connection.execute(f"PRAGMA user_version = {max(found, goal)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
