"""Gaussian moments below a front: boxes against Monte Carlo, one dimension against the truncated normal."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import qmc, truncnorm

from imoca.acquisition.regions import BoxRegions, SampledRegions, dominated_regions
from imoca.pareto.dominance import non_dominated


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


def test_sampled_moments_agree_with_boxes(rng: np.random.Generator) -> None:
    fronts = [make_front(rng, 3), make_front(rng, 3, 8)]
    mean, std = rng.standard_normal((2, 3)), np.ones((2, 3))
    draws = ndtri(qmc.Sobol(3, rng=rng).random_base2(12))
    sampled, boxes = SampledRegions.below(fronts, draws), BoxRegions.below(fronts)
    np.testing.assert_allclose(sampled.marginal_moments(mean, std), boxes.marginal_moments(mean, std), atol=0.03)
    np.testing.assert_allclose(sampled.pair_moments(mean, std), boxes.pair_moments(mean, std), atol=0.1)


def test_the_bits_of_the_draws_are_those_of_comparing_every_draw_with_every_point(rng: np.random.Generator) -> None:
    fronts = [make_front(rng, 6), make_front(rng, 6, 5)]
    mean, std, draws = rng.standard_normal((3, 6)), rng.uniform(0.5, 2.0, (3, 6)), rng.standard_normal((77, 6))
    weights = SampledRegions.below(fronts, draws)._weights(mean, std)
    for i in range(3):
        f = mean[i] + std[i] * draws
        for s, front in enumerate(fronts):
            inside = (f[:, None, :] <= front).all(axis=2).any(axis=1)
            np.testing.assert_allclose(weights[i, s], inside / inside.sum() if inside.any() else 1 / 77)


def test_boxes_serve_up_to_four_objectives_and_draws_beyond(rng: np.random.Generator) -> None:
    assert isinstance(dominated_regions([make_front(rng, 4)], rng), BoxRegions)
    assert isinstance(dominated_regions([make_front(rng, 5)], rng), SampledRegions)


@pytest.mark.parametrize("shift", [-60.0, -10.0, 10.0, 60.0])
def test_moments_stay_finite_far_from_the_front(shift: float, rng: np.random.Generator) -> None:
    regions = BoxRegions.below([make_front(rng, 2)])
    mean, std = np.full((1, 2), shift), np.ones((1, 2))
    assert np.isfinite(regions.marginal_moments(mean, std)).all()
    assert np.isfinite(regions.pair_moments(mean, std)).all()
