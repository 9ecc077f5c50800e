"""The probability of lying within bounds, and the bounds as a surrogate sees them."""

import numpy as np
import pytest
from scipy.integrate import quad

from imoca.models.dataset import OutputData
from imoca.models.gp import GaussianProcess
from imoca.models.limit import Limit, log_feasibility, log_normal_within, standardised_bounds
from imoca.models.product import ProductKernel
from imoca.problem.simulator import Constraint


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-1.0, 2.0),
        (-np.inf, 0.3),
        (0.3, np.inf),
        (8.0, 9.0),
        (-30.0, -20.0),
        (20.0, 30.0),
        (-np.inf, -35.0),
        (-5.0, 40.0),
    ],
)
def test_the_probability_within_is_exact_far_out_on_either_side(low: float, high: float) -> None:
    """By summing the density relative to its largest value within."""
    top = float(np.clip(0.0, low, high))
    ends = max(low, top - 12.0), min(high, top + 12.0)
    share, _ = quad(lambda t: np.exp(0.5 * (top**2 - t**2)), *ends, epsabs=0.0, limit=200)
    exact = np.log(share / np.sqrt(2.0 * np.pi)) - 0.5 * top**2
    assert float(log_normal_within(np.array(low), np.array(high))) == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_bounds_far_away_always_hold_and_that_is_exact() -> None:
    assert log_normal_within(np.array(-1e6), np.array(1e6)) == 0.0


def make_data(values: np.ndarray, is_log: bool = False) -> OutputData:
    raw = np.log(values) if is_log else values
    centre, scale = float(raw.mean()), float(raw.std())
    x = np.linspace(0.0, 1.0, len(values))[:, None]
    return OutputData(
        x, np.ones(len(values)), (raw - centre) / scale, 1.0, centre, scale, np.zeros(len(values)), is_log
    )


def test_bounds_are_standardised_as_the_values_are() -> None:
    values = np.array([1.0, 2.0, 5.0, 9.0])
    for is_log in (False, True):
        data = make_data(values, is_log)
        low, high = standardised_bounds(Constraint("c", 1.0, 9.0), data)
        np.testing.assert_allclose([low, high], [data.values.min(), data.values.max()])
    assert standardised_bounds(Constraint("c", upper=5.0), make_data(values))[0] == -np.inf
    assert standardised_bounds(Constraint("c", lower=-3.0), make_data(values, is_log=True)) == (-np.inf, np.inf)


def test_violations_and_probabilities_of_several_limits(rng: np.random.Generator) -> None:
    data = make_data(np.array([1.0, 2.0, 5.0, 9.0]))
    surrogate = GaussianProcess.condition(data.x, data.z, data.values, ProductKernel(np.array([0.3]), 1.0, 1.0, 1e-4))
    limits = [Limit(data, surrogate, -np.inf, 0.2), Limit(data, surrogate, -0.7, 0.1)]
    np.testing.assert_allclose(limits[1].violation(np.array([-1.0, 0.0, 0.4])), [0.3, 0.0, 0.3])
    assert limits[0].was_violated
    assert not Limit(data, surrogate, -9.0, 9.0).was_violated
    x = np.array([[0.1], [0.45], [1.4]])
    mean, variance = surrogate.mean_and_variance_at_target(x)
    drawn = mean + np.sqrt(variance) * rng.standard_normal((2, 400_000, 3))
    shares = (drawn[0] < 0.2).mean(axis=0) * ((drawn[1] > -0.7) & (drawn[1] < 0.1)).mean(axis=0)
    np.testing.assert_allclose(np.exp(log_feasibility(limits, x)), shares, atol=0.005)
    np.testing.assert_array_equal(log_feasibility([], x), np.zeros(3))
