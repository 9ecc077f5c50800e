"""Pareto fronts of functions drawn from the beliefs: whole, or only their per-objective maxima."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imoca.acquisition.gain import observation_variance
from imoca.acquisition.maximise import climb
from imoca.acquisition.regions import MAX_BOX_OBJECTIVES
from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs
from imoca.methods.candidates import candidate_designs
from imoca.methods.initial_design import sobol_designs
from imoca.models.paths import Draws, Paths, draw_paths
from imoca.pareto.search import Front, SearchEffort, search_fronts
from imoca.problem.space import SearchSpace

N_INCUMBENTS = 256  # designs already asked about from which searches start, the best of each objective
N_SEARCH_DESIGNS = 512  # Sobol designs at which every draw is evaluated first
CLEARANCE = 5.0  # observation standard deviations by which a sampled maximum exceeds the best known mean
BOXED_FRONT_SIZE = 50  # points per front when it is cut into boxes
SHARE_BELOW = 0.9  # of the values of a draw that lie below its lifted front
SMALLEST_SPREAD = 1e-12  # of a draw that is constant, in deviations of the observations
EFFORT = SearchEffort(size=200, n_generations=3, n_children=300)  # for one question among many


def sample_paths(beliefs: Beliefs, n_fronts: int, rng: np.random.Generator) -> list[Paths]:
    return [draw_paths(surrogate, n_fronts, rng) for surrogate in beliefs.surrogates]


def sample_maxima(
    beliefs: Beliefs, paths: Sequence[Paths], rng: np.random.Generator
) -> tuple[Array, Array]:  # (S, K), (S * K, d)
    """The maximum of every draw, and where it lies.

    Exact shortcut for the methods that use only f_s^{j*}, the largest component j on the front of draw s: the
    maximiser of a component is itself non-dominated, so no multi-objective search is needed.
    """
    known = incumbents(beliefs)
    starts = np.concatenate([sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), known])
    maxima, designs = [], []
    for surrogate, draws in zip(beliefs.surrogates, paths, strict=True):
        floor = maximum_floor(surrogate.mean_at_target(known), surrogate.noise_at_target)
        values, x = maxima_of(draws, starts, floor, beliefs.problem.space)
        maxima.append(values)
        designs.append(x)
    return np.column_stack(maxima), np.concatenate(designs)


def maximum_floor(known_means: Array, noise_variance: float) -> Array:  # (n, ...) -> (...)
    """No sampled maximum may lie below, or indistinguishably at, what is already believed reached.

    A search may have stopped early, and a known design exactly at the maximum would look informative for ever.
    """
    return known_means.max(axis=0) + CLEARANCE * np.sqrt(observation_variance(noise_variance))


def maxima_of(draws: Draws, starts: Array, floor: Array, space: SearchSpace) -> tuple[Array, Array]:  # (S,), (S, d)
    """The maximum of each of S drawn functions, at least ``floor``, and where it lies."""
    best = starts[np.argmax(draws(starts), axis=0)]  # (S, d)
    each = np.arange(draws.n_paths)
    x, values = climb(lambda x: draws.own_values(x, each), best, space)
    return np.maximum(values, floor), x


def predicted_front(beliefs: Beliefs, rng: np.random.Generator) -> Front:
    """The front of the posterior means."""
    starts = np.concatenate([sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), incumbents(beliefs)])
    return front_of_means(beliefs, starts, EFFORT, rng)


def front_of_means(beliefs: Beliefs, starts: Array, effort: SearchEffort, rng: np.random.Generator) -> Front:
    """Of the posterior means at full accuracy."""
    (front,) = search_fronts(
        lambda x: beliefs.means_at_target(x)[:, None, :], beliefs.problem.space, starts, effort, rng
    )
    return front


def sample_fronts(beliefs: Beliefs, paths: Sequence[Paths], extremes: Array, rng: np.random.Generator) -> list[Front]:
    """The whole front of every draw; ``extremes`` (m, d) are designs known to lie on some of them."""
    starts = [sobol_designs(beliefs.problem, N_SEARCH_DESIGNS, rng), incumbents(beliefs), extremes]
    fronts = search_fronts(
        lambda x: np.stack([draws(x) for draws in paths], axis=2),
        beliefs.problem.space,
        np.concatenate(starts),
        EFFORT,
        rng,
    )
    # Draws are compared with hundreds of points as fast as with fifty, and a front of many objectives needs them.
    return [front.thinned(BOXED_FRONT_SIZE) for front in fronts] if len(paths) <= MAX_BOX_OBJECTIVES else fronts


def lifted_fronts(
    beliefs: Beliefs, paths: Sequence[Paths], fronts: Sequence[Front], rng: np.random.Generator
) -> list[Array]:
    """The values of the fronts, each moved up until most values of its own draw lie below it.

    Of a front of many objectives a few hundred points are known, and most of what it dominates lies below none of
    them; a region without it would promise information that no answer brings. All points of a front move by the same
    share of each objective's spread.
    """
    if len(paths) <= MAX_BOX_OBJECTIVES:
        return [front.values for front in fronts]
    probes = candidate_designs(beliefs.problem, np.concatenate([front.x for front in fronts]), beliefs.n_data, rng)
    values = np.stack([draws(probes) for draws in paths], axis=2)  # (n, S, K)
    return [front.values + _lift(values[:, s], front.values) for s, front in enumerate(fronts)]


def _lift(values: Array, front: Array) -> Array:  # (n, K), (l, K) -> (K,)
    """The least that puts the wanted share of the values below the front, in equal shares of each one's deviation."""
    spread = np.maximum(values.std(axis=0), SMALLEST_SPREAD)
    missing = np.full((len(values), len(front)), -np.inf)  # deviations by which each point is too low for each value
    for value, point, deviation in zip(values.T, front.T, spread, strict=True):
        np.maximum(missing, (value[:, None] - point) / deviation, out=missing)
    return max(0.0, float(np.quantile(missing.min(axis=1), SHARE_BELOW))) * spread


def incumbents(beliefs: Beliefs) -> Array:  # (m, d)
    """The designs asked about so far; of very many those with the best means at full accuracy."""
    asked = np.unique(np.concatenate([surrogate.x for surrogate in beliefs.surrogates]), axis=0)
    if len(asked) <= N_INCUMBENTS:
        return asked
    share = -(-N_INCUMBENTS // len(beliefs.surrogates))
    best = np.argsort(-beliefs.means_at_target(asked), axis=0)[:share]
    return asked[np.unique(best)]
