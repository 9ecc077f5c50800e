"""One contract for every gain: limits, signs, gradients."""

import numpy as np
import pytest
from scipy.stats import truncnorm

from imoca.acquisition.fractional import NOT_RUN, picked
from imoca.acquisition.front_gain import FrontGain
from imoca.acquisition.gain import RESOLUTION, BlurredGain, Gain, squared_correlation
from imoca.acquisition.regions import dominated_regions
from imoca.acquisition.skew_gain import SkewGain
from imoca.acquisition.truncated_gain import TruncatedGain, truncation_entropy_drop
from imoca.models.gp import GaussianProcess, Moments
from imoca.models.product import ProductKernel
from imoca.pareto.dominance import non_dominated

GRID = np.array([0.0, 0.3, 0.6, 1.0])
NAMES = ["truncated", "skew", "front", "blurred front"]


def make_processes(rng: np.random.Generator, n_objectives: int, noise: float = 1e-5) -> list[GaussianProcess]:
    scales = ProductKernel(np.array([0.4, 0.6]), 0.9, 1.0, noise)
    return [
        GaussianProcess.condition(rng.random((12, 2)), rng.random(12), rng.standard_normal(12), scales)
        for _ in range(n_objectives)
    ]


def make_gain(name: str, n_objectives: int, rng: np.random.Generator) -> Gain:
    fronts = []
    for _ in range(4):
        points = rng.standard_normal((40, n_objectives)) + 0.8
        fronts.append(points[non_dominated(points)])
    maxima = np.array([front.max(axis=0) for front in fronts])
    if name == "truncated":
        return TruncatedGain(maxima)
    if name == "skew":
        return SkewGain(maxima)
    sharp = FrontGain(dominated_regions(fronts, rng))
    return sharp if name == "front" else BlurredGain(sharp, np.linspace(0.1, 0.3, n_objectives))


def moments_at(processes: list[GaussianProcess], x: np.ndarray) -> list[Moments]:
    return [process.moments(x, GRID) for process in processes]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 4])
def test_the_gradient_matches_finite_differences(name: str, n_objectives: int, rng: np.random.Generator) -> None:
    processes, gain = make_processes(rng, n_objectives), make_gain(name, n_objectives, rng)
    x, step = rng.random((5, 2)), 1e-6
    chosen = [rng.integers(0, len(GRID), 5) for _ in processes]
    weights = rng.random((5, n_objectives))
    for j, columns in enumerate(chosen):
        columns[j :: n_objectives + 1] = NOT_RUN  # each output at another design, none at the last one
        weights[columns == NOT_RUN, j] = 0.0

    def total(designs: np.ndarray) -> np.ndarray:
        values = gain.values(moments_at(processes, designs))
        return np.sum([weights[:, j] * picked(values[j], column) for j, column in enumerate(chosen)], axis=0)

    moments = moments_at(processes, x)
    parts = zip(moments, chosen, gain.partials(moments, chosen, weights), strict=True)
    gradient = np.sum([each.gradient(column, partials) for each, column, partials in parts], axis=0)
    for column in range(2):
        shift = step * np.eye(2)[column]
        numeric = (total(x + shift) - total(x - shift)) / (2 * step)
        np.testing.assert_allclose(gradient[:, column], numeric, atol=2e-5 * max(1.0, np.abs(numeric).max()))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_objectives", [2, 6])
def test_gains_are_finite_and_non_negative_everywhere(name: str, n_objectives: int, rng: np.random.Generator) -> None:
    processes, gain = make_processes(rng, n_objectives), make_gain(name, n_objectives, rng)
    x = np.concatenate([rng.random((50, 2)), processes[0].x])
    for values in gain.values(moments_at(processes, x)):
        assert values.shape == (len(x), len(GRID))
        assert np.isfinite(values).all()
        assert (values >= 0.0).all()


def test_what_is_known_better_than_the_resolution_hardly_tells_of_itself(rng: np.random.Generator) -> None:
    """At full accuracy cov = var_g = var_f, so that tau^2 is the share of var_f in what is observed."""
    noise = 1e-9
    (process,) = make_processes(rng, 1, noise)
    x = np.concatenate([process.x, rng.random((5, 2))])
    moments = process.moments(x, np.ones(1))
    expected = moments.var_f / (moments.var_f + noise + 1e-3**2)
    np.testing.assert_allclose(squared_correlation(moments)[:, 0], expected, rtol=1e-6)
    at_target = GaussianProcess.condition(x, np.ones(len(x)), np.zeros(len(x)), process.kernel)
    assert squared_correlation(at_target.moments(x, np.ones(1))).max() < 0.01


