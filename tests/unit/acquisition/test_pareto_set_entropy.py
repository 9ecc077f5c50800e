"""PESMO: every approximation against rejection sampling."""

import numpy as np
import pytest

from imoca.acquisition.gain import observation_variance
from imoca.acquisition.pareto_set_entropy import (
    ParetoSetEntropy,
    condition_set,
    matched_sites,
)
from imoca.models.gp import GaussianProcess
from imoca.models.product import ProductKernel


@pytest.mark.parametrize(
    ("mean", "variance"),
    [((0.5, 0.8), (1.0, 0.5)), ((1.5, 2.0), (0.7, 2.0)), ((0.3,), (1.0,)), ((0.2, 0.4, 1.0), (1.0, 0.4, 0.9))],
)
def test_sites_match_the_mean_and_variance_of_what_the_factor_leaves(
    mean: tuple[float, ...], variance: tuple[float, ...], rng: np.random.Generator
) -> None:
    m, v = np.array(mean), np.array(variance)
    draws = m + np.sqrt(v) * rng.standard_normal((400_000, len(m)))
    kept = draws[~(draws > 0.0).all(axis=1)]
    precision, linear = matched_sites(m, v)
    total = 1.0 / v + precision
    np.testing.assert_allclose((m / v + linear) / total, kept.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(1.0 / total, kept.var(axis=0), rtol=0.01)


def test_an_impossible_factor_gives_finite_sites() -> None:
    for each in matched_sites(np.array([[60.0, 80.0], [-60.0, -80.0]]), np.ones((2, 2))):
        assert np.isfinite(each).all()


def make_processes(rng: np.random.Generator, n_objectives: int = 2) -> list[GaussianProcess]:
    scales, x = ProductKernel(np.array([0.3]), 1.0, 1.0, 1e-6), np.array([[0.05], [0.5], [0.95]])
    return [GaussianProcess.condition(x, np.ones(3), 0.6 * rng.standard_normal(3), scales) for _ in range(n_objectives)]


def draw_jointly(processes: list[GaussianProcess], x: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    draws = []
    for process in processes:
        covariance = process.covariance_at_target(x, x) + 1e-9 * np.eye(len(x))
        draws.append(rng.multivariate_normal(process.mean_at_target(x), covariance, size=n))
    return np.stack(draws, axis=2)  # (n, points, K)


def is_never_dominated(values: np.ndarray, by: np.ndarray) -> np.ndarray:  # (n, P, K), (n, Q, K) -> (n,)
    return ~np.any((by[:, :, None] > values[:, None]).all(axis=3), axis=(1, 2))


def test_what_is_left_of_the_variance_is_close_to_rejection_sampling(rng: np.random.Generator) -> None:
    processes = make_processes(rng)
    reached = np.column_stack([process.values for process in processes])
    pareto_set, x = np.array([[0.2], [0.75]]), np.array([[0.3], [0.62], [0.85]])
    given = condition_set(processes, pareto_set, reached)
    draws = draw_jointly(processes, np.vstack([pareto_set, x]), 300_000, rng)
    on_set, at_x = draws[:, :2], draws[:, 2:]
    is_optimal = is_never_dominated(on_set, on_set) & is_never_dominated(on_set, np.tile(reached, (len(draws), 1, 1)))
    np.testing.assert_allclose(given.mean.T, on_set[is_optimal].mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.einsum("kpp->pk", given.covariance), on_set[is_optimal].var(axis=0), rtol=0.2)

    gain = ParetoSetEntropy(processes, [given])(x)
    noise = observation_variance(1e-6)
    for i in range(3):
        kept = at_x[is_optimal & is_never_dominated(on_set, at_x[:, i : i + 1]), i]
        before = [process.mean_and_variance_at_target(x[i : i + 1])[1][0] for process in processes]
        expected = 0.5 * np.log((np.array(before) + noise) / (kept.var(axis=0) + noise)).sum()
        assert gain[i] == pytest.approx(expected, abs=0.2)


def test_a_known_design_tells_little(rng: np.random.Generator) -> None:
    processes = make_processes(rng, 3)
    reached = np.column_stack([process.values for process in processes])
    sets = [condition_set(processes, rng.random((5, 1)), reached) for _ in range(4)]
    score = ParetoSetEntropy(processes, sets)
    everywhere = score(np.linspace(0.0, 1.0, 41)[:, None])
    assert np.isfinite(everywhere).all()
    assert score(processes[0].x).max() < 0.1 * everywhere.max()
