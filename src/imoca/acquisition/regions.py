"""Gaussian moments restricted to the regions that sampled fronts dominate: by boxes, or by quasi-Monte Carlo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from imoca.acquisition.front_gain import DominatedRegions
from imoca.arrays import Array, IntArray
from imoca.pareto.boxes import dominated_boxes
from imoca.sobol import sobol_sequence

MAX_BOX_OBJECTIVES = 4  # beyond, the number of boxes explodes
N_DRAWS = 128  # quasi-Monte Carlo draws per design; a power of two keeps the Sobol set balanced
EDGE_LIMIT = 40.0  # standard deviations beyond which an edge is as good as infinite
MASS_FLOOR = 1e-290  # probability of a region so far below the mean that it underflows
SQRT_2PI = float(np.sqrt(2.0 * np.pi))


def dominated_regions(fronts: Sequence[Array], rng: np.random.Generator) -> DominatedRegions:
    """The regions below S fronts, each (l_s, K) and maximised."""
    n_objectives = fronts[0].shape[1]
    if n_objectives <= MAX_BOX_OBJECTIVES:
        return BoxRegions.below(fronts)
    uniform = sobol_sequence(n_objectives, rng).random(N_DRAWS)
    return SampledRegions.below(fronts, ndtri(np.clip(uniform, 1e-9, 1.0 - 1e-9)))


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
        n_boxes = max(len(lower) for lower, _ in corners)
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
        cumulative = [cdf, -pdf, cdf - t * pdf]
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
    """The same moments by quasi-Monte Carlo on common normal draws, for any number of objectives.

    Which draws lie below a point in one objective depends only on how many do; so they are looked up as a row of bits,
    and a point's rows are joined by "and", a front's points by "or".
    """

    fronts: Array  # (S, l, K), shorter fronts padded with -inf
    draws: Array  # (Q, K) standard normal
    below_rank: NDArray[np.uint8]  # (K, Q + 1, Q / 8) bits of the r smallest draws of each objective, r = 0..Q

    @staticmethod
    def below(fronts: Sequence[Array], draws: Array) -> SampledRegions:
        padded = np.full((len(fronts), max(map(len, fronts)), draws.shape[1]), -np.inf)
        for s, front in enumerate(fronts):
            padded[s, : len(front)] = front
        ranks = np.argsort(np.argsort(draws, axis=0), axis=0)  # (Q, K)
        is_below = ranks.T[:, None, :] < np.arange(len(draws) + 1)[:, None]  # (K, Q + 1, Q)
        return SampledRegions(padded, draws, np.packbits(is_below, axis=-1))

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        weights = self._weights(mean, std)  # (n, S, Q)
        return np.stack([weights @ self.draws, weights @ self.draws**2])

    def pair_moments(self, mean: Array, std: Array) -> Array:
        weights = self._weights(mean, std)
        powers = np.stack([np.ones_like(self.draws), self.draws, self.draws**2])
        return np.einsum("nsq,aqj,bqk->abnsjk", weights, powers, powers, optimize=True)

    def _weights(self, mean: Array, std: Array) -> Array:
        """Weight of each draw given each region: equal among the draws inside, over all draws if none is."""
        edges = (self.fronts - mean[:, None, None, :]) / std[:, None, None, :]  # (n, S, l, K)
        bits = np.uint8(255)
        for k, column in enumerate(np.sort(self.draws, axis=0).T):
            bits = bits & self.below_rank[k][np.searchsorted(column, edges[..., k], side="right")]
        joined = np.bitwise_or.reduce(bits, axis=2)  # (n, S, Q / 8)
        inside = np.unpackbits(joined, axis=-1, count=len(self.draws)).astype(np.float64)
        count = inside.sum(axis=-1, keepdims=True)
        return np.where(count > 0, inside / np.maximum(count, 1.0), 1.0 / len(self.draws))
