"""Expectation propagation of a hidden Gaussian process: moments, evidence and slopes, against plain integration."""

import itertools

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import norm

from imoca.models.expectation_propagation import Hidden, Sites, propagate

Case = tuple[np.ndarray, float, np.ndarray]


def make_case(n: int, scale: float, rng: np.random.Generator, mean: float = -0.4) -> Case:
    """A covariance of so large deviations, and a third of yes."""
    roots = rng.standard_normal((n, n))
    covariance = scale**2 * (roots @ roots.T / n + 0.3 * np.eye(n))
    signs = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    return covariance, mean, signs


def moments(hidden: Hidden, covariance: np.ndarray, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances of the latent values."""
    posterior = covariance - covariance @ hidden.precision @ covariance
    return mean + covariance @ hidden.weights, posterior.diagonal()


def integrated(covariance: np.ndarray, mean: float, signs: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Log-evidence, posterior means and variances by Gauss-Hermite quadrature over the prior, (80 nodes)^n."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    factor = np.linalg.cholesky(covariance)
    grid = np.array(list(itertools.product(nodes, repeat=len(covariance)))) @ factor.T + mean
    mass = np.prod(np.array(list(itertools.product(weights, repeat=len(covariance)))), axis=1)
    mass = mass * np.exp(log_ndtr(signs * grid).sum(axis=1))
    means = mass @ grid / mass.sum()
    return float(np.log(mass.sum())), means, mass @ (grid - means) ** 2 / mass.sum()


@pytest.mark.parametrize("mean", [-9.0, -0.4, 3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_run_is_described_exactly(sign: float, mean: float) -> None:
    variance = 4.0
    hidden = propagate(np.array([[variance]]), mean, np.array([sign]))
    values = np.linspace(mean - 40.0, mean + 40.0, 400_001)
    mass = np.exp(norm.logpdf(values, mean, np.sqrt(variance)) + log_ndtr(sign * values))
    first = mass @ values / mass.sum()
    means, variances = moments(hidden, np.array([[variance]]), mean)
    assert hidden.log_evidence == pytest.approx(log_ndtr(sign * mean / np.sqrt(1.0 + variance)), rel=1e-9)
    assert means[0] == pytest.approx(first, rel=1e-6)
    assert variances[0] == pytest.approx(mass @ (values - first) ** 2 / mass.sum(), rel=1e-6)


@pytest.mark.parametrize(("scale", "off"), [(0.2, 1e-5), (0.5, 1e-3), (1.0, 1e-2), (2.0, 3e-2)])
def test_evidence_and_moments_are_those_by_integration(scale: float, off: float, rng: np.random.Generator) -> None:
    case = make_case(3, scale, rng)
    hidden = propagate(*case)
    evidence, means, variances = integrated(*case)
    assert hidden.log_evidence == pytest.approx(evidence, abs=off)
    found = moments(hidden, case[0], case[1])
    np.testing.assert_allclose(found[0], means, atol=off)
    np.testing.assert_allclose(found[1], variances, rtol=off)
    assert np.abs(means - case[1]).max() > 10 * off  # something was learned: far more than the difference


def neighbours_that_agree() -> Case:
    x = np.linspace(0.0, 1.0, 60)
    return 600.0 * np.exp(-0.5 * ((x[:, None] - x) / 0.5) ** 2), -8.0, np.where(x > 0.7, 1.0, -1.0)


def a_prior_that_was_wrong() -> Case:
    """It was sure of no."""
    covariance = 20.0**2 * np.array([[1.0, -0.8, 0.1], [-0.8, 1.0, 0.4], [0.1, 0.4, 1.0]])
    return covariance, -22.0, np.array([1.0, 1.0, -1.0])


def the_same_run_again_and_again() -> Case:
    return 9.0 * np.ones((12, 12)), -1.0, np.where(np.arange(12) % 4 == 0, 1.0, -1.0)


@pytest.mark.parametrize("make", [neighbours_that_agree, a_prior_that_was_wrong, the_same_run_again_and_again])
def test_every_marginal_keeps_its_moments_with_the_likelihood_in_the_place_of_its_site(make: object) -> None:
    assert callable(make)
    covariance, mean, signs = make()
    hidden = propagate(covariance, mean, signs)
    means, variances = moments(hidden, covariance, mean)
    precisions = 1.0 / variances - hidden.sites.precisions  # of the cavities
    centres = ((means - mean) / variances - hidden.sites.shifts) / precisions + mean
    for i, sign in enumerate(signs):
        width = 1.0 / np.sqrt(precisions[i])
        values = np.linspace(centres[i] - 14.0 * width, centres[i] + 14.0 * width, 200_001)
        logs = norm.logpdf(values, centres[i], width) + log_ndtr(sign * values)
        mass = np.exp(logs - logs.max())
        first = mass @ values / mass.sum()
        assert means[i] == pytest.approx(first, rel=1e-3, abs=1e-3)
        assert variances[i] == pytest.approx(mass @ (values - first) ** 2 / mass.sum(), rel=1e-3)


def test_the_same_run_again_and_again_is_integrated_over_one_number() -> None:
    covariance, mean, signs = the_same_run_again_and_again()
    hidden = propagate(covariance, mean, signs)
    values = np.linspace(-40.0, 40.0, 200_001)
    logs = norm.logpdf(values, mean, 3.0) + sum(log_ndtr(sign * values) for sign in signs)
    mass = np.exp(logs) * (values[1] - values[0])
    first = mass @ values / mass.sum()
    means, variances = moments(hidden, covariance, mean)
    assert hidden.log_evidence == pytest.approx(np.log(mass.sum()), abs=0.01)
    np.testing.assert_allclose(means, first, atol=0.01)
    np.testing.assert_allclose(variances, mass @ (values - first) ** 2 / mass.sum(), rtol=0.02)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_the_slopes_of_the_evidence_match_finite_differences(scale: float, rng: np.random.Generator) -> None:
    covariance, mean, signs = make_case(5, scale, rng)
    hidden = propagate(covariance, mean, signs)
    direction = rng.standard_normal((5, 5))
    direction = direction + direction.T
    step = 1e-4

    def along(sign: float) -> tuple[float, float]:
        moved = propagate(covariance + sign * step * direction, mean, signs).log_evidence
        return moved, propagate(covariance, mean + sign * step, signs).log_evidence

    ahead, behind = along(1.0), along(-1.0)
    slope = (ahead[0] - behind[0]) / (2 * step)
    assert np.vdot(hidden.by_covariance, direction) == pytest.approx(slope, rel=1e-5, abs=1e-6)
    assert hidden.by_mean == pytest.approx((ahead[1] - behind[1]) / (2 * step), rel=1e-5, abs=1e-6)


def test_another_start_leads_to_the_same_place(rng: np.random.Generator) -> None:
    case = make_case(8, 10.0, rng)
    elsewhere = Sites(rng.uniform(0.0, 3.0, 8), 5.0 * rng.standard_normal(8))
    started, found = propagate(*case, start=elsewhere), propagate(*case)
    np.testing.assert_allclose(started.weights, found.weights, rtol=1e-4, atol=1e-5)
    assert started.log_evidence == pytest.approx(found.log_evidence, abs=1e-6)


def test_a_design_that_lies_far_out_leaves_everything_finite() -> None:
    covariance = np.array([[1e6, 9e5], [9e5, 1e6]])
    hidden = propagate(covariance, -1e3, np.array([1.0, -1.0]))
    assert np.isfinite(hidden.weights).all()
    assert np.isfinite(hidden.precision).all()
    assert np.isfinite(hidden.log_evidence)
