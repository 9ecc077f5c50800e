"""The report: one HTML file that opens anywhere, asks no other host, and obeys no name that stands in it."""

from __future__ import annotations

import base64
import copy
import gzip
import re
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from imoca.report.figures import drawers
from imoca.report.page.contents import Contents, Introduction, collect
from imoca.report.page.scripts import NAVIGATOR, navigator_script, page_policy
from imoca.report.page.sections import (
    contents_list,
    decision_section,
    failures_section,
    figure_sections,
    navigator_section,
    problem_section,
    reproduce_section,
    summary_section,
    verification_section,
)
from imoca.report.page.text import safe
from imoca.report.strict_json import inside_script, to_json
from imoca.snapshot.snapshot import Snapshot


def report_page(snapshot: Snapshot, introduction: Introduction) -> str:
    """The whole file; needs plotly."""
    drawers("plotly")  # before the expensive step
    return render(collect(snapshot, introduction))


def render(contents: Contents) -> str:
    plotly, script = page_scripts()
    return _asset("report.html").safe_substitute(
        policy=safe(page_policy(plotly, script)),
        title=safe(contents.introduction.title),
        style=_asset("report.css").template + (NAVIGATOR / "navigator.css").read_text(encoding="utf-8"),
        contents=contents_list(contents),
        decision=decision_section(contents),
        navigator=navigator_section(contents),
        summary=summary_section(contents),
        figures=figure_sections(contents),
        verification=verification_section(contents),
        failures=failures_section(contents),
        problem=problem_section(contents),
        reproduce=reproduce_section(contents),
        decision_data=inside_script(to_json(contents.navigator)),
        data=figure_data(contents),
        plotly=plotly,
        script=script,
    )


@cache
def page_scripts() -> tuple[str, str]:
    """Plotly, and the page's own, with the line ends that a browser sees: the policy names scripts by their text."""
    from plotly.offline import get_plotlyjs

    own = f"\n{navigator_script()}\n{_asset('report.js').template}\n"
    plotly, script = (re.sub(r"\r\n?", "\n", text) for text in (get_plotlyjs(), own))
    return plotly, script


def figure_data(contents: Contents) -> str:
    """JSON, compressed, for nine objectives fill megabytes; in letters and digits, which end no script element."""
    from imoca.report.plotly.theme import DARK, LIGHT, template

    draw = drawers("plotly")
    figures = [f'"{name}": {_untitled(draw[name](record)).to_json()}' for name, record in contents.records.items()]
    themes = [f'"{name}": {template(**colours).to_json()}' for name, colours in (("light", LIGHT), ("dark", DARK))]
    text = f'{{"figures": {{{", ".join(figures)}}}, "themes": {{{", ".join(themes)}}}}}'
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def _untitled(figure: Any) -> Any:
    """Without its title and colours, which the page gives it."""
    bare = copy.deepcopy(figure)
    bare.update_layout(title=None, template=None, margin_t=max(20, bare.layout.margin.t - 40))
    return bare


def _asset(name: str) -> Template:
    return Template((files("imoca.report.page") / "assets" / name).read_text(encoding="utf-8"))
