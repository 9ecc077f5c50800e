import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from imoca.arrays import Array
from imoca.errors import IndicatorError
from imoca.pareto.dominance import non_dominated

small_tables = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(-3, 3).map(float))
)


def test_two_of_four_points_survive_by_hand() -> None:
    values = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    assert non_dominated(values).tolist() == [True, True, False, False]


def test_a_point_equal_in_one_objective_and_worse_in_the_other_is_dominated() -> None:
    assert non_dominated(np.array([[1.0, 1.0], [1.0, 0.0]])).tolist() == [True, False]


def test_of_exact_duplicates_only_the_first_is_kept() -> None:
    assert non_dominated(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])).tolist() == [True, False, True]


def test_one_objective_keeps_its_first_maximum() -> None:
    assert non_dominated(np.array([[1.0], [3.0], [3.0]])).tolist() == [False, True, False]


def test_no_points_give_an_empty_answer() -> None:
    assert non_dominated(np.empty((0, 3))).shape == (0,)


@settings(deadline=None)
@given(small_tables)
def test_it_agrees_with_comparing_every_pair(values: Array) -> None:
    expected = []
    for i, point in enumerate(values):
        beaten = any((other >= point).all() and (other > point).any() for other in values)
        repeated = any((values[j] == point).all() for j in range(i))
        expected.append(not beaten and not repeated)
    assert non_dominated(values).tolist() == expected


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_with_its_row(bad: float) -> None:
    with pytest.raises(IndicatorError, match="row 1"):
        non_dominated(np.array([[0.0, 1.0], [bad, 1.0]]))


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), (2, 0)])
def test_anything_but_a_table_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(IndicatorError, match="shape"):
        non_dominated(np.zeros(shape))


def test_the_argument_is_left_unchanged() -> None:
    values = np.array([[1.0, 2.0], [0.0, 0.0]])
    non_dominated(values)
    assert values.tolist() == [[1.0, 2.0], [0.0, 0.0]]
