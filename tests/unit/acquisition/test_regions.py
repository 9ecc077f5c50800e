"""Gaussian moments below a front: boxes against Monte Carlo, one dimension against the truncated normal."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import qmc, truncnorm

from imoca.acquisition import regions as regions_module
from imoca.acquisition.front_gain import DominatedRegions
from imoca.acquisition.regions import (
    N_ENOUGH,
    NODES_PER_DEVIATION,
    BoxRegions,
    SampledRegions,
    dominated_regions,
    sampled_regions,
)
from imoca.pareto.dominance import is_below_front, non_dominated


def make_front(rng: np.random.Generator, n_objectives: int, n: int = 30) -> np.ndarray:
    points = rng.standard_normal((n, n_objectives)) + 0.4
    return points[non_dominated(points)]


def test_one_objective_is_the_truncated_normal() -> None:
    regions = BoxRegions.below([np.array([[0.8]])])
    mean, std = np.array([[0.3]]), np.array([[1.7]])
    first, second = regions.marginal_moments(mean, std)
    exact = truncnorm(-np.inf, (0.8 - 0.3) / 1.7)
    assert first[0, 0, 0] == pytest.approx(exact.mean())
    assert second[0, 0, 0] - first[0, 0, 0] ** 2 == pytest.approx(exact.var())


@pytest.mark.parametrize("n_objectives", [2, 3, 4])
def test_box_moments_agree_with_monte_carlo(n_objectives: int, rng: np.random.Generator) -> None:
    fronts = [make_front(rng, n_objectives), make_front(rng, n_objectives, 12)]
    mean, std = rng.standard_normal((2, n_objectives)), rng.uniform(0.3, 1.5, (2, n_objectives))
    pair = BoxRegions.below(fronts).pair_moments(mean, std)
    for i in range(2):
        u = rng.standard_normal((200_000, n_objectives))
        for s, front in enumerate(fronts):
            f = mean[i] + std[i] * u
            kept = u[np.any([(f <= point).all(axis=1) for point in front], axis=0)]
            for a, b in np.ndindex(3, 3):
                for j, k in np.ndindex(n_objectives, n_objectives):
                    sample = kept[:, j] ** a * kept[:, k] ** b
                    error = sample.std() / np.sqrt(len(kept))
                    assert pair[a, b, i, s, j, k] == pytest.approx(sample.mean(), abs=5 * error + 1e-9)


@pytest.mark.parametrize("n_objectives", [2, 3, 4])
def test_marginal_moments_are_those_of_the_pairs(n_objectives: int, rng: np.random.Generator) -> None:
    regions = BoxRegions.below([make_front(rng, n_objectives) for _ in range(3)])
    mean, std = rng.standard_normal((4, n_objectives)), rng.uniform(0.3, 1.5, (4, n_objectives))
    pair = regions.pair_moments(mean, std)
    first, second = regions.marginal_moments(mean, std)
    np.testing.assert_allclose(first, np.einsum("nsjj->nsj", pair[1, 0]), atol=1e-12)
    np.testing.assert_allclose(second, np.einsum("nsjj->nsj", pair[1, 1]), atol=1e-12)


def sobol(rng: np.random.Generator, n_columns: int, log_n: int) -> np.ndarray:
    return qmc.Sobol(n_columns, rng=rng).random_base2(log_n)


def total_gain(regions: DominatedRegions, mean: np.ndarray, std: np.ndarray) -> np.ndarray:
    """-1/2 ln v summed over objectives, what an exact observation would bring: (n, S)."""
    first, second = regions.marginal_moments(mean, std)
    return -0.5 * np.log(np.clip(second - first**2, 1e-8, 1.0)).sum(axis=-1)


@pytest.mark.parametrize("log_n", [4, 12])  # sixteen common draws are never enough: all is left to own draws
def test_sampled_moments_agree_with_boxes(log_n: int, rng: np.random.Generator) -> None:
    fronts = [make_front(rng, 3), make_front(rng, 3, 8)]
    mean, std = rng.standard_normal((2, 3)), np.ones((2, 3))
    sampled = SampledRegions.below(fronts, ndtri(sobol(rng, 3, log_n)), sobol(rng, 4, 12))
    boxes = BoxRegions.below(fronts)
    np.testing.assert_allclose(sampled.marginal_moments(mean, std), boxes.marginal_moments(mean, std), atol=0.05)
    np.testing.assert_allclose(sampled.pair_moments(mean, std), boxes.pair_moments(mean, std), rtol=0.1, atol=0.1)


@pytest.mark.parametrize("n_points", [1, 40])
@pytest.mark.parametrize("above", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
def test_the_gain_by_draws_is_that_by_boxes_also_of_designs_above_the_front(
    above: float, n_points: int, rng: np.random.Generator
) -> None:
    """Means lie so many deviations above every front's middle. Counting draws had 0 or the cap where few are inside."""
    fronts = [make_front(rng, 4, n_points) for _ in range(4)]
    std = rng.uniform(0.5, 1.0, (5, 4))
    mean = np.mean([front.mean(axis=0) for front in fronts], axis=0) + above * std
    exact = total_gain(BoxRegions.below(fronts), mean, std)
    sampled = np.array([total_gain(sampled_regions(fronts, rng), mean, std) for _ in range(4)])
    np.testing.assert_allclose(sampled.mean(axis=0), exact, rtol=0.2, atol=0.1)
    np.testing.assert_allclose(sampled.mean(), exact.mean(), rtol=0.06, atol=0.02)


