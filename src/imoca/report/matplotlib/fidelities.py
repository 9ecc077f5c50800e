"""Which fidelity each simulator was run at, by matplotlib: every run of a few simulators, a map of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import matplotlib_text, short_share, shortened
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.palette import BLUE, SHADES, VERMILION
from imoca.report.records import MOST_PANELS, FidelityMap, FidelityRecord, fidelity_map
from imoca.wording import labelled


def fidelities_figure(records: Sequence[FidelityRecord]) -> Figure:
    shown = [record for record in records if record.trials]
    if not shown:
        return nothing_to_show(TITLES["fidelities"], NOTHING["fidelities"])
    if len(shown) > MOST_PANELS:
        return _map(fidelity_map(shown))
    made = empty_figure(TITLES["fidelities"], (SIZE[0], 1.1 + 1.7 * len(shown)))
    axes: Any = None
    failed_runs: Any = None
    for row, record in enumerate(shown, 1):
        axes = plane(made, (len(shown), 1, row), sharex=axes)
        for is_failed, look in (
            (False, {"color": BLUE, "marker": "o", "markersize": 4}),
            (True, {"color": VERMILION, "marker": "X", "markersize": 5}),
        ):
            kept = [i for i, failed in enumerate(record.is_failed) if failed == is_failed]
            lines = axes.plot([record.trials[i] for i in kept], [record.z[i] for i in kept], linestyle="none", **look)
            failed_runs = lines[0] if is_failed and kept else failed_runs
        axes.set_yticks(record.tick_z, [matplotlib_text(shortened(label, 16)) for label in record.tick_labels])
        axes.set(ylim=(-0.08, 1.08), ylabel=matplotlib_text(labelled("fidelity", record.unit)))
        axes.set_title(matplotlib_text(shortened(record.simulator)), fontsize=9, loc="left")
        axes.tick_params(labelbottom=row == len(shown))
    axes.set(xlabel="trial")
    if failed_runs is not None:
        legend(made, [failed_runs], ["failed"])
    return made


def _map(record: FidelityMap) -> Figure:
    made = empty_figure(TITLES["fidelities"], (SIZE[0], 1.2 + 0.4 * len(record.simulators)))
    axes = plane(made)
    axes.grid(False)
    most = max(map(max, record.shares)) or 1.0
    shades = LinearSegmentedColormap.from_list("shades", SHADES)
    axes.imshow(record.shares, cmap=shades, vmin=0.0, vmax=most, aspect="auto")
    for row, (counts, parts) in enumerate(zip(record.n_runs, record.shares, strict=True)):
        for column, (n, part) in enumerate(zip(counts, parts, strict=True)):
            if n:
                axes.text(column, row, f"{n}\n{short_share(part)}", ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(record.bands)), record.bands)
    names = [matplotlib_text(shortened(name, 24)) for name in record.simulators]
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="from the cheapest fidelity to full accuracy")
    return made
