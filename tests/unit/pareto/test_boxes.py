"""Boxes: disjoint, covering, and of the right volume."""

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imoca.arrays import Array
from imoca.pareto.boxes import dominated_boxes, non_dominated_boxes
from imoca.pareto.dominance import non_dominated


def random_front(seed: int, n_objectives: int, n: int, has_ties: bool) -> tuple[Array, np.random.Generator]:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, n_objectives))
    if has_ties:
        points = points.round(1)
    return points[non_dominated(points)], rng


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 25), st.booleans())
def test_each_point_lies_in_one_box_if_it_is_dominated_and_in_none_otherwise(
    seed: int, n_objectives: int, n: int, has_ties: bool
) -> None:
    front, rng = random_front(seed, n_objectives, n, has_ties)
    low, high = dominated_boxes(front)
    queries = rng.standard_normal((300, n_objectives)) - 0.3
    n_boxes = ((queries[:, None] > low) & (queries[:, None] <= high)).all(axis=2).sum(axis=1)
    is_dominated = np.any((queries[:, None] <= front).all(axis=2), axis=1)
    np.testing.assert_array_equal(n_boxes, is_dominated)


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 25), st.booleans())
def test_each_point_above_the_reference_lies_in_one_box_to_be_gained_unless_it_is_dominated(
    seed: int, n_objectives: int, n: int, has_ties: bool
) -> None:
    front, rng = random_front(seed, n_objectives, n, has_ties)
    reference = rng.standard_normal(n_objectives) - 1.0
    low, high = non_dominated_boxes(front, reference)
    queries = rng.standard_normal((300, n_objectives))
    n_boxes = ((queries[:, None] >= low) & (queries[:, None] < high)).all(axis=2).sum(axis=1)
    is_dominated = np.any((queries[:, None] <= front).all(axis=2), axis=1)
    np.testing.assert_array_equal(n_boxes, (queries > reference).all(axis=1) & ~is_dominated)


@pytest.mark.parametrize("n_objectives", [2, 3, 4])
def test_the_volumes_add_up_to_the_hypervolume(n_objectives: int, rng: np.random.Generator) -> None:
    points = rng.standard_normal((60, n_objectives))
    front, reference = points[non_dominated(points)], np.full(n_objectives, -6.0)
    low, high = dominated_boxes(front)
    volume = np.prod(high - np.maximum(low, reference), axis=1).sum()
    assert volume == pytest.approx(moocore.hypervolume(front, ref=reference, maximise=True), rel=1e-10)


def test_three_objectives_need_at_most_twice_as_many_boxes_as_points(rng: np.random.Generator) -> None:
    points = rng.standard_normal((400, 3))
    front = points[non_dominated(points)]
    assert len(dominated_boxes(front)[0]) <= 2 * len(front) + 1
