"""MF-OSEMO's gains: limits, and the quadrature of the exact density."""

import numpy as np
import pytest

from imoca.acquisition.gain import observation_variance
from imoca.acquisition.level_gain import integrated_level_gain, truncated_level_gain
from imoca.acquisition.skew_gain import skew_entropy_drop_by_quadrature
from imoca.acquisition.truncated_gain import truncation_entropy_drop
from imoca.models.additive_levels import AdditiveLevels
from imoca.models.gp import GaussianProcess, Moments

MAXIMA = np.array([0.7, 1.1, 1.6])


@pytest.fixture
def moments() -> Moments:
    """Between few observations of a flat function, so that the maxima are within reach."""
    scales = AdditiveLevels(3, np.array([0.4]), np.array([0.6]), 1.0, 0.2, 1e-6)
    x, levels = np.linspace(0.0, 1.0, 5)[:, None], np.array([0.0, 0.5, 1.0, 0.0, 0.5])
    process = GaussianProcess.condition(x, levels, 0.3 * np.sin(5.0 * x[:, 0]), scales)
    return process.moments(np.linspace(-0.4, 1.4, 20)[:, None], np.array([0.0, 0.5, 1.0]))


def test_both_gains_at_the_target_level_are_mesmo(moments: Moments) -> None:
    gamma = (MAXIMA[:, None] - moments.mean_f) / np.sqrt(moments.var_f)
    mesmo = truncation_entropy_drop(gamma).mean(axis=0)
    bounds = np.repeat(MAXIMA[:, None], 3, axis=1)
    np.testing.assert_allclose(truncated_level_gain(moments, bounds)[:, -1], mesmo, rtol=1e-10)
    clear = moments.var_f > 0.01  # far above the resolution, which counts as noise
    assert clear.any()
    integrated = integrated_level_gain(moments, MAXIMA)[clear, -1]
    np.testing.assert_allclose(integrated, mesmo[clear], rtol=2e-2, atol=2e-3)


def test_the_integrated_gain_is_the_quadrature_of_the_exact_density(moments: Moments) -> None:
    variance = moments.var_g + observation_variance(1e-6)
    tau = moments.cov / np.sqrt(moments.var_f[:, None] * variance)
    gamma = (MAXIMA[:, None, None] - moments.mean_f[:, None]) / np.sqrt(moments.var_f)[:, None]
    by_quadrature = skew_entropy_drop_by_quadrature(gamma, tau).mean(axis=0)
    np.testing.assert_allclose(integrated_level_gain(moments, MAXIMA), by_quadrature, atol=3e-6)
    assert (by_quadrature.max(axis=0) > 0.01).all()  # else the agreement would say nothing


def test_a_raised_bound_makes_a_level_tell_less(moments: Moments) -> None:
    bounds = np.repeat(MAXIMA[:, None], 3, axis=1)
    raised = bounds + np.array([2.0, 0.0, 0.0])
    low, high = truncated_level_gain(moments, raised), truncated_level_gain(moments, bounds)
    assert (low[:, 0] <= high[:, 0]).all()
    assert low[:, 0].sum() < 0.5 * high[:, 0].sum()
    np.testing.assert_array_equal(low[:, 1:], high[:, 1:])
