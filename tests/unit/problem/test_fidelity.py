import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imoca.errors import FidelityError
from imoca.problem.fidelity import Fidelity

TOLERANCE = Fidelity.continuous(1e-8, 1e-2, log=True, target=1e-8)
LEVELS = Fidelity.levels(["beam", "shell", "solid"])


def test_z_is_one_at_the_target_and_zero_at_the_cheapest():
    assert (Fidelity.continuous().cheapest, Fidelity.continuous().target) == (0.0, 1.0)
    assert (TOLERANCE.cheapest, TOLERANCE.target) == (1e-2, 1e-8)
    assert (LEVELS.cheapest, LEVELS.target) == ("beam", "solid")
    assert (Fidelity.none().cheapest, Fidelity.none().target) == (None, None)
    for fidelity in (Fidelity.continuous(3, 9), TOLERANCE, LEVELS, Fidelity.none()):
        assert fidelity.encode(fidelity.target) == 1.0
    for fidelity in (Fidelity.continuous(3, 9), TOLERANCE, LEVELS):
        assert fidelity.encode(fidelity.cheapest) == 0.0


def test_encoding_by_hand():
    assert TOLERANCE.encode(1e-5) == pytest.approx(0.5)
    assert Fidelity.continuous(10, 50).encode(20) == 0.25
    assert Fidelity.continuous(10, 50, target=10).encode(20) == 0.75
    assert Fidelity.continuous(10, 50, target=50) == Fidelity.continuous(10, 50)
    assert LEVELS.encode("shell") == 0.5
    assert Fidelity.levels(np.array([8, 16, 32])).encode(np.int64(16)) == 0.5


@settings(deadline=None)
@given(st.floats(0, 1))
def test_decoding_and_encoding_agree(z):
    for fidelity in (Fidelity.continuous(-3, 7), TOLERANCE, Fidelity.continuous(1, 1e6, log=True)):
        assert fidelity.encode(fidelity.decode(z)) == pytest.approx(z, abs=1e-9)
        assert fidelity.low <= fidelity.decode(z) <= fidelity.high
        assert fidelity.numbers(np.array([z]))[0] == fidelity.decode(z)


def test_levels_decode_to_the_nearest_one():
    assert [LEVELS.decode(z) for z in (0.0, 0.24, 0.26, 0.74, 0.76, 1.0)] == [
        "beam",
        "beam",
        "shell",
        "shell",
        "solid",
        "solid",
    ]
    levels = Fidelity.levels([8, 2.5])
    np.testing.assert_array_equal(levels.numbers(np.array([[0.0, 1.0]])), [[8.0, 2.5]])
    assert type(levels.decode(0.0)) is int


def test_grids_cover_the_knob():
    np.testing.assert_array_equal(TOLERANCE.grid(3), [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(LEVELS.grid(99), [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(Fidelity.none().grid(5), [1.0])
    with pytest.raises(FidelityError, match="1 points"):
        TOLERANCE.grid(1)


@pytest.mark.parametrize(
    ("fidelity", "value", "allowed"),
    [
        (Fidelity.continuous(1, 2), 2.5, r"\[1.0, 2.0\]"),
        (Fidelity.continuous(1, 2), math.nan, r"\[1.0, 2.0\]"),
        (Fidelity.continuous(0, 2), True, r"\[0.0, 2.0\]"),
        (Fidelity.continuous(1, 2), "1", r"\[1.0, 2.0\]"),
        (Fidelity.continuous(1, 2), None, r"\[1.0, 2.0\]"),
        (LEVELS, "plate", "'beam', 'shell', 'solid'"),
        (LEVELS, ["beam"], "'beam'"),
        (Fidelity.levels([1, 2]), True, "1, 2"),
        (Fidelity.none(), 1.0, "no fidelity"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_what_is(fidelity, value, allowed):
    with pytest.raises(FidelityError, match=allowed) as caught:
        fidelity.encode(value)
    assert repr(value) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Fidelity.continuous(1, 1),
        lambda: Fidelity.continuous(2, 1),
        lambda: Fidelity.continuous(0, 1, log=True),
        lambda: Fidelity.continuous(0, math.inf),
        lambda: Fidelity.continuous("a", 1),
        lambda: Fidelity.continuous(0, 1, target=0.5),
        lambda: Fidelity.continuous(0, 1, target=True),
        lambda: Fidelity.levels(["a"]),
        lambda: Fidelity.levels(["a", "a"]),
        lambda: Fidelity.levels([1, 1.0]),
        lambda: Fidelity.levels([0, True]),
        lambda: Fidelity.levels([0, None]),
        lambda: Fidelity.levels("ab"),
        lambda: Fidelity("both"),
        lambda: Fidelity("continuous", low=1.0, high=0.0),
    ],
)
def test_a_wrong_declaration_is_refused_with_a_hint(declare):
    with pytest.raises(FidelityError, match="Fidelity") as caught:
        declare()
    assert caught.value.hint


def test_only_numbers_count_as_numeric():
    assert TOLERANCE.is_numeric
    assert Fidelity.levels([1, 2]).is_numeric
    assert not LEVELS.is_numeric
    assert not Fidelity.none().is_numeric
    with pytest.raises(FidelityError, match="'beam'"):
        LEVELS.numbers(np.array([1.0]))
    with pytest.raises(FidelityError, match="nan"):
        LEVELS.decode(math.nan)
