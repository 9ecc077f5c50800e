"""Hypervolume improvement: against another implementation, Monte Carlo and BoTorch."""

import moocore
import numpy as np
import pytest

from imoca.acquisition.hypervolume_improvement import (
    BoxImprovement,
    SampledImprovement,
    improvement_over,
    reference_below,
)
from imoca.pareto.dominance import non_dominated


def make_front(n_objectives: int, rng: np.random.Generator, n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    points = rng.standard_normal((n, n_objectives))
    front = points[non_dominated(points)]
    return front, reference_below(front, 0.1)


def added(front: np.ndarray, reference: np.ndarray, point: np.ndarray) -> float:
    whole = moocore.hypervolume(np.vstack([front, point]), ref=reference, maximise=True)
    return float(whole - moocore.hypervolume(front, ref=reference, maximise=True))


@pytest.mark.parametrize("n_objectives", [1, 2, 3, 4])
def test_points_add_what_moocore_says(n_objectives: int, rng: np.random.Generator) -> None:
    front, reference = make_front(n_objectives, rng)
    points = rng.standard_normal((50, n_objectives)) + 0.5
    by_moocore = [added(front, reference, point) for point in points]
    np.testing.assert_allclose(BoxImprovement.over(front, reference).of_points(points), by_moocore, atol=1e-10)


@pytest.mark.parametrize("n_objectives", [2, 3, 4])
def test_the_expectation_matches_monte_carlo_within_four_standard_errors(
    n_objectives: int, rng: np.random.Generator
) -> None:
    front, reference = make_front(n_objectives, rng)
    improvement = BoxImprovement.over(front, reference)
    mean, std = rng.standard_normal((6, n_objectives)) + 0.5, 0.5 + rng.random((6, n_objectives))
    expected = improvement.expected(mean, std)
    for i in range(6):
        draws = mean[i] + std[i] * rng.standard_normal((40_000, n_objectives))
        gains = improvement.of_points(draws)  # itself checked against moocore
        assert expected[i] == pytest.approx(gains.mean(), abs=4.0 * gains.std() / np.sqrt(len(gains)))


def test_the_expectation_of_a_certain_point_is_its_improvement(rng: np.random.Generator) -> None:
    front, reference = make_front(3, rng)
    points = rng.standard_normal((40, 3)) + 0.7
    improvement = BoxImprovement.over(front, reference)
    certain = improvement.expected(points, np.full((40, 3), 1e-9))
    np.testing.assert_allclose(certain, improvement.of_points(points), atol=1e-7)


@pytest.mark.parametrize("n_objectives", [3, 6])
def test_sampled_improvements_agree_with_exact_ones(n_objectives: int, rng: np.random.Generator) -> None:
    front, reference = make_front(n_objectives, rng, n=12)
    mean, std = rng.standard_normal((40, n_objectives)) + 1.0, np.full((40, n_objectives), 0.4)
    optimistic = mean + 3.0 * std
    estimates = [SampledImprovement.over(front, reference, optimistic, rng) for _ in range(20)]
    exact = BoxImprovement.over(front, reference)
    for ours, truth in (
        (np.mean([each.expected(mean, std) for each in estimates], axis=0), exact.expected(mean, std)),
        (np.mean([each.of_points(mean) for each in estimates], axis=0), exact.of_points(mean)),
    ):
        np.testing.assert_allclose(ours.sum(), truth.sum(), rtol=0.05)
        assert np.corrcoef(ours, truth)[0, 1] > 0.99


def test_many_objectives_are_sampled(rng: np.random.Generator) -> None:
    front, reference = make_front(9, rng)
    improvement = improvement_over(front, reference, front + 0.5, rng)
    assert isinstance(improvement, SampledImprovement)
    better, worse = improvement.expected(np.stack([front[0] + 0.3, front[0] - 0.3]), np.full((2, 9), 0.1))
    assert better > worse > 0.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_objectives", [2, 3])
def test_the_expectation_is_that_of_botorch(n_objectives: int, rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch", reason="the peers extra is not installed")
    pytest.importorskip("botorch", reason="the peers extra is not installed")
    from botorch.acquisition.multi_objective.analytic import ExpectedHypervolumeImprovement
    from botorch.utils.multi_objective.box_decompositions.non_dominated import NondominatedPartitioning
    from botorch.utils.testing import MockModel, MockPosterior

    front, reference = make_front(n_objectives, rng)
    mean, std = rng.standard_normal((5, n_objectives)), 0.2 + rng.random((5, n_objectives))
    posterior = MockPosterior(mean=torch.tensor(mean)[:, None], variance=torch.tensor(std**2)[:, None])
    partitioning = NondominatedPartitioning(ref_point=torch.tensor(reference), Y=torch.tensor(front))
    acquisition = ExpectedHypervolumeImprovement(MockModel(posterior), reference.tolist(), partitioning)
    by_botorch = acquisition(torch.zeros(5, 1, 1, dtype=torch.float64)).numpy()
    np.testing.assert_allclose(BoxImprovement.over(front, reference).expected(mean, std), by_botorch, rtol=1e-7)
