"""Where a picture is drawn again and again in the same place: below what a terminal prints, or in a notebook's cell."""

from __future__ import annotations

import html
import io
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from threading import Event, RLock, Thread
from typing import Any, Protocol, TextIO, cast

from rich.console import Console, RenderableType
from rich.file_proxy import FileProxy
from rich.live import Live

PAUSE = 0.25  # seconds between two pictures
NOTEBOOK_WIDTH = 100  # columns


class Screen(Protocol):
    @property
    def width(self) -> int:
        """In columns."""

    def start(self, render: Callable[[], RenderableType]) -> None: ...

    def changed(self) -> None:
        """There is something new to be drawn."""

    def stop(self) -> None:
        """The last picture is drawn, and stays."""


def live_screen() -> Screen | None:
    """None where nothing can be drawn twice: pipes, batch logs, terminals that were told so."""
    if _is_notebook():
        return NotebookScreen()
    is_live = sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return TerminalScreen(Console(stderr=True)) if is_live else None


def _is_notebook() -> bool:
    """Whether this process is the kernel of a notebook; IPython on a terminal is none."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell"


class TerminalScreen:
    """Drawn by a thread of its own, and after every line that anybody prints meanwhile.

    Rich notes how many lines to go up before it draws, and writes later: a line and a picture of another height at the
    same moment leave a part of an old picture behind. Here they take turns.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._turn = RLock()
        self._live: Live | None = None
        self._is_over = Event()
        self._streams: tuple[TextIO, TextIO] | None = None
        self._thread = Thread(target=self._draw_until_over, name="live panel", daemon=True)

    @property
    def width(self) -> int:
        return self._console.width

    def start(self, render: Callable[[], RenderableType]) -> None:
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            get_renderable=render,
        )
        self._live.start()
        self._streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (
            cast(TextIO, InTurn(self._console, stream, self._turn)) if stream.isatty() else stream
            for stream in self._streams
        )
        self._thread.start()

    def changed(self) -> None:
        """The thread will see to it: a study does not wait for its picture."""

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join()
        with self._turn:
            if self._live is not None:
                self._live.stop()
            if self._streams is not None:
                sys.stdout, sys.stderr = self._streams

    def _draw_until_over(self) -> None:
        while not self._is_over.wait(PAUSE):
            with self._turn:
                if self._live is not None:
                    self._live.refresh()


class InTurn(FileProxy):
    """A stream whose lines are printed above the picture, while nobody draws."""

    def __init__(self, console: Console, file: TextIO, turn: AbstractContextManager[object]) -> None:
        super().__init__(console, file)
        self._turn = turn

    def write(self, text: str) -> int:
        with self._turn:
            return super().write(text)

    def flush(self) -> None:
        with self._turn:
            super().flush()


class NotebookScreen:
    """One output of the cell that runs, replaced now and then: no flood of lines, and nothing to install."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._render: Callable[[], RenderableType] | None = None
        self._handle: Any = None
        self._next = 0.0  # when it may be drawn again

    @property
    def width(self) -> int:
        return NOTEBOOK_WIDTH

    def start(self, render: Callable[[], RenderableType]) -> None:
        self._render = render
        display = import_module("IPython.display").display
        self._handle = display(self._picture(), raw=True, display_id=True)

    def changed(self) -> None:
        if self._clock() >= self._next:
            self._draw()

    def stop(self) -> None:
        self._draw()

    def _draw(self) -> None:
        self._handle.update(self._picture(), raw=True)
        self._next = self._clock() + PAUSE

    def _picture(self) -> dict[str, str]:
        text = io.StringIO()
        # In a kernel rich would show what it prints as outputs of its own.
        console = Console(file=text, width=NOTEBOOK_WIDTH, color_system=None, force_jupyter=False)
        if self._render is not None:
            console.print(self._render())
        style = "line-height: 1.2; white-space: pre; overflow-x: auto"
        shown = html.escape(text.getvalue())
        return {"text/plain": text.getvalue(), "text/html": f'<pre style="{style}">{shown}</pre>'}
