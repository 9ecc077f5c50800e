"""Which parameters matter, by plotly: bars per output, or a map where there are many outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import percent, plotly_text, shortened
from imoca.report.palette import BLUE, GREY, SHADES, SKY
from imoca.report.plotly.theme import LEGEND_BELOW, LIGHT, adopt_theme, figure, nothing_to_show
from imoca.report.records.importance import MOST_SHOWN, most_important
from imoca.snapshot.importance import Importance, Share

MOST_PANELS = 4  # outputs with bars of their own
N_COLUMNS = 2
ROW, CELL = 30, 34  # pixels of a parameter, of an output in a map


def importance_figure(records: Sequence[Importance]) -> go.Figure:
    if not records:
        return nothing_to_show(TITLES["importance"], NOTHING["importance"])
    shown = most_important(records, MOST_SHOWN)
    return _bars(records, shown) if len(records) <= MOST_PANELS else _map(records, shown)


def _bars(records: Sequence[Importance], shown: Sequence[int]) -> go.Figure:
    n_columns = min(N_COLUMNS, len(records))
    n_rows = -(-len(records) // n_columns)
    height = 200 + (70 + ROW * len(shown)) * n_rows
    made = make_subplots(
        rows=n_rows,
        cols=n_columns,
        shared_yaxes=True,
        horizontal_spacing=0.06,
        vertical_spacing=70 / (height - 200),
        subplot_titles=[plotly_text(shortened(record.output)) for record in records],
    )
    adopt_theme(made, "importance", height, min_width=300 * n_columns)
    names = [plotly_text(shortened(records[0].parameters[i], 20)) for i in shown]
    for k, record in enumerate(records):
        place = {"row": k // n_columns + 1, "col": k % n_columns + 1}
        for trace in _bar_traces(record, shown, is_first=k == 0):
            made.add_trace(trace, **place)
        made.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.4, -0.6], **place)
    made.update_yaxes(showgrid=False)
    made.update_xaxes(range=[0.0, 1.02], tickformat=".0%")
    for column in range(1, n_columns + 1):
        made.update_xaxes(title_text="share of the variance", row=n_rows, col=column)
    made.update_layout(barmode="overlay", legend=LEGEND_BELOW, margin={"t": 90, "b": 110})
    return made


def _bar_traces(record: Importance, shown: Sequence[int], is_first: bool) -> list[Any]:
    places = list(range(len(shown)))
    common = {"orientation": "h", "showlegend": is_first, "hoverinfo": "text"}
    traces: list[Any] = [
        go.Bar(
            y=places,
            x=[None if shares[i].value != shares[i].value else round(shares[i].value, 4) for i in shown],
            name=name,
            legendgroup=name,
            marker={"color": colour},
            width=0.7,
            hovertext=[_words(record, i, name, shares[i]) for i in shown],
            **common,
        )
        for shares, name, colour in (
            (record.total, "with what it does together with others", SKY),
            (record.first, "alone", BLUE),
        )
    ]
    x: list[float | None] = []
    y: list[float | None] = []
    for place, i in zip(places, shown, strict=True):
        x += [round(record.total[i].low, 4), round(record.total[i].high, 4), None]
        y += [place, place, None]
    name = "of nine in ten functions that the answers allow"
    line = {"color": GREY, "width": 2}
    spread = go.Scatter(
        x=x, y=y, mode="lines", line=line, name=name, legendgroup=name, showlegend=is_first, hoverinfo="skip"
    )
    return [*traces, spread]


def _words(record: Importance, i: int, kind: str, share: Share) -> str:
    name = plotly_text(shortened(record.parameters[i]))
    return f"{name} {kind}: {percent(share.value)}<br>nine in ten: {percent(share.low)} to {percent(share.high)}"


def _map(records: Sequence[Importance], shown: Sequence[int]) -> go.Figure:
    outputs, names = list(range(len(records))), list(range(len(shown)))
    values = [[round(record.total[i].value, 4) for i in shown] for record in records]
    trace = go.Heatmap(
        x=names,
        y=outputs,
        z=[[None if value != value else value for value in row] for row in values],
        zmin=0.0,
        zmax=1.0,
        colorscale=[[0.0, SHADES[0]], [1.0, SHADES[1]]],
        showscale=False,
        text=[["" if value != value else percent(value) for value in row] for row in values],
        texttemplate="%{text}",
        textfont={"color": LIGHT["ink"]},
        hovertext=[
            [f"{plotly_text(shortened(r.output))}<br>{_words(r, i, 'in all', r.total[i])}" for i in shown]
            for r in records
        ],
        hoverinfo="text",
        xgap=2,
        ygap=2,
    )
    width = 140 + 64 * len(shown)
    made = figure([trace], TITLES["importance"], height=190 + CELL * len(records), min_width=width)
    labels = [plotly_text(shortened(records[0].parameters[i], 16)) for i in shown]
    made.update_xaxes(tickvals=names, ticktext=labels, side="top", showgrid=False, zeroline=False)
    ticks = [plotly_text(shortened(record.output, 20)) for record in records]
    made.update_yaxes(tickvals=outputs, ticktext=ticks, autorange="reversed", showgrid=False, zeroline=False)
    return made
