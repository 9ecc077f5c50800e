"""The augmented Tchebycheff value, by hand."""

import numpy as np
import pytest

from imoca.acquisition.scalarisation import augmented_tchebycheff, random_weights


def test_three_points_by_hand() -> None:
    values = np.array([[0.0, 4.0], [1.0, 2.0], [2.0, 0.0]])  # maximised; scaled costs (1, 0), (.5, .5), (0, 1)
    by_hand = [-(0.3 + 0.05 * 0.3), -(0.35 + 0.05 * 0.5), -(0.7 + 0.05 * 0.7)]
    np.testing.assert_allclose(augmented_tchebycheff(values, np.array([0.3, 0.7])), by_hand)


def test_an_outlier_far_below_the_front_changes_no_other_value() -> None:
    values, weights = np.array([[0.0, 4.0], [1.0, 2.0], [2.0, 0.0]]), np.array([0.3, 0.7])
    with_outlier = np.vstack([values, [-500.0, 1.0]])
    np.testing.assert_allclose(augmented_tchebycheff(with_outlier, weights)[:3], augmented_tchebycheff(values, weights))


def test_a_dominated_point_is_never_better(rng: np.random.Generator) -> None:
    values = rng.standard_normal((60, 3))
    worse = values - rng.random((60, 3))
    both = augmented_tchebycheff(np.concatenate([values, worse]), random_weights(3, rng))
    assert (both[:60] > both[60:]).all()


def test_an_objective_that_does_not_vary_is_left_out() -> None:
    values = np.array([[1.0, 5.0], [3.0, 5.0]])
    np.testing.assert_allclose(augmented_tchebycheff(values, np.array([0.5, 0.5])), [-0.525, 0.0])


@pytest.mark.parametrize("n_objectives", [1, 2, 5])
def test_weights_are_uniform_on_the_simplex(n_objectives: int, rng: np.random.Generator) -> None:
    weights = np.array([random_weights(n_objectives, rng) for _ in range(4000)])
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights.mean(axis=0), 1.0 / n_objectives, atol=0.02)
    share_above_half = 0.5 ** (n_objectives - 1)  # of a component of the uniform distribution on the simplex
    assert (weights[:, 0] > 0.5).mean() == pytest.approx(share_above_half, abs=0.03)
