"""A study's database as a file: made whole or not at all, checked when opened, its faults in plain words."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from imoca.errors import StorageError
from imoca.storage.sqlite.rows import checksum
from imoca.storage.sqlite.schema import VERSION, check_schema, check_version, create, migrate

BUSY_SECONDS = 60.0  # to wait for other writers
NETWORK_FILE_SYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "fuse.sshfs", "9p", "afs")
SUMMED_COLUMNS = {  # per table, what its checksum covers
    "study": ("definition",),
    "trials": ("number", "question", "answer"),
    "runs": ("trial", "simulator", "attempt", "started", "folder", "ended", "answer"),
    "owner": ("pid", "host", "born", "since", "seen", "token"),
}


def connect(path: Path, read_only: bool) -> sqlite3.Connection:
    """Open the database, made first if there is none; refused if damaged, foreign or newer than this imoca."""
    if not path.exists():
        if read_only:
            raise StorageError(f"There is no study at {path}.", hint="Start it with imoca run, or check the path.")
        _make(path)
    with faults_in_words(path):
        connection = _open(path, "ro" if read_only else "rw")
        try:
            version = _check(connection, path)
            if version < VERSION:
                if read_only:
                    raise StorageError(
                        f"{path} has the older database version {version} (now {VERSION}); viewing changes no file.",
                        hint="Open it once for writing, with imoca run or Study.load: it is migrated after a backup.",
                    )
                migrate(connection, path, version)
            if not read_only:
                connection.execute(f"PRAGMA journal_mode = {journal_mode(path)}")
                connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
    return connection


def _make(path: Path) -> None:
    """An empty study appears under its name only when it is complete, so no crash leaves half of one."""
    fresh = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with faults_in_words(path):
        try:
            connection = _open(fresh, "rwc")
            create(connection)
            connection.execute(f"PRAGMA journal_mode = {journal_mode(path)}")
            connection.close()
            with suppress(FileExistsError):  # somebody else was faster: theirs is as good
                os.link(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)


def _open(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    # One connection serves all threads of a process, one at a time: SQLiteStorage holds a lock.
    return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _check(connection: sqlite3.Connection, path: Path) -> int:
    if path.stat().st_size == 0:
        raise sqlite3.DatabaseError("the file is empty")
    connection.execute("BEGIN")  # one snapshot: somebody else may migrate it meanwhile
    version = check_version(connection, path)
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    for table in check_schema(connection, version) & SUMMED_COLUMNS.keys():
        columns = ", ".join(SUMMED_COLUMNS[table])
        for *cells, stored in connection.execute(f"SELECT {columns}, checksum FROM {table}"):  # noqa: S608
            if checksum(*cells) != stored:
                raise sqlite3.DatabaseError(f"a row of table {table} does not match its checksum")
    n_trials, n_numbers = connection.execute("SELECT COUNT(*), COALESCE(MAX(number) + 1, 0) FROM trials").fetchone()
    if n_trials != n_numbers:
        raise sqlite3.DatabaseError(f"{n_numbers - n_trials} of {n_numbers} trials are missing")
    connection.execute("COMMIT")
    return version


def journal_mode(path: Path) -> str:
    """Write-ahead logging needs memory shared between processes, which network file systems do not give."""
    return "DELETE" if _file_system(path) in NETWORK_FILE_SYSTEMS else "WAL"


def _file_system(path: Path) -> str:
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "unknown"
    folder = str(path.resolve().parent)
    by_place = {fields[1].replace("\\040", " "): fields[2] for fields in map(str.split, mounts) if len(fields) > 2}
    holding = [place for place in by_place if Path(folder).is_relative_to(place)]
    return by_place[max(holding, key=len)] if holding else "unknown"


@contextmanager
def faults_in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # sqlite3 decodes what SQLite answers, garbage or not
        raise _in_words(path, error) from error
    except OSError as error:
        raise StorageError(
            f"{path} cannot be used: {error.strerror or error}.", hint="Choose a folder that exists and is writable."
        ) from error


def _in_words(path: Path, error: Exception) -> StorageError:
    text = str(error)
    if "full" in text or "I/O" in text:
        return StorageError(
            f"{path} cannot be written: {text}.",
            hint="Free some space and run the same command again; everything acknowledged so far is kept.",
        )
    if "locked" in text or "busy" in text:
        return StorageError(
            f"{path} was held by other processes for {BUSY_SECONDS:.0f} s: {text}.",
            hint="Find out which process holds it (fuser, lsof), then run the same command again.",
        )
    if "readonly" in text or "unable to open" in text:
        return StorageError(
            f"{path} cannot be opened for writing: {text}.", hint="Check that the folder exists and its permissions."
        )
    return StorageError(
        f"{path} is damaged: {text}.",
        hint="Nothing was read from it. Restore it from a backup, or move it away to begin a new study; "
        "`sqlite3 study.db .recover` may save what is left.",
    )
