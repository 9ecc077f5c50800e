"""Subsets that stand for a front."""

from itertools import combinations

import moocore
import numpy as np
import pytest

from imoca.pareto.dominance import non_dominated
from imoca.pareto.subset import MARGIN, hypervolume_subset, representative_subset, spread_subset


def make_front(rng: np.random.Generator, n: int, n_objectives: int) -> np.ndarray:
    points = np.abs(rng.standard_normal((n, n_objectives)))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def scaled_hypervolume(front: np.ndarray, chosen: object) -> float:
    scaled = (front - front.min(axis=0)) / np.ptp(front, axis=0)
    return float(moocore.hypervolume(scaled[chosen], ref=np.full(front.shape[1], -MARGIN), maximise=True))


def test_the_lazy_choice_is_the_plain_greedy_one(rng: np.random.Generator) -> None:
    front = make_front(rng, 40, 3)
    plain: list[int] = []
    for _ in range(8):
        rest = [i for i in range(40) if i not in plain]
        plain.append(max(rest, key=lambda i: scaled_hypervolume(front, [*plain, i])))
    assert hypervolume_subset(front, 8).tolist() == plain


def test_the_greedy_choice_is_close_to_the_best_of_all_subsets(rng: np.random.Generator) -> None:
    front = make_front(rng, 12, 2)
    best = max(scaled_hypervolume(front, list(chosen)) for chosen in combinations(range(12), 4))
    assert scaled_hypervolume(front, hypervolume_subset(front, 4)) > 0.95 * best


@pytest.mark.parametrize("n_objectives", [2, 3, 5])
def test_a_subset_is_distinct_and_of_the_wanted_size(n_objectives: int, rng: np.random.Generator) -> None:
    front = make_front(rng, 60, n_objectives)
    assert len(set(representative_subset(front, 15).tolist())) == 15
    assert representative_subset(front, 100).tolist() == list(range(60))


def test_spread_points_include_the_best_of_every_objective(rng: np.random.Generator) -> None:
    points = rng.standard_normal((200, 4))
    front = points[non_dominated(points)]
    assert set(np.argmax(front, axis=0)) <= set(spread_subset(front, 10).tolist())


def test_a_spread_starts_from_given_rows_and_takes_the_farthest_next() -> None:
    line = np.array([[0.0, 1.0], [0.4, 0.6], [0.9, 0.1], [1.0, 0.0]])
    assert spread_subset(line, 3, first=[1]).tolist() == [1, 3, 0]
    assert sorted(spread_subset(line, 9, first=[1]).tolist()) == [0, 1, 2, 3]
