"""The files that lie beside a database while it is in use."""

from __future__ import annotations

from pathlib import Path


def log_path(database: Path) -> Path:
    """The write-ahead log, in which SQLite keeps what is not in the database's own file yet."""
    return database.with_name(f"{database.name}-wal")


def told_path(database: Path) -> Path:
    """The second place for answers that are in the log alone."""
    return database.with_name(f"{database.name}-told")


def asking_path(database: Path) -> Path:
    """What processes lock that ask one after the other."""
    return database.with_name(f"{database.name}-asking")
