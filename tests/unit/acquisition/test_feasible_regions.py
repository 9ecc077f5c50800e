"""Moments of objectives and constraints given a feasible front: closed forms against Monte Carlo and limits."""

import numpy as np
import pytest
from scipy.stats import truncnorm

from imoca.acquisition.feasible_regions import FeasibleRegions
from imoca.acquisition.regions import BoxRegions, dominated_regions, sampled_regions
from imoca.pareto.dominance import is_below_front, non_dominated

INFINITE = np.inf
LIMITS = {  # bounds of the constraints
    "one above": ([-INFINITE], [0.3]),
    "one below and one between": ([-0.5, -0.7], [INFINITE, 0.4]),
    "three": ([-INFINITE, -0.2, -1.5], [1.0, INFINITE, 0.1]),
}
EMPTY = np.empty((0, 2))


def make_front(rng: np.random.Generator, n_objectives: int, n: int = 30) -> np.ndarray:
    points = rng.standard_normal((n, n_objectives)) + 0.4
    return points[non_dominated(points)]


def possible(fronts: np.ndarray, low: np.ndarray, high: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether (f, c) lies outside some bounds or f below the front."""
    c = values[:, -len(low) :]
    is_feasible = ((c >= low) & (c <= high)).all(axis=1)
    is_below = is_below_front(values[:, : -len(low)], fronts) if len(fronts) else np.zeros(len(values), bool)
    return ~is_feasible | is_below


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_moments_agree_with_monte_carlo(limits: str, n_objectives: int, rng: np.random.Generator) -> None:
    low, high = (np.array(each) for each in LIMITS[limits])
    n_columns = n_objectives + len(low)
    fronts = [make_front(rng, n_objectives), np.empty((0, n_objectives))]  # of the second no design is feasible
    mean, std = 0.5 * rng.standard_normal((2, n_columns)), rng.uniform(0.3, 1.5, (2, n_columns))
    regions = FeasibleRegions(BoxRegions.below(fronts), low, high)
    pair = regions.pair_moments(mean, std)
    marginal = regions.marginal_moments(mean, std)
    for i in range(2):
        u = rng.standard_normal((200_000, n_columns))
        for s, front in enumerate(fronts):
            kept = u[possible(front, low, high, mean[i] + std[i] * u)]
            for a in (1, 2):
                error = (kept**a).std(axis=0) / np.sqrt(len(kept))
                assert (np.abs(marginal[a - 1, i, s] - (kept**a).mean(axis=0)) <= 5.0 * error).all()
            for a, b in np.ndindex(3, 3):
                for j, k in np.ndindex(n_columns, n_columns):
                    sample = kept[:, j] ** a * kept[:, k] ** b
                    error = sample.std() / np.sqrt(len(kept))
                    assert pair[a, b, i, s, j, k] == pytest.approx(sample.mean(), abs=5.0 * error + 1e-9)


def test_marginal_moments_are_those_of_the_pairs(rng: np.random.Generator) -> None:
    regions = FeasibleRegions(BoxRegions.below([make_front(rng, 2), EMPTY]), *map(np.array, LIMITS["three"]))
    mean, std = rng.standard_normal((6, 5)), rng.uniform(0.3, 1.5, (6, 5))
    first, second = regions.marginal_moments(mean, std)
    pair = regions.pair_moments(mean, std)
    np.testing.assert_allclose(first, np.einsum("nsjj->nsj", pair[1, 0]), atol=1e-12)
    np.testing.assert_allclose(second, np.einsum("nsjj->nsj", pair[1, 1]), atol=1e-12)


def test_a_constraint_that_always_holds_leaves_the_front_as_it_is(rng: np.random.Generator) -> None:
    """To the last bit for the objectives; of the constraint nothing is learned."""
    below = BoxRegions.below([make_front(rng, 2), make_front(rng, 2, 8)])
    mean, std = rng.standard_normal((9, 3)), rng.uniform(0.05, 1.5, (9, 3))
    regions = FeasibleRegions(below, np.array([-1e6]), np.array([1e6]))
    both = regions.marginal_moments(mean, std)
    np.testing.assert_array_equal(both[..., :2], below.marginal_moments(mean[:, :2], std[:, :2]))
    np.testing.assert_allclose(both[0, ..., 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(both[1, ..., 2], 1.0, rtol=1e-12)
    pair = regions.pair_moments(mean, std)
    np.testing.assert_array_equal(pair[..., :2, :2], below.pair_moments(mean[:, :2], std[:, :2]))


def test_a_design_that_is_surely_infeasible_says_nothing_of_any_output(rng: np.random.Generator) -> None:
    regions = FeasibleRegions(BoxRegions.below([make_front(rng, 2)]), np.array([60.0]), np.array([INFINITE]))
    first, second = regions.marginal_moments(np.zeros((1, 3)), np.ones((1, 3)))
    np.testing.assert_array_equal(first, 0.0)
    np.testing.assert_array_equal(second, 1.0)


def test_of_one_constraint_without_any_feasible_design_what_is_left_lies_outside() -> None:
    """The normal truncated to what lies below the lower bound; however unlikely that is."""
    regions = FeasibleRegions(BoxRegions.below([EMPTY]), np.array([-1.0]), np.array([INFINITE]))
    for mean in (-2.0, 0.0, 3.0, 9.0, 20.0):
        first, second = regions.marginal_moments(np.array([[0.0, 0.0, mean]]), np.full((1, 3), 0.8))
        exact = truncnorm(-np.inf, (-1.0 - mean) / 0.8)
        assert first[0, 0, 2] == pytest.approx(exact.mean(), rel=1e-6)
        assert second[0, 0, 2] == pytest.approx(exact.var() + exact.mean() ** 2, rel=1e-6)
        np.testing.assert_array_equal(second[0, 0, :2], 1.0)  # the objectives are as free as before


def test_where_nothing_is_possible_nothing_is_learned() -> None:
    regions = FeasibleRegions(BoxRegions.below([EMPTY]), np.array([-1e6]), np.array([INFINITE]))
    first, second = regions.marginal_moments(np.zeros((1, 3)), np.ones((1, 3)))
    np.testing.assert_allclose(second - first**2, 1.0)


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_masses_of_boxes_agree_with_monte_carlo(n_objectives: int, rng: np.random.Generator) -> None:
    fronts = [make_front(rng, n_objectives), make_front(rng, n_objectives, 9), np.empty((0, n_objectives))]
    mean, std = rng.standard_normal((3, n_objectives)), rng.uniform(0.3, 1.5, (3, n_objectives))
    masses = BoxRegions.below(fronts).masses(mean, std)
    for i, s in np.ndindex(3, 2):
        values = mean[i] + std[i] * rng.standard_normal((100_000, n_objectives))
        share = is_below_front(values, fronts[s]).mean()
        assert masses[i, s] == pytest.approx(share, abs=5.0 * np.sqrt(0.25 / 100_000))
    np.testing.assert_array_equal(masses[:, 2], 0.0)


def test_sampled_masses_agree_with_boxes_where_they_are_large_and_where_they_are_tiny(rng: np.random.Generator) -> None:
    fronts = [make_front(rng, 3), make_front(rng, 3, 8)]
    mean = np.linspace(-1.5, 6.0, 9)[:, None] * np.ones(3)
    std = np.ones_like(mean)
    exact = BoxRegions.below(fronts).masses(mean, std)
    assert exact.min() < 1e-8
    assert exact.max() > 0.5
    sampled = np.mean([sampled_regions(fronts, rng).masses(mean, std) for _ in range(16)], axis=0)
    np.testing.assert_allclose(sampled, exact, rtol=0.15)


def test_a_front_without_points_is_no_fault_of_many_objectives(rng: np.random.Generator) -> None:
    empty = np.empty((0, 6))
    for fronts in ([empty, empty], [empty, make_front(rng, 6)]):
        regions = FeasibleRegions(dominated_regions(fronts, rng), np.array([0.0]), np.array([INFINITE]))
        first, second = regions.marginal_moments(np.zeros((2, 7)), np.ones((2, 7)))
        np.testing.assert_allclose(second[:, 0, :6], 1.0)
        np.testing.assert_allclose(first[:, 0, :6], 0.0, atol=1e-12)
        assert first[0, 0, 6] == pytest.approx(truncnorm(-np.inf, 0.0).mean())
        assert np.isfinite(regions.pair_moments(np.zeros((2, 7)), np.ones((2, 7)))).all()
