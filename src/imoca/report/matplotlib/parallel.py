"""Parallel coordinates by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import matplotlib_text, shortened
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show
from imoca.report.palette import GREY, SCALE
from imoca.report.records.parallel import ParallelRecord, axis_name, axis_ticks, coloured_axis, heights


def parallel_figure(record: ParallelRecord) -> Figure:
    """Every axis drawn from 0 to 1, its own numbers written at its ends."""
    if not record.is_verified:
        return nothing_to_show(TITLES["parallel"], NOTHING["parallel"])
    n = len(record.axes)
    made = empty_figure(TITLES["parallel"], (max(SIZE[0], 0.9 * n), SIZE[1]))
    axes: Any = made.add_subplot()
    crossings = np.array([heights(axis) for axis in record.axes])  # (axes, designs)
    colours = LinearSegmentedColormap.from_list("imoca", list(SCALE))(crossings[coloured_axis(record)])
    for i, is_verified in enumerate(record.is_verified):
        width, zorder = (1.8, 3) if is_verified else (0.7, 2)
        axes.plot(range(n), crossings[:, i], color=colours[i], linewidth=width, zorder=zorder)
    for i, axis in enumerate(record.axes):
        axes.axvline(i, color=GREY, linewidth=0.8, zorder=1)
        for height, label in axis_ticks(axis):
            text = matplotlib_text(shortened(label, 14))
            side = {0.0: "top", 1.0: "bottom"}.get(height, "center")  # the ends are written clear of the lines
            axes.annotate(text, (i, height), (3, 0), textcoords="offset points", va=side, fontsize=7, zorder=4)
    axes.set_xticks(
        range(n), [matplotlib_text(axis_name(axis, 20)) for axis in record.axes], rotation=20, ha="right", fontsize=8
    )
    axes.set(xlim=(-0.1, n - 0.5), ylim=(-0.06, 1.06))
    axes.yaxis.set_visible(False)
    axes.spines[:].set_visible(False)
    if any(record.is_verified):
        drawn = axes.get_lines()
        first = [record.is_verified.index(each) for each in (False, True) if each in record.is_verified]
        names = {False: "predicted", True: "verified at full accuracy"}
        legend(made, [drawn[i] for i in first], [names[record.is_verified[i]] for i in first])
    return made
