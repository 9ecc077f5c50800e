"""A copy of a study, whole whenever it is made."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from imoca.errors import StorageError
from imoca.storage.sqlite.file import appearing, faults_in_words, open_to_view
from imoca.storage.sqlite.keeping import read_keeping, write_keeping
from imoca.storage.sqlite.rows import checksum

__all__ = ["back_up"]


def back_up(database: str | Path, copy: str | Path) -> int:
    """Copy a study's database, also while somebody writes to it; the number of answers that the copy holds.

    The copy is one file, as the study was at one moment; it is read back before it gets its name, and replaces no
    other file. Folders of runs are not copied.
    """
    database, copy = Path(database), Path(copy)
    refuse_taken(copy)
    source, _ = open_to_view(database)
    with closing(source), new_study(copy) as target, faults_in_words(database):
        source.backup(target)
        keeping = read_keeping(target)
    return keeping.n_answers


def refuse_taken(path: Path) -> None:
    if path.exists():
        raise StorageError(f"{path} is there already.", hint="Choose another name; nothing is replaced.")


@contextmanager
def new_study(path: Path) -> Iterator[sqlite3.Connection]:
    """A database to be filled: a copy that nobody drives, in one file, and read once more before it gets its name."""
    with faults_in_words(path):
        try:
            with appearing(path) as fresh:
                with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
                    yield connection
                    connection.execute("PRAGMA journal_mode = DELETE")  # all in one file
                    _set_free(connection)
                checked, _ = open_to_view(fresh)
                checked.close()
        except FileExistsError:
            refuse_taken(path)
            raise


def _set_free(connection: sqlite3.Connection) -> None:
    """The driver drives what was copied, not the copy; when its heart last beat is kept, for its runs are charged."""
    write_keeping(connection, replace(read_keeping(connection), in_use=0))
    for owner in connection.execute("SELECT pid, host, born, since, seen, token, lasted FROM owner").fetchall():
        *before, _, lasted = owner
        connection.execute("UPDATE owner SET token = '', checksum = ?", (checksum(*before, "", lasted),))
