from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imoca.errors import ParameterError
from imoca.problem.parameters import Choice, Integer, Real, Value
from imoca.problem.space import SearchSpace

SPACE = SearchSpace(
    [
        Real("t", 1e-3, 1.0, log=True),
        Integer("n", 2, 6),
        Choice("skin", ["al", "cfrp", "steel"]),
        Choice("mode", [1.5, 4]),
        Real("x", -5, 10),
    ]
)
DESIGN: dict[str, Value] = {"t": 0.1, "n": 3, "skin": "cfrp", "mode": 4, "x": 2.5}
unit_rows = st.lists(st.floats(0, 1), min_size=5, max_size=5)


def test_the_layout_of_the_columns() -> None:
    assert SPACE.names == ("t", "n", "skin", "mode", "x")
    assert SPACE.numeric_names == ("t", "n", "mode", "x")
    assert (SPACE.n_parameters, SPACE.n_columns, SPACE.has_discrete) == (5, 7, True)
    assert SPACE.is_continuous.tolist() == [True, False, False, False, False, False, True]
    assert not SearchSpace((Real("x", 0, 1),)).has_discrete


def test_encoding_by_hand() -> None:
    np.testing.assert_allclose(SPACE.encode(DESIGN), [2 / 3, 0.25, 0, 1, 0, 1, 0.5])
    assert SPACE.decode(SPACE.encode(DESIGN)) == pytest.approx(DESIGN)
    assert list(SPACE.check(dict(reversed(DESIGN.items())))) == list(SPACE.names)


@settings(deadline=None)
@given(unit_rows)
def test_designs_survive_the_round_trip(u: list[float]) -> None:
    x = SPACE.from_unit(np.array([u]))
    assert ((x >= 0) & (x <= 1)).all()
    np.testing.assert_allclose(SPACE.encode(SPACE.decode(x[0])), x[0], atol=1e-12)
    np.testing.assert_array_equal(SPACE.snap(x), x)


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(-0.2, 1.2), min_size=7, max_size=7), min_size=1, max_size=4))
def test_snapping_equals_decoding_and_encoding_row_by_row(rows: list[list[float]]) -> None:
    x = np.array(rows)
    one_by_one = np.array([SPACE.encode(SPACE.decode(row)) for row in x])
    np.testing.assert_allclose(SPACE.snap(x), one_by_one, atol=1e-12)
    for name, column in SPACE.columns(x).items():
        decoded: list[Any] = [SPACE.decode(row)[name] for row in x]  # numbers all, as only those have a column
        np.testing.assert_allclose(column, decoded)


def test_snapping_leaves_its_argument_alone() -> None:
    x = np.full((2, 7), 0.4)
    SPACE.snap(x)
    assert (x == 0.4).all()


def test_neighbours_differ_in_exactly_one_discrete_parameter() -> None:
    moved = [SPACE.decode(row) for row in SPACE.neighbours(SPACE.encode(DESIGN))]
    changes = [{k: v for k, v in design.items() if v != pytest.approx(DESIGN[k])} for design in moved]
    assert changes == [{"n": 2}, {"n": 4}, {"skin": "al"}, {"skin": "steel"}, {"mode": 1.5}]


def test_neighbours_stay_within_the_bounds_of_an_integer() -> None:
    space = SearchSpace([Integer("n", 0, 2)])
    assert [space.decode(r)["n"] for r in space.neighbours(np.array([0.0]))] == [1]
    assert [space.decode(r)["n"] for r in space.neighbours(np.array([1.0]))] == [1]
    assert SearchSpace([Real("x", 0, 1), Real("y", 0, 1)]).neighbours(np.array([0.1, 0.2])).shape == (0, 2)


def test_columns_hold_numbers_in_the_users_units() -> None:
    columns = SPACE.columns(np.array([SPACE.encode(DESIGN)]))
    assert {name: float(c[0]) for name, c in columns.items()} == pytest.approx(
        {"t": 0.1, "n": 3.0, "mode": 4.0, "x": 2.5}
    )


def test_a_design_with_wrong_names_is_refused_and_the_valid_ones_listed() -> None:
    wrong = {**DESIGN, "y": 1.0}
    del wrong["x"]
    with pytest.raises(ParameterError, match=r"unknown \['y'\], missing \['x'\]") as caught:
        SPACE.encode(wrong)
    assert "'skin'" in caught.value.hint
    with pytest.raises(ParameterError, match="design came as"):
        SPACE.check([1, 2])  # type: ignore[arg-type]


def test_arrays_of_the_wrong_shape_are_refused() -> None:
    for call in (SPACE.decode, SPACE.neighbours):
        with pytest.raises(ParameterError, match="7 columns"):
            call(np.zeros(6))
    for call_with_rows in (SPACE.snap, SPACE.columns):
        with pytest.raises(ParameterError, match="7 columns"):
            call_with_rows(np.zeros(7))
    with pytest.raises(ParameterError, match="5 parameters"):
        SPACE.from_unit(np.zeros((3, 7)))


@pytest.mark.parametrize("parameters", [[], [Real("x", 0, 1), "y"], "x", [Real("x", 0, 1), Integer("x", 0, 1)]])
def test_a_search_space_needs_parameters_with_names_of_their_own(parameters: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        SearchSpace(parameters)
    assert caught.value.hint
