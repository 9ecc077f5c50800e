"""Small pieces of HTML; all text that comes from a user passes through `safe`."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from imoca.wording import printable

NUMBER = ' class="number"'


def safe(text: str) -> str:
    """Text that can stand between tags and in quoted attributes."""
    return html.escape(printable(text), quote=True)


def code(text: str) -> str:
    """Text to be typed or saved, its line ends kept."""
    lines = "\n".join(map(safe, text.split("\n")))
    return f"<pre><code>{lines}</code></pre>"


@dataclass(frozen=True)
class Cell:
    text: str
    value: float | None = None  # of a number, which stands on the right
    is_heading: bool = False  # of its row


def table(caption: str, titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """In a region of its own that scrolls sideways, also by the keyboard."""
    listed = list(rows)
    is_number = [all(row[i].value is not None for row in listed) for i in range(len(titles))]
    heads = "".join(
        f'<th scope="col"{NUMBER if is_number[i] else ""}>{safe(title)}</th>' for i, title in enumerate(titles)
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in listed)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{safe(caption)}">\n<table>\n'
        f"<caption>{safe(caption)}</caption>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def pairs(content: Iterable[tuple[str, str]], style: str = "") -> str:
    items = "".join(f"<div><dt>{safe(name)}</dt><dd>{safe(value)}</dd></div>" for name, value in content)
    return f'<dl class="{safe(style)}">{items}</dl>'


def paragraph(text: str) -> str:
    return f"<p>{safe(text)}</p>" if text else ""


def _cell(cell: Cell) -> str:
    if cell.is_heading:
        return f'<th scope="row">{safe(cell.text)}</th>'
    value = "" if cell.value is None else NUMBER
    return f"<td{value}>{safe(cell.text)}</td>"
