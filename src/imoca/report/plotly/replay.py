"""The front and the runs behind it, step by step, by plotly: a slider that shows and hides, without code of its own."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from imoca.report.figure_names import COST_UNIT, NOTHING, TITLES
from imoca.report.labels import axis_label, fidelity_label, plotly_text
from imoca.report.palette import BLUE, GREY, VERMILION, fidelity_colour
from imoca.report.plotly.theme import HEIGHT, figure, nothing_to_show, short
from imoca.report.records.replay import ReplayRecord, ReplayStep
from imoca.wording import number

FRESH, OLD = 1.0, 0.3  # opacity of runs since the last step, and of those before
FRONT, VERIFIED = "front as recommended then", "verified by then"
PER_STEP = 2  # traces


def replay_figure(record: ReplayRecord) -> go.Figure:
    if not record.steps:
        return nothing_to_show(TITLES["replay"], NOTHING["replay"])
    last = len(record.steps) - 1
    keys = [_key(fidelity_label(0.0), {"color": fidelity_colour(0.0)}), _key("full accuracy", {"color": BLUE})]
    keys.append(_key(FRONT, {"color": GREY, "symbol": "circle-open", "size": 5}))
    keys.append(_key(VERIFIED, {"color": VERMILION, "symbol": "diamond", "size": 8}))
    traces = [trace for step in record.steps for trace in _traces(step)]
    shown, opacities = _state(record, last)
    for trace, is_shown, opacity in zip(traces, shown, opacities, strict=True):
        trace.update(visible=is_shown, marker_opacity=opacity)
    made = figure([*traces, *keys], TITLES["replay"], height=HEIGHT + 130)
    x_label, y_label = (plotly_text(axis_label(objective)) for objective in record.objectives)
    made.update_xaxes(title_text=x_label, range=short(record.x_range))
    made.update_yaxes(title_text=y_label, range=short(record.y_range))
    steps = [_slider_step(record, k, len(traces)) for k in range(last + 1)]
    made.update_layout(
        sliders=[
            {
                "active": last,
                "steps": steps,
                "currentvalue": {"prefix": f"{COST_UNIT} spent: ", "font": {"size": 13}},
                "pad": {"t": 55, "b": 10},
                "transition": {"duration": 0},
            }
        ],
        hovermode="closest",
    )
    return made


def _key(name: str, look: dict[str, Any]) -> Any:
    return go.Scatter(x=[None], y=[None], mode="markers", marker={"size": 7, **look}, name=name, showlegend=True)


def _traces(step: ReplayStep) -> list[Any]:
    words = [f"trial {run.trial}" for run in step.runs]
    runs = go.Scatter(
        x=short(run.x for run in step.runs),
        y=short(run.y for run in step.runs),
        mode="markers",
        marker={"color": [fidelity_colour(run.z) for run in step.runs], "size": 7},
        hovertext=words,
        hoverinfo="text",
        customdata=[run.trial for run in step.runs],
        showlegend=False,
    )
    front = go.Scatter(
        x=short(design.x for design in step.front),
        y=short(design.y for design in step.front),
        mode="markers",
        marker={
            "color": [VERMILION if design.is_verified else GREY for design in step.front],
            "symbol": ["diamond" if design.is_verified else "circle-open" for design in step.front],
            "size": [8 if design.is_verified else 5 for design in step.front],
        },
        hoverinfo="x+y",
        showlegend=False,
    )
    return [runs, front]


def _state(record: ReplayRecord, k: int) -> tuple[list[bool], list[float]]:
    """Of every trace at step k: whether it is shown, and how strongly."""
    shown, opacities = [], []
    for i in range(len(record.steps)):
        shown += [i <= k, i == k]
        opacities += [FRESH if i == k else OLD, FRESH]
    return shown, opacities


def _slider_step(record: ReplayRecord, k: int, n_traces: int) -> dict[str, Any]:
    shown, opacities = _state(record, k)
    step = record.steps[k]
    return {
        "label": number(step.cost),
        "method": "restyle",
        "args": [{"visible": shown, "marker.opacity": opacities}, list(range(n_traces))],
    }
