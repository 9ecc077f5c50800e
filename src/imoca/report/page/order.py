"""In which order the figures stand on a page, the one place that says so; figures it does not name come last."""

from __future__ import annotations

from collections.abc import Iterable

from imoca.report.figure_names import FigureName

ORDER = (
    *("front", "parallel", "slices", "importance"),  # what there is, and why
    *("error", "correlation", "fidelities", "cost", "timeline"),  # how it was asked for
    *("convergence", "replay", "trust"),  # how far it is to be relied on
)


def in_order(names: Iterable[FigureName]) -> list[FigureName]:
    return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def short_title(name: FigureName) -> str:
    """For a list of contents."""
    return name.capitalize()