@pytest.mark.parametrize("above", [-1.0, 0.0, 0.6])
def test_six_objectives_agree_with_dense_monte_carlo(above: float, rng: np.random.Generator) -> None:
    """The highest of them leaves one draw in four hundred inside."""
    front, std = make_front(rng, 6, 40), rng.uniform(0.5, 1.0, 6)
    mean = front.mean(axis=0) + above * std
    u = rng.standard_normal((400_000, 6))
    inside = is_below_front(u, (front - mean) / std)
    exact = -0.5 * np.log(u[inside].var(axis=0)).sum()
    gains = [total_gain(sampled_regions([front], rng), mean[None], std[None])[0, 0] for _ in range(8)]
    assert np.mean(gains) == pytest.approx(exact, rel=0.12, abs=0.02)
    assert np.std(gains) < 0.25 * exact + 0.02


@pytest.mark.parametrize("depth", [0.5, 5.0, 60.0])
def test_far_above_a_single_point_every_objective_is_a_truncated_normal(depth: float, rng: np.random.Generator) -> None:
    """For 60 deviations the second route is the limit of its variance, 1 / depth^2."""
    regions = sampled_regions([np.zeros((1, 6))], rng)
    first, second = regions.marginal_moments(np.full((1, 6), depth), np.ones((1, 6)))
    variance = 1.0 / depth**2 if depth > 30.0 else truncnorm(-np.inf, -depth).var()
    np.testing.assert_allclose((second - first**2)[0, 0], variance, rtol=0.3)
    assert (second - first**2).mean() == pytest.approx(variance, rel=0.1)


def test_a_front_above_everything_tells_exactly_nothing(rng: np.random.Generator) -> None:
    first, second = sampled_regions([np.full((1, 6), 50.0)], rng).marginal_moments(np.zeros((1, 6)), np.ones((1, 6)))
    np.testing.assert_allclose(first, 0.0, atol=1e-12)
    np.testing.assert_allclose(second, 1.0, atol=1e-12)


def test_common_draws_are_inside_as_by_comparing_each_with_every_point(rng: np.random.Generator) -> None:
    """Points count where the grid has them."""
    fronts = [make_front(rng, 6), make_front(rng, 6, 5), np.array([[0.0, 1.0, 2.0, 9.0, 9.0, 1.0]])]
    mean, std, draws = rng.standard_normal((3, 6)), rng.uniform(0.5, 2.0, (3, 6)), rng.standard_normal((77, 6))
    regions = SampledRegions.below(fronts, draws, rng.random((8, 7)))
    inside = regions._inside((regions.fronts - mean[:, None, None, :]) / std[:, None, None, :])
    assert 0 < inside.sum() < inside.size
    for i in range(3):
        for s, front in enumerate(fronts):
            points = np.rint((front - mean[i]) / std[i] * NODES_PER_DEVIATION) / NODES_PER_DEVIATION
            expected = (draws[:, None, :] <= points).all(axis=2).any(axis=1)
            np.testing.assert_array_equal(inside[i, s], expected)


