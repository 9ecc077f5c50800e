"""Records to matplotlib figures, for papers and print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from matplotlib.figure import Figure

from imoca.report.figure_names import COST_UNIT, NOTHING, TITLES, FigureName
from imoca.report.labels import (
    are_near_one,
    correlation_range,
    full_accuracy_words,
    is_wide,
    lacks,
    log_ticks,
    matplotlib_text,
    plain_number,
    promise_words,
    share,
    short_label,
    shortened,
    skill_words,
    trust_ends,
)
from imoca.report.matplotlib.errors import error_figure
from imoca.report.matplotlib.fidelities import fidelities_figure
from imoca.report.matplotlib.front import front_figure
from imoca.report.matplotlib.importance import importance_figure
from imoca.report.matplotlib.parallel import parallel_figure
from imoca.report.matplotlib.replay import replay_figure
from imoca.report.matplotlib.slices import slices_figure
from imoca.report.matplotlib.theme import SIZE, empty_figure, legend, nothing_to_show, plane
from imoca.report.matplotlib.timeline import timeline_figure
from imoca.report.palette import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    MATPLOTLIB_DASHES,
    MATPLOTLIB_MARKERS,
    VERMILION,
)
from imoca.report.records import ConvergenceRecord, CorrelationRecord, CostRecord, TrustRecord
from imoca.wording import number

TRUST_PANEL = 2.9  # inches, in which the lines above a panel have room
LONG_NUMBER = 1e4  # from which fewer numbers fit below such a panel
N_COLUMNS = 3  # of small panels side by side
ROW = 0.24  # inches of a bar


def convergence_figure(record: ConvergenceRecord) -> Figure:
    if not record.costs:
        return nothing_to_show(TITLES["convergence"], NOTHING["convergence"])
    made = empty_figure(TITLES["convergence"], (SIZE[0], 5.0))
    upper = plane(made, (2, 1, 1))
    lower = plane(made, (2, 1, 2), sharex=upper)
    upper.plot(record.costs, record.hypervolumes, color=COLOURS[0], marker=MATPLOTLIB_MARKERS[0], markersize=4)
    lower.plot(record.costs, record.distances, color=COLOURS[1], marker=MATPLOTLIB_MARKERS[1], markersize=4)
    upper.set(ylabel="hypervolume\nbetter →")
    upper.tick_params(labelbottom=False)
    lower.set(ylabel="distance to the final front\n← better", xlabel=f"cost spent [{COST_UNIT}]")
    if is_wide(record.costs):
        ticks = log_ticks(record.costs)
        lower.set_xscale("log")
        lower.set_xticks(ticks, [number(tick) for tick in ticks])
    if positive := [distance for distance in record.distances if distance > 0.0]:
        ticks = log_ticks(positive)
        lower.set_yscale("log", nonpositive="mask")
        lower.set_yticks(ticks, [number(tick) for tick in ticks])
    lower.minorticks_off()
    return made


def cost_figure(records: Sequence[CostRecord]) -> Figure:
    if not any(sum(record.n_runs) or record.wasted for record in records):
        return nothing_to_show(TITLES["cost"], NOTHING["cost"])
    n_rows = [len(record.bands) + bool(record.wasted) for record in records]
    made = empty_figure(TITLES["cost"], (SIZE[0], 1.0 + ROW * sum(n_rows) + 0.35 * len(records)))
    places = made.add_gridspec(len(records), 1, height_ratios=n_rows)
    axes: Any = None
    for row, record in enumerate(records):
        axes = made.add_subplot(places[row], sharex=axes)
        axes.spines[["top", "right"]].set_visible(False)
        costs, names = list(record.costs), [matplotlib_text(shortened(band, 24)) for band in record.bands]
        texts = [f" {count} run{'' if count == 1 else 's'}" for count in record.n_runs]
        looks = [(BLUE, "")] * (len(costs) - 1) + [(GREEN, "//")]
        if record.wasted:
            costs, names, texts = [*costs, record.wasted], [*names, "lost attempts"], [*texts, ""]
            looks = [*looks, (VERMILION, "xx")]
        bars = axes.barh(range(len(costs)), costs, color=[c for c, _ in looks], hatch=[h for _, h in looks])
        axes.bar_label(bars, texts, fontsize=7)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_title(matplotlib_text(shortened(record.simulator)), fontsize=9, loc="left")
        axes.tick_params(labelsize=8, labelbottom=row == len(records) - 1)
        axes.margins(x=0.12)
    axes.set(xlabel=f"cost [{COST_UNIT}]")
    return made


def trust_figure(records: Sequence[TrustRecord]) -> Figure:
    if not records:
        return nothing_to_show(TITLES["trust"], NOTHING["trust"])
    n_columns = min(N_COLUMNS, len(records))
    n_rows = ceil(len(records) / n_columns)
    made = empty_figure(TITLES["trust"], (max(SIZE[0] * 0.7, TRUST_PANEL * n_columns), 0.9 + 2.7 * n_rows))
    handles: list[Any] = []
    promised: Any = None
    for i, record in enumerate(records):
        axes = plane(made, (n_rows, n_columns, i + 1))
        ends = trust_ends(record)
        handles = [axes.plot(ends, ends, color=GREY, linestyle="--", linewidth=1.0)[0]]
        for is_miss, colour, marker in ((False, BLUE, "o"), (True, VERMILION, "x")):
            kept = [k for k, miss in enumerate(record.is_miss) if miss == is_miss]
            drawn = axes.errorbar(
                [record.predicted[k] for k in kept],
                [record.observed[k] for k in kept],
                xerr=[2.0 * record.deviations[k] for k in kept],
                **{"color": colour, "marker": marker, "markersize": 4, "linestyle": "none", "elinewidth": 0.8},
            )
            handles.append(drawn.lines[0])
        if record.promises:
            promised = axes.errorbar(
                [each.predicted for each in record.promises],
                [each.observed for each in record.promises],
                xerr=list(zip(*((p.predicted - p.low, p.high - p.predicted) for p in record.promises), strict=True)),
                **{"color": GREEN, "marker": "*", "markersize": 8, "linestyle": "none", "capsize": 2},
            ).lines[0]
        name = matplotlib_text(short_label(record.output, record.unit, 24))
        words = (name, skill_words(record), full_accuracy_words(record), promise_words(record))
        axes.set_title("\n".join(filter(None, words)), fontsize=7)
        axes.set(xlabel="predicted without it", ylabel="observed" if i % n_columns == 0 else "")
        axes.locator_params(nbins=5)
        if max(map(abs, ends)) >= LONG_NUMBER:
            axes.locator_params(axis="x", nbins=3)
    labels = ["agreement", "within ± 2 deviations", "beyond"]
    if promised is not None:
        handles, labels = [*handles, promised], [*labels, "promised before it was verified"]
    legend(made, handles, labels)
    return made


def correlation_figure(records: Sequence[CorrelationRecord]) -> Figure:
    if not records:
        return nothing_to_show(TITLES["correlation"], NOTHING["correlation"])
    made = empty_figure(TITLES["correlation"])
    axes = plane(made)
    handles, is_lack = [], are_near_one(records)
    for i, record in enumerate(records):
        look = {
            "color": COLOURS[i % len(COLOURS)],
            "marker": MATPLOTLIB_MARKERS[i % len(MATPLOTLIB_MARKERS)],
            "linestyle": MATPLOTLIB_DASHES[i % len(MATPLOTLIB_DASHES)],
        }
        values = lacks(record) if is_lack else record.correlations
        handles += axes.plot(record.cost_ratios, values, markersize=4.5, **look)
    axes.set(xscale="log", xlabel="cost of a run, as a share of one at full accuracy")
    ticks = log_ticks([ratio for record in records for ratio in record.cost_ratios])
    axes.set_xticks(ticks, [share(tick) for tick in ticks])
    axes.minorticks_off()
    if is_lack:
        lows = log_ticks([lack for record in records for lack in lacks(record) if lack == lack])
        axes.set(yscale="log", ylabel="what the correlation with\nfull accuracy lacks of 1")
        axes.set_yticks(lows, [plain_number(tick) for tick in lows])
        axes.minorticks_off()
    else:
        axes.set(ylabel="correlation with full accuracy", ylim=correlation_range(records))
    legend(made, handles, [shortened(record.output) for record in records])
    return made


MATPLOTLIB_DRAWERS: Mapping[FigureName, Callable[[Any], Figure]] = {
    "front": front_figure,
    "parallel": parallel_figure,
    "slices": slices_figure,
    "importance": importance_figure,
    "convergence": convergence_figure,
    "fidelities": fidelities_figure,
    "cost": cost_figure,
    "trust": trust_figure,
    "correlation": correlation_figure,
    "error": error_figure,
    "timeline": timeline_figure,
    "replay": replay_figure,
}
