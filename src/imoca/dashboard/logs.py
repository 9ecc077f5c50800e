"""The last lines that a simulator's program wrote."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from imoca.wording import printable

Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, ...] = get_args(Stream)
MAX_TAIL = 64 * 2**10  # bytes shown


def log_streams(runs_folder: Path, folder: str) -> list[Stream]:
    """Of which streams there is a log: a simulator that is a function writes none."""
    return [stream for stream in STREAMS if _log_path(runs_folder, folder, stream) is not None]


def log_tail(runs_folder: Path, folder: str, stream: Stream) -> str | None:
    """None if there is no such file."""
    path = _log_path(runs_folder, folder, stream)
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MAX_TAIL))
            text = file.read(MAX_TAIL).decode("utf-8", errors="replace")
    except OSError:  # gone meanwhile
        return None
    cut = "" if size <= MAX_TAIL else f"[{size - MAX_TAIL} bytes before this are left out]\n"
    return cut + "".join(c if c in "\n\t" else printable(c) for c in text.replace("\r\n", "\n"))


def _log_path(runs_folder: Path, folder: str, stream: Stream) -> Path | None:
    """What lies outside the study's folder of runs is never read, also by a link."""
    try:
        path = (Path(folder) / f"{stream}.txt").resolve(strict=True)
        is_inside = path.is_relative_to(runs_folder.resolve(strict=True))
    except (OSError, ValueError, RuntimeError):  # absent, a name that no file can have, or a ring of links
        return None
    return path if is_inside and path.is_file() else None
