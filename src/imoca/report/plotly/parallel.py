"""Parallel coordinates by plotly, of plain lines: its own kind needs a graphics card and leave to compile code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import plotly_text, shortened
from imoca.report.palette import on_scale
from imoca.report.plotly.theme import HEIGHT, figure, nothing_to_show
from imoca.report.records.parallel import ParallelRecord, axis_name, axis_ticks, coloured_axis, heights

N_COLOURS = 9  # steps of the colour scale, one trace each
AXIS_WIDTH = 120  # pixels from one axis to the next, at the least


def parallel_figure(record: ParallelRecord) -> go.Figure:
    """A line's height is where its value lies between the ends of the axis; the value itself is in its data."""
    if not record.is_verified:
        return nothing_to_show(TITLES["parallel"], NOTHING["parallel"])
    crossings = [heights(axis) for axis in record.axes]  # (axes, designs)
    steps = [min(int(height * N_COLOURS), N_COLOURS - 1) for height in crossings[coloured_axis(record)]]
    traces = [
        trace
        for step in range(N_COLOURS)
        for is_verified in (False, True)
        if (trace := _lines(record, crossings, _chosen(record, steps, step, is_verified), step, is_verified))
    ]
    made = figure(traces, TITLES["parallel"], height=HEIGHT, min_width=AXIS_WIDTH * len(record.axes))
    names = [plotly_text(axis_name(axis, 13)) for axis in record.axes]
    made.update_xaxes(
        tickvals=list(range(len(names))), ticktext=names, side="top", range=[-0.3, len(names) - 0.6], zeroline=False
    )
    made.update_xaxes(showline=False, ticks="", gridwidth=1.5, tickangle=0, tickfont_size=11)
    made.update_yaxes(visible=False, range=[-0.09, 1.09])
    made.update_layout(showlegend=False, margin={"l": 20, "r": 20, "t": 110, "b": 20}, hovermode="closest")
    for i, axis in enumerate(record.axes):
        for height, label in axis_ticks(axis):
            made.add_annotation(
                x=i,
                y=height,
                text=plotly_text(shortened(label, 14)),
                showarrow=False,
                xanchor="left",
                xshift=4,
                yanchor={0.0: "top", 1.0: "bottom"}.get(height, "middle"),  # the ends are written clear of the lines
                font_size=11,
            )
    return made


def _chosen(record: ParallelRecord, steps: Sequence[int], step: int, is_verified: bool) -> list[int]:
    return [i for i, each in enumerate(steps) if each == step and record.is_verified[i] == is_verified]


def _lines(
    record: ParallelRecord, crossings: Sequence[Sequence[float]], designs: Sequence[int], step: int, is_verified: bool
) -> go.Scatter | None:
    if not designs:
        return None
    x: list[float | None] = []
    y: list[float | None] = []
    values: list[Any] = []
    texts: list[str] = []
    for design in designs:
        for i, axis in enumerate(record.axes):
            x.append(i)
            y.append(crossings[i][design])
            values.append([design, axis.values[design]])
            texts.append(f"design {design + 1}<br>{plotly_text(shortened(axis.name))} = {axis.values[design]:.4g}")
        x.append(None)
        y.append(None)
        values.append(None)
        texts.append("")
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": on_scale(step / (N_COLOURS - 1)), "width": 3 if is_verified else 1},
        name="verified" if is_verified else "predicted",
        customdata=values,
        hovertext=texts,
        hoverinfo="text",
    )
