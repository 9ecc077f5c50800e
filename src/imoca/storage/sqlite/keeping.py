"""The row in which a database keeps count of itself."""

from __future__ import annotations

import sqlite3
from dataclasses import astuple, dataclass

from imoca.storage.sqlite.rows import checksum


@dataclass(frozen=True)
class Keeping:
    study: str  # the database's own random name
    in_use: int  # 1 while something may be in the write-ahead log alone
    n_answers: int  # that were acknowledged


def read_keeping(connection: sqlite3.Connection) -> Keeping:
    row = connection.execute("SELECT study, in_use, n_answers FROM keeping").fetchone()
    if row is None:
        raise sqlite3.DatabaseError("the count of its answers is missing")
    return Keeping(*row)


def write_keeping(connection: sqlite3.Connection, keeping: Keeping) -> None:
    connection.execute(
        "UPDATE keeping SET study = ?, in_use = ?, n_answers = ?, checksum = ?",
        (*astuple(keeping), checksum(*astuple(keeping))),
    )
