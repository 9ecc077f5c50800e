"""Why this design, by plotly: a row of slices per output, a column per parameter."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import fidelity_label, log_ticks, plotly_text, short_label, shortened
from imoca.report.palette import BLUE, GREY, VERMILION, fidelity_colour
from imoca.report.plotly.theme import LEGEND_BELOW, adopt_theme, nothing_to_show, short
from imoca.report.records.slices import Slice, SliceAxis, SlicedOutput, SlicesRecord
from imoca.wording import number

PANEL = (190, 170)  # pixels
BAND = "rgba(0, 114, 178, 0.18)"
FULL, BAND_NAME, CHOSEN = "full accuracy", "holds nine of ten", "the design"
NEAR_NAME, BOUND = "runs near, by their fidelity", "a constraint's bound"


def slices_figure(record: SlicesRecord) -> go.Figure:
    if not record.outputs:
        return nothing_to_show(TITLES["slices"], NOTHING["slices"])
    n_rows, n_columns = len(record.outputs), len(record.axes)
    made = make_subplots(
        rows=n_rows, cols=n_columns, shared_xaxes="columns", shared_yaxes="rows",
        horizontal_spacing=0.03, vertical_spacing=0.06 / n_rows,
    )  # fmt: skip
    width, height = PANEL[0] * n_columns + 90, PANEL[1] * n_rows + 190
    adopt_theme(made, "slices", height, min_width=width)
    named: set[str] = set()  # that stand in the legend already
    for row, output in enumerate(record.outputs, 1):
        for column, (axis, piece) in enumerate(zip(record.axes, output.slices, strict=True), 1):
            for trace in _traces(output, axis, piece):
                trace.showlegend = trace.name not in named
                named.add(trace.name)
                made.add_trace(trace, row=row, col=column)
        made.update_yaxes(range=short(output.span), row=row)
        made.update_yaxes(title_text=_output_label(output), title_font_size=12, row=row, col=1)
    for column, axis in enumerate(record.axes, 1):
        made.update_xaxes(**_axis_look(axis), col=column)
        made.update_xaxes(title_text=plotly_text(short_label(axis.parameter, axis.unit, 22)), row=n_rows, col=column)
    made.update_xaxes(nticks=4, tickangle=0)
    made.update_layout(legend=LEGEND_BELOW, margin={"t": 70, "b": 120}, hovermode="closest")
    return made


def _output_label(output: SlicedOutput) -> str:
    name = plotly_text(short_label(output.output, output.unit, 18))
    return {"minimize": f"← better<br>{name}", "maximize": f"better →<br>{name}"}.get(output.goal or "", name)


def _axis_look(axis: SliceAxis) -> dict[str, Any]:
    if axis.labels:
        labels = [plotly_text(shortened(label, 10)) for label in axis.labels]
        return {"tickvals": list(range(len(labels))), "ticktext": labels, "range": [-0.4, axis.high + 0.4]}
    margin = 0.04 * (axis.high - axis.low)
    if axis.is_log:
        low, high = math.log10(axis.low), math.log10(axis.high)
        margin, ticks = 0.04 * (high - low), log_ticks([axis.low, axis.high])
        labels = [number(tick) for tick in ticks]
        return {"type": "log", "range": [low - margin, high + margin], "tickvals": ticks, "ticktext": labels}
    return {"range": [axis.low - margin, axis.high + margin]}


def _traces(output: SlicedOutput, axis: SliceAxis, piece: Slice) -> list[Any]:
    traces: list[Any] = [] if axis.is_discrete else [_band(piece)]
    mode = "lines+markers" if axis.is_discrete and not axis.labels else "markers" if axis.labels else "lines"
    for curve in piece.cheaper:
        colour = fidelity_colour(curve.z)
        traces.append(
            go.Scatter(
                x=short(piece.places), y=short(curve.values), mode=mode, name=fidelity_label(curve.z),
                legendgroup=fidelity_label(curve.z), line={"color": colour, "width": 1.5, "dash": "dot"},
                marker={"symbol": "line-ew", "size": 9, "line": {"color": colour, "width": 2}},
                hovertemplate=f"at {plotly_text(shortened(number(curve.setting), 20))}: %{{y:.4g}}<extra></extra>",
            )
        )  # fmt: skip
    bars = None
    if axis.is_discrete:
        above = short(h - v for h, v in zip(piece.high, piece.values, strict=True))
        below = short(v - low for v, low in zip(piece.values, piece.low, strict=True))
        bars = {"array": above, "arrayminus": below, "symmetric": False, "color": BAND, "thickness": 4, "width": 0}
    traces.append(
        go.Scatter(
            x=short(piece.places), y=short(piece.values), mode=mode, name=FULL, legendgroup=FULL, error_y=bars,
            line={"color": BLUE, "width": 2}, marker={"color": BLUE, "size": 6},
            hovertemplate="full accuracy: %{y:.4g}<extra></extra>",
        )
    )  # fmt: skip
    if piece.near:
        traces.append(_near(piece))
    for bound in (output.lower, output.upper):
        if bound is not None:
            traces.append(_bound(axis, bound))
    value = output.predicted if output.measured is None else output.measured
    look = {"color": VERMILION, "symbol": "diamond" if output.measured is not None else "diamond-open", "size": 10}
    word = "predicted" if output.measured is None else "measured"
    traces.append(
        go.Scatter(
            x=short([axis.chosen]), y=short([value]), mode="markers", marker=look, name=CHOSEN, legendgroup=CHOSEN,
            hovertemplate=f"the design, {word}: %{{y:.4g}}<extra></extra>",
        )
    )  # fmt: skip
    return traces


def _band(piece: Slice) -> Any:
    """One outline per stretch of allowed designs."""
    x: list[float | None] = []
    y: list[float | None] = []
    for is_allowed, stretch in groupby(range(len(piece.places)), lambda i: piece.low[i] == piece.low[i]):
        if is_allowed:
            there = list(stretch)
            x += [*short(piece.places[i] for i in there), *short(piece.places[i] for i in reversed(there)), None]
            y += [*short(piece.high[i] for i in there), *short(piece.low[i] for i in reversed(there)), None]
    return go.Scatter(
        x=x, y=y, mode="lines", fill="toself", fillcolor=BAND, line={"width": 0}, hoverinfo="skip",
        name=BAND_NAME, legendgroup=BAND_NAME,
    )  # fmt: skip


def _bound(axis: SliceAxis, bound: float) -> Any:
    return go.Scatter(
        x=short([axis.low, axis.high]), y=short([bound, bound]), mode="lines", name=BOUND, legendgroup=BOUND,
        line={"color": GREY, "dash": "dash", "width": 1.5}, hoverinfo="skip",
    )  # fmt: skip


def _near(piece: Slice) -> Any:
    look = {"color": [fidelity_colour(run.z) for run in piece.near], "size": 6, "line": {"width": 0}, "opacity": 0.8}
    return go.Scatter(
        x=short(run.place for run in piece.near),
        y=short(run.value for run in piece.near),
        mode="markers",
        marker=look,
        name=NEAR_NAME,
        legendgroup=NEAR_NAME,
        hovertext=[
            f"trial {run.trial} at {plotly_text(shortened(number(run.setting), 20))}: {number(run.value)}"
            for run in piece.near
        ],
        hoverinfo="text",
        customdata=[run.trial for run in piece.near],
    )
