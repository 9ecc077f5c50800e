"""Expected excess: against quadrature, and far into the tail."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from imoca.acquisition.expected_improvement import (
    expected_excess,
    log_expected_improvement,
    log_standard_excess,
)


@pytest.mark.parametrize("threshold", [-6.0, -1.0, 0.0, 0.4, 3.0, 7.0])
def test_the_excess_matches_quadrature(threshold: float) -> None:
    by_quadrature, _ = quad(lambda u: (u - threshold) * norm.pdf(u), threshold, threshold + 30.0, epsabs=0.0)
    assert np.exp(log_standard_excess(np.array(threshold))) == pytest.approx(by_quadrature, rel=1e-9)


def test_the_logarithm_keeps_its_digits_where_the_excess_underflows() -> None:
    t = np.array([20.0, 60.0, 900.0, 1100.0, 1e5])
    # phi(t) / t^2 (1 - 3 / t^2 + 15 / t^4 - ...)
    series = norm.logpdf(t) - 2.0 * np.log(t) + np.log1p(-3.0 / t**2 + 15.0 / t**4 - 105.0 / t**6)
    np.testing.assert_allclose(log_standard_excess(t), series, rtol=1e-8)


def test_the_expected_improvement_matches_monte_carlo(rng: np.random.Generator) -> None:
    mean, std, best = np.array([0.2, -1.0]), np.array([0.5, 1.5]), 0.6
    draws = mean + std * rng.standard_normal((400_000, 2))
    improvement = np.maximum(draws - best, 0.0)
    error = improvement.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(expected_excess(mean, std, np.array(best)) - improvement.mean(axis=0)) < 4.0 * error).all()
    np.testing.assert_allclose(
        np.exp(log_expected_improvement(mean, std, best)), expected_excess(mean, std, np.array(best))
    )
