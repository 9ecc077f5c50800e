"""Gains of objectives and constraints: gradients by differences, limits, and what a probability of running does."""

import numpy as np
import pytest
from scipy.special import ndtr

from imoca.acquisition.feasible_gain import feasible_bound_gain, feasible_front_gain
from imoca.acquisition.front_gain import FrontGain, RunProbability
from imoca.acquisition.gain import Gain, squared_correlation
from imoca.acquisition.regions import dominated_regions
from imoca.acquisition.skew_gain import SkewGain
from imoca.acquisition.truncated_gain import TruncatedGain
from imoca.arrays import Array
from imoca.models.gp import GaussianProcess, Moments
from imoca.models.product import ProductKernel
from imoca.pareto.dominance import non_dominated

GRID = np.array([0.0, 0.3, 0.6, 1.0])
NAMES = ["truncated", "skew", "front"]
LOW, HIGH = np.array([-np.inf, -0.4]), np.array([0.3, 0.5])
FAR = np.array([-1e6, -1e6]), np.array([1e6, 1e6])


def make_processes(rng: np.random.Generator, n: int) -> list[GaussianProcess]:
    kernel = ProductKernel(np.array([0.4, 0.6]), 0.9, 1.0, 1e-5)
    return [
        GaussianProcess.condition(rng.random((12, 2)), rng.random(12), rng.standard_normal(12), kernel)
        for _ in range(n)
    ]


def half(x: Array) -> tuple[Array, Array]:
    """A probability of running that changes with the design."""
    slope = np.array([1.5, -2.0])
    t = (x - 0.5) @ slope
    density = np.exp(-0.5 * t**2) / np.sqrt(2.0 * np.pi)
    return ndtr(t), density[:, None] * slope


def make_fronts(n_objectives: int, rng: np.random.Generator, n_infeasible: int) -> list[np.ndarray]:
    fronts = []
    for _ in range(4):
        points = rng.standard_normal((40, n_objectives)) + 0.8
        fronts.append(points[non_dominated(points)])
    return [*fronts, *[np.empty((0, n_objectives))] * n_infeasible]


def make_gain(
    name: str,
    fronts: list[np.ndarray],
    limits: tuple[np.ndarray, np.ndarray],
    running: RunProbability | None = None,
) -> Gain:
    if name == "front":
        return feasible_front_gain(dominated_regions(fronts, np.random.default_rng(0)), *limits, running)
    maxima = np.array([front.max(axis=0, initial=-np.inf) for front in fronts])
    return feasible_bound_gain(TruncatedGain if name == "truncated" else SkewGain, maxima, *limits, running)


def moments_at(processes: list[GaussianProcess], x: np.ndarray) -> list[Moments]:
    return [process.moments(x, GRID) for process in processes]


