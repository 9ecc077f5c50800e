"""Which parameters matter, and for which outputs: those to be shown where there are many."""

from __future__ import annotations

from collections.abc import Sequence

from imoca.snapshot.importance import Importance
from imoca.snapshot.snapshot import Snapshot

MOST_SHOWN = 12  # parameters in a figure
FEW_ANSWERS = 10  # below which a model mostly repeats what it assumed


def importance_records(snapshot: Snapshot) -> tuple[Importance, ...]:
    """Per modelled output, objectives first."""
    return snapshot.importance


def largest_totals(records: Sequence[Importance]) -> list[float]:
    """Per parameter, over the outputs; 0 where nothing varies."""
    totals = [[0.0 if share.value != share.value else share.value for share in record.total] for record in records]
    return [max(column) for column in zip(*totals, strict=True)]


def most_important(records: Sequence[Importance], n: int) -> list[int]:
    """Positions of the parameters with the largest share in any output, the most important first."""
    largest = largest_totals(records)
    return sorted(range(len(largest)), key=lambda i: (-largest[i], i))[:n]
