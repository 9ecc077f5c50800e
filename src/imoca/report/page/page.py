"""The report: one HTML file that opens anywhere, asks no other host, and obeys no name that stands in it."""

from __future__ import annotations

import copy
from importlib.resources import files
from string import Template
from typing import Any

from imoca.report.figures import drawers
from imoca.report.page.contents import Contents, Introduction, collect
from imoca.report.page.sections import (
    figure_sections,
    front_section,
    problem_section,
    reproduce_section,
    summary_section,
    verification_section,
)
from imoca.report.page.text import safe
from imoca.snapshot.snapshot import Snapshot


def report_page(snapshot: Snapshot, introduction: Introduction) -> str:
    """The whole file; needs plotly."""
    drawers("plotly")  # before the expensive step
    return render(collect(snapshot, introduction))


def render(contents: Contents) -> str:
    from plotly.offline import get_plotlyjs

    return _asset("report.html").safe_substitute(
        title=safe(contents.introduction.title),
        style=_asset("report.css").template,
        summary=summary_section(contents),
        figures=figure_sections(contents),
        front=front_section(contents),
        verification=verification_section(contents),
        problem=problem_section(contents),
        reproduce=reproduce_section(contents),
        data=figure_data(contents),
        plotly=get_plotlyjs(),
        script=_asset("report.js").template,
    )


def figure_data(contents: Contents) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element or begins a comment."""
    from imoca.report.plotly.theme import DARK, LIGHT, template

    draw = drawers("plotly")
    figures = [f'"{name}": {_untitled(draw[name](record)).to_json()}' for name, record in contents.records.items()]
    themes = [f'"{name}": {template(**colours).to_json()}' for name, colours in (("light", LIGHT), ("dark", DARK))]
    text = f'{{"figures": {{{", ".join(figures)}}}, "themes": {{{", ".join(themes)}}}}}'
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _untitled(figure: Any) -> Any:
    """Without its title and colours, which the page gives it."""
    bare = copy.deepcopy(figure)
    bare.update_layout(title=None, template=None, margin_t=max(20, bare.layout.margin.t - 40))
    return bare


def _asset(name: str) -> Template:
    return Template((files("imoca.report.page") / "assets" / name).read_text(encoding="utf-8"))
