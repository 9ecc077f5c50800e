"""A study's database as a file: made whole or not at all, checked when opened, its faults in plain words."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from imoca.errors import StorageError
from imoca.storage.sqlite.beside import log_path, told_path
from imoca.storage.sqlite.schema import VERSION, create, migrate
from imoca.storage.sqlite.soundness import RESCUE, check_sound

PRIVATE = 0o600  # permissions of a new database: a study is nobody else's business until its owner says so
BUSY_SECONDS = 60.0  # to wait for other writers
NETWORK_FILE_SYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "fuse.sshfs", "9p", "afs")
PRIMARY = 0xFF  # the part of SQLite's error codes that says what kind of error it is
# SQL logic errors come from tables that are not as we made them.
DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT)


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open the database, made first if there is none; refused if damaged, foreign or newer than this imoca."""
    with faults_in_words(path):
        if not path.exists():
            _make(path)
        is_copied = _has_no_log(path)
        connection = _open(path, "mode=rw")
        try:
            version = check_sound(connection, path, is_copied)
            if version < VERSION:
                migrate(connection, path, version)
            connection.execute(f"PRAGMA journal_mode = {journal_mode(path)}")
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
    return connection


def open_to_view(path: Path) -> tuple[sqlite3.Connection, bool]:
    """Open the database without ever changing it; refused as for writing, and if it is older than this imoca.

    Also whether it is frozen: read as if nobody wrote to it, because this place does not let readers take part.
    """
    check_there(path)
    is_copied = _has_no_log(path)
    connection, is_frozen = connect_to_view(path)
    with faults_in_words(path):
        try:
            version = check_sound(connection, path, is_copied)
            if version < VERSION:
                raise StorageError(
                    f"{path} has the older database version {version} (now {VERSION}); viewing changes no file.",
                    hint="Open it once for writing, with imoca run or Study.load: it is migrated after a backup.",
                )
        except BaseException:
            connection.close()
            raise
    return connection, is_frozen


def connect_to_view(path: Path) -> tuple[sqlite3.Connection, bool]:
    """As `open_to_view`, but whatever is in the file."""
    check_there(path)
    if not os.access(path, os.R_OK):
        raise StorageError(
            f"{path} cannot be read: permission denied.",
            hint="Ask its owner for permission, or for a copy made with imoca backup.",
        )
    with faults_in_words(path):
        connection = _open(path, "mode=ro")
        if _is_readable(connection):
            return connection, False
        connection.close()
        _check_freezable(path)
        return _open(path, "mode=ro&immutable=1"), True


def check_there(path: Path) -> None:
    with faults_in_words(path):
        if not path.exists():
            raise StorageError(f"There is no study at {path}.", hint="Start it with imoca run, or check the path.")
        if path.suffix.lower() == ".toml":
            raise StorageError(
                f"{path} is a study file, not the database of a study.",
                hint="Name the database beside it, or load the study file with imoca.studyfile.load_study_file.",
            )


def _is_readable(connection: sqlite3.Connection) -> bool:
    """Whether SQLite gets at the file and, with a write-ahead log, at what its readers share beside it."""
    try:
        connection.execute("SELECT * FROM sqlite_schema LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        return not any(words in str(error) for words in ("unable to open", "readonly"))
    except (sqlite3.Error, UnicodeDecodeError):
        pass  # told by the check
    return True


def _check_freezable(path: Path) -> None:
    log = log_path(path)
    if log.exists() and log.stat().st_size > 0:
        raise StorageError(
            f"{path} cannot be viewed where nothing may be written: some of its results are in {log.name} still.",
            hint="Ask its owner for a copy made with imoca backup, or copy both files to a folder of your own.",
        )


def _has_no_log(path: Path) -> bool:
    """Neither the log nor the notes that lie beside a database in use: asked before SQLite makes a new log."""
    return not log_path(path).exists() and not told_path(path).exists()


def _make(path: Path) -> None:
    """An empty study, complete or not there: no crash leaves half of one."""
    if log_path(path).exists() and not path.exists():  # still: else somebody else has just made it
        raise StorageError(
            f"{path} is gone, but its write-ahead log {log_path(path)} is still there.",
            hint="Put the database back beside it. If the study was deleted on purpose, delete its log too.",
        )
    with (
        suppress(FileExistsError),  # somebody else was faster: theirs is as good
        appearing(path) as fresh,
        closing(_open(fresh, "mode=rw")) as connection,
    ):
        create(connection)
        connection.execute(f"PRAGMA journal_mode = {journal_mode(path)}")


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """An empty file that gets its name only when it was completed; a FileExistsError if that is taken by then."""
    fresh = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        fresh.touch(PRIVATE)  # SQLite gives its other files the same permissions
        yield fresh
        os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _open(path: Path, options: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?{options}"
    # One connection serves all threads of a process, one at a time: Database holds a lock.
    return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


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
            f"{path} cannot be used: {error.strerror or error}.",
            hint="Choose a folder that exists and that you may use.",
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
    if not _is_damage(error):
        return StorageError(
            f"SQLite refused to work on {path}: {text} ({getattr(error, 'sqlite_errorname', type(error).__name__)}).",
            hint="Nothing of it was stored, and what was acknowledged before is kept. --debug shows where it was.",
        )
    return StorageError(
        f"{path} is damaged: {text}.",
        hint=f"Nothing was read from it. {RESCUE}",
    )


def _is_damage(error: Exception) -> bool:
    """What we found ourselves is a DatabaseError without a code, and text that cannot be decoded is garbage."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return type(error) is sqlite3.DatabaseError or isinstance(error, UnicodeDecodeError)
    return code & PRIMARY in DAMAGES
