"""One picture: what every method found at what cost, and the front of designs at full accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from experiments.third_party.records import HALF, RunRecord, is_feasible
from experiments.third_party.shares import pooled_volume, shares_along
from experiments.third_party.simulators import Example
from imoca.pareto import non_dominated
from imoca.problem import Objective
from imoca.report.palette import GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

COLOURS = {
    "imoca-p": VERMILION,
    HALF: GREEN,
    "botorch-momf": SKY,
    "botorch-qlognehvi": ORANGE,
    "nsga2": PURPLE,
    "random": GREY,
}
N_COSTS = 200


def draw(example: Example, records: Sequence[RunRecord], path: Path) -> None:
    figure = Figure(figsize=(10.0, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    _draw_ways(left, example, records)
    _draw_front(right, example, records)
    figure.legend(*left.get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=len(COLOURS))
    figure.savefig(path, dpi=110, metadata={"Software": ""})


def _draw_ways(axes: Axes, example: Example, records: Sequence[RunRecord]) -> None:
    whole, costs = pooled_volume(example, records), np.linspace(0.0, example.budget, N_COSTS)
    for method in (name for name in COLOURS if any(record.method == name for record in records)):
        ways = [shares_along(example, each, whole, costs) for each in records if each.method == method]
        low, middle, high = 100.0 * np.quantile(ways, [0.25, 0.5, 0.75], axis=0)
        axes.step(costs, middle, where="post", color=COLOURS[method], label=method)
        axes.fill_between(costs, low, high, step="post", color=COLOURS[method], alpha=0.15, linewidth=0)
    axes.set_xlabel("cost, in full runs of one simulator")
    axes.set_ylabel("volume at full accuracy, % of all found")
    axes.set_xlim(0.0, example.budget)
    axes.set_ylim(0.0, 102.0)


def _draw_front(axes: Axes, example: Example, records: Sequence[RunRecord]) -> None:
    """Of all seeds of a method together; a third objective is left out of the picture, not of the front."""
    problem = example.declared()
    first, second = problem.objectives[:2]
    signs = np.array([1.0 if each.goal == "maximize" else -1.0 for each in problem.objectives])
    for method in (name for name in reversed(COLOURS) if any(record.method == name for record in records)):
        values = [
            [run.values[each.name] for each in problem.objectives]
            for record in records
            if record.method == method
            for run in record.outcome.full_runs
            if is_feasible(problem, run.values)
        ]
        points = np.array(values).reshape(-1, len(problem.objectives))
        points = points[non_dominated(points * signs)] if len(points) else points
        axes.plot(points[:, 0], points[:, 1], "o", markersize=5, color=COLOURS[method], label=method, alpha=0.8)
    axes.set_xlabel(_words(first))
    axes.set_ylabel(_words(second))


def _words(objective: Objective) -> str:
    unit = f" [{objective.unit}]" if objective.unit else ""
    return f"{objective.name.replace('_', ' ')}{unit}, to {objective.goal}"
