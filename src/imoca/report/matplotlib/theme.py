"""How matplotlib figures look: white paper, no frame, legend outside; no global state is touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from imoca.report.labels import matplotlib_text

__all__ = ["empty_figure", "legend", "nothing_to_show", "plane"]

SIZE = (6.8, 4.4)  # inches, the width of a text column in most journals
RESOLUTION = 150  # dots per inch
GRID = {"color": "#d8dee4", "linewidth": 0.6}


def empty_figure(title: str, size: tuple[float, float] = SIZE) -> Figure:
    made = Figure(figsize=size, dpi=RESOLUTION, layout="constrained")
    made.suptitle(title, x=0.02, ha="left", fontsize=12)
    return made


def plane(made: Figure, place: tuple[int, int, int] = (1, 1, 1), **shared: Any) -> Any:
    axes = made.add_subplot(*place, **shared)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, **GRID)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    return axes


def legend(made: Figure, handles: Sequence[Any], labels: Sequence[str], n_columns: int = 3) -> None:
    """Below everything, where it covers nothing."""
    shown = [matplotlib_text(label) for label in labels]
    made.legend(handles, shown, loc="outside lower left", ncols=n_columns, frameon=False, fontsize=8)


def nothing_to_show(title: str, reason: str) -> Figure:
    made = empty_figure(title, (SIZE[0], 2.0))
    made.text(0.5, 0.45, matplotlib_text(reason), ha="center", va="center")
    return made
