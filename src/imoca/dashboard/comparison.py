"""Several studies in one figure: their hypervolumes against what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from imoca.problem.problem import Problem
from imoca.study.accounting import bill
from imoca.study.convergence import front_volume
from imoca.study.recommendation import ParetoPoint, recommend
from imoca.study.study import Study
from imoca.trials import Trial

if TYPE_CHECKING:
    import plotly.graph_objects as go

N_STEPS = 12  # at which a front is recovered anew


@dataclass(frozen=True)
class History:
    """The fronts recommended on the way."""

    problem: Problem
    trials: tuple[Trial, ...]  # answered
    costs: tuple[float, ...]  # spent when each front was recommended
    fronts: tuple[tuple[ParetoPoint, ...], ...]


@dataclass(frozen=True)
class Curve:
    name: str
    costs: tuple[float, ...]
    hypervolumes: tuple[float, ...]


def front_history(study: Study, n_steps: int = N_STEPS) -> History:
    """At costs spread evenly from the first answer to the last."""
    trials = tuple(trial for trial in study.trials if trial.answer is not None)
    spent = list(accumulate(bill(study.problem, trials).spent.sum(axis=1).tolist())) if trials else []
    costs, fronts = [], []
    for i in _steps(spent, n_steps):
        front = recommend(study.problem, trials[: i + 1], study.seed)
        if front:
            costs.append(spent[i])
            fronts.append(tuple(front))
    return History(study.problem, trials, tuple(costs), tuple(fronts))


def compare(histories: Sequence[tuple[str, History]]) -> list[Curve]:
    """With one box for all, from the worst to the best value that any of them has seen: only so can they be compared.

    They must have the same objectives.
    """
    everything = [trial for _, history in histories for trial in history.trials]
    return [
        Curve(
            name,
            history.costs,
            tuple(front_volume(history.problem, everything, front) for front in history.fronts),
        )
        for name, history in histories
    ]


def is_comparable(one: Study, other: Study) -> bool:
    return [(o.name, o.goal) for o in one.problem.objectives] == [(o.name, o.goal) for o in other.problem.objectives]


def comparison_figure(curves: Sequence[Curve]) -> go.Figure:
    import plotly.graph_objects as go

    from imoca.report.labels import plotly_text, shortened
    from imoca.report.palette import COLOURS, PLOTLY_DASHES, PLOTLY_MARKERS
    from imoca.report.plotly_theme import figure

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


def _steps(spent: Sequence[float], n_steps: int) -> list[int]:
    """Trials after which the cost first reaches each of n even steps, and the last one."""
    if not spent:
        return []
    targets = [spent[-1] * (k + 1) / n_steps for k in range(n_steps)]
    reached = (next((i for i, cost in enumerate(spent) if cost >= target), len(spent) - 1) for target in targets)
    return sorted({*reached, len(spent) - 1})
