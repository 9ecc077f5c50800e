"""The additive levels of MF-OSEMO: what their kernel is, and what a fit of it tells apart."""

import numpy as np
import pytest

from imoca.arrays import Array
from imoca.models.additive_levels import AdditiveLevels, AdditiveLevelsForm
from imoca.models.fitting import fit
from imoca.models.gp import GaussianProcess
from imoca.models.kernel import covariance, design_kernel
from imoca.models.paths import draw_paths

SCALES = AdditiveLevels(3, np.array([0.3, 0.5]), np.array([0.8, 0.4]), 1.2, 0.3, 1e-4)


def test_every_level_is_the_one_below_plus_an_independent_error(rng: np.random.Generator) -> None:
    x, levels = rng.random((12, 2)), rng.integers(0, 3, 12)
    built_up = 1.2 * design_kernel(x, x, SCALES.length_scales)
    for level in (1, 2):
        reaches = (levels >= level).astype(float)
        built_up += np.outer(reaches, reaches) * 0.3 * design_kernel(x, x, SCALES.error_length_scales)
    np.testing.assert_allclose(covariance(SCALES, x, levels / 2), built_up, atol=1e-12)


def test_the_information_gap_closes_at_the_target_level() -> None:
    gap = SCALES.information_gap(np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(gap, np.sqrt([1.0 - 1.2 / 1.8, 1.0 - 1.5 / 1.8, 0.0]), atol=1e-12)


def test_a_fit_tells_levels_that_agree_from_levels_that_differ(rng: np.random.Generator) -> None:
    x, levels = rng.random((60, 1)), rng.integers(0, 2, 60)
    same: Array = np.sin(6 * x[:, 0])
    different = same + levels * np.cos(9 * x[:, 0])
    errors = []
    for values in (same, different):
        kernel = fit(x, levels.astype(float), values, AdditiveLevelsForm(2)).kernel
        assert isinstance(kernel, AdditiveLevels)
        errors.append(kernel.error_variance)
    assert errors[0] < 0.01 < 0.1 < errors[1]


@pytest.mark.parametrize("n", [1, 2])
def test_one_level_and_few_points_still_give_a_finite_model(n: int, rng: np.random.Generator) -> None:
    process = fit(rng.random((n, 3)), np.ones(n), np.zeros(n), AdditiveLevelsForm(1))
    moments = process.moments(rng.random((5, 3)), np.ones(1))
    assert np.isfinite(moments.mean_g).all()
    assert (moments.var_g > 0.0).all()


def test_far_from_the_data_draws_spread_as_the_prior_of_the_target_level(rng: np.random.Generator) -> None:
    scales = AdditiveLevels(3, np.array([0.3]), np.array([0.4]), 0.5, 1.0, 1e-4)
    process = GaussianProcess.condition(np.zeros((1, 1)), np.array([0.5]), np.ones(1), scales)
    draws = np.concatenate([draw_paths(process, 400, rng)(np.array([[9.0]])) for _ in range(10)], axis=1)
    # Two steps of error above the lowest level; 4000 draws know a variance within 2 %, features within as much again
    assert draws.var() == pytest.approx(0.5 + 2 * 1.0, rel=0.2)
