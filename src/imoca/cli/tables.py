"""Tables: every column of every row, within the width of a terminal, each row on one line.

Where the columns do not fit side by side the table is turned: one line per column, the rows side by side, in as many
blocks as they need. A pipe gets one line per row, however wide.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from imoca.cli.output import terminal
from imoca.wording import printable

__all__ = ["Column", "fits", "print_table"]

LONGEST_CELL = 32  # columns of a terminal
SHORTEST_NAME = 8
GAP = 2  # columns of space between two columns of a table


@dataclass(frozen=True)
class Column:
    title: str
    note: str = ""  # what is wanted there: a goal, a bound
    is_number: bool = False

    @property
    def heading(self) -> str:
        """In one line."""
        return f"{self.title} ({self.note})" if self.note else self.title


@dataclass(frozen=True)
class Line:
    text: str
    is_heading: bool = False


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """As the first lines of this file say. The first column names the rows."""
    if not sys.stdout.isatty():
        headings = [printable(column.heading) for column in columns]
        for cells in _aligned(columns, [headings, *([printable(cell) for cell in row] for row in rows)]):
            print(cells)
        return
    from rich.text import Text

    console = terminal()
    for line in table_lines(columns, rows, console.width):
        console.print(Text(line.text, "bold" if line.is_heading else ""), soft_wrap=True)


def fits(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the columns stand side by side where the table would be printed."""
    return not sys.stdout.isatty() or not _is_turned(columns, rows, terminal().width)


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Iterator[Line]:
    """Of a table on a terminal."""
    if _is_turned(columns, rows, width):
        yield from _turned(columns, rows, width)
        return
    heads = _heads(columns)
    for i, text in enumerate(_aligned(columns, [*heads, *_short(rows)])):
        yield Line(text, is_heading=i < len(heads))


def _is_turned(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> bool:
    return sum(each + GAP for each in _widths([*_heads(columns), *_short(rows)])) - GAP > width


def _heads(columns: Sequence[Column]) -> list[list[str]]:
    """Titles, and notes below them if there are any: side by side a table is narrower so."""
    lines = [[_cut(printable(column.title)) for column in columns]]
    if any(column.note for column in columns):
        lines.append([_cut(printable(column.note)) for column in columns])
    return lines


def _turned(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Iterator[Line]:
    cells = _short(rows)
    widths = [max(map(_cell_len, row)) for row in cells]
    headings = [printable(column.heading) for column in columns]
    room = max(SHORTEST_NAME, width - GAP - max(widths, default=0))
    name_width = min(room, max(map(_cell_len, headings)))
    names = [_cut(heading, name_width) for heading in headings]
    for i, block in enumerate(_blocks(widths, width - name_width)):
        if i:
            yield Line("")
        for c, name in enumerate(names):
            padded = "".join(" " * (GAP + widths[r] - _cell_len(cells[r][c])) + cells[r][c] for r in block)
            yield Line(name + " " * (name_width - _cell_len(name)) + padded, is_heading=c == 0)


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Positions of rows that stand side by side, as many as there is room for, and one at least."""
    block: list[int] = []
    for r in range(len(widths)):
        if block and sum(widths[k] + GAP for k in [*block, r]) > room:
            yield block
            block = []
        block.append(r)
    if block:
        yield block


def _aligned(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = _widths(lines)
    for line in lines:
        padded = []
        for cell, column, width in zip(line, columns, widths, strict=True):
            blank = " " * (width - _cell_len(cell))
            padded.append(blank + cell if column.is_number else cell + blank)
        yield (" " * GAP).join(padded).rstrip()


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_cell_len, cells)) for cells in zip(*lines, strict=True)]


def _short(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[_cut(printable(cell)) for cell in row] for row in rows]


def _cut(text: str, longest: int = LONGEST_CELL) -> str:
    """By what a terminal needs for it: some letters are two columns wide."""
    from rich.cells import set_cell_size

    return text if _cell_len(text) <= longest else f"{set_cell_size(text, longest - 1)}…"


def _cell_len(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
