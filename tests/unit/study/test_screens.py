"""Where the live panel is drawn: turns on a terminal, one output in a notebook."""

import io
import re
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from imoca.study import screens
from imoca.study.screens import NotebookScreen, TerminalScreen, live_screen

MOVES = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[\?25[lh]|(\r)|(\n)|([^\x1b\r\n]+)")


class Terminal(io.StringIO):
    """Remembers what was written, and does something at every piece."""

    def __init__(self, at_every_piece: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._at_every_piece = at_every_piece

    def write(self, text: str) -> int:
        self._at_every_piece()
        return super().write(text)

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """What stands there in the end, by a small terminal: lines are moved up and down and erased."""
        screen, row = [""], 0
        for found in MOVES.finditer(self.getvalue()):
            amount, letter, is_return, is_feed, text = found.groups()
            if letter == "A":
                row -= int(amount or 1)
            elif letter == "K":
                screen[row] = ""
            elif is_feed:
                row += 1
                screen += [""] * (row + 1 - len(screen))
            elif text:
                screen[row] += text
            assert row >= 0
            assert letter in (None, "A", "K", "m") or is_return
        return [line.rstrip() for line in screen]


def console_of(terminal: Terminal) -> Console:
    return Console(file=terminal, force_terminal=True, width=60, color_system=None, _environ={})


def is_taken(turn: Any) -> bool:
    """As another thread finds it."""
    found: list[bool] = []

    def look() -> None:
        if turn.acquire(blocking=False):
            turn.release()
            found.append(False)
        else:
            found.append(True)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("is_drawing", [True, False])
def test_lines_and_pictures_take_turns_from_the_first_look_at_the_height_to_the_last_letter(
    is_drawing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a picture that grows while a line is printed leaves a part of the old one behind.

    Either the thread alone draws, or it waits and a line alone is printed: whoever has the turn is the one who writes.
    """
    taken: list[bool] = []
    drawn = threading.Event()
    terminal = Terminal(lambda: taken.append(is_taken(screen._turn)) if screen._thread.is_alive() else None)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(screens, "PAUSE", 0.0 if is_drawing else 3600.0)
    screen = TerminalScreen(console_of(terminal))

    def render() -> Text:
        if threading.current_thread() is screen._thread:
            taken.append(is_taken(screen._turn))
            drawn.set()
        return Text("picture")

    screen.start(render)
    if is_drawing:
        assert drawn.wait(60.0)
    else:
        print("a warning", file=sys.stderr)
    screen.stop()
    assert taken
    assert all(taken)


def test_a_line_stands_above_the_picture_and_no_old_picture_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, heights = Terminal(), iter([1, 3, 2, 4, 2, 2, 2, 2])
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(screens, "PAUSE", 3600.0)  # drawn here alone
    screen = TerminalScreen(console_of(terminal))
    screen.start(lambda: Text("\n".join(f"row {i}" for i in range(next(heights)))))
    for line in ("one", "two"):
        assert screen._live is not None
        screen._live.refresh()
        print(line, file=sys.stderr)
    screen.stop()
    assert sys.stderr is terminal
    assert terminal.lines()[:2] == ["one", "two"]
    rest = [line for line in terminal.lines()[2:] if line]
    assert rest == [f"row {i}" for i in range(len(rest))]  # the last picture, once


def test_what_is_piped_elsewhere_does_not_go_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, pipe = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", pipe)
    screen = TerminalScreen(console_of(terminal))
    screen.start(lambda: Text("picture"))
    print("data")
    screen.stop()
    assert pipe.getvalue() == "data\n"
    assert "data" not in terminal.getvalue()


class Handle:
    def __init__(self, shown: list[dict[str, str]]) -> None:
        self._shown = shown

    def update(self, content: dict[str, str], raw: bool) -> None:
        assert raw
        self._shown.append(content)


def test_a_notebook_has_one_output_that_is_replaced_not_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []
    now, words = [0.0], ["<b>first</b>"]

    def display(content: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        shown.append(content)
        return Handle(shown)

    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    screen = NotebookScreen(lambda: now[0])
    screen.start(lambda: Text(words[0]))
    for moment, word in ((0.0, "second"), (0.1, "too soon"), (0.2, "too soon"), (0.3, "third"), (0.31, "too soon")):
        now[0], words[0] = moment, word
        screen.changed()
    words[0] = "last"
    screen.stop()
    assert [each["text/plain"].strip() for each in shown] == ["<b>first</b>", "second", "third", "last"]
    assert "&lt;b&gt;first" in shown[0]["text/html"]


def test_a_kernel_is_a_notebook_and_a_pipe_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    assert isinstance(live_screen(), NotebookScreen)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert live_screen() is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(live_screen(), TerminalScreen)
    monkeypatch.setenv("NO_COLOR", "1")
    assert live_screen() is None
