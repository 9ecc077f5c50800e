"""How plotly figures look, on light and on dark paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from imoca.report.figure_names import TITLES, FigureName
from imoca.report.labels import plotly_text
from imoca.report.palette import COLOURS

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
HEIGHT = 460  # pixels
LEGEND_ABOVE = {"orientation": "h", "yanchor": "bottom", "y": 1.01, "xanchor": "left", "x": 0.0}

LEGEND_BELOW = {"orientation": "h", "yanchor": "bottom", "y": 0.0, "yref": "container", "xanchor": "left", "x": 0.0}


def template(ink: str, grid: str, paper: str) -> go.layout.Template:
    axis = {
        "gridcolor": grid,
        "linecolor": grid,
        "zerolinecolor": grid,
        "showline": True,
        "ticks": "outside",
        "tickcolor": grid,
        "automargin": True,
        "exponentformat": "power",  # no prefixes: 200µ beside a unit, or 20k of something, is misread
        "minexponent": 5,
        "title": {"standoff": 8},
    }
    space_axis = {"gridcolor": grid, "linecolor": grid, "zerolinecolor": grid, "backgroundcolor": paper, "color": ink}
    return go.layout.Template(
        layout={
            "paper_bgcolor": paper,
            "plot_bgcolor": paper,
            "font": {"color": ink, "family": FONT, "size": 13},
            "title": {"font": {"size": 16}, "x": 0.02, "y": 1.0, "yanchor": "top", "pad": {"t": 14}},
            "colorway": list(COLOURS),
            "hoverlabel": {"align": "left", "bgcolor": paper, "font": {"color": ink}},
            "xaxis": axis,
            "yaxis": axis,
            "scene": {"xaxis": space_axis, "yaxis": space_axis, "zaxis": space_axis},
        }
    )


LIGHT = {"ink": "#1f2328", "grid": "#d8dee4", "paper": "#ffffff"}
DARK = {"ink": "#e6edf3", "grid": "#3d444d", "paper": "#12161c"}


def figure(traces: Sequence[Any], title: str, height: int = HEIGHT, min_width: int = 320) -> go.Figure:
    """With a title of ours; below ``min_width`` pixels a page should scroll rather than squeeze it."""
    made = go.Figure(data=list(traces))
    _lay_out(made, title, height, min_width)
    return made


def panels(n: int, name: FigureName, height: int, titles: Sequence[str] | None = None) -> go.Figure:
    """One above the other, with one horizontal axis."""
    made = make_subplots(rows=n, cols=1, shared_xaxes=True, vertical_spacing=gap(n), subplot_titles=titles)
    adopt_theme(made, name, height)
    return made


def gap(n_panels: int) -> float:
    return min(0.12, 0.4 / n_panels)


def adopt_theme(made: go.Figure, name: FigureName, height: int, min_width: int = 320) -> None:
    _lay_out(made, TITLES[name], height, min_width)


def _lay_out(made: go.Figure, title: str, height: int, min_width: int) -> None:
    made.update_layout(
        template=template(**LIGHT),
        title_text=title,
        height=height,
        margin={"l": 70, "r": 24, "t": 110, "b": 60},
        legend=LEGEND_ABOVE,
        meta={"min_width": min_width},
    )


def short(values: Iterable[float]) -> list[float | None]:
    """To five digits, which no screen tells from all: figures are sent and stored as text. NaN becomes a gap."""
    return [None if value != value else float(f"{value:.5g}") for value in values]


def nothing_to_show(title: str, reason: str) -> go.Figure:
    made = figure([], title, height=220)
    made.update_layout(xaxis_visible=False, yaxis_visible=False)
    made.add_annotation(text=plotly_text(reason), showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper")
    return made
