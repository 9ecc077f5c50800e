"""When simulators ran, by matplotlib."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import lane_labels, matplotlib_text, time_scale
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import GREY, VERMILION, fidelity_colour
from imoca.report.records.timeline import TimelineRecord
from imoca.trials.trial import RunState

HATCHES = {RunState.ANSWERED: "", RunState.FAILED: "xxx", RunState.LOST: "///", RunState.RUNNING: "..."}
WORDS = {RunState.ANSWERED: "answered, coloured by fidelity", RunState.RUNNING: "not ended yet, or lost"}


def timeline_figure(record: TimelineRecord) -> Figure:
    if not record.runs:
        return nothing_to_show(TITLES["timeline"], NOTHING["timeline"])
    seconds, unit = time_scale(max(run.end for run in record.runs))
    made = empty_figure(TITLES["timeline"], (SIZE[0], 1.3 + 0.3 * len(record.lanes)))
    axes = plane(made)
    handles: dict[str, Any] = {}
    for run in record.runs:
        bar = axes.barh(
            run.lane,
            (run.end - run.start) / seconds,
            left=run.start / seconds,
            height=0.7,
            color=fidelity_colour(run.z),
            hatch=HATCHES[run.state],
            edgecolor=fidelity_colour(run.z) if run.state is RunState.ANSWERED else VERMILION,
            linewidth=0.8,  # a short run is hardly more than its edge
        )
        handles.setdefault(WORDS.get(run.state, str(run.state)), bar)
        if run.state in (RunState.FAILED, RunState.LOST):
            axes.plot([run.end / seconds], [run.lane], marker="x", color=VERMILION, markersize=5)
    for place, _ in record.pauses:
        axes.axvline(place / seconds, color=GREY, linestyle=":", linewidth=0.8)
    labels = [matplotlib_text(label) for label in lane_labels(record.lanes)]
    axes.set_yticks(range(len(labels)), labels)
    axes.set(ylim=(len(labels) - 0.5, -0.5), xlabel=f"{unit} since the first run started")
    axes.set_xlim(left=0.0)
    legend(made, list(handles.values()), list(handles))
    return made
