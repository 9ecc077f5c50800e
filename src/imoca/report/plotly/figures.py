"""Records to plotly figures, which can be shown, saved, or sent to a browser as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from imoca.report.figure_names import COST_UNIT, NOTHING, TITLES, FigureName
from imoca.report.labels import (
    are_near_one,
    correlation_range,
    full_accuracy_words,
    is_wide,
    lacks,
    log_ticks,
    plain_number,
    plotly_text,
    promise_words,
    share,
    short_label,
    shortened,
    skill_words,
    trust_ends,
)
from imoca.report.palette import BLUE, COLOURS, GREEN, GREY, PLOTLY_DASHES, PLOTLY_MARKERS, VERMILION
from imoca.report.plotly.errors import error_figure
from imoca.report.plotly.fidelities import fidelities_figure
from imoca.report.plotly.front import front_figure
from imoca.report.plotly.importance import importance_figure
from imoca.report.plotly.parallel import parallel_figure
from imoca.report.plotly.replay import replay_figure
from imoca.report.plotly.slices import slices_figure
from imoca.report.plotly.theme import HEIGHT, LEGEND_BELOW, adopt_theme, figure, gap, nothing_to_show, panels, short
from imoca.report.plotly.timeline import timeline_figure
from imoca.report.records import ConvergenceRecord, CorrelationRecord, CostRecord, TrustRecord
from imoca.wording import number, with_unit

LACK = "what the correlation with<br>full accuracy lacks of 1<br>← better"  # as long as a short axis
WITHIN, BEYOND = "within ± 2 deviations", "beyond"
N_COLUMNS = 3  # of small panels side by side
TITLE_SIZE = 11  # pixels of letters above such a panel, where several lines stand
ROW = 24  # pixels of a bar
NARROWEST, TWO_COLUMNS = 320, 760  # pixels below which figures of one and two columns scroll
MOST_BELOW = 4  # simulators whose costs stand one below the other; more in two columns


def convergence_figure(record: ConvergenceRecord) -> go.Figure:
    if not record.costs:
        return nothing_to_show(TITLES["convergence"], NOTHING["convergence"])
    made = panels(2, "convergence", height=HEIGHT + 80)
    hover = [f"after {n} trials" for n in record.n_trials]
    distances = [distance or None for distance in record.distances]  # none is left at the end, which no log scale shows
    for row, (values, name) in enumerate(((record.hypervolumes, "hypervolume"), (distances, "distance")), 1):
        look = {"color": COLOURS[row - 1], "symbol": PLOTLY_MARKERS[row - 1]}
        trace = go.Scatter(
            x=record.costs, y=values, mode="lines+markers", name=name, marker=look, hovertext=hover, showlegend=False
        )
        made.add_trace(trace, row=row, col=1)
    made.update_yaxes(title_text="hypervolume<br>better →", row=1, col=1)
    made.update_yaxes(title_text="distance to the final front<br>← better", row=2, col=1)
    if positive := [distance for distance in record.distances if distance > 0.0]:
        ticks = log_ticks(positive)
        made.update_yaxes(type="log", tickvals=ticks, ticktext=[number(tick) for tick in ticks], row=2, col=1)
    made.update_xaxes(title_text=f"cost spent [{COST_UNIT}]", row=2, col=1)
    if is_wide(record.costs):
        ticks = log_ticks(record.costs)
        made.update_xaxes(type="log", tickvals=ticks, ticktext=[number(tick) for tick in ticks])
    return made


def cost_figure(records: Sequence[CostRecord]) -> go.Figure:
    if not any(sum(record.n_runs) or record.wasted for record in records):
        return nothing_to_show(TITLES["cost"], NOTHING["cost"])
    n_columns = 1 if len(records) <= MOST_BELOW else 2
    n_bars = [len(record.bands) + bool(record.wasted) for record in records]
    highest = [max(n_bars[i : i + n_columns]) for i in range(0, len(records), n_columns)]
    made = make_subplots(
        rows=len(highest),
        cols=n_columns,
        shared_xaxes=True,
        row_heights=highest,
        vertical_spacing=gap(len(highest)),
        horizontal_spacing=0.2,  # room for the names of the second column
        subplot_titles=[plotly_text(shortened(record.simulator)) for record in records],
    )
    height = 150 + ROW * sum(highest) + 50 * len(highest)
    adopt_theme(made, "cost", height, min_width=NARROWEST if n_columns == 1 else TWO_COLUMNS)
    for i, record in enumerate(records):
        place = {"row": i // n_columns + 1, "col": i % n_columns + 1}
        costs, names = list(record.costs), [plotly_text(shortened(band, 24 // n_columns)) for band in record.bands]
        texts = [f"{count} run{'' if count == 1 else 's'}" for count in record.n_runs]
        looks = [(BLUE, "")] * (len(costs) - 1) + [(GREEN, "/")]
        if record.wasted:
            costs, names, texts = [*costs, record.wasted], [*names, "lost attempts"], [*texts, ""]
            looks = [*looks, (VERMILION, "x")]
        trace = go.Bar(
            x=costs,
            y=list(range(len(costs))),
            orientation="h",
            name=plotly_text(shortened(record.simulator)),
            text=texts,
            textposition="outside",
            cliponaxis=False,
            marker={"color": [colour for colour, _ in looks], "pattern": {"shape": [shape for _, shape in looks]}},
            hovertemplate="%{x:.4g} " + COST_UNIT + "<extra></extra>",
            showlegend=False,
        )
        made.add_trace(trace, **place)
        made.update_yaxes(tickvals=list(range(len(names))), ticktext=names, showgrid=False, **place)
        if i >= len(records) - n_columns:
            made.update_xaxes(title_text=f"cost [{COST_UNIT}]", showticklabels=True, **place)
    longest = max(max((*record.costs, record.wasted)) for record in records)
    made.update_xaxes(range=[0.0, 1.15 * longest])  # room for the number of runs beside the longest bar
    return made


def trust_figure(records: Sequence[TrustRecord]) -> go.Figure:
    if not records:
        return nothing_to_show(TITLES["trust"], NOTHING["trust"])
    n_columns = min(N_COLUMNS, len(records))
    n_rows = ceil(len(records) / n_columns)
    made = make_subplots(
        rows=n_rows,
        cols=n_columns,
        vertical_spacing=min(0.5 / n_rows, 0.16),
        horizontal_spacing=0.09,
        subplot_titles=[_trust_title(record) for record in records],
    )
    adopt_theme(made, "trust", height=130 + 330 * n_rows, min_width=280 * n_columns)
    made.add_traces(_trust_keys(records))
    for i, record in enumerate(records):
        place = i // n_columns + 1, i % n_columns + 1
        _add_trust(made, record, *place, is_first=i == 0)
        is_first_promise = not any(each.promises for each in records[:i])
        if record.promises:
            made.add_trace(_promises(record, is_first_promise), row=place[0], col=place[1])
    made.update_annotations(font_size=TITLE_SIZE)
    made.update_xaxes(title_text="predicted without it")
    made.update_yaxes(title_text="observed")
    made.update_layout(legend=LEGEND_BELOW, margin={"t": 130, "b": 100})
    return made


def correlation_figure(records: Sequence[CorrelationRecord]) -> go.Figure:
    if not records:
        return nothing_to_show(TITLES["correlation"], NOTHING["correlation"])
    is_lack = are_near_one(records)
    shown = "1 - correlation" if is_lack else "correlation"
    traces = [
        go.Scatter(
            x=short(record.cost_ratios),
            y=short(lacks(record) if is_lack else record.correlations),
            mode="lines+markers",
            name=plotly_text(shortened(record.output)),
            marker={"color": COLOURS[i % len(COLOURS)], "symbol": PLOTLY_MARKERS[i % len(PLOTLY_MARKERS)], "size": 7},
            line={"color": COLOURS[i % len(COLOURS)], "dash": PLOTLY_DASHES[i % len(PLOTLY_DASHES)]},
            hovertext=[
                f"{plotly_text(shortened(record.output))} by {plotly_text(shortened(record.simulator))}"
                f" at {plotly_text(with_unit(shortened(number(setting)), record.unit))}"
                for setting in record.settings
            ],
            hovertemplate=f"%{{hovertext}}<br>{shown} %{{y:.3g}}, cost %{{x:.3g}} of a full run<extra></extra>",
            showlegend=True,
        )
        for i, record in enumerate(records)
    ]
    made = figure(traces, TITLES["correlation"])
    ticks = log_ticks([ratio for record in records for ratio in record.cost_ratios])
    made.update_xaxes(type="log", title_text="cost of a run, as a share of one at full accuracy")
    made.update_xaxes(tickvals=ticks, ticktext=[share(tick) for tick in ticks])
    if is_lack:
        ticks = log_ticks([lack for record in records for lack in lacks(record) if lack == lack])
        labels = [plain_number(tick) for tick in ticks]
        made.update_yaxes(title_text=LACK, type="log", tickvals=ticks, ticktext=labels)
        return made
    made.update_yaxes(title_text="correlation with full accuracy", range=correlation_range(records))
    return made


PLOTLY_DRAWERS: Mapping[FigureName, Callable[[Any], go.Figure]] = {
    "front": front_figure,
    "parallel": parallel_figure,
    "slices": slices_figure,
    "importance": importance_figure,
    "convergence": convergence_figure,
    "fidelities": fidelities_figure,
    "cost": cost_figure,
    "trust": trust_figure,
    "correlation": correlation_figure,
    "error": error_figure,
    "timeline": timeline_figure,
    "replay": replay_figure,
}


def _trust_title(record: TrustRecord) -> str:
    words = (skill_words(record), full_accuracy_words(record), promise_words(record))
    lines = "<br>".join(filter(None, words))
    return f"<b>{plotly_text(short_label(record.output, record.unit, 24))}</b><br>{lines}"


def _add_trust(made: go.Figure, record: TrustRecord, row: int, column: int, is_first: bool) -> None:
    ends = trust_ends(record)
    diagonal = go.Scatter(
        x=ends, y=ends, mode="lines", line={"color": GREY, "dash": "dash"}, name="agreement", hoverinfo="skip",
        showlegend=is_first, legendgroup="agreement",
    )  # fmt: skip
    made.add_trace(diagonal, row=row, col=column)
    for is_miss, name, colour, symbol in (
        (False, WITHIN, BLUE, "circle"),
        (True, BEYOND, VERMILION, "x"),
    ):
        kept = [i for i, miss in enumerate(record.is_miss) if miss == is_miss]
        trace = go.Scatter(
            x=short(record.predicted[i] for i in kept),
            y=short(record.observed[i] for i in kept),
            error_x={"array": short(2.0 * record.deviations[i] for i in kept), "thickness": 1, "width": 0},
            mode="markers",
            marker={
                "color": colour,
                "symbol": ["diamond" if record.z[i] == 1.0 else symbol for i in kept],
                "size": [8 if record.z[i] == 1.0 else 5 for i in kept],
            },
            name=name,
            legendgroup=name,
            showlegend=False,
            customdata=[record.trials[i] for i in kept],
            hovertext=[f"trial {record.trials[i]}, z = {record.z[i]:.3g}" for i in kept],
        )
        made.add_trace(trace, row=row, col=column)


def _trust_keys(records: Sequence[TrustRecord]) -> list[go.Scatter]:
    """What the marks of all panels mean: those of the first are not all that there are."""
    keys = [(WITHIN, BLUE, "circle", WITHIN)]
    if any(any(record.is_miss) for record in records):
        keys.append((BEYOND, VERMILION, "x", BEYOND))
    if any(record.n_full for record in records):
        keys.append(("at full accuracy", GREY, "diamond", ""))
    return [
        go.Scatter(
            x=[None], y=[None], mode="markers", name=name, legendgroup=group, marker={"color": colour, "symbol": symbol}
        )
        for name, colour, symbol, group in keys
    ]


def _promises(record: TrustRecord, is_first: bool) -> go.Scatter:
    kept = record.promises
    return go.Scatter(
        x=short(each.predicted for each in kept),
        y=short(each.observed for each in kept),
        error_x={
            "array": short(each.high - each.predicted for each in kept),
            "arrayminus": short(each.predicted - each.low for each in kept),
            "thickness": 1.5,
            "width": 4,
        },
        mode="markers",
        marker={"color": GREEN, "symbol": "star", "size": 12},
        name="promised before it was verified",
        legendgroup="promised",
        showlegend=is_first,
        customdata=[each.trial for each in kept],
        hovertext=[f"trial {each.trial}, {'held' if each.is_kept else 'not held'}" for each in kept],
    )
