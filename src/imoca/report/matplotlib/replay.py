"""The front and the runs behind it at a few moments, by matplotlib."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import axis_label, fidelity_label, matplotlib_text
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import BLUE, GREY, VERMILION, fidelity_colour
from imoca.report.records.replay import ReplayRecord
from imoca.wording import number

N_MOMENTS = 4


def replay_figure(record: ReplayRecord) -> Figure:
    if not record.steps:
        return nothing_to_show(TITLES["replay"], NOTHING["replay"])
    n = min(N_MOMENTS, len(record.steps))
    moments = sorted({round(i * (len(record.steps) - 1) / max(n - 1, 1)) for i in range(n)})
    made = empty_figure(TITLES["replay"], (SIZE[0], 2.9 * -(-len(moments) // 2) + 0.8))
    for place, k in enumerate(moments):
        panel = plane(made, (-(-len(moments) // 2), min(2, len(moments)), place + 1))
        _draw(panel, record, k)
        step = record.steps[k]
        trials = "1 trial" if step.n_trials == 1 else f"{step.n_trials} trials"
        panel.set_title(f"cost {number(step.cost)}, {trials}", fontsize=9, loc="left")
        x_label, y_label = (matplotlib_text(axis_label(objective)) for objective in record.objectives)
        panel.set_xlabel(x_label, fontsize=8)
        panel.set_ylabel(y_label if place % 2 == 0 else "", fontsize=8)
    axes: Any = made.axes[0]
    keys = (
        (fidelity_label(0.0), {"marker": "o", "color": fidelity_colour(0.0)}),
        ("full accuracy", {"marker": "o", "color": BLUE}),
        ("front as recommended then", {"marker": "o", "color": GREY, "markerfacecolor": "none"}),
        ("verified by then", {"marker": "D", "color": VERMILION}),
    )
    handles = [axes.plot([], [], linestyle="none", markersize=5, **look)[0] for _, look in keys]
    legend(made, handles, [name for name, _ in keys], n_columns=2)
    return made


def _draw(axes: Any, record: ReplayRecord, k: int) -> None:
    runs = [run for step in record.steps[: k + 1] for run in step.runs]
    colours = [fidelity_colour(run.z) for run in runs]
    axes.scatter([run.x for run in runs], [run.y for run in runs], s=12, c=colours, alpha=0.6, linewidths=0)
    looks = (
        (False, {"s": 8, "marker": "o", "facecolors": "none"}),
        (True, {"s": 16, "marker": "D", "facecolors": VERMILION}),
    )
    for is_verified, look in looks:
        there = [design for design in record.steps[k].front if design.is_verified == is_verified]
        x, y = [design.x for design in there], [design.y for design in there]
        axes.scatter(x, y, edgecolors=VERMILION if is_verified else GREY, linewidths=0.6, **look)
    axes.set(xlim=record.x_range, ylim=record.y_range)
