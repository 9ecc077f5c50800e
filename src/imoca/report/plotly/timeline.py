"""When simulators ran, by plotly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import lane_labels, plotly_text, shortened, time_scale
from imoca.report.palette import GREY, VERMILION, fidelity_colour
from imoca.report.plotly.theme import figure, nothing_to_show, short
from imoca.report.records.timeline import TimedRun, TimelineRecord
from imoca.trials.trial import RunState
from imoca.wording import duration, number

ROW = 34  # pixels of a lane
WORDS = {
    RunState.ANSWERED: "answered, coloured by fidelity",
    RunState.FAILED: "failed",
    RunState.LOST: "lost",
    RunState.RUNNING: "not ended yet, or lost with its driver",
}
PATTERNS = {RunState.ANSWERED: "", RunState.FAILED: "x", RunState.LOST: "/", RunState.RUNNING: "."}
MARKS = {RunState.FAILED: ("x", VERMILION), RunState.LOST: ("circle-x-open", VERMILION)}


def timeline_figure(record: TimelineRecord) -> go.Figure:
    if not record.runs:
        return nothing_to_show(TITLES["timeline"], NOTHING["timeline"])
    seconds, unit = time_scale(max(run.end for run in record.runs))
    traces: list[Any] = []
    for state in RunState:
        if there := [run for run in record.runs if run.state is state]:
            traces.append(_bars(there, state, seconds))
            if state in MARKS:
                traces.append(_marks(there, state, seconds))
    made = figure(traces, TITLES["timeline"], height=210 + ROW * len(record.lanes))
    labels = [plotly_text(label) for label in lane_labels(record.lanes)]
    lanes = list(range(len(labels)))
    made.update_yaxes(tickvals=lanes, ticktext=labels, range=[len(labels) - 0.5, -0.5], showgrid=False)
    made.update_xaxes(title_text=f"{unit} since the first run started", rangemode="tozero")
    for place, lasted in record.pauses:
        x = round(place / seconds, 5)
        made.add_vline(x, line={"color": GREY, "dash": "dot", "width": 1})
        made.add_annotation(
            x=x, y=1.0, yref="paper", yanchor="bottom", showarrow=False, font_size=10, text=f"paused {duration(lasted)}"
        )
    made.update_layout(barmode="overlay", bargap=0.25, hovermode="closest")
    return made


def _bars(runs: Sequence[TimedRun], state: RunState, seconds: float) -> Any:
    edges = [fidelity_colour(run.z) if state is RunState.ANSWERED else VERMILION for run in runs]
    return go.Bar(
        orientation="h",
        y=[run.lane for run in runs],
        base=short(run.start / seconds for run in runs),
        x=short((run.end - run.start) / seconds for run in runs),
        name=WORDS[state],
        legendgroup=WORDS[state],
        marker={
            "color": [fidelity_colour(run.z) for run in runs],
            "pattern": {"shape": PATTERNS[state]},
            "line": {"width": 1, "color": edges},  # a short run is hardly more than its edge
        },
        hovertext=[_words(run) for run in runs],
        hoverinfo="text",
        customdata=[run.trial for run in runs],
        showlegend=state not in MARKS,
    )


def _marks(runs: Sequence[TimedRun], state: RunState, seconds: float) -> Any:
    symbol, colour = MARKS[state]
    return go.Scatter(
        x=short(run.end / seconds for run in runs),
        y=[run.lane for run in runs],
        mode="markers",
        marker={"symbol": symbol, "color": colour, "size": 9},
        name=WORDS[state],
        legendgroup=WORDS[state],
        hovertext=[_words(run) for run in runs],
        hoverinfo="text",
        customdata=[run.trial for run in runs],
        showlegend=True,
    )


def _words(run: TimedRun) -> str:
    again = f", attempt {run.attempt}" if run.attempt > 1 else ""
    setting = "" if run.setting is None else f" at {shortened(number(run.setting), 24)}"
    reason = f"<br>{plotly_text(shortened(run.reason, 80))}" if run.reason else ""
    return f"trial {run.trial}{plotly_text(setting)}{again}<br>{run.state} after {duration(run.seconds)}{reason}"
