"""Files that others may read at any moment."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from imoca.errors import StorageError

__all__ = ["write_whole"]

FOR_ALL = 0o666  # less what the umask takes away


def write_whole(path: Path, content: str | bytes, *, mode: int = FOR_ALL) -> None:
    """The old content or the new one, whatever happens: a reader never finds half a file."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with suppress(FileNotFoundError):
            unfinished.unlink()  # left by a process that had the same number
        file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(file, "wb") as stream:
            stream.write(content.encode("utf-8") if isinstance(content, str) else content)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise StorageError(
            f"{path} cannot be written: {error.strerror}.", hint="Choose another place, or make room."
        ) from error
