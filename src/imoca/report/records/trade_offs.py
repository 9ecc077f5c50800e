"""Which objectives are at odds with each other along a front."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from imoca.arrays import Array
from imoca.report.records.front import ObjectiveRecord
from imoca.snapshot.recommendation import ParetoPoint

MOST_IN_MATRIX = 4  # objectives of which every pair is drawn
N_PAIRS = 6  # of more, those that are


def drawn_pairs(objectives: Sequence[ObjectiveRecord], points: Sequence[ParetoPoint]) -> list[tuple[int, int]]:
    """The few pairs of many objectives that trade off most."""
    return trading_pairs(objectives, [point for point in points if not point.is_earlier])[:N_PAIRS]


def trading_pairs(objectives: Sequence[ObjectiveRecord], points: Sequence[ParetoPoint]) -> list[tuple[int, int]]:
    """All pairs of objectives, those first whose goals are most at odds: rank correlation over the designs of a front.

    Of designs that do not differ, or one alone, in the order of the objectives.
    """
    signs = np.array([1.0 if each.goal == "maximize" else -1.0 for each in objectives])
    values = np.array([[p.known[each.name] for each in objectives] for p in points])
    pairs = list(combinations(range(len(objectives)), 2))
    if len(points) < 2:
        return pairs
    ranks = np.column_stack([_ranks(column) for column in (signs * values).T])
    spread = ranks.std(axis=0)
    centred = (ranks - ranks.mean(axis=0)) / np.where(spread > 0.0, spread, np.inf)
    correlations = centred.T @ centred / len(points)
    return sorted(pairs, key=lambda pair: (float(correlations[pair]), pair))


def _ranks(values: Array) -> Array:  # (n,)
    """Alike values share the mean of their ranks."""
    below = np.searchsorted(np.sort(values), values, side="left")
    upto = np.searchsorted(np.sort(values), values, side="right")
    return np.asarray(0.5 * (below + upto - 1.0))
