"""SUR: the expected drop of the volume of excursion, against updating the posterior for drawn outcomes."""

import numpy as np
import pytest
from scipy.special import ndtr

from imoca.acquisition.uncertainty_reduction import UncertaintyReduction
from imoca.models.gp import GaussianProcess
from imoca.models.product import ProductKernel
from imoca.pareto.boxes import non_dominated_boxes
from imoca.pareto.dominance import non_dominated

BELOW_EVERYTHING = np.full(2, -50.0)


def make_processes(rng: np.random.Generator) -> list[GaussianProcess]:
    scales, x = ProductKernel(np.array([0.35]), 1.0, 1.0, 1e-8), np.array([[0.1], [0.35], [0.8]])
    return [GaussianProcess.condition(x, np.ones(3), rng.standard_normal(3), scales) for _ in range(2)]


def volume_of_excursion(processes: list[GaussianProcess], front: np.ndarray, x: np.ndarray) -> float:
    """Mean over x of the exact probability not to be dominated."""
    low, high = non_dominated_boxes(front, BELOW_EVERYTHING)
    inside = np.ones((len(x), len(low)))
    for j, process in enumerate(processes):
        mean, variance = (each[:, None] for each in process.mean_and_variance_at_target(x))
        inside *= ndtr((high[:, j] - mean) / np.sqrt(variance)) - ndtr((low[:, j] - mean) / np.sqrt(variance))
    return float(inside.sum(axis=1).mean())


def drop_by_updating(
    processes: list[GaussianProcess], front: np.ndarray, x: np.ndarray, at: np.ndarray, rng: np.random.Generator
) -> float:
    before, after = volume_of_excursion(processes, front, x), []
    moments = [process.mean_and_variance_at_target(at[None]) for process in processes]
    for _ in range(400):
        outcome = np.array([rng.normal(mean[0], np.sqrt(variance[0])) for mean, variance in moments])
        updated = [
            GaussianProcess.condition(
                np.vstack([p.x, at]), np.ones(len(p.x) + 1), np.append(p.values, outcome[j]), p.kernel
            )
            for j, p in enumerate(processes)
        ]
        points = np.vstack([front, outcome])
        after.append(volume_of_excursion(updated, points[non_dominated(points)], x))
    return (before - float(np.mean(after))) / before


@pytest.mark.slow
def test_the_score_is_the_expected_relative_drop_of_the_volume_of_excursion(rng: np.random.Generator) -> None:
    processes = make_processes(rng)
    reached = np.column_stack([process.values for process in processes])
    front, x = reached[non_dominated(reached)], ((np.arange(512) + 0.5) / 512)[:, None]
    score = np.mean(
        [UncertaintyReduction.over(processes, front, x, rng)(np.array([[0.22], [0.6], [0.97]])) for _ in range(8)],
        axis=0,
    )
    by_updating = [drop_by_updating(processes, front, x, np.array([at]), rng) for at in (0.22, 0.6, 0.97)]
    np.testing.assert_allclose(score, by_updating, atol=0.03)


def test_a_known_design_removes_nothing(rng: np.random.Generator) -> None:
    processes = make_processes(rng)
    reached = np.column_stack([process.values for process in processes])
    front = reached[non_dominated(reached)]
    score = UncertaintyReduction.over(processes, front, rng.random((256, 1)), rng)
    everywhere = score(np.linspace(0.0, 1.0, 41)[:, None])
    assert score(processes[0].x).max() < 0.1 * everywhere.max()
