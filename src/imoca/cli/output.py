"""Data goes to stdout, messages go to stderr; both are wrapped at words on a terminal and as they are elsewhere."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from imoca.cli.text import printable, printable_lines, spreadsheet_cell

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["csv_text", "print_json", "print_pairs", "say", "tell"]

SHORTEST_WORDS = 24  # columns in which a value is still legible beside its key
COMMAND = ": imoca "  # before the rest of a command that ends a sentence


def say(message: str) -> None:
    """A message to the user."""
    _print_wrapped(message, sys.stderr)


def tell(sentence: str) -> None:
    """A sentence that belongs to the data."""
    _print_wrapped(sentence, sys.stdout)


def _print_wrapped(text: str, file: TextIO) -> None:
    lines = printable_lines(text).split("\n")
    if file.isatty():
        width = terminal().width
        lines = [part for line in lines for part in _wrapped(line, width)]
    print("\n".join(lines) + "\n", end="", file=file)  # in one piece: a live display draws itself anew after each


def print_json(content: Any) -> None:
    print(json.dumps(content, indent=1, allow_nan=False))


def csv_text(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers as they are, text made harmless to spreadsheets, None as an empty cell."""
    return "".join(_csv_line(row) for row in [titles, *rows])


def _csv_line(cells: Sequence[object]) -> str:
    text = io.StringIO()
    # The writer quotes what its line ends consist of, and a bare carriage return must be: it would begin a row.
    csv.writer(text, lineterminator="\r\n").writerow(
        [spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return text.getvalue().removesuffix("\r\n") + "\n"


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """One line each: what, and how it stands."""
    from rich.cells import cell_len

    shown = [(printable(key), printable(value)) for key, value in pairs]
    indent = max(cell_len(key) for key, _ in shown) + 2
    room = terminal().width - indent if sys.stdout.isatty() else None
    for key, value in shown:
        lines = [value] if room is None else _wrapped_with_command(value, max(room, SHORTEST_WORDS))
        print(f"{key}{' ' * (indent - cell_len(key))}{lines[0]}".rstrip())
        for line in lines[1:]:
            print(f"{' ' * indent}{line}")


def terminal() -> Console:
    """NO_COLOR means no escape codes at all, bold included."""
    from rich.console import Console

    return Console(color_system=None if os.environ.get("NO_COLOR") else "auto", highlight=False)


def _wrapped_with_command(text: str, width: int) -> list[str]:
    """A command at its end stays in one piece, on a line of its own where need be: it is to be copied."""
    lines = _wrapped(text, width)
    words, colon, command = text.partition(COMMAND)
    if len(lines) == 1 or not colon:
        return lines
    return [*_wrapped(f"{words}:", width), f"{COMMAND.lstrip(': ')}{command}"]


def _wrapped(text: str, width: int) -> list[str]:
    """At blanks; what has none in so many columns is broken. A command on a line of its own is left alone."""
    from rich.text import Text

    if text.startswith("  imoca "):
        return [text]
    lines = Text(text).wrap(terminal(), width, tab_size=1)
    return [line.plain.rstrip() for line in lines] or [""]