def test_draws_beyond_the_grid_are_compared_too() -> None:
    draws, uniform = np.array([[-6.0, 0.0], [5.0, 6.0]]), np.full((1, 3), 0.5)
    regions = SampledRegions.below([np.array([[9.0, 9.0]]), np.array([[-9.0, 9.0]])], draws, uniform)
    np.testing.assert_array_equal(regions._inside(regions.fronts[None])[0], [[1.0, 1.0], [0.0, 0.0]])


def test_own_draws_lie_below_a_point_each_and_weigh_less_the_more_points_they_lie_below(
    rng: np.random.Generator,
) -> None:
    edges = np.stack([make_front(rng, 3, 40)[:6], make_front(rng, 3, 40)[:6] - 4.0])
    draws, weights = regions_module._draws_below(edges, sobol(rng, 4, 7))
    for i in range(2):
        n_above = (draws[i][:, None, :] <= edges[i] + 1e-9).all(axis=2).sum(axis=1)
        assert n_above.min() == 1
        assert n_above.max() > 1
        np.testing.assert_allclose(weights[i], (1 / n_above) / (1 / n_above).sum())


def test_own_draws_help_where_fewer_than_enough_common_ones_are_inside(rng: np.random.Generator) -> None:
    """By hand: with a share of their effective number that fades as the others become enough."""
    fronts = [np.array([[height, 9.0]]) for height in (9.0, 1.0, -0.7, -9.0)]
    draws, uniform = ndtri(sobol(rng, 2, 8)), sobol(rng, 3, 5)
    regions = SampledRegions.below(fronts, draws, uniform)
    first = regions.marginal_moments(np.zeros((1, 2)), np.ones((1, 2)))[0, 0]
    counts = [int((draws[:, 0] <= np.rint(front[0, 0] * 128) / 128).sum()) for front in fronts]
    assert counts[1] > N_ENOUGH > counts[2] > 0 == counts[3]
    for s, (front, count) in enumerate(zip(fronts, counts, strict=True)):
        common = np.sort(draws[:, 0])[:count].sum()
        own = truncnorm(-np.inf, front[0, 0]).ppf(uniform[:, 1]).mean()
        worth = max(0.0, 1.0 - count / N_ENOUGH) * len(uniform)  # all of a single point's draws weigh the same
        assert first[s, 0] == pytest.approx((common + worth * own) / (count + worth), rel=1e-6)


def test_designs_looked_at_in_chunks_have_the_moments_they_have_all_at_once(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions = sampled_regions([make_front(rng, 5), make_front(rng, 5, 12)], rng)
    mean, std = rng.standard_normal((7, 5)), rng.uniform(0.5, 1.5, (7, 5))
    whole = regions.marginal_moments(mean, std)
    monkeypatch.setattr(regions_module, "MAX_EDGES", 3 * regions.fronts.size)
    np.testing.assert_allclose(regions.marginal_moments(mean, std), whole)
    first, second = whole
    pair = regions.pair_moments(mean, std)
    np.testing.assert_allclose(first, np.einsum("nsjj->nsj", pair[1, 0]), atol=1e-12)
    np.testing.assert_allclose(second, np.einsum("nsjj->nsj", pair[1, 1]), atol=1e-12)
    np.testing.assert_allclose(pair[0, 0], 1.0)


def test_boxes_serve_up_to_four_objectives_and_draws_beyond(rng: np.random.Generator) -> None:
    assert isinstance(dominated_regions([make_front(rng, 4)], rng), BoxRegions)
    assert isinstance(dominated_regions([make_front(rng, 5)], rng), SampledRegions)


@pytest.mark.parametrize("shift", [-60.0, -10.0, 10.0, 60.0])
def test_moments_stay_finite_far_from_the_front(shift: float, rng: np.random.Generator) -> None:
    fronts = [make_front(rng, 2), make_front(rng, 2, 3)]
    mean, std = np.full((1, 2), shift), np.ones((1, 2))
    for regions in (BoxRegions.below(fronts), sampled_regions(fronts, rng)):
        assert np.isfinite(regions.marginal_moments(mean, std)).all()
        assert np.isfinite(regions.pair_moments(mean, std)).all()
