"""Several studies in one figure: their hypervolumes against what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from imoca.snapshot.convergence import box_around, front_volume
from imoca.snapshot.history import Checkpoint
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.table import TrialTable

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class History:
    """The fronts recommended on the way, and the trials that led to them."""

    finished: TrialTable
    checkpoints: tuple[Checkpoint, ...]


@dataclass(frozen=True)
class Curve:
    name: str
    costs: tuple[float, ...]
    hypervolumes: tuple[float, ...]


def history_of(snapshot: Snapshot) -> History:
    return History(snapshot.finished, snapshot.history)


def compare(histories: Sequence[tuple[str, History]]) -> list[Curve]:
    """With one box for all, around the values that any of them has seen and their last fronts.

    They must have the same objectives.
    """
    everything = [history.finished for _, history in histories]
    problem = everything[0].problem
    fronts = [history.checkpoints[-1].front for _, history in histories if history.checkpoints]
    box = box_around(problem, fronts, *everything)
    return [
        Curve(
            name,
            tuple(each.cost for each in history.checkpoints),
            tuple(front_volume(problem, each.front, box) for each in history.checkpoints),
        )
        for name, history in histories
    ]


def is_comparable(one: Snapshot, other: Snapshot) -> bool:
    return [(o.name, o.goal) for o in one.problem.objectives] == [(o.name, o.goal) for o in other.problem.objectives]


def comparison_figure(curves: Sequence[Curve]) -> go.Figure:
    import plotly.graph_objects as go

    from imoca.report.labels import plotly_text, shortened
    from imoca.report.palette import COLOURS, PLOTLY_DASHES, PLOTLY_MARKERS
    from imoca.report.plotly.theme import figure

    traces = [
        go.Scatter(
            x=curve.costs,
            y=curve.hypervolumes,
            name=plotly_text(shortened(curve.name)),
            mode="lines+markers",
            line={"color": COLOURS[i % len(COLOURS)], "dash": PLOTLY_DASHES[i % len(PLOTLY_DASHES)], "shape": "hv"},
            marker={"symbol": PLOTLY_MARKERS[i % len(PLOTLY_MARKERS)], "size": 7},
        )
        for i, curve in enumerate(curves)
    ]
    made = figure(traces, "Hypervolume against cost")
    made.update_layout(showlegend=True)
    made.update_xaxes(title_text="cost spent (full-fidelity runs)", rangemode="tozero")
    made.update_yaxes(title_text="hypervolume, all studies in one box", rangemode="tozero")
    return made
