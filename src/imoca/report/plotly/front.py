"""The Pareto front by plotly: a line of values, a plane, a space, or a matrix of planes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.front_series import (
    BARS,
    BEATEN,
    BROKEN,
    EARLIER,
    NOT_ON_FRONT,
    PREDICTED,
    VERIFIED,
    FrontSeries,
    front_series,
)
from imoca.report.labels import axis_label, plotly_text, upright_label
from imoca.report.palette import BLUE, GREY, SCALE, SKY, VERMILION
from imoca.report.plotly.theme import HEIGHT, adopt_theme, figure, nothing_to_show, short
from imoca.report.records import FrontRecord
from imoca.report.records.trade_offs import MOST_IN_MATRIX, drawn_pairs

LOOKS = {
    PREDICTED: {"color": BLUE, "symbol": "circle", "size": 6},
    VERIFIED: {"color": VERMILION, "symbol": "diamond", "size": 10},
    BEATEN: {"color": GREY, "symbol": "x", "size": 6},
    BROKEN: {"color": GREY, "symbol": "triangle-up-open", "size": 7},
    EARLIER: {"color": GREY, "symbol": "circle", "size": 4},
}
SPACE_LOOKS = {  # in space only some symbols exist, and fonts lack its x
    PREDICTED: {"color": BLUE, "symbol": "circle", "size": 3.5},
    VERIFIED: {"color": VERMILION, "symbol": "diamond", "size": 6},
    BEATEN: {"color": GREY, "symbol": "square-open", "size": 4},
    BROKEN: {"color": GREY, "symbol": "circle-open", "size": 4},
    EARLIER: {"color": GREY, "symbol": "circle", "size": 2.5},
}
BARS_OF = {PREDICTED: "rgba(0, 114, 178, 0.3)", VERIFIED: "rgba(213, 94, 0, 0.6)"} | dict.fromkeys(
    NOT_ON_FRONT, "rgba(136, 136, 136, 0.5)"
)
SPACE_BARS_OF = {PREDICTED: SKY, VERIFIED: VERMILION} | dict.fromkeys(NOT_ON_FRONT, GREY)  # where nothing is faint
CAMERA = {"eye": {"x": 1.5, "y": 1.5, "z": 0.8}, "center": {"x": 0.0, "y": 0.0, "z": -0.15}}
N_COLUMNS, PANEL = 3, 270  # of pairs, pixels
CELL = 110  # pixels of a panel of the matrix
LONGEST_CELL_LABEL = 14


def front_figure(record: FrontRecord) -> go.Figure:
    series = front_series(record)
    if not series:
        return nothing_to_show(TITLES["front"], NOTHING["front"])
    match len(record.objectives):
        case 1:
            return _line(record, series)
        case 2:
            return _plane(record, series)
        case 3:
            return _space(record, series)
        case n if n <= MOST_IN_MATRIX:
            return _matrix(record, series)
        case _:
            return _pairs(record, series)


def _line(record: FrontRecord, series: tuple[FrontSeries, ...]) -> go.Figure:
    traces = [
        go.Scatter(
            x=each.columns[0],
            y=[i] * each.n_points,
            error_x=_bars(each, 0),
            mode="markers",
            **_common(each),
        )
        for i, each in enumerate(series)
    ]
    made = figure(traces, TITLES["front"], height=300)
    made.update_xaxes(title_text=plotly_text(axis_label(record.objectives[0])))
    made.update_yaxes(visible=False, range=[-0.5, len(series) - 0.5])
    return made


def _plane(record: FrontRecord, series: tuple[FrontSeries, ...]) -> go.Figure:
    traces = [
        go.Scatter(
            x=each.columns[0],
            y=each.columns[1],
            error_x=_bars(each, 0),
            error_y=_bars(each, 1),
            mode="markers",
            **_common(each),
        )
        for each in series
    ]
    made = figure(traces, TITLES["front"], height=HEIGHT + 40)
    x_label, y_label = (plotly_text(axis_label(objective)) for objective in record.objectives)
    made.update_xaxes(title_text=x_label)
    made.update_yaxes(title_text=y_label)
    return made


def _space(record: FrontRecord, series: tuple[FrontSeries, ...]) -> go.Figure:
    traces = []
    for each in series:
        common = _common(each)
        common["marker"] = SPACE_LOOKS[each.label]
        bars = {f"error_{axis}": _bars(each, j, SPACE_BARS_OF) for j, axis in enumerate("xyz")}
        x, y, z = each.columns
        traces.append(go.Scatter3d(x=x, y=y, z=z, mode="markers", **bars, **common))
    made = make_subplots(rows=1, cols=2, specs=[[{"type": "scene"}, {"type": "xy"}]], horizontal_spacing=0.1)
    adopt_theme(made, "front", height=HEIGHT + 100, min_width=820)
    for trace in traces:
        made.add_trace(trace, row=1, col=1)
    for trace in _coloured_plane(record, series):
        made.add_trace(trace, row=1, col=2)
    x_label, y_label = (plotly_text(axis_label(objective)) for objective in record.objectives[:2])
    made.update_xaxes(title_text=x_label)
    made.update_yaxes(title_text=y_label)
    titles = [{"title": {"text": plotly_text(upright_label(objective))}} for objective in record.objectives]
    made.update_layout(
        scene={
            "xaxis": titles[0],
            "yaxis": titles[1],
            "zaxis": titles[2],
            "camera": CAMERA,
            "aspectmode": "cube",
        },
        margin={"l": 10, "r": 10, "t": 110, "b": 60},
    )
    return made


def _coloured_plane(record: FrontRecord, series: tuple[FrontSeries, ...]) -> list[Any]:
    """The first two objectives, coloured by the third; what was measured has an outline."""
    third = record.objectives[2]
    known = [value for each in series if each.label not in NOT_ON_FRONT for value in each.columns[2]]
    low, high = min(known, default=0.0), max(known, default=1.0)
    scale = {"cmin": low, "cmax": high, "colorscale": [[i / 2.0, colour] for i, colour in enumerate(SCALE)]}
    title = {"title": {"text": plotly_text(upright_label(third)), "side": "right"}, "thickness": 12}
    traces = []
    for i, each in enumerate(kept := [each for each in series if each.label != EARLIER]):
        look = LOOKS[each.label] | {"size": 9 if each.label == VERIFIED else 6}
        if each.label not in NOT_ON_FRONT:
            look |= scale | {"color": short(each.columns[2]), "showscale": i == len(kept) - 1, "colorbar": title}
        if each.label == VERIFIED:
            look |= {"line": {"color": VERMILION, "width": 2}}
        x, y = short(each.columns[0]), short(each.columns[1])
        common = _common(each) | {"marker": look, "showlegend": False}
        traces.append(go.Scatter(x=x, y=y, mode="markers", **common))
    return traces


def _pairs(record: FrontRecord, series: tuple[FrontSeries, ...]) -> go.Figure:
    """Of many objectives the pairs that trade off most; the bars are left out, for there is no room for them."""
    pairs = drawn_pairs(record.objectives, record.points)
    n_rows = -(-len(pairs) // N_COLUMNS)
    made = make_subplots(rows=n_rows, cols=N_COLUMNS, horizontal_spacing=0.1, vertical_spacing=0.3 / n_rows)
    height = 160 + PANEL * n_rows
    adopt_theme(made, "front", height, min_width=PANEL * N_COLUMNS)
    labels = [plotly_text(upright_label(objective, 20)) for objective in record.objectives]
    for k, (first, second) in enumerate(pairs):
        place = {"row": k // N_COLUMNS + 1, "col": k % N_COLUMNS + 1}
        for each in series:
            common = _common(each) | {"name": each.label.removesuffix(BARS), "legendgroup": each.label}
            common |= {"showlegend": k == 0}
            x, y = short(each.columns[first]), short(each.columns[second])
            made.add_trace(go.Scatter(x=x, y=y, mode="markers", **common), **place)
        made.update_xaxes(title_text=labels[first], **place)
        made.update_yaxes(title_text=labels[second], **place)
    small = {"title_font_size": 12, "title_standoff": 4, "tickfont_size": 10, "nticks": 5}
    made.update_xaxes(**small)
    made.update_yaxes(**small)
    return made


def _matrix(record: FrontRecord, series: tuple[FrontSeries, ...]) -> go.Figure:
    """Every pair of objectives once; the bars are left out, for there is no room for them."""
    n = len(record.objectives) - 1
    labels = [plotly_text(upright_label(objective, LONGEST_CELL_LABEL)) for objective in record.objectives]
    made = make_subplots(
        rows=n, cols=n, shared_xaxes=True, shared_yaxes=True, horizontal_spacing=0.1 / n, vertical_spacing=0.1 / n,
        specs=[[{} if column <= row else None for column in range(n)] for row in range(n)],
    )  # fmt: skip
    adopt_theme(made, "front", max(HEIGHT, CELL * n + 150), min_width=CELL * n)
    for row in range(n):
        for column in range(row + 1):
            for each in series:
                common = _common(each) | {"name": each.label.removesuffix(BARS), "legendgroup": each.label}
                common["marker"] = common["marker"] | {"size": common["marker"]["size"] * 0.6}
                common["showlegend"] = row == column == 0
                trace = go.Scatter(x=each.columns[column], y=each.columns[row + 1], mode="markers", **common)
                made.add_trace(trace, row=row + 1, col=column + 1)
        made.update_yaxes(title_text=labels[row + 1], row=row + 1, col=1)
        made.update_xaxes(title_text=labels[row], row=n, col=row + 1)
    small = {"title_font_size": 11, "title_standoff": 4, "tickfont_size": 9, "nticks": 4}
    made.update_xaxes(**small)
    made.update_yaxes(**small)
    return made


def _common(series: FrontSeries) -> dict[str, Any]:
    return {
        "name": series.label,
        "marker": LOOKS[series.label],
        "hovertext": ["<br>".join(map(plotly_text, lines)) for lines in series.descriptions],
        "hoverinfo": "text",
        "customdata": series.numbers,
        "showlegend": True,
    }


def _bars(series: FrontSeries, j: int, colours: Mapping[str, str] = BARS_OF) -> dict[str, Any] | None:
    if series.bars is None:
        return None
    bars = series.bars[j]
    reach = {"array": bars.above, "arrayminus": bars.below, "symmetric": False}
    return {"type": "data", **reach, "color": colours[series.label], "thickness": 1, "width": 0}
