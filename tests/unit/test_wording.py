import pytest

from imoca.wording import (
    bound_words,
    counted,
    duration_seconds,
    joined,
    labelled,
    limit_words,
    named_numbers,
    number,
    with_unit,
)


def test_a_label_is_the_name_and_its_unit_if_there_is_one() -> None:
    assert labelled("mass", "kg") == "mass [kg]"
    assert labelled("mass", None) == "mass"


def test_an_amount_is_followed_by_its_unit_if_there_is_one() -> None:
    assert with_unit("1.2", "kg") == "1.2 kg"
    assert with_unit("1.2", None) == "1.2"


def test_bounds_say_their_unit_once_and_no_bounds_say_nothing() -> None:
    assert bound_words(2.0, 5.0, "mm") == "at least 2 and at most 5 mm"
    assert bound_words(None, 240.0) == "at most 240"
    assert bound_words(None, None, "mm") == ""


def test_limits_are_short_in_the_head_of_a_column() -> None:
    assert limit_words(-3.0, 3.0) == "-3 to 3"
    assert limit_words(None, 3.0) == "at most 3"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.012345, "0.01235"),
        (9999.4, "9999"),
        (9999.6, "10000"),
        (26094.7, "26095"),
        (-26094.7, "-26095"),
        (999999.4, "999999"),
        (999999.6, "1e+06"),
        (12345678.0, "1.235e+07"),
        (12345678, "12345678"),
        ("al", "al"),
    ],
)
def test_numbers_have_four_digits_and_no_exponent_below_a_million(value: object, shown: str) -> None:
    assert number(value) == shown


def test_named_numbers_have_their_units_and_absent_ones_are_left_out() -> None:
    assert named_numbers({"drag": 1.25, "n": 3, "mesh": None}, {"drag": "N", "mesh": "cells"}) == "drag 1.25 N, n 3"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), (" 1.5h ", 5400), ("2d", 172800), ("h", None), ("-1h", None)]
)
def test_durations_are_read_in_their_units(text: str, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


def test_things_are_counted_and_joined_as_one_says_them() -> None:
    assert [counted(n, "design") for n in (0, 1, 2)] == ["0 designs", "1 design", "2 designs"]
    assert [joined(parts) for parts in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
