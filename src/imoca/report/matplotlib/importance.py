"""Which parameters matter, by matplotlib: bars per output, or a map where there are many outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import matplotlib_text, percent, shortened
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import BLUE, GREY, SKY
from imoca.report.records.importance import MOST_SHOWN, most_important
from imoca.snapshot.importance import Importance

MOST_PANELS = 4  # outputs with bars of their own
N_COLUMNS = 2
ROW = 0.28  # inches of a parameter
DARK = 0.6  # share above which a cell of a map is written in white


def importance_figure(records: Sequence[Importance]) -> Figure:
    if not records:
        return nothing_to_show(TITLES["importance"], NOTHING["importance"])
    shown = most_important(records, MOST_SHOWN)
    return _bars(records, shown) if len(records) <= MOST_PANELS else _map(records, shown)


def _bars(records: Sequence[Importance], shown: Sequence[int]) -> Figure:
    n_columns = min(N_COLUMNS, len(records))
    n_rows = -(-len(records) // n_columns)
    made = empty_figure(TITLES["importance"], (SIZE[0], 1.0 + (0.8 + ROW * len(shown)) * n_rows))
    names = [matplotlib_text(shortened(records[0].parameters[i], 20)) for i in shown]
    handles: list[Any] = []
    for k, record in enumerate(records):
        axes = plane(made, (n_rows, n_columns, k + 1))
        places = range(len(shown))
        handles = [
            axes.barh(places, [shares[i].value for i in shown], height=0.7, color=colour)
            for shares, colour in ((record.total, SKY), (record.first, BLUE))
        ]
        lows, highs = [record.total[i].low for i in shown], [record.total[i].high for i in shown]
        handles.append(axes.hlines(places, lows, highs, color=GREY, linewidth=1.5))
        axes.set(xlim=(0.0, 1.02), ylim=(len(shown) - 0.4, -0.6), xlabel="share of the variance")
        axes.set_yticks(places, names if k % n_columns == 0 else [""] * len(names))
        axes.set_title(matplotlib_text(shortened(record.output)), fontsize=9, loc="left")
    legend(made, handles, ["with what it does together with others", "alone", "nine in ten functions"])
    return made


def _map(records: Sequence[Importance], shown: Sequence[int]) -> Figure:
    made = empty_figure(TITLES["importance"], (max(SIZE[0], 1.6 + 0.55 * len(shown)), 1.4 + 0.3 * len(records)))
    axes: Any = made.add_subplot()
    values = [[record.total[i].value for i in shown] for record in records]
    colours = LinearSegmentedColormap.from_list("imoca", ["white", BLUE])
    axes.imshow(values, cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    for row, cells in enumerate(values):
        for column, value in enumerate(cells):
            text, ink = "" if value != value else percent(value), "white" if value > DARK else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=ink)
    labels = [matplotlib_text(shortened(records[0].parameters[i], 16)) for i in shown]
    axes.set_xticks(range(len(shown)), labels, rotation=20, ha="right", fontsize=8)
    axes.set_yticks(range(len(records)), [matplotlib_text(shortened(r.output, 20)) for r in records], fontsize=8)
    axes.spines[:].set_visible(False)
    return made
