"""Why this design, by matplotlib: a row of slices per output, a column per parameter."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import fidelity_label, log_ticks, matplotlib_text, short_label, shortened
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import BLUE, GREY, VERMILION, fidelity_colour
from imoca.report.records.slices import Slice, SliceAxis, SlicedOutput, SlicesRecord
from imoca.wording import number

PANEL = (1.6, 1.5)  # inches
BOUND = "a constraint's bound"


def slices_figure(record: SlicesRecord) -> Figure:
    if not record.outputs:
        return nothing_to_show(TITLES["slices"], NOTHING["slices"])
    n_rows, n_columns = len(record.outputs), len(record.axes)
    size = max(SIZE[0], PANEL[0] * n_columns + 0.6), PANEL[1] * n_rows + 1.3
    made = empty_figure(TITLES["slices"], size)
    handles: dict[str, Any] = {}
    for row, output in enumerate(record.outputs):
        first: Any = None
        for column, (axis, piece) in enumerate(zip(record.axes, output.slices, strict=True)):
            axes = plane(made, (n_rows, n_columns, row * n_columns + column + 1), sharey=first)
            first = first or axes
            handles = _draw(axes, output, axis, piece) | handles
            _finish(axes, axis, is_last=row == n_rows - 1, is_first=column == 0)
        first.set_ylim(*output.span)
        arrow = {"minimize": "← better\n", "maximize": "better →\n"}.get(output.goal or "", "")
        first.set_ylabel(f"{arrow}{matplotlib_text(short_label(output.output, output.unit, 18))}", fontsize=8)
    legend(made, list(handles.values()), list(handles), n_columns=3)
    return made


def _draw(axes: Any, output: SlicedOutput, axis: SliceAxis, piece: Slice) -> dict[str, Any]:
    handles = {}
    line = "none" if axis.labels else "-"
    marker = "o" if axis.is_discrete else ""
    for curve in piece.cheaper:
        look = {"color": fidelity_colour(curve.z), "linewidth": 1.2, "linestyle": "none" if axis.labels else ":"}
        drawn = axes.plot(piece.places, curve.values, marker="_" if axis.is_discrete else "", **look)
        handles[fidelity_label(curve.z)] = drawn[0]
    if axis.is_discrete:
        handles["holds nine of ten"] = axes.vlines(
            piece.places, piece.low, piece.high, color=BLUE, alpha=0.25, linewidth=4
        )
    else:
        handles["holds nine of ten"] = axes.fill_between(
            piece.places, piece.low, piece.high, color=BLUE, alpha=0.18, linewidth=0
        )
    look = {"color": BLUE, "linestyle": line, "marker": marker, "markersize": 3.5, "linewidth": 1.6}
    handles["full accuracy"] = axes.plot(piece.places, piece.values, **look)[0]
    if piece.near:
        handles["runs near, by their fidelity"] = axes.scatter(
            [run.place for run in piece.near],
            [run.value for run in piece.near],
            s=10,
            c=[fidelity_colour(run.z) for run in piece.near],
            alpha=0.8,
            zorder=3,
        )
    for bound in (output.lower, output.upper):
        if bound is not None:
            handles[BOUND] = axes.axhline(bound, color=GREY, linestyle="--", linewidth=0.8)
    is_measured = output.measured is not None
    fill = {"markerfacecolor": VERMILION if is_measured else "none", "markeredgecolor": VERMILION}
    value = output.measured if output.measured is not None else output.predicted
    handles["the design"] = axes.plot(
        [axis.chosen], [value], marker="D", markersize=6, linestyle="none", zorder=4, **fill
    )[0]
    return handles


def _finish(axes: Any, axis: SliceAxis, is_last: bool, is_first: bool) -> None:
    if axis.labels:
        axes.set_xticks(range(len(axis.labels)), [matplotlib_text(shortened(label, 10)) for label in axis.labels])
        axes.set_xlim(-0.4, axis.high + 0.4)
    elif axis.is_log:
        ticks = log_ticks([axis.low, axis.high])
        axes.set_xscale("log")
        axes.set_xticks(ticks, [number(tick) for tick in ticks])
        axes.minorticks_off()
    else:
        axes.locator_params(axis="x", nbins=4)
    axes.tick_params(labelsize=7, labelbottom=is_last, labelleft=is_first)
    if is_last:
        axes.set_xlabel(matplotlib_text(short_label(axis.parameter, axis.unit, 22)), fontsize=8)
