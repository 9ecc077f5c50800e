"""What a knob buys, by matplotlib: the error of a run falls as its cost rises."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import matplotlib_text, short_label, shortened
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import BLUE, ORANGE, SKY
from imoca.report.records.errors import ErrorRecord
from imoca.wording import labelled

N_COLUMNS = 2


def error_figure(records: Sequence[ErrorRecord]) -> Figure:
    if not records:
        return nothing_to_show(TITLES["error"], NOTHING["error"])
    n_columns = min(N_COLUMNS, len(records))
    n_rows = ceil(len(records) / n_columns)
    made = empty_figure(TITLES["error"], (SIZE[0], 1.0 + 2.2 * n_rows))
    handles: list[Any] = []
    for i, record in enumerate(records):
        axes = plane(made, (n_rows, n_columns, i + 1))
        beside = axes.twinx()
        beside.spines[["top", "left"]].set_visible(False)
        handles = [
            *axes.plot(record.z, record.typical, color=BLUE, marker="o", markersize=3),
            *axes.plot(record.z, record.likely, color=SKY, linestyle="--", marker="o", markersize=3),
            *beside.plot(record.z, [100.0 * each for each in record.cost_ratios], color=ORANGE, linestyle=":"),
        ]
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel("error of a run", fontsize=8)
        beside.set_ylim(0.0, 105.0)
        beside.set_ylabel("% of a full run's cost", fontsize=8, color=ORANGE)
        beside.tick_params(labelsize=8)
        axes.set_xticks(record.tick_z, [matplotlib_text(shortened(label, 12)) for label in record.tick_labels])
        title = labelled(f"fidelity of {shortened(record.simulator, 20)}", record.setting_unit)
        axes.set_xlabel(matplotlib_text(title), fontsize=8)
        axes.set_title(matplotlib_text(short_label(record.output, record.unit, 24)), fontsize=9, loc="left")
    legend(made, handles, ["typical error", "nine of ten errors are smaller", "cost"])
    return made
