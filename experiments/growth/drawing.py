"""The picture of where cheap runs pay: cost to the front along every way, a line per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from imoca.report import picture
from imoca.report.matplotlib.theme import empty_figure, legend, plane
from imoca.report.palette import GREY, VERMILION

TITLE = "Full runs per objective until the front is found; open marks: not found until then"
SIZE = (10.0, 3.6)  # inches
COLOURS = (VERMILION, GREY)
LABELS = {
    "cost ratio": "a full run costs so many cheap ones",
    "correlation": "correlation of cheap and full runs",
    "parameters": "parameters",
    "objectives": "objectives",
}


def draw(rows: Sequence[Mapping[str, Any]], ways: Sequence[str], methods: Sequence[str]) -> bytes:
    """As png; an open mark is where a method ended before it was there."""
    there = [way for way in ways if any(row["way"] == way for row in rows)]
    figure = empty_figure(TITLE, SIZE)
    panels = [plane(figure, (1, len(there), i + 1)) for i in range(len(there))]
    lowest, highest = (of(panel_cost(row) for row in rows) for of in (min, max))
    for panel, way in zip(panels, there, strict=True):
        panel.set_ylim(lowest / 1.5, highest * 1.5)
        for method, colour in zip(methods, COLOURS, strict=True):
            _draw_line(panel, [row for row in rows if (row["way"], row["method"]) == (way, method)], colour)
        _draw_axes(panel, way, sorted({row["value"] for row in rows if row["way"] == way}))
    panels[0].set_ylabel("cost, in full runs per objective")
    handles, labels = panels[0].get_legend_handles_labels()
    legend(figure, handles, labels)
    return picture(figure, ".png")


def panel_cost(row: Mapping[str, Any]) -> float:
    n_objectives = row["value"] if row["way"] == "objectives" else 2
    return float((row["end"] if row["cost"] is None else row["cost"]) / n_objectives)


def _draw_line(panel: Axes, rows: Sequence[Mapping[str, Any]], colour: str) -> None:
    points = [(row["value"], panel_cost(row)) for row in rows]
    panel.plot(*zip(*points, strict=True), color=colour, linewidth=1.6, label=rows[0]["method"])
    for (x, y), row in zip(points, rows, strict=True):
        face = "white" if row["cost"] is None else colour
        panel.plot([x], [y], marker="o", markersize=5, color=colour, markerfacecolor=face)


def _draw_axes(panel: Axes, way: str, values: Sequence[float]) -> None:
    panel.set_yscale("log")
    panel.yaxis.set_major_formatter("{x:g}")
    panel.set_xscale("linear" if way == "correlation" else "log")
    if way == "correlation":
        panel.invert_xaxis()
    panel.set_xticks(values, [f"{value:g}" for value in values])
    panel.minorticks_off()
    panel.set_xlabel(LABELS[way], fontsize=9)
