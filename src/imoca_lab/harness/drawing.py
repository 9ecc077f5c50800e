"""Curves with bands over seeds, drawn with the theme and colours of the study figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from imoca.errors import MissingPackageError
from imoca.report import COST_UNIT, picture
from imoca.report.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from imoca_lab.harness.curves import INDICATORS, Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK = "#000000"  # pictures of comparisons are always on white
Dash = str | tuple[int, tuple[float, ...]]
LOOKS: dict[str, tuple[str, Dash]] = {
    "imoca-p": (VERMILION, "-"),
    "imoca-e": (BLUE, "-"),
    "imoca-t": (GREEN, "-"),
    "naive-cfmo": (ORANGE, "-"),
    "mf-osemo-tg": (PURPLE, "-"),
    "mf-osemo-ni": (BLACK, "-"),
    "mesmo": (SKY, "--"),
    "pesmo": (PURPLE, "--"),
    "parego": (BLACK, "--"),
    "smsego": (GREEN, "--"),
    "ehi": (ORANGE, "--"),
    "sur": (VERMILION, "--"),
    "random": (GREY, ":"),
    "botorch-momf": (SKY, "-"),
    "botorch-hvkg": (PURPLE, "-"),
    "botorch-qlognehvi": (ORANGE, "--"),
    "botorch-qlognparego": (BLACK, "--"),
    "botorch-jes": (GREY, "--"),
}
OTHERS = (BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE)
VARIANTS: tuple[Dash, ...] = ("-", "--", ":", "-.", (0, (1.0, 1.0)), (0, (7.0, 2.0)))
LEGEND_LINE, LEGEND_LETTER = 0.5, 0.07  # inches
STRONG, WEAK = 2.0, 1.2  # widths of our lines and of the others'
BAND_OPACITY = 0.10
SMALLEST_SHOWN = 1e-5  # on a logarithmic axis, for what is zero or less
N_COLUMNS = 2
PANEL = (4.15, 3.0)  # inches: two are legible at the width of a page, 830 pixels
MOST_LINES, MOST_OURS = 5, 3  # in a panel
N_DRAWN = 80  # points of a curve


@dataclass(frozen=True)
class Look:
    colour: str
    dash: Dash
    width: float


def draw(curves: Sequence[Curve], kind: str) -> bytes:
    """One panel per problem; medians are lines, quartiles bands. As png or svg; the same bytes for the same curves."""
    try:
        from imoca.report.matplotlib.theme import empty_figure, legend, plane
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "Drawing needs matplotlib, which is not installed.", hint="Install it with: pip install 'imoca[report]'"
        ) from error
    problems = list(dict.fromkeys(curve.problem for curve in curves))
    looks = looks_of(list(dict.fromkeys(curve.method for curve in curves)))
    n_columns = min(N_COLUMNS, len(problems))
    n_rows = -(-len(problems) // n_columns)
    legend_columns = _legend_columns(n_columns, looks)
    legend_rows = -(-len(looks) // legend_columns)
    height = PANEL[1] * n_rows + 0.25 * legend_rows + 0.6
    figure = empty_figure(INDICATORS[curves[0].indicator], (PANEL[0] * n_columns, height))
    panels = [plane(figure, (n_rows, n_columns, i + 1)) for i in range(len(problems))]
    for panel, problem in zip(panels, problems, strict=True):
        _draw_panel(panel, [curve for curve in curves if curve.problem == problem], looks)
    handles = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    named = [name for name in looks if name in handles]
    legend(figure, [handles[name] for name in named], named, legend_columns)
    return picture(figure, f".{kind}")


def principal(curves: Sequence[Curve]) -> list[Curve]:
    """Of every problem at most five curves: ours, the best of each other kind, and the best of what is left."""
    kept = []
    for problem in dict.fromkeys(curve.problem for curve in curves):
        own = sorted((curve for curve in curves if curve.problem == problem), key=_ending)
        chosen = [curve for curve in own if kind_of(curve.method) == "ours"][:MOST_OURS]
        for kind in ("several fidelities", "full accuracy"):
            chosen += [curve for curve in own if kind_of(curve.method) == kind][:1]
        names = {curve.method for curve in chosen}
        names |= {curve.method for curve in [c for c in own if c.method not in names][: MOST_LINES - len(names)]}
        kept += [curve for curve in curves if curve.problem == problem and curve.method in names]
    return kept


def kind_of(method: str) -> str:
    """Ours, others that choose among fidelities, and those at full accuracy only."""
    base = _base(method)
    if base.startswith("imoca-"):
        return "ours"
    return "several fidelities" if LOOKS.get(base, (BLACK, "-"))[1] == "-" else "full accuracy"


def _ending(curve: Curve) -> tuple[float, str]:
    last = float(curve.median[-1])
    return (last if np.isfinite(last) else np.inf, curve.method)


def looks_of(methods: Sequence[str]) -> dict[str, Look]:
    """Ours first. A method is known by its colour; its variants, such as other numbers of fronts, by their dashes."""
    looks: dict[str, Look] = {}
    bases = {label: _base(label) for label in methods}
    unknown = sorted({base for base in bases.values() if base not in LOOKS})
    for base in [*(name for name in LOOKS if name in bases.values()), *unknown]:
        colour, dash = LOOKS.get(base, (OTHERS[unknown.index(base) % len(OTHERS)] if unknown else BLACK, "-."))
        labels = [label for label in methods if bases[label] == base]
        width = STRONG if base.startswith("imoca-") else WEAK
        dashes = [dash] if len(labels) == 1 else [VARIANTS[i % len(VARIANTS)] for i in range(len(labels))]
        looks |= {label: Look(colour, own, width) for label, own in zip(labels, dashes, strict=True)}
    return looks


def _base(label: str) -> str:
    """The method without its settings."""
    known = [name for name in LOOKS if label == name or label.startswith(f"{name}-")]
    return max(known, key=len, default=label)


def _legend_columns(n_columns: int, names: Iterable[str]) -> int:
    """As many as the width of the panels has room for beside their lines."""
    entry = LEGEND_LINE + LEGEND_LETTER * max(map(len, names))
    return max(1, min(max(2, 2 * n_columns - 1), int(PANEL[0] * n_columns / entry)))


def _draw_panel(panel: Axes, curves: Sequence[Curve], looks: dict[str, Look]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    drawable = [curve for curve in curves if np.isfinite(curve.median).any()]
    for curve in sorted(drawable, key=lambda curve: looks[curve.method].width):  # ours on top
        look = looks[curve.method]
        costs, lower, median, upper = _thinned(curve)
        panel.fill_between(costs, lower, upper, color=look.colour, alpha=BAND_OPACITY, linewidth=0.0)
        panel.plot(costs, median, color=look.colour, linestyle=look.dash, linewidth=look.width, label=curve.method)
    panel.set_title(curves[0].problem, fontsize=9.5)
    panel.set_xscale("log")
    if drawable:
        panel.set_yscale("log")
    else:
        panel.text(0.5, 0.5, "nothing to draw", ha="center", transform=panel.transAxes)
    panel.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda cost, _: f"{cost:g}"))
    panel.xaxis.set_minor_locator(LogLocator(subs=()))
    panel.set_xlabel(f"cost [{COST_UNIT}]")
    panel.set_ylabel(_axis_words(curves[0].indicator))


def _thinned(curve: Curve) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """A step curve at evenly spaced logarithms of cost; what is infinite is not drawn."""
    grid = np.geomspace(curve.costs[0], curve.costs[-1], N_DRAWN)
    rows = (np.searchsorted(curve.costs, grid * (1.0 + 1e-9), side="right") - 1).clip(0)
    columns = [each[rows].clip(SMALLEST_SHOWN) for each in (curve.lower, curve.median, curve.upper)]
    return [grid, *(np.where(np.isfinite(column), column, np.nan) for column in columns)]


def _axis_words(indicator: str) -> str:
    words = INDICATORS[indicator].split(",")[0]
    return f"{words} [share]" if "hypervolume" in indicator else f"{words} [ranges of the front]"
