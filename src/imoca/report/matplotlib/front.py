"""The Pareto front by matplotlib: a line of values, a plane, a space, or a matrix of planes."""

from __future__ import annotations

from typing import Any

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.front_series import (
    BARS,
    BEATEN,
    BROKEN,
    EARLIER,
    NOT_ON_FRONT,
    PREDICTED,
    VERIFIED,
    Bars,
    FrontSeries,
    front_series,
)
from imoca.report.labels import axis_label, matplotlib_text, upright_label
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import BLUE, GREY, SCALE, VERMILION
from imoca.report.records import FrontRecord
from imoca.report.records.trade_offs import MOST_IN_MATRIX, drawn_pairs

LOOKS = {
    PREDICTED: {"color": BLUE, "marker": "o", "markersize": 3.5},
    VERIFIED: {"color": VERMILION, "marker": "D", "markersize": 6.0},
    BEATEN: {"color": GREY, "marker": "x", "markersize": 4.5},
    BROKEN: {"color": GREY, "marker": "^", "markersize": 4.5, "markerfacecolor": "none"},
    EARLIER: {"color": GREY, "marker": ".", "markersize": 3.0},
}
FAINT, CLEAR = 0.3, 0.7  # opacities of bars: two hundred make a band, those of what was measured are few
N_COLUMNS = 3  # of pairs
CELL = 1.25  # inches of a panel of the matrix
LONGEST_CELL_LABEL = 14


def front_figure(record: FrontRecord) -> Figure:
    series = front_series(record)
    if not series:
        return nothing_to_show(TITLES["front"], NOTHING["front"])
    match len(record.objectives):
        case 1:
            return _line(record, series)
        case 2:
            return _plane(record, series)
        case 3:
            return _space(record, series)
        case n if n <= MOST_IN_MATRIX:
            return _matrix(record, series)
        case _:
            return _pairs(record, series)


def _line(record: FrontRecord, series: tuple[FrontSeries, ...]) -> Figure:
    made = empty_figure(TITLES["front"], (SIZE[0], 2.4))
    axes = plane(made)
    handles = [
        _points(
            axes,
            each,
            (each.columns[0], [float(i)] * each.n_points),
            {} if each.bars is None else {"xerr": _reach(each.bars[0])},
        )
        for i, each in enumerate(series)
    ]
    axes.set(xlabel=matplotlib_text(axis_label(record.objectives[0])), ylim=(-0.5, len(series) - 0.5))
    axes.yaxis.set_visible(False)
    legend(made, handles, [each.label for each in series], n_columns=2)
    return made


def _plane(record: FrontRecord, series: tuple[FrontSeries, ...]) -> Figure:
    made = empty_figure(TITLES["front"])
    axes = plane(made)
    handles = []
    for each in series:
        bars = {} if each.bars is None else dict(zip(("xerr", "yerr"), map(_reach, each.bars), strict=True))
        handles.append(_points(axes, each, each.columns, bars))
    x_label, y_label = (matplotlib_text(axis_label(objective)) for objective in record.objectives)
    axes.set(xlabel=x_label, ylabel=y_label)
    legend(made, handles, [each.label for each in series], n_columns=2)
    return made


def _space(record: FrontRecord, series: tuple[FrontSeries, ...]) -> Figure:
    made = empty_figure(TITLES["front"], (1.4 * SIZE[0], 4.8))
    axes: Any = made.add_subplot(1, 2, 1, projection="3d")
    handles = []
    for each in series:
        bars = {} if each.bars is None else dict(zip(("xerr", "yerr", "zerr"), map(_reach, each.bars), strict=True))
        handles.append(_points(axes, each, each.columns, bars))
    labels = [matplotlib_text(upright_label(objective)) for objective in record.objectives]
    axes.set(xlabel=labels[0], ylabel=labels[1], zlabel=labels[2])
    axes.tick_params(labelsize=8)
    axes.set_box_aspect(None, zoom=0.8)  # else the last label is cut off
    _coloured_plane(made, record, series)
    legend(made, handles, [each.label for each in series], n_columns=2)
    return made


