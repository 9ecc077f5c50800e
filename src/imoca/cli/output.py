"""Data goes to stdout, messages go to stderr; tables fit the terminal and are plain elsewhere."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from imoca.cli.text import printable, printable_lines, spreadsheet_cell

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Column", "csv_text", "print_json", "print_pairs", "print_table", "say"]

LONGEST_CELL = 32  # characters on a terminal
GAP = 2  # columns of space between two columns of a table


@dataclass(frozen=True)
class Column:
    title: str
    is_number: bool = False
    is_optional: bool = False  # may be left out where the terminal is too narrow


def say(message: str) -> None:
    """A message to the user."""
    print(printable_lines(message), file=sys.stderr)


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
    shown = [(printable(key), printable(value)) for key, value in pairs]
    width = max(len(key) for key, _ in shown)
    for key, value in shown:
        print(f"{key:{width}}  {value}")


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Within the width of a terminal; all columns, aligned with spaces, into a pipe."""
    if not sys.stdout.isatty():
        _print_plain(columns, [[printable(cell) for cell in row] for row in rows])
        return
    cells = [[_cut(printable(cell)) for cell in row] for row in rows]
    console = terminal()
    kept = _fitting(columns, cells, console.width)
    console.print(_rich_table([columns[i] for i in kept], [[row[i] for i in kept] for row in cells]))
    if hidden := [column.title for i, column in enumerate(columns) if i not in kept]:
        say(f"The terminal is too narrow for {', '.join(hidden)}; --json shows everything.")


def terminal() -> Console:
    """NO_COLOR means no escape codes at all, bold included."""
    from rich.console import Console

    return Console(color_system=None if os.environ.get("NO_COLOR") else "auto", highlight=False)


def _rich_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    for column in columns:
        justify: Any = "right" if column.is_number else "left"
        table.add_column(Text(_cut(printable(column.title))), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _print_plain(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len

    lines = [[printable(column.title) for column in columns], *rows]
    widths = _widths(lines)
    for line in lines:
        padded = []
        for cell, column, width in zip(line, columns, widths, strict=True):
            blank = " " * (width - cell_len(cell))
            padded.append(blank + cell if column.is_number else cell + blank)
        print((" " * GAP).join(padded).rstrip())


def _fitting(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Positions of the columns that are shown: optional ones are dropped from the right until the rest fits."""
    widths = _widths([[_cut(printable(column.title)) for column in columns], *rows])
    kept = list(range(len(columns)))
    for i in reversed(range(len(columns))):
        if sum(widths[j] + GAP for j in kept) - GAP <= width:
            break
        if columns[i].is_optional:
            kept.remove(i)
    return kept


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]


def _cut(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else f"{cell[: LONGEST_CELL - 1]}…"
