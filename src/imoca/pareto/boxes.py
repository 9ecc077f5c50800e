"""The region dominated by a front, or the one it leaves to be gained, cut into disjoint boxes."""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated


def dominated_boxes(front: Array) -> tuple[Array, Array]:  # (l, K), maximised and mutually non-dominated
    """Lower and upper corners (b, K) of disjoint boxes whose union is ``{f : f <= some point of the front}``.

    The boxes are open towards minus infinity. Works through the local upper bounds of the front and their
    defining points [Lacour2017], which needs about 2l boxes for three objectives and far fewer than l^(K-1) above.
    """
    if front.shape[1] == 2:
        return _strips(front)
    return _cells(*_upper_bounds(-front))


def non_dominated_boxes(
    front: Array,  # (l, K) maximised
    reference_point: Array,  # (K,)
) -> tuple[Array, Array]:
    """Lower and upper corners (b, K) of disjoint boxes: all above the reference point that is not below the front.

    The region is above some local bound of the front as a dominated one is below some point, so it is cut in the
    same way with all signs turned: the second pass of [Yang2019]. Boxes are open towards infinity.
    """
    counting = front[(front > reference_point).all(axis=1)]
    bounds, _ = _upper_bounds(-counting)
    bounds = np.minimum(bounds, -reference_point)
    low, high = dominated_boxes(bounds[non_dominated(bounds)])
    return -high, -low


def _upper_bounds(minimised: Array) -> tuple[Array, Array]:  # (l, K) -> (b, K), (b, K, K)
    """Local upper bounds of the points, and the points that define their components."""
    n_objectives = minimised.shape[1]
    bounds = np.full((1, n_objectives), np.inf)
    # defining[m, k] is the point that fixes component k of bound m; at first the (infinite) reference point
    defining = np.full((1, n_objectives, n_objectives), -np.inf)
    defining[0, np.arange(n_objectives), np.arange(n_objectives)] = np.inf
    for point in minimised[np.lexsort(minimised.T)]:
        bounds, defining = _insert(point, bounds, defining)
    return bounds, defining


def _strips(front: Array) -> tuple[Array, Array]:
    """Two objectives: one strip per point, between its neighbour's first component and its own."""
    high = front[np.lexsort((-front[:, 1], front[:, 0]))]
    low = np.full_like(high, -np.inf)
    low[1:, 0] = high[:-1, 0]
    return low, high


def _insert(point: Array, bounds: Array, defining: Array) -> tuple[Array, Array]:
    """Replace every bound that ``point`` lies strictly below by its projections onto the point."""
    below = (point < bounds).all(axis=1)
    kept_bounds, kept_defining = [bounds[~below]], [defining[~below]]
    hit_bounds, hit_defining = bounds[below], defining[below]
    for j in range(len(point)):
        others = np.delete(hit_defining[:, :, j], j, axis=1)
        valid = (point[j] >= others.max(axis=1, initial=-np.inf)) if others.size else np.ones(len(hit_bounds), bool)
        new_bounds, new_defining = hit_bounds[valid].copy(), hit_defining[valid].copy()
        new_bounds[:, j] = point[j]
        new_defining[:, j] = point
        kept_bounds.append(new_bounds)
        kept_defining.append(new_defining)
    return np.concatenate(kept_bounds), np.concatenate(kept_defining)


def _cells(bounds: Array, defining: Array) -> tuple[Array, Array]:
    low, high = np.empty_like(bounds), bounds.copy()
    low[:, 0], high[:, 0] = defining[:, 0, 0], np.inf
    for j in range(1, bounds.shape[1]):
        low[:, j] = defining[:, :j, j].max(axis=1)
    filled = (low < high).all(axis=1)
    return -high[filled], -low[filled]
