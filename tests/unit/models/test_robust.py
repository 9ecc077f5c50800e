"""Lines and processes that one value far off does not carry away."""

import numpy as np
import pytest
from scipy.optimize import minimize

from imoca.models.gp import GaussianProcess
from imoca.models.robust import TAIL, robust_line, tail_of, weights_of, without_tail
from imoca.models.smooth import Smooth

PRIOR_MEAN, PRIOR_DEVIATION, NOISE = np.array([0.5, -1.0]), np.array([10.0, 2.0]), 0.3


def loss_of(distances: np.ndarray, tail: float) -> np.ndarray:
    """Minus the logarithm of a normal density, and of a power beyond the tail; smooth where they meet."""
    beyond = tail**2 * (0.5 + np.log(np.maximum(np.abs(distances), tail) / tail))
    return np.where(np.abs(distances) <= tail, 0.5 * distances**2, beyond)


def test_the_line_is_the_likeliest_of_a_normal_density_with_the_tails_of_a_power(rng: np.random.Generator) -> None:
    inputs = np.column_stack([np.ones(15), rng.random(15)])
    values = inputs @ [2.0, 3.0] + 0.1 * rng.standard_normal(15)
    values[[3, 8]] += 8.0, -3.0

    def loss(line: np.ndarray) -> float:
        prior = ((line - PRIOR_MEAN) / PRIOR_DEVIATION) ** 2
        return float(loss_of(values - inputs @ line, TAIL * NOISE).sum() / NOISE**2 + 0.5 * prior.sum())

    best = minimize(loss, [2.0, 3.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12, "maxiter": 4000}).x
    np.testing.assert_allclose(
        robust_line(inputs, values, PRIOR_MEAN, PRIOR_DEVIATION, NOISE), best, rtol=1e-3
    )  # the others stray by less than the noise, so that it is the noise that sets the tail


def test_without_anything_far_off_the_line_is_that_of_least_squares(rng: np.random.Generator) -> None:
    inputs = np.column_stack([np.ones(9), rng.random(9)])
    values = inputs @ [2.0, 3.0] + 0.1 * rng.standard_normal(9)
    rows = np.concatenate([inputs / NOISE, np.diag(1.0 / PRIOR_DEVIATION)])
    wanted = np.concatenate([values / NOISE, PRIOR_MEAN / PRIOR_DEVIATION])
    np.testing.assert_allclose(
        robust_line(inputs, values, PRIOR_MEAN, PRIOR_DEVIATION, NOISE), np.linalg.lstsq(rows, wanted, rcond=None)[0]
    )


def test_the_tail_begins_where_the_spread_says_and_never_within_the_noise() -> None:
    distances = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 50.0])  # half of them are at most 1.5 from 0
    assert tail_of(distances, 0.3) == pytest.approx(3.0 * 1.4826 * 1.5)
    assert tail_of(distances / 100.0, 0.1) == pytest.approx(0.3)
    np.testing.assert_allclose(weights_of(np.array([0.5, -2.0, 4.0, -20.0]), 2.0), [1.0, 1.0, 0.25, 0.01])


def left_out(process: GaussianProcess, i: int) -> tuple[float, float]:
    """Mean and deviation of an observation as all others predict it."""
    others = np.arange(len(process.values)) != i
    without = GaussianProcess.condition(process.x[others], process.z[others], process.values[others], process.kernel)
    mean, variance = without.mean_and_variance_at_target(process.x[i : i + 1])
    return float(mean[0]), float(np.sqrt(variance[0] + process.kernel.noise(np.ones(1))[0]))


def test_a_process_hardly_believes_a_value_far_beyond_what_the_others_predict(rng: np.random.Generator) -> None:
    x = rng.random((20, 2))
    values = np.sin(3.0 * x[:, 0]) + 0.01 * rng.standard_normal(20)
    values[7] += 5.0
    kernel = Smooth(np.array([0.7, 2.0]), 1.0, 1e-3)
    process = GaussianProcess.condition(x, np.ones(20), values, kernel)
    seen = without_tail(process)
    mean, deviation = left_out(seen, 7)
    tail = TAIL * deviation
    assert seen.values[7] == pytest.approx(mean + tail**2 / (values[7] - mean), rel=1e-3)
    usual = [i for i in range(20) if abs(values[i] - left_out(seen, i)[0]) < TAIL * left_out(seen, i)[1]]
    np.testing.assert_array_equal(seen.values[usual], values[usual])
    assert len(usual) == 19
    np.testing.assert_allclose(
        seen.weights, GaussianProcess.condition(x, np.ones(20), seen.values, kernel).weights, rtol=1e-6
    )