def test_what_is_known_better_than_the_blur_hardly_tells_of_itself(rng: np.random.Generator) -> None:
    """A design known to a tenth of its blur: the share of its variance in what is seen is 1 in 101 at the most."""
    moments = moments_at(make_processes(rng, 2), rng.random((40, 2)))
    sharp = FrontGain(dominated_regions([np.array([[0.5, 0.0], [0.0, 0.5]])], rng))
    deviations = [float(np.sqrt(each.var_f.max())) for each in moments]
    for j in range(2):
        blurs = np.zeros(2)
        blurs[j] = 10.0 * deviations[j]
        blurred, clear = BlurredGain(sharp, blurs).values(moments), sharp.values(moments)
        assert clear[j].max() > 0.1
        assert blurred[j].max() <= -0.5 * np.log(1.0 - 1.0 / 101.0)
        np.testing.assert_array_equal(blurred[1 - j], clear[1 - j])


def test_t_and_e_at_the_target_fidelity_are_mesmo(rng: np.random.Generator) -> None:
    processes = make_processes(rng, 2, noise=1e-9)
    maxima = rng.standard_normal((6, 2)) + 1.5
    x = rng.random((8, 2))
    moments = moments_at(processes, x)
    for j, process in enumerate(processes):
        mean, variance = process.mean_and_variance_at_target(x)
        mesmo = truncation_entropy_drop((maxima[:, j, None] - mean) / np.sqrt(variance)).mean(axis=0)
        np.testing.assert_allclose(TruncatedGain(maxima).values(moments)[j][:, -1], mesmo, rtol=1e-9)
        # E knows that nobody pays for more than the resolution; where the variance is far above it they agree.
        clear = variance > 1e4 * RESOLUTION**2
        assert clear.any()
        np.testing.assert_allclose(SkewGain(maxima).values(moments)[j][clear, -1], mesmo[clear], rtol=2e-2, atol=2e-3)


def test_p_with_one_objective_is_the_gaussian_bound_of_the_truncated_normal(rng: np.random.Generator) -> None:
    (process,) = make_processes(rng, 1)
    x = rng.random((6, 2))
    moments = process.moments(x, GRID)
    gain = FrontGain(dominated_regions([np.array([[0.9]])], rng)).values([moments])[0]
    gamma = (0.9 - moments.mean_f) / np.sqrt(moments.var_f)
    ratio = np.array([truncnorm(-np.inf, value).var() for value in gamma])
    expected = -0.5 * np.log(1.0 - squared_correlation(moments) * (1.0 - ratio)[:, None])
    np.testing.assert_allclose(gain, expected, rtol=1e-6, atol=1e-12)
    exact = SkewGain(np.array([[0.9]])).values([moments])[0]
    assert (gain <= exact + 1e-6).all()  # P is a lower bound of what E computes exactly


@pytest.mark.parametrize("name", ["skew", "front"])
def test_a_fidelity_without_correlation_gains_nothing(name: str, rng: np.random.Generator) -> None:
    scales = ProductKernel(np.array([0.4, 0.6]), 0.05, 1.0, 1e-5)  # z = 0.3 knows nothing of z* = 1
    processes = [
        GaussianProcess.condition(rng.random((12, 2)), np.ones(12), rng.standard_normal(12), scales) for _ in range(2)
    ]
    for values in make_gain(name, 2, rng).values(moments_at(processes, rng.random((9, 2)))):
        np.testing.assert_allclose(values[:, 1], 0.0, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_a_design_that_is_known_exactly_is_not_worth_asking_again(name: str, rng: np.random.Generator) -> None:
    x, values = rng.random((10, 2)), rng.standard_normal(10)
    scales = ProductKernel(np.array([0.3, 0.3]), 1.0, 1.0, 1e-9)
    process = GaussianProcess.condition(x, np.ones(10), values, scales)
    best = values.max() + 5.0 * RESOLUTION
    gains: dict[str, Gain] = {
        "truncated": TruncatedGain(np.array([[best]])),
        "skew": SkewGain(np.array([[best]])),
        "front": FrontGain(dominated_regions([np.array([[best]])], rng)),
    }
    gains["blurred front"] = BlurredGain(gains["front"], np.array([0.1]))
    gain = gains[name]
    known = gain.values([process.moments(x[[values.argmax()]], GRID)])[0][0, -1]
    elsewhere = gain.values([process.moments(rng.random((50, 2)), GRID)])[0][:, -1].max()
    assert known < 0.02 * elsewhere
