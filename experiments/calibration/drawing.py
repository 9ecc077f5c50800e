"""The reliability figure: nominal against observed coverage, a panel per problem and a line per model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from experiments.calibration.accuracy import LEVELS
from experiments.calibration.judging import COSTS, RECOMMENDED, VERIFIED
from experiments.calibration.tables import Group
from imoca.arrays import Array
from imoca.report import picture
from imoca.report.matplotlib.theme import empty_figure, legend, plane
from imoca.report.palette import COLOURS, GREY

TITLE = "What error bars promise, and what comes"
N_COLUMNS = 4
PANEL = (3.2, 3.1)  # inches
LEGEND_ROW = 0.25  # inches
LINES = {COSTS[-1]: "-", VERIFIED: "--"}
WORDS = {COSTS[-1]: "", VERIFIED: ", after verification"}


def reliability(group: Group, moment: str) -> Array:  # (len(LEVELS),)
    """Observed coverage at the recommended designs, mean over objectives and seeds; NaN without any."""
    shares = [each.coverage for each in group.accuracies(moment, RECOMMENDED)]
    return np.mean(shares, axis=0) if shares else np.full(len(LEVELS), np.nan)


def draw(groups: Sequence[Group], kind: str) -> bytes:
    """As png or svg; the same bytes for the same results."""
    problems = list(dict.fromkeys(group.problem for group in groups))
    series = list(dict.fromkeys(group.series for group in groups))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(series)}
    n_columns = min(N_COLUMNS, len(problems))
    n_rows = -(-len(problems) // n_columns)
    height = PANEL[1] * n_rows + LEGEND_ROW * len(series) + 0.6
    figure = empty_figure(TITLE, (PANEL[0] * n_columns, height))
    panels = [plane(figure, (n_rows, n_columns, i + 1)) for i in range(len(problems))]
    for panel, problem in zip(panels, problems, strict=True):
        _draw_panel(panel, [group for group in groups if group.problem == problem], colours)
    handles = {line.get_label(): line for panel in panels for line in panel.get_lines()[1:]}
    legend(figure, list(handles.values()), list(handles), n_columns=2)
    return picture(figure, f".{kind}")


def _draw_panel(panel: Axes, groups: Sequence[Group], colours: dict[str, str]) -> None:
    panel.plot((0.0, 1.0), (0.0, 1.0), color=GREY, linewidth=0.8)
    for group in groups:
        for moment, dash in LINES.items():
            observed = np.concatenate([[0.0], reliability(group, moment)])
            panel.plot(
                (0.0, *LEVELS),
                observed,
                color=colours[group.series],
                linestyle=dash,
                linewidth=1.6,
                marker="o",
                markersize=2.5,
                label=group.series + WORDS[moment],
            )
    panel.set_title(groups[0].problem, fontsize=9.5)
    panel.set_xlim(0.0, 1.0)
    panel.set_ylim(0.0, 1.02)
    panel.set_aspect("equal")
    panel.set_xlabel("promised [share]")
    panel.set_ylabel("observed [share]")
