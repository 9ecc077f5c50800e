"""What passes for a number, by type and by value."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from imoca.errors import ParameterError
from imoca.problem.names import check_told_apart, is_integer, is_number, is_whole, plain_scalar

INTEGERS = [0, -7, 2**200, np.int8(3), np.uint64(2**63), np.int64(-1)]
WHOLE = [4.0, -0.0, np.float32(8.0), Fraction(6, 2), 1e300]
BROKEN = [0.5, np.float64(1e-3), Fraction(1, 3), np.longdouble(0.25)]
NOTHING = [True, np.True_, math.nan, math.inf, np.float64("nan"), "1", None, 1j, Decimal(1), [1], np.array([1])]


@pytest.mark.parametrize("value", INTEGERS)
def test_an_integer_is_whole_and_a_number(value: Any) -> None:
    assert is_integer(value)
    assert is_whole(value)
    assert is_number(value)


@pytest.mark.parametrize("value", WHOLE)
def test_a_float_or_fraction_may_be_whole_but_counts_nothing(value: Any) -> None:
    assert not is_integer(value)
    assert is_whole(value)
    assert is_number(value)


@pytest.mark.parametrize("value", BROKEN)
def test_a_number_with_a_fraction_is_not_whole(value: Any) -> None:
    assert not is_whole(value)
    assert is_number(value)


@pytest.mark.parametrize("value", NOTHING, ids=repr)
def test_booleans_text_and_what_is_not_finite_or_not_one_number_are_no_numbers(value: Any) -> None:
    assert not is_integer(value)
    assert not is_whole(value)
    assert not is_number(value)


def test_an_integer_with_more_digits_than_a_float_has_is_whole() -> None:
    assert float(2**53 + 1) != 2**53 + 1
    assert is_whole(2**53 + 1)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        *((np.int8(3), 3), (np.float32(0.5), 0.5), (np.longdouble(0.25), 0.25), (Fraction(1, 4), 0.25)),
        *((np.True_, True), (np.str_("a"), "a"), (7, 7), (2.5, 2.5), ("b", "b"), (None, None)),
    ],
)
def test_the_plain_value_is_pythons_own(value: Any, plain: Any) -> None:
    assert plain_scalar(value) == plain
    assert type(plain_scalar(value)) is type(plain)


def test_what_has_no_plain_value_stays_for_the_checks_to_refuse() -> None:
    values = [1]
    assert plain_scalar(values) is values


def test_values_that_a_table_of_text_could_not_tell_apart_are_refused() -> None:
    check_told_apart([1, 2.5, "a", True], "Parameter 'c'", ParameterError)
    with pytest.raises(ParameterError, match=r"Parameter 'c': two of its values .* are both written 1"):
        check_told_apart([1, 2.5, "1"], "Parameter 'c'", ParameterError)
