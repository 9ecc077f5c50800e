"""Laplace's approximation of a hidden Gaussian process: mode, evidence and derivatives, against plain integration."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr
from scipy.stats import multivariate_normal, norm

from imoca.models.laplace import evidence_slopes, find_mode, likelihood_slopes


def make_case(
    n: int, scale: float, rng: np.random.Generator, mean: float = -0.4
) -> tuple[np.ndarray, float, np.ndarray]:
    """A covariance of so large deviations, and a third of yes."""
    roots = rng.standard_normal((n, n))
    covariance = scale**2 * (roots @ roots.T / n + 0.3 * np.eye(n))
    signs = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    return covariance, mean, signs


def log_posterior(latent: np.ndarray, covariance: np.ndarray, mean: float, signs: np.ndarray) -> float:
    """Unnormalised, by SciPy's densities."""
    likelihood = norm.logcdf(signs * latent).sum()
    return float(likelihood + multivariate_normal(np.full(len(latent), mean), covariance).logpdf(latent))


def integrated(covariance: np.ndarray, mean: float, signs: np.ndarray) -> tuple[float, np.ndarray]:
    """Evidence and posterior mean by Gauss-Hermite quadrature over the prior, (80 nodes)^n."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    factor = np.linalg.cholesky(covariance)
    grid = np.array(list(itertools.product(nodes, repeat=len(covariance)))) @ factor.T + mean
    mass = np.prod(np.array(list(itertools.product(weights, repeat=len(covariance)))), axis=1)
    mass = mass * np.exp(log_ndtr(signs * grid).sum(axis=1))
    return float(mass.sum()), mass @ grid / mass.sum()


@pytest.mark.parametrize("scale", [0.5, 3.0, 30.0])
def test_the_mode_is_where_a_general_search_finds_the_largest_posterior(scale: float, rng: np.random.Generator) -> None:
    case = make_case(6, scale, rng)
    mode = find_mode(*case)
    found = minimize(lambda latent: -log_posterior(latent, *case), np.zeros(6), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(mode.latent, found.x, atol=2e-4 * scale)
    np.testing.assert_allclose(case[0] @ mode.weights, mode.latent - case[1], rtol=1e-5, atol=1e-5)


def test_the_evidence_is_that_of_the_normal_distribution_with_the_curvature_by_differences(
    rng: np.random.Generator,
) -> None:
    case = make_case(4, 2.0, rng)
    mode = find_mode(*case)
    step, units = 1e-4, np.eye(4)
    hessian = np.array(
        [
            [
                sum(
                    a * b * log_posterior(mode.latent + step * (a * u + b * v), *case) for a in (1, -1) for b in (1, -1)
                )
                / (4 * step**2)
                for u in units
            ]
            for v in units
        ]
    )
    by_hand = log_posterior(mode.latent, *case) + 2 * np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(-hessian)[1]
    assert mode.log_evidence == pytest.approx(by_hand, abs=1e-5)
    covariance = case[0] - case[0] @ mode.precision() @ case[0]
    np.testing.assert_allclose(covariance, np.linalg.inv(-hessian), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("scale", [0.05, 0.1, 0.2, 0.4])
def test_evidence_and_mean_differ_from_the_exact_ones_by_the_fourth_order_of_the_prior_deviations(
    scale: float, rng: np.random.Generator
) -> None:
    case = make_case(3, scale, rng)
    mode = find_mode(*case)
    evidence, mean = integrated(*case)
    assert mode.log_evidence == pytest.approx(np.log(evidence), abs=0.3 * scale**4)
    np.testing.assert_allclose(mode.latent, mean, atol=2.5 * scale**4)
    assert np.abs(mean - case[1]).max() > scale**2  # something was learned: far more than the difference


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_the_slopes_of_the_evidence_match_finite_differences(scale: float, rng: np.random.Generator) -> None:
    covariance, mean, signs = make_case(5, scale, rng)
    by_covariance, by_mean = evidence_slopes(covariance, signs, find_mode(covariance, mean, signs))
    direction = rng.standard_normal((5, 5))
    direction = direction + direction.T
    step = 1e-5

    def along(sign: float) -> tuple[float, float]:
        moved = find_mode(covariance + sign * step * direction, mean, signs).log_evidence
        return moved, find_mode(covariance, mean + sign * step, signs).log_evidence

    ahead, behind = along(1.0), along(-1.0)
    assert np.vdot(by_covariance, direction) == pytest.approx((ahead[0] - behind[0]) / (2 * step), rel=1e-6, abs=1e-8)
    assert by_mean == pytest.approx((ahead[1] - behind[1]) / (2 * step), rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(by_covariance, by_covariance.T, rtol=1e-12)


@pytest.mark.parametrize("latent", [-1e9, -1e4, -40.0, -1.0, 0.0, 3.0, 40.0, 1e9])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_slopes_of_the_likelihood_are_finite_and_right_however_far_out(latent: float, sign: float) -> None:
    first, curvature, turn = (each[0] for each in likelihood_slopes(np.array([latent]), np.array([sign])))
    assert np.isfinite([first, curvature, turn]).all()
    assert curvature >= 0.0
    u = sign * latent
    if u <= -40.0:  # log Phi(u) = -u^2 / 2 - log |u| + ...
        assert first == pytest.approx(-sign * u, rel=1e-3)
        assert curvature == pytest.approx(1.0, rel=0.01) or u < -1e6  # beyond, round-off
    elif abs(u) < 4.0:
        step = 1e-3
        values = [norm.logcdf(u + i * step) for i in (-2, -1, 0, 1, 2)]
        second = (values[3] - 2 * values[2] + values[1]) / step**2
        third = (values[4] - 2 * values[3] + 2 * values[1] - values[0]) / (2 * step**3)
        assert first == pytest.approx(sign * (values[3] - values[1]) / (2 * step), rel=1e-4)
        assert curvature == pytest.approx(-second, rel=1e-4)
        assert turn * curvature == pytest.approx(sign * third, rel=1e-3)


def test_a_bad_start_leads_to_the_same_mode(rng: np.random.Generator) -> None:
    case = make_case(8, 10.0, rng)
    started = find_mode(*case, start=1e3 * rng.standard_normal(8))
    np.testing.assert_allclose(started.latent, find_mode(*case).latent, rtol=1e-6, atol=1e-6)


def test_the_mode_is_found_where_a_full_step_leads_downhill() -> None:
    """A prior that is sure of no, and was wrong."""
    covariance = 20.0**2 * np.array([[1.0, -0.8, 0.1], [-0.8, 1.0, 0.4], [0.1, 0.4, 1.0]])
    signs = np.array([1.0, 1.0, -1.0])
    mode = find_mode(covariance, -22.0, signs)
    weights = norm.pdf(mode.latent) / norm.cdf(signs * mode.latent) * signs  # the gradient is 0: K a = h - m
    np.testing.assert_allclose(covariance @ weights, mode.latent + 22.0, rtol=1e-5, atol=1e-5)
