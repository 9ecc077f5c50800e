"""Files that others may read at any moment."""

from __future__ import annotations

import os
from pathlib import Path

from imoca.errors import StorageError

__all__ = ["write_whole"]


def write_whole(path: Path, content: str | bytes) -> None:
    """The old content or the new one, whatever happens: a reader never finds half a file."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise StorageError(
            f"{path} cannot be written: {error.strerror}.", hint="Choose another place, or make room."
        ) from error
