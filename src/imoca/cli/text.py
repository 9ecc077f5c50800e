"""Text for terminals and spreadsheets: whatever stands in a name or a value is shown, never obeyed."""

from __future__ import annotations

from imoca.wording import duration, printable

__all__ = [
    "duration",
    "from_spreadsheet_cell",
    "precise_duration",
    "printable",
    "printable_lines",
    "spreadsheet_cell",
]

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # of cells that spreadsheets would compute


def printable_lines(text: str) -> str:
    """As `printable`, but line ends stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def spreadsheet_cell(text: str) -> str:
    """The text of a CSV cell: no formula, no control characters but line ends and tabs."""
    shown = "".join(character if character in "\n\r\t" else printable(character) for character in text)
    return f"'{shown}" if shown.startswith(FORMULA_STARTS) else shown


def from_spreadsheet_cell(cell: str) -> str:
    """The text that `spreadsheet_cell` wrote."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS) else cell


def precise_duration(seconds: float) -> str:
    """As `duration`, but short ones to three digits."""
    return f"{seconds:.3g} s" if seconds < 100.0 else duration(seconds)
