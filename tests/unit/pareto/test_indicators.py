import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from imoca.arrays import Array
from imoca.errors import IndicatorError
from imoca.pareto.indicators import average_distance, hypervolume

N_OBJECTIVES = st.integers(1, 4)
UNIT_POINTS = N_OBJECTIVES.flatmap(
    lambda k: hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.just(k)),
        elements=st.integers(0, 1000).map(lambda i: i / 1000),
    )
)


def test_hypervolume_of_three_points_computed_by_hand() -> None:
    values = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    assert hypervolume(values, np.zeros(2)) == pytest.approx(3.0 + 2.0 + 1.0)


def test_hypervolume_of_two_boxes_in_three_dimensions_by_hand() -> None:
    values = np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]])
    assert hypervolume(values, np.zeros(3)) == pytest.approx(2.0 + 2.0 - 1.0)


def test_hypervolume_is_measured_from_a_shifted_reference_point() -> None:
    assert hypervolume(np.array([[-1.0, -2.0]]), np.array([-4.0, -3.0])) == pytest.approx(3.0)


def test_a_point_that_does_not_dominate_the_reference_adds_nothing() -> None:
    assert hypervolume(np.array([[2.0, 2.0], [9.0, -1.0]]), np.zeros(2)) == pytest.approx(4.0)
    assert hypervolume(np.array([[-1.0, 5.0]]), np.zeros(2)) == 0.0


def test_no_points_have_no_hypervolume() -> None:
    assert hypervolume(np.empty((0, 2)), np.zeros(2)) == 0.0


@settings(max_examples=25, deadline=None)
@given(UNIT_POINTS)
def test_hypervolume_matches_monte_carlo_within_five_standard_errors(values: Array) -> None:
    n = 20_000
    samples = np.random.default_rng(0).random((n, values.shape[1]))
    covered = (samples[:, None, :] <= values[None]).all(axis=2).any(axis=1)
    fraction = hypervolume(values, np.zeros(values.shape[1]))
    error = math.sqrt(max(fraction * (1.0 - fraction), 1.0 / n) / n)
    assert abs(covered.mean() - fraction) < 5.0 * error


def test_average_distance_of_a_front_to_itself_is_zero() -> None:
    front = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert average_distance(front, front) == 0.0


def test_average_distance_computed_by_hand_with_scaled_objectives() -> None:
    reference = np.array([[0.0, 10.0], [2.0, 0.0]])  # ranges 2 and 10
    recovered = np.array([[0.0, 10.0]])
    assert average_distance(recovered, reference) == pytest.approx(math.sqrt(2.0) / 2.0)


def test_average_distance_leaves_a_constant_objective_unscaled() -> None:
    reference = np.array([[0.0, 5.0], [4.0, 5.0]])
    recovered = np.array([[0.0, 2.0], [4.0, 2.0]])
    assert average_distance(recovered, reference) == pytest.approx(3.0)


def test_average_distance_is_taken_over_the_reference_front_not_the_recovered_one() -> None:
    reference = np.array([[0.0, 1.0], [1.0, 0.0]])
    with_stray = np.array([[0.0, 1.0], [1.0, 0.0], [-9.0, -9.0]])
    assert average_distance(with_stray, reference) == 0.0


def test_average_distance_from_nothing_is_infinite() -> None:
    assert average_distance(np.empty((0, 2)), np.ones((1, 2))) == math.inf


@settings(deadline=None)
@given(UNIT_POINTS, st.integers(0, 2**31))
def test_average_distance_agrees_with_a_double_loop(reference: Array, seed: int) -> None:
    recovered = np.random.default_rng(seed).random((4, reference.shape[1]))
    span = reference.max(axis=0) - reference.min(axis=0)
    scale = np.where(span > 0.0, span, 1.0)
    nearest = [min(math.dist(r / scale, p / scale) for p in recovered) for r in reference]
    assert average_distance(recovered, reference) == pytest.approx(sum(nearest) / len(nearest))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    good, poor = np.ones((2, 2)), np.array([[1.0, bad]])
    with pytest.raises(IndicatorError, match="not finite"):
        hypervolume(poor, np.zeros(2))
    with pytest.raises(IndicatorError, match="not finite"):
        hypervolume(good, np.array([0.0, bad]))
    with pytest.raises(IndicatorError, match="recovered"):
        average_distance(poor, good)
    with pytest.raises(IndicatorError, match="reference_front"):
        average_distance(good, poor)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(IndicatorError, match="reference point has shape"):
        hypervolume(np.ones((2, 2)), np.zeros(3))
    with pytest.raises(IndicatorError, match="values has shape"):
        hypervolume(np.ones(2), np.zeros(2))
    with pytest.raises(IndicatorError, match="recovered has 2 objectives"):
        average_distance(np.ones((2, 2)), np.ones((2, 3)))
    with pytest.raises(IndicatorError, match="empty"):
        average_distance(np.ones((2, 2)), np.empty((0, 2)))
