"""iMOCA-T against SciPy's truncated normal."""

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from imoca.acquisition.truncated_gain import truncation_entropy_drop, truncation_entropy_drop_slope


@pytest.mark.parametrize("gamma", [-6.0, -2.0, -0.3, 0.0, 0.7, 2.5, 6.0])
def test_the_drop_is_the_entropy_that_scipy_finds_a_truncated_normal_to_lose(gamma: float) -> None:
    expected = norm.entropy() - truncnorm(-30.0, gamma).entropy()  # as good as minus infinity, where SciPy warns
    assert truncation_entropy_drop(np.array(gamma)) == pytest.approx(expected, abs=1e-9)


def test_the_drop_is_finite_positive_and_falling_from_far_below_to_far_above() -> None:
    gamma = np.linspace(-40.0, 40.0, 4001)
    drop = truncation_entropy_drop(gamma)
    assert np.isfinite(drop).all()
    assert (drop >= 0.0).all()
    assert (np.diff(drop) <= 1e-12).all()
    assert np.isfinite(truncation_entropy_drop_slope(gamma)).all()


def test_far_below_the_drop_grows_like_a_logarithm() -> None:
    # Mills: the truncated tail is an exponential of rate |gamma|, whose entropy is 1 - ln|gamma|
    gamma = -35.0
    expected = norm.entropy() - (1.0 - np.log(-gamma))
    assert truncation_entropy_drop(np.array(gamma)) == pytest.approx(expected, abs=3e-3)


def test_the_slope_matches_finite_differences() -> None:
    gamma = np.linspace(-8.0, 8.0, 81)
    numeric = (truncation_entropy_drop(gamma + 1e-5) - truncation_entropy_drop(gamma - 1e-5)) / 2e-5
    np.testing.assert_allclose(truncation_entropy_drop_slope(gamma), numeric, atol=1e-8)
