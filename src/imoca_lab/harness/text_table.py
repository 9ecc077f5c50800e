"""Tables and pages of text, as Markdown and as HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:.6rem 0 1.6rem;display:block;overflow-x:auto}"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}th{border-bottom:2px solid #888}img{max-width:100%}"
)


@dataclass(frozen=True)
class TextTable:
    """Cells are text; the best of a column may be marked."""

    title: str
    note: str  # how to read it
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()  # row and column of marked cells


@dataclass(frozen=True)
class Section:
    title: str
    text: str = ""
    tables: tuple[TextTable, ...] = ()
    figures: tuple[str, ...] = ()  # names of files without their endings
    captions: tuple[str, ...] = field(default=())  # one per figure


def markdown_page(title: str, sections: Sequence[Section]) -> str:
    parts = [f"# {title}"]
    for section in sections:
        parts.append(f"## {section.title}")
        parts += [section.text] if section.text else []
        for name, caption in zip(section.figures, section.captions, strict=True):
            parts.append(f"![{caption}]({name}.png)\n\n{caption}")
        for table in section.tables:
            parts += [f"### {table.title}", table.note, _markdown_table(table)]
    return "\n\n".join(part for part in parts if part) + "\n"


def html_page(title: str, sections: Sequence[Section]) -> str:
    body = [f"<h1>{html.escape(title)}</h1>"]
    for section in sections:
        body.append(f"<h2>{html.escape(section.title)}</h2>")
        body += [f"<p>{html.escape(section.text)}</p>"] if section.text else []
        for name, caption in zip(section.figures, section.captions, strict=True):
            words = html.escape(caption)
            body.append(f'<figure><img src="{name}.svg" alt="{words}"><figcaption>{words}</figcaption></figure>')
        for table in section.tables:
            body += [f"<h3>{html.escape(table.title)}</h3>", f"<p>{html.escape(table.note)}</p>", _html_table(table)]
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return "\n".join(["<!doctype html>", f'<html lang="en"><head>{head}</head><body>', *body, "</body></html>"]) + "\n"


def _markdown_table(table: TextTable) -> str:
    lines = [table.header, tuple("---" if i == 0 else "---:" for i in range(len(table.header)))]
    for i, row in enumerate(table.rows):
        lines.append(tuple(f"**{cell}**" if (i, j) in table.best else cell for j, cell in enumerate(row)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _html_table(table: TextTable) -> str:
    def cell(i: int, j: int, text: str) -> str:
        words = html.escape(text)
        return f"<td>{f'<b>{words}</b>' if (i, j) in table.best else words}</td>"

    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.header)
    rows = ["".join(cell(i, j, text) for j, text in enumerate(row)) for i, row in enumerate(table.rows)]
    return "\n".join([f"<table><tr>{head}</tr>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])
