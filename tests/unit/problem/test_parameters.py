import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imoca.errors import ParameterError
from imoca.problem.parameters import LARGEST_INTEGER, Choice, Integer, Parameter, Real

finite = st.floats(-1e300, 1e300)
positive = st.floats(1e-300, 1e300)
words = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2, max_size=6)


@st.composite
def reals(draw: st.DrawFn) -> Real:
    log = draw(st.booleans())
    low, high = sorted(draw(st.tuples(positive, positive) if log else st.tuples(finite, finite)))
    if high - low <= max(1e-6 * max(abs(low), abs(high)), 1e-290):  # too narrow to resolve in float64
        low, high = 1.0, 2.0
    return Real("x", low, high, log)


@st.composite
def integers(draw: st.DrawFn) -> Integer:
    bound = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
    low, high = sorted(draw(st.lists(bound, min_size=2, max_size=2, unique=True)))
    return Integer("k", low, high)


@settings(deadline=None)
@given(reals(), st.floats(-0.5, 1.5))
def test_a_decoded_real_never_leaves_its_bounds_and_encodes_back(parameter: Real, u: float) -> None:
    value = parameter.decode(np.array([u]))
    assert isinstance(value, float)
    assert parameter.low <= value <= parameter.high
    assert parameter.encode([value])[0, 0] == pytest.approx(np.clip(u, 0, 1), abs=1e-6)


@settings(deadline=None)
@given(reals())
def test_the_ends_of_a_real_are_exact(parameter: Real) -> None:
    for u, bound in ((0.0, parameter.low), (1.0, parameter.high)):
        assert parameter.decode(np.array([u])) == bound
        assert parameter.encode([bound])[0, 0] == u


def test_a_log_real_encodes_its_geometric_middle_at_one_half() -> None:
    assert Real("x", 1e-4, 1e2, log=True).encode([0.1])[0, 0] == pytest.approx(0.5)
    assert Real("x", -5, 10).encode([2.5])[0, 0] == 0.5


@settings(deadline=None)
@given(integers(), st.data())
def test_every_integer_survives_encoding(parameter: Integer, data: st.DataObject) -> None:
    value = data.draw(st.integers(parameter.low, parameter.high))
    decoded = parameter.decode(parameter.encode([value])[0])
    assert decoded == value
    assert type(decoded) is int


@settings(deadline=None)
@given(words.filter(lambda values: len(set(values)) == len(values)))
def test_every_choice_survives_encoding(values: list[str]) -> None:
    parameter = Choice("c", values)
    assert parameter.n_columns == (1 if len(values) == 2 else len(values))
    for value in values:
        (columns,) = parameter.encode([value])
        assert columns.shape == (parameter.n_columns,)
        assert parameter.decode(columns) == value


def test_a_choice_decodes_to_the_largest_of_its_columns() -> None:
    parameter = Choice("c", ("a", "b", "c"))
    assert parameter.values == ("a", "b", "c")
    assert parameter.decode(np.array([0.2, 0.9, 0.8])) == "b"
    assert Choice("c", [False, True]).decode(np.array([0.51])) is True


@pytest.mark.parametrize("parameter", [Integer("k", -2, 4), Choice("k", list("abcdefg"))])
def test_uniform_coordinates_give_every_discrete_value_the_same_share(parameter: Integer | Choice) -> None:
    u = (np.arange(7000) + 0.5) / 7000
    _, counts = np.unique(parameter.from_unit(u), axis=0, return_counts=True)
    assert counts.tolist() == [1000] * 7
    assert parameter.from_unit(np.array([0.0, 1.0])).shape == (2, parameter.n_columns)
    assert parameter.decode(parameter.from_unit(np.array([1.0]))[0]) in (4, "g")


def test_a_uniform_coordinate_is_the_encoded_real() -> None:
    np.testing.assert_array_equal(Real("x", 1, 10, log=True).from_unit(np.array([0.0, 0.3])), [[0.0], [0.3]])


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "1", None, -0.1, 1.1, np.array([0.5]), 10**400])
def test_a_real_refuses_what_is_not_a_number_within_bounds(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"'x'.*\[0.0, 1.0\]") as caught:
        Real("x", 0, 1).check(value)
    assert caught.value.hint


