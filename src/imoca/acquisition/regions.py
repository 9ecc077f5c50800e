"""Gaussian moments restricted to the regions that sampled fronts dominate: by boxes, or by quasi-Monte Carlo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from imoca.acquisition.feasible_regions import MeasuredRegions
from imoca.arrays import Array, IntArray
from imoca.pareto.boxes import dominated_boxes
from imoca.sobol import sobol_sequence

MAX_BOX_OBJECTIVES = 4  # beyond, the number of boxes explodes
N_DRAWS = 256  # quasi-Monte Carlo draws common to all designs; a power of two keeps the Sobol set balanced
N_OWN_DRAWS = 64  # of a region in which few of them lie
N_ENOUGH = 64  # common draws inside that need no help
NODES_PER_DEVIATION = 128  # of the grid; a shift by half a cell is far below what so many draws can tell
N_NODES = 512  # either way, four standard deviations; the outermost stand for all beyond
MAX_EDGES = 200_000  # designs are looked at in chunks with no more distances to front points
FARTHEST_EDGE = 1e3  # standard deviations to a front point; beyond, the square of a draw hides its variance
UNIFORM_MARGIN = 1e-9  # Sobol points may be 0, whose normal draw is infinite
EDGE_LIMIT = 40.0  # standard deviations beyond which an edge is as good as infinite
MASS_FLOOR = 1e-290  # probability of a region so far below the mean that it underflows
SQRT_2PI = float(np.sqrt(2.0 * np.pi))


def dominated_regions(fronts: Sequence[Array], rng: np.random.Generator) -> MeasuredRegions:
    """The regions below S fronts, each (l_s, K) and maximised; below one without points there is nothing."""
    if fronts[0].shape[1] <= MAX_BOX_OBJECTIVES:
        return BoxRegions.below(fronts)
    return sampled_regions(fronts, rng)


def sampled_regions(fronts: Sequence[Array], rng: np.random.Generator) -> SampledRegions:
    n_objectives = fronts[0].shape[1]
    common, own = (
        np.clip(sobol_sequence(columns, rng).random(n), UNIFORM_MARGIN, 1.0 - UNIFORM_MARGIN)
        for columns, n in ((n_objectives, N_DRAWS), (1 + n_objectives, N_OWN_DRAWS))
    )
    draws = ndtri(common)
    # Exactly standard: what dominates everything then tells exactly nothing.
    return SampledRegions.below(fronts, (draws - draws.mean(axis=0)) / draws.std(axis=0), own)


@dataclass(frozen=True)
class BoxRegions:
    """Exact moments: over a box they are products of one-dimensional truncated ones.

    A front of l points has only l distinct edges per objective, however many boxes; the normal distribution
    function is evaluated at the edges and looked up by the boxes.
    """

    edges: Array  # (S, K, E) sorted, -inf first, padded with the last
    low: IntArray  # (S, B, K) index of each box's lower edge; padding boxes are empty: low == high
    high: IntArray  # (S, B, K)

    @staticmethod
    def below(fronts: Sequence[Array]) -> BoxRegions:
        n_objectives = fronts[0].shape[1]
        corners = [dominated_boxes(front) for front in fronts]
        n_edges = 1 + max(len(front) for front in fronts)
        n_boxes = max(1, *(len(lower) for lower, _ in corners))
        edges = np.full((len(fronts), n_objectives, n_edges), -np.inf)
        low = np.zeros((len(fronts), n_boxes, n_objectives), dtype=np.int64)
        high = np.zeros_like(low)
        for s, (front, (lower, upper)) in enumerate(zip(fronts, corners, strict=True)):
            for k in range(n_objectives):
                edges[s, k, 1 : len(front) + 1] = np.sort(front[:, k])
                edges[s, k, len(front) + 1 :] = edges[s, k, len(front)]
                low[s, : len(lower), k] = np.searchsorted(edges[s, k, : len(front) + 1], lower[:, k])
                high[s, : len(upper), k] = np.searchsorted(edges[s, k, : len(front) + 1], upper[:, k])
        return BoxRegions(edges, low, high)

    def masses(self, mean: Array, std: Array) -> Array:
        boxes = self._box_moments(mean, std, highest=0)
        return np.minimum(_product_without(boxes[0], set()).sum(axis=-1), 1.0)

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        boxes = self._box_moments(mean, std, highest=2)  # (3, K, n, S, B)
        mass = _mass(boxes)
        answer = np.empty((2, *mass.shape, mean.shape[1]))
        for j in range(mean.shape[1]):
            answer[..., j] = np.einsum("ansb,nsb->ans", boxes[1:, j], _product_without(boxes[0], {j}))
        return answer / mass[..., None]

    def pair_moments(self, mean: Array, std: Array) -> Array:
        boxes = self._box_moments(mean, std, highest=4)
        n_objectives = mean.shape[1]
        mass = _mass(boxes)
        answer = np.empty((3, 3, *mass.shape, n_objectives, n_objectives))
        for j in range(n_objectives):
            alone = np.einsum("ansb,nsb->ans", boxes[:, j], _product_without(boxes[0], {j}))
            for a, b in np.ndindex(3, 3):
                answer[a, b, ..., j, j] = alone[a + b]
            for k in range(j):
                others = _product_without(boxes[0], {j, k})
                pair = (boxes[:3, None, j] * (boxes[None, :3, k] * others)).sum(axis=-1)
                answer[..., j, k] = pair
                answer[..., k, j] = pair.swapaxes(0, 1)
        return answer / mass[..., None, None]

    def _box_moments(self, mean: Array, std: Array, highest: int) -> Array:
        """Integrals of u^a phi(u) over each box's interval: (highest + 1, K, n, S, B)."""
        edges = self.edges.swapaxes(0, 1)[:, None]  # (K, 1, S, E)
        t = (edges - mean.T[:, :, None, None]) / std.T[:, :, None, None]  # (K, n, S, E)
        t = np.clip(t, -EDGE_LIMIT, EDGE_LIMIT)
        cdf, pdf = ndtr(t), np.exp(-0.5 * t * t) / SQRT_2PI
        cumulative = [cdf, -pdf, cdf - t * pdf][: highest + 1]
        if highest > 2:
            cumulative += [-(t * t + 2.0) * pdf, 3.0 * cdf - (t * t + 3.0) * t * pdf]
        n_edges = self.edges.shape[2]
        flat = np.stack(cumulative).reshape(highest + 1, *t.shape[:2], -1)  # (A, K, n, S * E)
        of_front = n_edges * np.arange(len(self.edges))[:, None]
        boxes = [
            np.take(flat[:, k], of_front + self.high[:, :, k], axis=-1)
            - np.take(flat[:, k], of_front + self.low[:, :, k], axis=-1)
            for k in range(mean.shape[1])
        ]
        return np.stack(boxes, axis=1)


