"""Gains where constraints may forbid a design, or a run of it may fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.acquisition.feasible_regions import FeasibleRegions, MeasuredRegions
from imoca.acquisition.fractional import picked
from imoca.acquisition.front_gain import FrontGain, RunProbability, target_moments
from imoca.acquisition.gain import Gain
from imoca.acquisition.regions import BoxRegions
from imoca.acquisition.skew_gain import SkewGain
from imoca.acquisition.truncated_gain import TruncatedGain
from imoca.arrays import Array, IntArray
from imoca.models.gp import Moments, Partials

UNREACHED = 1e6  # deviations above which an objective of a draw without any feasible design is bounded: not at all


def feasible_front_gain(
    regions: MeasuredRegions,  # below the sampled feasible fronts
    low: Array,  # (C,) bounds of the constraints, whose moments follow those of the objectives
    high: Array,  # (C,)
    running: RunProbability | None = None,
) -> FrontGain:
    """iMOCA-P of objectives and constraints; without either it is that of the objectives alone."""
    if running is not None:
        low, high = np.append(low, 0.0), np.append(high, np.inf)
    return FrontGain(FeasibleRegions(regions, low, high) if len(low) else regions, running)


def feasible_bound_gain(
    kind: type[TruncatedGain] | type[SkewGain],
    front_maxima: Array,  # (S, K) of feasible designs; minus infinity where a draw has none
    low: Array,  # (C,)
    high: Array,  # (C,)
    running: RunProbability | None = None,
) -> Gain:
    """iMOCA-T or -E of objectives and constraints; without either it is that of the objectives alone."""
    if running is not None:
        low, high = np.append(low, 0.0), np.append(high, np.inf)
    if not len(low):
        return kind(front_maxima)
    points = [maxima[None][np.isfinite(maxima[:1])] for maxima in front_maxima]
    bounded = kind(np.where(np.isfinite(front_maxima), front_maxima, UNREACHED))
    regions = FeasibleRegions(BoxRegions.below(points), low, high)
    return FeasibleBoundGain(bounded, regions, front_maxima.shape[1], running)


@dataclass(frozen=True)
class FeasibleBoundGain:
    """T or E of the objectives, and what is learned of the constraints.

    An objective is bounded by its sampled maximum only if the design is feasible: given whether it is, the gain is
    that of T or E with the probability p of being feasible, and otherwise none. A constraint lies outside its bounds or
    all objectives lie below their maxima, a region as that below a front is.
    """

    bounded: Gain  # of the objectives alone
    regions: FeasibleRegions  # of objectives and constraints, below the one point of all maxima
    n_objectives: int
    running: RunProbability | None = None

    @property
    def _of_constraints(self) -> FrontGain:
        return FrontGain(self.regions, self.running, first_counted=self.n_objectives)

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        mean, std, _ = target_moments(moments, self.running)
        probability = self.regions.within(mean, std).every.probability
        of_objectives = self.bounded.values(moments[: self.n_objectives])
        of_constraints = self._of_constraints.values(moments)[self.n_objectives :]
        return [*(probability[:, None] * each for each in of_objectives), *of_constraints]

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        first = self.n_objectives
        mean, std, mean_by_design = target_moments(moments, self.running)
        within = self.regions.within(mean, std)
        of_objectives = enumerate(self.bounded.values(moments[:first]))
        total: Array = np.sum([weights[:, j] * picked(each, chosen[j]) for j, each in of_objectives], axis=0)
        answer = self._of_constraints.partials(moments, chosen, weights)
        for j, each in enumerate(self.bounded.partials(moments[:first], chosen[:first], weights[:, :first])):
            answer[j] = answer[j].plus(each.times(within.every.probability))
        zeros = np.zeros_like(total)
        for i in range(len(self.regions.low)):
            # The derivative of the mass inside is the expectation of the score there, as of any weighted Gaussian.
            scale = total * within.all_but(i).probability / std[:, first + i]
            by_mean = scale * within.inside[1, i]
            by_var = scale * (within.inside[2, i] - within.inside[0, i]) / (2.0 * std[:, first + i])
            if first + i < len(moments):
                answer[first + i] = answer[first + i].plus(Partials(zeros, zeros, by_mean, by_var, zeros))
            elif mean_by_design is not None:
                by_design = by_mean[:, None] * mean_by_design
                answer[0] = answer[0].plus(Partials(zeros, zeros, zeros, zeros, zeros, by_design))
        return answer