@pytest.mark.parametrize("value", [math.nan, True, "2", None, 2.5, 0, 5, math.inf])
def test_an_integer_refuses_what_is_not_a_whole_number_within_bounds(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"'k'.*\[1, 4\]") as caught:
        Integer("k", 1, 4).check(value)
    assert caught.value.hint


@pytest.mark.parametrize("value", ["c", True, 1.5, None, ["a"], math.nan, np.array([1, 2])])
def test_a_choice_refuses_undeclared_values_and_true_for_one(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"'c'.*\['a', 1\]") as caught:
        Choice("c", ["a", 1]).check(value)
    assert caught.value.hint


def test_checked_values_are_plain_python() -> None:
    assert type(Real("x", 0, 1).check(np.float32(0.5))) is float
    assert type(Real("x", 0, 1).check(1)) is float
    assert type(Integer("k", 0, 9).check(4.0)) is int
    assert type(Integer("k", 0, 9).check(np.int64(4))) is int
    assert type(Choice("c", [np.int64(1), 2]).check(1.0)) is int  # type: ignore[list-item]
    assert Choice("c", [True, False]).check(np.True_) is True


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Real("x", 1, 1),
        lambda: Real("x", 2, 1),
        lambda: Real("x", 0, math.nan),
        lambda: Real("x", 0, math.inf),
        lambda: Real("x", "0", 1),  # type: ignore[arg-type]
        lambda: Real("x", False, True),
        lambda: Real("x", -1e308, 1e308),
        lambda: Real("x", 0, 1, log=True),
        lambda: Real("x", 1e300, np.nextafter(1e300, np.inf), log=True),
        lambda: Real("x", 0, 1, log=1),  # type: ignore[arg-type]
        lambda: Integer("x", 3, 3),
        lambda: Integer("x", 0, 2.5),  # type: ignore[arg-type]
        lambda: Integer("x", False, True),
        lambda: Integer("x", 0, 2**60),
        lambda: Integer("x", None, 1),  # type: ignore[arg-type]
        lambda: Choice("x", ["a"]),
        lambda: Choice("x", ["a", "a"]),
        lambda: Choice("x", [1, True]),
        lambda: Choice("x", [1, 1.0]),
        lambda: Choice("x", [0.0, math.nan]),
        lambda: Choice("x", ["a", None]),  # type: ignore[list-item]
        lambda: Choice("x", ["a", "\ud800"]),
        lambda: Choice("x", "ab"),
        lambda: Choice("x", {"a", "b"}),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_declaration_names_the_parameter_and_the_remedy(declare: Callable[[], Parameter]) -> None:
    with pytest.raises(ParameterError, match="'x'") as caught:
        declare()
    assert caught.value.hint


@pytest.mark.parametrize("name", ["", None, 3, "a\0b", "\udfff"])
def test_a_parameter_needs_a_proper_name(name: Any) -> None:
    for declare in (lambda: Real(name, 0, 1), lambda: Integer(name, 0, 1), lambda: Choice(name, [0, 1])):
        with pytest.raises(ParameterError, match="name of a parameter") as caught:
            declare()
        assert repr(name) in caught.value.message


@pytest.mark.parametrize("parameter", [Real("p", 0, 1), Integer("p", 0, 1), Choice("p", [0, 1])])
@pytest.mark.parametrize("columns", [[math.nan], [0.0, 1.0]])
def test_decoding_refuses_wrong_columns(parameter: Parameter, columns: list[float]) -> None:
    with pytest.raises(ParameterError, match="'p'"):
        parameter.decode(np.array(columns))


def test_parameters_are_frozen_and_equal_by_value() -> None:
    assert Choice("c", ["a", "b"]) == Choice("c", ("a", "b"))
    assert hash(Real("x", 0, 1)) == hash(Real("x", 0.0, 1.0))
    with pytest.raises(AttributeError):
        Choice("c", ["a", "b"]).name = "d"  # type: ignore[misc]
