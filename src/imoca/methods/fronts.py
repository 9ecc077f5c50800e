"""Pareto fronts of functions drawn from the beliefs: whole, or only their per-objective maxima."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from imoca.acquisition.gain import observation_variance
from imoca.acquisition.maximise import climb
from imoca.acquisition.regions import MAX_BOX_OBJECTIVES
from imoca.arrays import Array, IntArray
from imoca.methods.beliefs import LOG_LIKELY_FEASIBLE, Beliefs
from imoca.methods.candidates import candidate_designs
from imoca.methods.initial_design import sobol_designs
from imoca.models.failure import Running
from imoca.models.limit import Limit
from imoca.models.paths import Draws, Paths, draw_paths
from imoca.pareto.search import Front, SearchEffort, search_fronts
from imoca.problem.space import SearchSpace

N_INCUMBENTS = 256  # designs already asked about from which searches start, the best of each objective
N_SEARCH_DESIGNS = 512  # Sobol designs at which every draw is evaluated first
PENALTY = 10.0  # deviations of a drawn objective that one of a violated constraint costs while its maximum is climbed
CLEARANCE = 5.0  # observation standard deviations by which a sampled maximum exceeds the best known mean
BOXED_FRONT_SIZE = 50  # points per front when it is cut into boxes
SHARE_BELOW = 0.9  # of the values of a draw that lie below its lifted front
SMALLEST_SPREAD = 1e-12  # of a draw that is constant, in deviations of the observations
EFFORT = SearchEffort(size=200, n_generations=3, n_children=300)  # for one question among many


def sample_paths(beliefs: Beliefs, n_fronts: int, rng: np.random.Generator) -> list[Paths]:
    """Of the objectives, then of the constraints, whose random numbers are their own and change no others."""
    of_objectives = [draw_paths(surrogate, n_fronts, rng) for surrogate in beliefs.surrogates]
    # Not rng.spawn, which counts: a Sobol sequence scrambled afterwards would be another.
    seed = int(deepcopy(rng).integers(2**63))
    streams = [np.random.default_rng([seed, i]) for i in range(len(beliefs.limits))]
    of_constraints = zip(beliefs.limits, streams, strict=True)
    return [*of_objectives, *(draw_paths(limit.surrogate, n_fronts, stream) for limit, stream in of_constraints)]


def sample_maxima(
    beliefs: Beliefs, paths: Sequence[Paths], rng: np.random.Generator
) -> tuple[Array, Array]:  # (S, K), (S * K, d)
    """The maximum of every draw, and where it lies; of a draw without any feasible design minus infinity.

    Exact shortcut for the methods that use only f_s^{j*}, the largest component j on the front of draw s: the
    maximiser of a component is itself non-dominated, so no multi-objective search is needed.
    """
    known = incumbents(beliefs)
    starts = np.concatenate([sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), known])
    known = known[beliefs.are_likely_feasible(known)]
    drawn = DrawnLimits.of(beliefs, paths)
    starts = np.concatenate([starts, drawn.approached(starts, paths[0].n_paths, beliefs.problem.space)])
    maxima, designs = [], []
    for surrogate, draws in zip(beliefs.surrogates, paths, strict=False):
        floor = maximum_floor(surrogate.mean_at_target(known), surrogate.noise_at_target)
        values, x = maxima_of(draws, starts, floor, beliefs.problem.space, drawn)
        maxima.append(values)
        designs.append(x)
    return np.column_stack(maxima), np.concatenate(designs)


def maximum_floor(known_means: Array, noise_variance: float) -> Array:  # (n, ...) -> (...)
    """No sampled maximum may lie below, or indistinguishably at, what is already believed reached.

    A search may have stopped early, and a known design exactly at the maximum would look informative for ever.
    """
    return known_means.max(axis=0, initial=-np.inf) + CLEARANCE * np.sqrt(observation_variance(noise_variance))


@dataclass(frozen=True)
class DrawnLimits:
    """Constraints with S drawn functions each; a design that is more likely to fail than to run violates them all."""

    limits: tuple[Limit, ...]
    paths: tuple[Draws, ...]
    running: Running | None = None

    @staticmethod
    def of(beliefs: Beliefs, paths: Sequence[Paths]) -> DrawnLimits:
        return DrawnLimits(beliefs.limits, tuple(paths[len(beliefs.surrogates) :]), beliefs.running)

    @property
    def are_none(self) -> bool:
        return not self.limits and self.running is None

    def violation(self, x: Array, n_paths: int) -> Array:  # (n, d) -> (n, S)
        pairs = zip(self.limits, self.paths, strict=True)
        outside = sum((limit.violation(draws(x)) for limit, draws in pairs), start=np.zeros((len(x), n_paths)))
        if self.running is not None:
            outside = outside + np.maximum(0.0, LOG_LIKELY_FEASIBLE - self.running.log_probability(x))[:, None]
        return outside

    def approached(self, starts: Array, n_paths: int, space: SearchSpace) -> Array:  # (n, d) -> (m, d)
        """For every draw without a feasible start where its violation is least, climbed to; perhaps it is none."""
        outside = self.violation(starts, n_paths)
        lost = np.flatnonzero((outside > 0.0).all(axis=0))
        if not len(lost):
            return starts[:0]

        def nearer(x: Array) -> tuple[Array, Array]:
            too_far, slope = self.own_violation(x, lost)
            return -too_far, -slope

        return climb(nearer, starts[np.argmin(outside[:, lost], axis=0)], space)[0]

    def own_violation(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        """Value (n,) and gradient (n, d) for one draw per design, as ``Draws.own_values``."""
        total, gradient = np.zeros(len(x)), np.zeros_like(x)
        for limit, draws in zip(self.limits, self.paths, strict=True):
            values, slope = draws.own_values(x, path)
            total += limit.violation(values)
            gradient += slope * (1.0 * (values > limit.high) - 1.0 * (values < limit.low))[:, None]
        if self.running is not None:
            probability, slope = self.running(x)
            missing = LOG_LIKELY_FEASIBLE - np.log(probability)
            total += np.maximum(0.0, missing)
            gradient -= np.where(missing > 0.0, 1.0 / probability, 0.0)[:, None] * slope
        return total, gradient


UNLIMITED = DrawnLimits((), ())


def maxima_of(
    draws: Draws, starts: Array, floor: Array, space: SearchSpace, drawn: DrawnLimits = UNLIMITED
) -> tuple[Array, Array]:  # (S,), (S, d)
    """The maximum of each of S drawn functions, at least ``floor``, and where it lies.

    Of feasible designs alone: minus infinity, and where the violation is least, of a draw that has none.
    """
    outside, each = drawn.violation(starts, draws.n_paths), np.arange(draws.n_paths)
    values = np.where(outside > 0.0, -np.inf, draws(starts))
    has_feasible = (outside == 0.0).any(axis=0)
    rows = np.where(has_feasible, np.argmax(values, axis=0), np.argmin(outside, axis=0))

    def penalised(x: Array) -> tuple[Array, Array]:
        value, gradient = draws.own_values(x, each)
        too_far, slope = drawn.own_violation(x, each)
        return value - PENALTY * too_far, gradient - PENALTY * slope

    x, climbed = climb(penalised, starts[rows], space)
    is_lost = ~has_feasible | (drawn.own_violation(x, each)[0] > 0.0)
    x[is_lost], climbed[is_lost] = starts[rows][is_lost], values[rows, each][is_lost]
    return np.where(has_feasible, np.maximum(climbed, floor), -np.inf), x


def predicted_front(beliefs: Beliefs, rng: np.random.Generator) -> Front:
    """The front of the posterior means."""
    starts = np.concatenate([sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), incumbents(beliefs)])
    return front_of_means(beliefs, beliefs.lacking, starts, EFFORT, rng)


def front_of_means(
    beliefs: Beliefs,
    lacking: Callable[[Array], Array],  # (n, d) -> (n,), 0 of designs that may be on it
    starts: Array,
    effort: SearchEffort,
    rng: np.random.Generator,
) -> Front:
    """Of the posterior means at full accuracy, where nothing is lacking."""

    def missing(x: Array) -> Array:  # (n, 1)
        return lacking(x)[:, None]

    (front,) = search_fronts(
        lambda x: beliefs.means_at_target(x)[:, None, :],
        beliefs.problem.space,
        starts,
        effort,
        rng,
        missing if beliefs.is_constrained else None,
    )
    return front


def sample_fronts(beliefs: Beliefs, paths: Sequence[Paths], extremes: Array, rng: np.random.Generator) -> list[Front]:
    """The whole feasible front of every draw; ``extremes`` (m, d) are designs known to lie on some of them."""
    objectives, drawn = paths[: len(beliefs.surrogates)], DrawnLimits.of(beliefs, paths)
    starts = [sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), incumbents(beliefs), extremes]
    fronts = search_fronts(
        lambda x: np.stack([draws(x) for draws in objectives], axis=2),
        beliefs.problem.space,
        np.concatenate(starts),
        EFFORT,
        rng,
        None if drawn.are_none else (lambda x: drawn.violation(x, paths[0].n_paths)),
    )
    # Draws are compared with hundreds of points as fast as with fifty, and a front of many objectives needs them.
    return [front.thinned(BOXED_FRONT_SIZE) for front in fronts] if len(objectives) <= MAX_BOX_OBJECTIVES else fronts


def lifted_fronts(
    beliefs: Beliefs, paths: Sequence[Paths], fronts: Sequence[Front], rng: np.random.Generator
) -> list[Array]:
    """The values of the fronts, each moved up until most values of its own draw lie below it.

    Of a front of many objectives a few hundred points are known, and most of what it dominates lies below none of
    them; a region without it would promise information that no answer brings. All points of a front move by the same
    share of each objective's spread.
    """
    objectives, drawn = paths[: len(beliefs.surrogates)], DrawnLimits.of(beliefs, paths)
    if len(objectives) <= MAX_BOX_OBJECTIVES:
        return [front.values for front in fronts]
    probes = candidate_designs(beliefs.problem, np.concatenate([front.near for front in fronts]), beliefs.n_data, rng)
    values = np.stack([draws(probes) for draws in objectives], axis=2)  # (n, S, K)
    is_feasible = drawn.violation(probes, values.shape[1]) == 0.0  # (n, S)
    return [front.values + _lift(values[is_feasible[:, s], s], front.values) for s, front in enumerate(fronts)]


def _lift(values: Array, front: Array) -> Array:  # (n, K), (l, K) -> (K,)
    """The least that puts the wanted share of the values below the front, in equal shares of each one's deviation."""
    if not len(values) or not len(front):
        return np.zeros(front.shape[1])
    spread = np.maximum(values.std(axis=0), SMALLEST_SPREAD)
    missing = np.full((len(values), len(front)), -np.inf)  # deviations by which each point is too low for each value
    for value, point, deviation in zip(values.T, front.T, spread, strict=True):
        np.maximum(missing, (value[:, None] - point) / deviation, out=missing)
    return max(0.0, float(np.quantile(missing.min(axis=1), SHARE_BELOW))) * spread


def incumbents(beliefs: Beliefs) -> Array:  # (m, d)
    """The designs asked about so far; of very many the likely feasible with the best means at full accuracy."""
    asked = np.unique(np.concatenate([surrogate.x for surrogate in beliefs.modelled]), axis=0)
    if len(asked) <= N_INCUMBENTS:
        return asked
    share = -(-N_INCUMBENTS // len(beliefs.surrogates))
    means = np.where(beliefs.are_likely_feasible(asked)[:, None], beliefs.means_at_target(asked), -np.inf)
    best = np.argsort(-means, axis=0)[:share]
    return asked[np.unique(best)]
