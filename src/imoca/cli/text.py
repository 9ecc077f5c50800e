"""Text for terminals and spreadsheets: whatever stands in a name or a value is shown, never obeyed."""

from __future__ import annotations

import re

from imoca.wording import duration, printable

__all__ = [
    "duration",
    "from_spreadsheet_cell",
    "precise_duration",
    "printable",
    "printable_lines",
    "spreadsheet_cell",
]

# Of cells that spreadsheets would compute, or take for one that was escaped: blanks before a sign do not keep them from
# it, and some read the full-width signs of East Asia as well.
FORMULA = re.compile(r"'*(?:[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def printable_lines(text: str) -> str:
    """As `printable`, but line ends stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def spreadsheet_cell(text: str) -> str:
    """The text of a CSV cell: no formula, no control characters but line ends and tabs."""
    shown = "".join(character if character in "\n\r\t" else printable(character) for character in text)
    return f"'{shown}" if FORMULA.match(shown) else shown


def from_spreadsheet_cell(cell: str) -> str:
    """The text that `spreadsheet_cell` wrote."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) else cell


def precise_duration(seconds: float) -> str:
    """As `duration`, but short ones to three digits."""
    return f"{seconds:.3g} s" if seconds < 100.0 else duration(seconds)
