"""One after the other, across processes."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def turn(path: Path, patience: float) -> Iterator[None]:
    """Wait until nobody else is in here with the same path, but no longer than so many seconds.

    The system keeps the queue and forgets whoever dies; one that is suspended holds up the others for their patience.
    """
    is_granted, is_over = threading.Event(), threading.Event()
    holder = threading.Thread(target=_hold, args=(path, is_granted, is_over), daemon=True)
    holder.start()
    is_granted.wait(patience)
    try:
        yield
    finally:
        is_over.set()
        if is_granted.is_set():
            holder.join()


def forget_turns(path: Path) -> None:
    """Remove the file, unless somebody is in there or waits for it."""
    with suppress(OSError):
        file = os.open(path, os.O_RDWR)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(file)


def _hold(path: Path, is_granted: threading.Event, is_over: threading.Event) -> None:
    """In a thread of its own, for nothing but the system can queue fairly, and that waits without end."""
    with suppress(OSError), _locked(path):  # where nothing can be locked there are no turns
        is_granted.set()
        is_over.wait()
    is_granted.set()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _has_name(file, path):
                yield
                return
        finally:
            os.close(file)  # and once more, if it was removed while this one waited


def _has_name(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
