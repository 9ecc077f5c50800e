"""iMOCA-E: quadrature against Simpson, adaptive quadrature and Monte Carlo; the table against the quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad, simpson
from scipy.special import log_ndtr
from scipy.stats import norm

from imoca.acquisition.skew_gain import skew_entropy_drop_by_quadrature, skew_table
from imoca.acquisition.truncated_gain import inverse_mills_ratio, truncation_entropy_drop

PAIRS = [(-6.0, 0.3), (-2.0, 0.9), (-0.5, 0.7), (0.0, 0.5), (1.0, 0.99), (2.0, 0.8), (4.0, 0.2)]


def drop_from_expectation(gamma: float, tau: float, expectation: float) -> float:
    ratio = float(inverse_mills_ratio(np.array(gamma)))
    return 0.5 * tau**2 * gamma * ratio - float(log_ndtr(gamma)) + expectation


def integrand(u: np.ndarray | float, gamma: float, tau: float) -> np.ndarray | float:
    log_cdf = log_ndtr((gamma - tau * u) / np.sqrt(1.0 - tau**2))
    return norm.pdf(u) * np.exp(log_cdf - log_ndtr(gamma)) * log_cdf


def moments_of_u(gamma: float, tau: float) -> tuple[float, float]:
    ratio = float(inverse_mills_ratio(np.array(gamma)))
    return -tau * ratio, np.sqrt(1.0 - tau**2 * ratio * (gamma + ratio))


@pytest.mark.parametrize(("gamma", "tau"), PAIRS)
def test_the_quadrature_agrees_with_simpson_between_five_deviations(gamma: float, tau: float) -> None:
    mean, deviation = moments_of_u(gamma, tau)
    u = np.linspace(mean - 5 * deviation, mean + 5 * deviation, 2001)
    expected = drop_from_expectation(gamma, tau, float(simpson(integrand(u, gamma, tau), x=u)))
    assert skew_entropy_drop_by_quadrature(np.array(gamma), np.array(tau)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("gamma", "tau"), PAIRS)
def test_the_quadrature_agrees_with_adaptive_quadrature(gamma: float, tau: float) -> None:
    mean, deviation = moments_of_u(gamma, tau)
    low, high = mean - 10 * deviation - 1, mean + 10 * deviation + 1
    expectation = quad(integrand, low, high, args=(gamma, tau), points=[mean], limit=400, epsabs=1e-12)[0]
    expected = drop_from_expectation(gamma, tau, expectation)
    assert skew_entropy_drop_by_quadrature(np.array(gamma), np.array(tau)) == pytest.approx(expected, abs=1e-8)


def test_the_moments_printed_in_the_paper_miss_the_mass() -> None:
    gamma, tau = -2.0, 0.9
    mean, deviation = moments_of_u(gamma, tau)
    u = np.linspace(-mean - 5 * deviation, -mean + 5 * deviation, 2001)  # the printed sign
    printed = drop_from_expectation(gamma, tau, float(simpson(integrand(u, gamma, tau), x=u)))
    assert skew_entropy_drop_by_quadrature(np.array(gamma), np.array(tau)) == pytest.approx(0.639, abs=1e-3)
    assert printed > 2.0 * 0.639


@pytest.mark.slow
@pytest.mark.parametrize(("gamma", "tau"), [(-0.5, 0.7), (0.5, 0.95)])
def test_the_drop_is_the_entropy_a_monte_carlo_sample_loses(gamma: float, tau: float, rng: np.random.Generator) -> None:
    f = rng.standard_normal(2_000_000)
    y = tau * f + np.sqrt(1.0 - tau**2) * rng.standard_normal(f.size)
    kept = y[f <= gamma]
    # The exact density of y given f <= gamma, from Bayes' rule; its mean log over the sample is minus the entropy.
    log_density = norm.logpdf(kept) + log_ndtr((gamma - tau * kept) / np.sqrt(1.0 - tau**2)) - log_ndtr(gamma)
    sampled = norm.entropy() + log_density.mean()
    error = log_density.std() / np.sqrt(kept.size)
    assert skew_entropy_drop_by_quadrature(np.array(gamma), np.array(tau)) == pytest.approx(sampled, abs=4 * error)


def test_without_correlation_nothing_is_gained_and_with_full_correlation_it_is_mesmo() -> None:
    gamma = np.linspace(-30.0, 10.0, 81)
    np.testing.assert_allclose(skew_entropy_drop_by_quadrature(gamma, np.zeros(81)), 0.0, atol=1e-9)
    np.testing.assert_allclose(skew_entropy_drop_by_quadrature(gamma, np.ones(81)), truncation_entropy_drop(gamma))


def test_the_drop_is_non_negative_and_grows_with_the_correlation() -> None:
    tau = np.linspace(0.0, 1.0, 101)
    for gamma in (-10.0, -1.0, 0.0, 2.0):
        drop = skew_entropy_drop_by_quadrature(np.full(101, gamma), tau)
        assert (drop >= -1e-12).all()
        assert (np.diff(drop) >= -1e-12).all()
        np.testing.assert_allclose(skew_entropy_drop_by_quadrature(np.full(101, gamma), -tau), drop)


def test_the_table_is_within_a_millionth_of_the_quadrature_on_the_whole_range(rng: np.random.Generator) -> None:
    table = skew_table()
    n = 20_000
    gamma = np.concatenate([rng.uniform(-40.0, 12.0, n // 2), rng.uniform(-4.0, 4.0, n // 2)])
    near_one = 1.0 - 10.0 ** rng.uniform(-10.0, 0.0, n)
    tau = np.where(rng.random(n) < 0.5, rng.random(n), near_one)
    looked_up = np.einsum("ij,ij->i", table.rows(np.arcsinh(gamma)), table.basis(np.sqrt(1.0 - tau**2)))
    np.testing.assert_allclose(looked_up, skew_entropy_drop_by_quadrature(gamma, tau), atol=1e-6)
