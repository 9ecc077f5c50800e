"""What takes seconds to compute is made in the background, when something changed and not too often."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from imoca.errors import ImocaError

logger = logging.getLogger(__name__)

PAUSE = 1.0  # seconds between two makings of the same thing, at least
LONG_REST = 4.0  # and this many times what the last one took: the running study needs the processor more
SHORT_REST = 1.0  # the same for what is quickly made

S = TypeVar("S")
T = TypeVar("T")


class Worker:
    """One thread that does one thing after the other; it never keeps the process from ending."""

    def __init__(self, name: str) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, task: Callable[[], None]) -> None:
        self._tasks.put(task)

    def _work(self) -> None:
        while True:
            self._tasks.get()()


@dataclass(frozen=True)
class Made(Generic[T]):
    """What was made, or why it could not be; of which state of things, and how long it took."""

    stamp: str
    content: T | None
    fault: str = ""
    took: float = 0.0
    finished: float = 0.0


class Product(Generic[S, T]):
    """The latest version of one thing, each made of one source."""

    def __init__(self, worker: Worker, make: Callable[[S], T], rest: float = LONG_REST) -> None:
        self._worker = worker
        self._make = make
        self._rest = rest
        self._lock = threading.Lock()
        self._is_waiting = False
        self._made: Made[T] | None = None

    @property
    def made(self) -> Made[T] | None:
        return self._made

    def want(self, stamp: str, source: S) -> None:
        """Have it made of the source, which the stamp names, unless that is done, or was tried just now."""
        with self._lock:
            made = self._made
            if self._is_waiting or (made is not None and made.stamp == stamp):
                return
            if made is not None and time.monotonic() < made.finished + max(PAUSE, self._rest * made.took):
                return
            self._is_waiting = True
        self._worker.submit(lambda: self._work(stamp, source))

    def _work(self, stamp: str, source: S) -> None:
        content, fault = None, ""
        started = time.monotonic()
        try:
            content = self._make(source)
        except ImocaError as error:
            fault = str(error)
        except Exception as error:
            logger.warning("A figure cannot be made: %s: %s", type(error).__name__, error)
            fault = f"It cannot be made: {type(error).__name__}: {error}"
        finished = time.monotonic()
        with self._lock:
            self._made = Made(stamp, content, fault, finished - started, finished)
            self._is_waiting = False
