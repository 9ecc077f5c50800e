"""The second place: a file beside the database, with a line for every answer that had to stay in the write-ahead log.

SQLite reads a damaged log up to the damage and takes that for everything. Whoever opens the database finds here what
else was acknowledged. The file goes when all of it is in the database's own file.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import astuple, dataclass
from pathlib import Path

from imoca.storage.sqlite.beside import told_path
from imoca.storage.sqlite.rows import checksum

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Told:
    """A trial as its row holds it."""

    number: int
    question: str
    answer: str
    change: int  # larger than that of a row which lacks this answer, or a part of it


def note(database: Path, study: str, told: Told) -> None:
    """Add a line. The answer is safe in the database already, so a line that cannot be written ends nothing."""
    cells = (study, *astuple(told))
    line = json.dumps([*cells, checksum(*cells)])
    try:
        file = os.open(told_path(database), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, f"\n{line}\n".encode())  # a line that was cut short before it spoils no other
        finally:
            os.close(file)
    except OSError as error:
        logger.debug("%s has no note of trial %d: %s", told_path(database), told.number, error)


def noted(database: Path, study: str) -> dict[int, Told]:
    """By number, the last answers of that study; lines that are damaged, or of another study, are none."""
    try:
        text = told_path(database).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    answers = [told for line in text.splitlines() if (told := _read(line, study)) is not None]
    return {told.number: told for told in sorted(answers, key=lambda told: told.change)}


def _read(line: str, study: str) -> Told | None:
    try:
        *cells, stored = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None
    is_sound = len(cells) == 5 and cells[0] == study and checksum(*cells) == stored
    return Told(*cells[1:]) if is_sound else None
