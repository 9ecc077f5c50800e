"""Ctrl-C, SIGTERM and SIGHUP while a study runs."""

from __future__ import annotations

import itertools
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType


class StopSignals:
    """Ctrl-C once asks to stop: what runs may finish. Twice, SIGTERM or SIGHUP force it: what runs is ended.

    In a thread other than the main one signals cannot be caught, and nothing changes.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self.is_forced = False
        self._may_raise = False
        self._n_before = itertools.count()  # signals that came before; counted in one step
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants it so
                    self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def force(self) -> None:
        """What SIGTERM does, for another thread."""
        self.is_asked = self.is_forced = True
        if self._previous:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    @contextmanager
    def raising(self, is_needed: bool) -> Iterator[None]:
        """A forced stop raises KeyboardInterrupt within, where a simulator that runs in this thread must be left."""
        self._may_raise = is_needed
        try:
            yield
        finally:
            self._may_raise = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        # A second signal may interrupt this very function: it must not take itself for the first.
        is_first = next(self._n_before) == 0
        self.is_asked = True
        if number == signal.SIGHUP:
            _forget_closed_terminal()
        if not is_first or number in (signal.SIGTERM, signal.SIGHUP):
            self.is_forced = True
        else:
            print("\nStopping when the running simulators are done; Ctrl-C again ends them.", file=sys.stderr)  # noqa: T201
        if self.is_forced and self._may_raise:
            raise KeyboardInterrupt


def _forget_closed_terminal() -> None:
    """Printing to a terminal that is gone would be an error; from now on nobody hears."""
    streams = select.poll()
    for file in (1, 2):
        streams.register(file, 0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for file, _ in streams.poll(0):  # those that are hung up
        os.dup2(nowhere, file)
    os.close(nowhere)
