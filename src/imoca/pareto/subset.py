"""A few points that stand for a large front."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import moocore
import numpy as np

from imoca.arrays import Array, IntArray

MARGIN = 0.1  # by which the reference point lies below the front's worst values, as a share of its range
HYPERVOLUME_OBJECTIVES = 3  # with two, spread points keep as much; with more, thousands of hypervolumes take seconds


def representative_subset(values: Array, size: int) -> IntArray:  # (n, K) maximised -> (<= size,)
    """At most ``size`` points that keep nearly as much of the front's hypervolume as so many points can."""
    if len(values) <= size:
        return np.arange(len(values))
    if values.shape[1] == HYPERVOLUME_OBJECTIVES:
        return hypervolume_subset(values, size)
    return spread_subset(values, size)


def hypervolume_subset(values: Array, size: int) -> IntArray:
    """Greedy: always the point that adds most hypervolume, at least 63 % of the best subset's.

    Lazy, because what a point adds only shrinks as others are chosen: a point whose old bound is below
    another's fresh value need not be looked at.
    """
    scaled = _scaled(values)
    reference = np.full(values.shape[1], -MARGIN)
    bounds = [(-float(np.prod(point - reference)), i) for i, point in enumerate(scaled)]
    heapq.heapify(bounds)
    kept: list[int] = []
    total = 0.0
    while len(kept) < size:
        _, i = heapq.heappop(bounds)
        added = float(moocore.hypervolume(scaled[[*kept, i]], ref=reference, maximise=True)) - total
        if not bounds or added >= -bounds[0][0]:
            kept.append(i)
            total += added
        else:
            heapq.heappush(bounds, (-added, i))
    return np.array(kept)


def spread_subset(
    values: Array,  # (n, K)
    size: int,
    first: Sequence[int] | None = None,  # rows to start from, the per-objective maxima unless given
) -> IntArray:  # (<= size,)
    """The first rows, then always the point farthest from all kept."""
    columns = np.ascontiguousarray(_scaled(values).T)  # sums over a few long rows are thrice as fast as over short ones
    apart, distance = np.empty_like(columns), np.full(len(values), np.inf)  # made once: this is done thousands of times
    size = min(size, len(values))
    kept = list(dict.fromkeys(np.argmax(columns, axis=1).tolist() if first is None else first))[:size]
    for n in range(size):
        if n == len(kept):
            kept.append(int(distance.argmax()))
        np.subtract(columns, columns[:, kept[n], None], out=apart)
        np.minimum(distance, np.add.reduce(np.square(apart, out=apart), axis=0), out=distance)
    return np.array(kept)


def _scaled(values: Array) -> Array:  # (n, K) in [0, 1]
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    return (values - low) / np.where(span > 0.0, span, 1.0)