@pytest.mark.parametrize("running", [None, half], ids=["sure to run", "may fail"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_the_gradient_matches_finite_differences(
    name: str, n_objectives: int, running: RunProbability | None, rng: np.random.Generator
) -> None:
    processes = make_processes(rng, n_objectives + 2)
    gain = make_gain(name, make_fronts(n_objectives, rng, 1), (LOW, HIGH), running)
    x, step = rng.random((5, 2)), 1e-6
    chosen = [rng.integers(0, len(GRID), 5) for _ in processes]
    weights = rng.random((5, len(processes)))
    weights[0, 0] = weights[1, -1] = 0.0  # where their simulators are not run

    def total(designs: np.ndarray) -> np.ndarray:
        values = gain.values(moments_at(processes, designs))
        return np.sum([weights[:, j] * values[j][np.arange(5), column] for j, column in enumerate(chosen)], axis=0)

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
    processes = make_processes(rng, n_objectives + 2)
    gain = make_gain(name, make_fronts(n_objectives, rng, 2), (LOW, HIGH), half)
    x = np.concatenate([rng.random((50, 2)), processes[0].x, processes[-1].x])
    for values in gain.values(moments_at(processes, x)):
        assert values.shape == (len(x), len(GRID))
        assert np.isfinite(values).all()
        assert (values >= -1e-15).all()


@pytest.mark.parametrize("name", NAMES)
def test_constraints_that_always_hold_tell_nothing_and_change_nothing(name: str, rng: np.random.Generator) -> None:
    processes, fronts = make_processes(rng, 4), make_fronts(2, rng, 0)
    moments = moments_at(processes, rng.random((20, 2)))
    maxima = np.array([front.max(axis=0) for front in fronts])
    gains: dict[str, Gain] = {
        "truncated": TruncatedGain(maxima),
        "skew": SkewGain(maxima),
        "front": FrontGain(dominated_regions(fronts, rng)),
    }
    constrained = make_gain(name, fronts, FAR).values(moments)
    for free, bound in zip(gains[name].values(moments[:2]), constrained[:2], strict=True):
        np.testing.assert_array_equal(free, bound)
    np.testing.assert_allclose(constrained[2:], 0.0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_without_any_feasible_sample_only_the_constraints_tell(name: str, rng: np.random.Generator) -> None:
    """And most of all where, of the designs, the model is least sure that the constraint is violated."""
    processes = make_processes(rng, 3)
    x = rng.random((200, 2))
    moments = moments_at(processes, x)
    limits = np.array([1.0]), np.array([np.inf])
    values = make_gain(name, [np.empty((0, 2))] * 3, limits).values(moments)
    np.testing.assert_allclose(values[:2], 0.0, atol=1e-12)
    at_target = values[2][:, -1]
    probability = 1.0 - ndtr((1.0 - moments[2].mean_f) / np.sqrt(moments[2].var_f))
    is_unsure = moments[2].var_f > 0.01  # so that it is no matter of the resolution
    assert is_unsure.sum() > 20
    order = np.argsort(probability[is_unsure])
    ranks = np.argsort(np.argsort(at_target[is_unsure][order]))
    assert np.corrcoef(ranks, np.arange(len(ranks)))[0, 1] > 0.95


def test_p_of_one_constraint_is_the_gaussian_bound_of_its_weighted_density(rng: np.random.Generator) -> None:
    """Weighted 1 outside its bounds and 1 - p_ok (1 - P_D) inside: the variance by plain summation."""
    processes = make_processes(rng, 2)
    x = rng.random((6, 2))
    moments = moments_at(processes, x)
    gain = make_gain("front", [np.array([[0.7]])], (np.array([-0.4]), np.array([0.5])), half)
    got = gain.values(moments)[1]
    f, c = moments
    below = ndtr((0.7 - f.mean_f) / np.sqrt(f.var_f))
    for i in range(6):
        u = np.linspace(-9.0, 9.0, 200_001)
        values = c.mean_f[i] + np.sqrt(c.var_f[i]) * u
        weight = np.where((values > -0.4) & (values < 0.5), 1.0 - half(x)[0][i] * (1.0 - below[i]), 1.0)
        density = np.exp(-0.5 * u**2) * weight
        density /= density.sum()
        variance = (density * u**2).sum() - (density * u).sum() ** 2
        expected = -0.5 * np.log1p(-squared_correlation(c)[i] * (1.0 - min(variance, 1.0)))
        np.testing.assert_allclose(got[i], expected, rtol=1e-3, atol=1e-6)


def test_t_and_e_count_what_the_objectives_tell_by_the_probability_of_being_feasible(rng: np.random.Generator) -> None:
    processes = make_processes(rng, 3)
    x = rng.random((8, 2))
    moments = moments_at(processes, x)
    fronts = make_fronts(2, rng, 0)
    maxima = np.array([front.max(axis=0) for front in fronts])
    mean, std = moments[2].mean_f, np.sqrt(moments[2].var_f)
    probability = half(x)[0] * (ndtr((0.5 - mean) / std) - ndtr((-0.4 - mean) / std))
    gain = make_gain("skew", fronts, (np.array([-0.4]), np.array([0.5])), half)
    for free, bound in zip(SkewGain(maxima).values(moments[:2]), gain.values(moments)[:2], strict=True):
        np.testing.assert_allclose(bound, probability[:, None] * free, rtol=1e-9)