def _coloured_plane(made: Figure, record: FrontRecord, series: tuple[FrontSeries, ...]) -> None:
    """The first two objectives, coloured by the third; what was measured has an outline."""
    axes = plane(made, (1, 2, 2))
    known = [value for each in series if each.label not in NOT_ON_FRONT for value in each.columns[2]]
    scale = {"vmin": min(known, default=0.0), "vmax": max(known, default=1.0)}
    colours = LinearSegmentedColormap.from_list("imoca", list(SCALE))
    drawn: Any = None
    for each in series:
        if each.label in NOT_ON_FRONT:
            _points(axes, each, each.columns[:2], {})
        elif each.label != EARLIER:
            outline = VERMILION if each.label == VERIFIED else "none"
            look: dict[str, Any] = {"marker": LOOKS[each.label]["marker"], "s": 36 if each.label == VERIFIED else 14}
            drawn = axes.scatter(
                *each.columns[:2], c=each.columns[2], cmap=colours, edgecolors=outline, **scale, **look
            )
    x_label, y_label = (matplotlib_text(axis_label(objective)) for objective in record.objectives[:2])
    axes.set(xlabel=x_label, ylabel=y_label)
    if drawn is not None:
        made.colorbar(drawn, ax=axes, label=matplotlib_text(upright_label(record.objectives[2])), shrink=0.8)


def _pairs(record: FrontRecord, series: tuple[FrontSeries, ...]) -> Figure:
    """Of many objectives the pairs that trade off most; the bars are left out, for there is no room for them."""
    pairs = drawn_pairs(record.objectives, record.points)
    n_rows = -(-len(pairs) // N_COLUMNS)
    made = empty_figure(TITLES["front"], (1.2 * SIZE[0], 0.9 + 2.3 * n_rows))
    labels = [matplotlib_text(upright_label(objective, 20)) for objective in record.objectives]
    handles: list[Any] = []
    for k, (first, second) in enumerate(pairs):
        axes = plane(made, (n_rows, N_COLUMNS, k + 1))
        handles = [_points(axes, each, (each.columns[first], each.columns[second]), {}) for each in series]
        axes.locator_params(nbins=4)
        axes.tick_params(labelsize=7)
        axes.set_xlabel(labels[first], fontsize=8)
        axes.set_ylabel(labels[second], fontsize=8)
    legend(made, handles, [each.label.removesuffix(BARS) for each in series], n_columns=2)
    return made


def _matrix(record: FrontRecord, series: tuple[FrontSeries, ...]) -> Figure:
    """Every pair of objectives once; the bars are left out, for there is no room for them."""
    n = len(record.objectives) - 1
    side = max(SIZE[0], CELL * n)
    made = empty_figure(TITLES["front"], (side, side))
    labels = [matplotlib_text(upright_label(objective, LONGEST_CELL_LABEL)) for objective in record.objectives]
    handles: list[Any] = []
    for row in range(n):
        for column in range(row + 1):
            axes = plane(made, (n, n, row * n + column + 1))
            handles = [_points(axes, each, (each.columns[column], each.columns[row + 1]), {}) for each in series]
            axes.tick_params(labelsize=6)
            axes.locator_params(nbins=3)
            if row == n - 1:
                axes.set_xlabel(labels[column], fontsize=8)
            else:
                axes.tick_params(labelbottom=False)
            if column == 0:
                axes.set_ylabel(labels[row + 1], fontsize=8)
            else:
                axes.tick_params(labelleft=False)
    legend(made, handles, [each.label.removesuffix(BARS) for each in series], n_columns=2)
    return made


def _reach(bars: Bars) -> list[tuple[float, ...]]:
    return [bars.below, bars.above]


def _points(axes: Any, series: FrontSeries, columns: Any, bars: dict[str, Any]) -> Any:
    """The handle for the legend: the markers without their bars."""
    look = LOOKS[series.label]
    if bars:
        opacity = FAINT if series.label == PREDICTED else CLEAR
        axes.errorbar(*columns, **bars, fmt="none", ecolor=look["color"], elinewidth=0.8, alpha=opacity)
    return axes.plot(*columns, linestyle="none", **look)[0]