def _product_without(masses: Array, left_out: set[int]) -> Array:  # (K, ...) -> (...)
    kept = [masses[k] for k in range(len(masses)) if k not in left_out]
    return reduce(np.multiply, kept) if kept else np.ones(masses.shape[1:])


def _mass(boxes: Array) -> Array:  # (n, S)
    return np.maximum(_product_without(boxes[0], set()).sum(axis=-1), MASS_FLOOR)


@dataclass(frozen=True)
class SampledRegions:
    """The same moments by quasi-Monte Carlo, for any number of objectives.

    Common normal draws serve all designs. Which of them lie below a point in one objective is looked up as a row of
    bits, the point's distance rounded to a fine grid; a point's rows are joined by "and", a front's points by "or".
    Where few lie in a region, draws of its own are added and count as much as they are worth.
    """

    fronts: Array  # (S, l, K), shorter fronts padded with -inf
    draws: Array  # (Q, K) standard normal
    uniform: Array  # (R, 1 + K) in (0, 1): which point of a front an own draw is taken below, and where below it
    below_node: NDArray[np.uint8]  # (K, 2 N_NODES + 1, Q / 8) bits of the draws below each node of the grid

    @staticmethod
    def below(fronts: Sequence[Array], draws: Array, uniform: Array) -> SampledRegions:
        padded = np.full((len(fronts), max(1, *map(len, fronts)), draws.shape[1]), -np.inf)
        for s, front in enumerate(fronts):
            padded[s, : len(front)] = front
        nodes = np.arange(-N_NODES, N_NODES + 1) / NODES_PER_DEVIATION
        nodes[[0, -1]] = -np.inf, np.inf
        is_below = draws.T[:, None, :] <= nodes[:, None]  # (K, 2 N_NODES + 1, Q)
        return SampledRegions(padded, draws, uniform, np.packbits(is_below, axis=-1))

    def masses(self, mean: Array, std: Array) -> Array:
        parts = []
        for edges in self._edges(mean, std):
            count = self._inside(edges).sum(axis=-1)
            mass, is_rare = count / len(self.draws), count < N_ENOUGH
            own = _mass_below(edges[is_rare], self.uniform)
            known = count[is_rare] / N_ENOUGH
            mass[is_rare] = known * mass[is_rare] + (1.0 - known) * own
            parts.append(mass)
        return np.concatenate(parts)

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        moments = self._expectations(mean, std, lambda u: np.concatenate([u, u**2], axis=-1))
        return np.stack(np.split(moments, 2, axis=-1))

    def pair_moments(self, mean: Array, std: Array) -> Array:
        n_objectives = mean.shape[1]
        moments = self._expectations(mean, std, _products_of_powers)
        by_power = moments.reshape(*moments.shape[:2], 3, n_objectives, 3, n_objectives)
        return by_power.transpose(2, 4, 0, 1, 3, 5)

    def _expectations(self, mean: Array, std: Array, features: Callable[[Array], Array]) -> Array:
        """Of features of the standardised objectives, (..., K) -> (..., F), given each region: (n, S, F)."""
        of_draws = features(self.draws)
        parts = []
        for edges in self._edges(mean, std):
            inside = self._inside(edges)
            count = inside.sum(axis=-1)  # (n, S)
            total = inside @ of_draws
            is_rare = count < N_ENOUGH
            own, weights = _draws_below(edges[is_rare], self.uniform)
            worth = (1.0 - count[is_rare] / N_ENOUGH) / (weights**2).sum(axis=-1)
            count[is_rare] += worth
            total[is_rare] += worth[:, None] * (weights[:, None, :] @ features(own))[:, 0]
            parts.append(total / count[..., None])
        return np.concatenate(parts)

    def _edges(self, mean: Array, std: Array) -> Iterator[Array]:  # (n, S, l, K) each
        """Distances from the means to the front points in standard deviations, in chunks of designs."""
        chunk = max(1, MAX_EDGES // self.fronts.size)
        for i in range(0, len(mean), chunk):
            rows = slice(i, i + chunk)
            yield (self.fronts - mean[rows, None, None, :]) / std[rows, None, None, :]

    def _inside(self, edges: Array) -> Array:  # (n, S, l, K) -> (n, S, Q)
        """1 for each common draw that lies below some point of the front, otherwise 0."""
        bits = np.full(1, 255, dtype=np.uint8)
        for k, rows in enumerate(self.below_node):
            node = np.clip(np.rint(edges[..., k] * NODES_PER_DEVIATION), -N_NODES, N_NODES)
            bits = bits & np.take(rows, node.astype(np.int64) + N_NODES, axis=0)  # (n, S, l, Q / 8)
        joined = np.bitwise_or.reduce(bits, axis=2)  # (n, S, Q / 8)
        return np.unpackbits(joined, axis=-1, count=len(self.draws)).astype(np.float64)


def _products_of_powers(u: Array) -> Array:  # (..., K) -> (..., 3 K * 3 K)
    powers = np.concatenate([np.ones_like(u), u, u**2], axis=-1)
    return (powers[..., :, None] * powers[..., None, :]).reshape(*u.shape[:-1], powers.shape[-1] ** 2)


def _draws_below(
    edges: Array,  # (m, l, K) of the fronts, standardised
    uniform: Array,  # (R, 1 + K)
) -> tuple[Array, Array]:  # (m, R, K), (m, R)
    """Normal draws restricted to each union of lower orthants, with their weights, however improbable it is.

    As [Karp1989] counts a union: an orthant is chosen by its probability, which is a product, and a draw is taken
    from it; what c of the orthants contain is met c times as often, and weighs 1 / c.
    """
    draws, weights = _weighed_draws_below(edges, uniform)
    return draws, weights / weights.sum(axis=-1, keepdims=True)


def _mass_below(edges: Array, uniform: Array) -> Array:  # (m,)
    """The probability of each union: that of its orthants one by one, times the mean weight of such draws."""
    log_mass = log_ndtr(np.clip(edges, -FARTHEST_EDGE, FARTHEST_EDGE)).sum(axis=-1)
    return np.exp(log_mass).sum(axis=-1) * _weighed_draws_below(edges, uniform)[1].mean(axis=-1)


def _weighed_draws_below(edges: Array, uniform: Array) -> tuple[Array, Array]:  # (m, R, K), (m, R)
    log_cdf = log_ndtr(np.clip(edges, -FARTHEST_EDGE, FARTHEST_EDGE))
    log_mass = log_cdf.sum(axis=-1)  # (m, l)
    cumulative = np.cumsum(np.exp(log_mass - log_mass.max(axis=-1, keepdims=True)), axis=-1)
    thresholds = uniform[:, 0] * cumulative[:, -1:]  # (m, R)
    chosen = (cumulative[:, None, :] < thresholds[:, :, None]).sum(axis=-1)
    bounds = np.take_along_axis(log_cdf, chosen[..., None], axis=1)  # (m, R, K)
    draws = ndtri_exp(np.log(uniform[:, 1:]) + bounds)
    is_below = np.ones((*chosen.shape, edges.shape[1]), dtype=np.bool_)
    for k in range(edges.shape[2]):
        is_below &= draws[:, :, None, k] <= edges[:, None, :, k]
    return draws, 1.0 / np.maximum(is_below.sum(axis=-1), 1)  # rounding may put a draw outside its own orthant
