import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imoca.errors import FidelityError
from imoca.problem.fidelity import Continuous, Exact, Fidelity, Levels

TOLERANCE = Fidelity.continuous(1e-8, 1e-2, log=True, target=1e-8)
LEVELS = Fidelity.levels(["beam", "shell", "solid"])
EVERY_KIND = (Fidelity.continuous(3, 9), TOLERANCE, LEVELS, Fidelity.levels([8, 2.5]), Fidelity.none())


def test_z_is_one_at_the_target_and_zero_at_the_cheapest() -> None:
    assert (Fidelity.continuous().cheapest, Fidelity.continuous().target) == (0.0, 1.0)
    assert (TOLERANCE.cheapest, TOLERANCE.target) == (1e-2, 1e-8)
    assert (LEVELS.cheapest, LEVELS.target) == ("beam", "solid")
    assert (Fidelity.none().cheapest, Fidelity.none().target) == (None, None)
    for fidelity in (Fidelity.continuous(3, 9), TOLERANCE, LEVELS, Fidelity.none()):
        assert fidelity.encode(fidelity.target) == 1.0
    for fidelity in (Fidelity.continuous(3, 9), TOLERANCE, LEVELS):
        assert fidelity.encode(fidelity.cheapest) == 0.0


def test_encoding_by_hand() -> None:
    assert TOLERANCE.encode(1e-5) == pytest.approx(0.5)
    assert Fidelity.continuous(10, 50).encode(20) == 0.25
    assert Fidelity.continuous(10, 50, target=10).encode(20) == 0.75
    assert Fidelity.continuous(10, 50, target=50) == Fidelity.continuous(10, 50)
    assert LEVELS.encode("shell") == 0.5
    assert Fidelity.levels(np.array([8, 16, 32])).encode(np.int64(16)) == 0.5  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.floats(0, 1))
def test_decoding_and_encoding_agree(z: float) -> None:
    for fidelity in (Fidelity.continuous(-3, 7), TOLERANCE, Fidelity.continuous(1, 1e6, log=True)):
        setting = fidelity.decode(z)
        assert isinstance(setting, float)
        assert fidelity.encode(setting) == pytest.approx(z, abs=1e-9)
        assert fidelity.low <= setting <= fidelity.high
        assert fidelity.numbers(np.array([z]))[0] == setting


def test_many_settings_are_encoded_at_once_by_hand() -> None:
    np.testing.assert_allclose(TOLERANCE.encode_all([1e-2, 1e-5, 1e-8]), [0.0, 0.5, 1.0], atol=1e-12)
    np.testing.assert_array_equal(Fidelity.continuous(10, 50).encode_all([20, np.float32(30.0), 50.0]), [0.25, 0.5, 1])  # type: ignore[list-item]
    np.testing.assert_array_equal(LEVELS.encode_all(["solid", np.str_("beam"), "shell"]), [1.0, 0.0, 0.5])
    np.testing.assert_array_equal(Fidelity.levels([8, 2.5]).encode_all([np.int64(8), 8.0, 2.5]), [0.0, 0.0, 1.0])  # type: ignore[list-item]
    np.testing.assert_array_equal(Fidelity.none().encode_all([None, None]), [1.0, 1.0])


@pytest.mark.parametrize("fidelity", EVERY_KIND)
def test_no_setting_is_encoded_as_none(fidelity: Fidelity) -> None:
    assert fidelity.encode_all([]).shape == (0,)
    assert fidelity.encode_all([]).dtype == np.float64


def test_levels_decode_to_the_nearest_one() -> None:
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


def test_grids_cover_the_knob() -> None:
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
def test_a_value_that_is_not_allowed_is_refused_with_what_is(fidelity: Fidelity, value: Any, allowed: str) -> None:
    with pytest.raises(FidelityError, match=allowed) as caught:
        fidelity.encode(value)
    assert repr(value) in caught.value.message
    assert caught.value.hint
    with pytest.raises(FidelityError) as among_others:
        fidelity.encode_all([fidelity.target, value, fidelity.cheapest])
    assert (among_others.value.message, among_others.value.hint) == (caught.value.message, caught.value.hint)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Fidelity.continuous(1, 1),
        lambda: Fidelity.continuous(2, 1),
        lambda: Fidelity.continuous(0, 1, log=True),
        lambda: Fidelity.continuous(0, math.inf),
        lambda: Fidelity.continuous("a", 1),  # type: ignore[arg-type]
        lambda: Fidelity.continuous(0, 1, target=0.5),
        lambda: Fidelity.continuous(0, 1, target=True),
        lambda: Fidelity.levels(["a"]),
        lambda: Fidelity.levels(["a", "a"]),
        lambda: Fidelity.levels([1, 1.0]),
        lambda: Fidelity.levels([0, True]),
        lambda: Fidelity.levels([0, None]),  # type: ignore[list-item]
        lambda: Fidelity.levels("ab"),
        lambda: Fidelity.continuous(2, 1, target=3),
        lambda: Fidelity("both"),  # type: ignore[abstract]
        lambda: Fidelity("continuous", low=0.0, high=1.0),  # type: ignore[abstract]
        lambda: Continuous(low=1.0, high=0.0),
        lambda: Levels(("a",)),
    ],
)
def test_a_wrong_declaration_is_refused_with_a_hint(declare: Callable[[], Fidelity]) -> None:
    with pytest.raises(FidelityError, match="Fidelity") as caught:
        declare()
    assert caught.value.hint


def test_only_numbers_count_as_numeric() -> None:
    assert TOLERANCE.is_numeric
    assert Fidelity.levels([1, 2]).is_numeric
    assert not LEVELS.is_numeric
    assert not Fidelity.none().is_numeric
    with pytest.raises(FidelityError, match="'beam'"):
        LEVELS.numbers(np.array([1.0]))
    with pytest.raises(FidelityError, match="nan"):
        LEVELS.decode(math.nan)


def test_the_makers_give_the_kind_they_name() -> None:
    assert Fidelity.continuous(1, 3, target=1) == Continuous(1.0, 3.0, is_target_low=True)
    assert Fidelity.levels(np.array([1, 2])) == Levels((1, 2))  # type: ignore[arg-type]
    assert Fidelity.none() == Exact()


def test_what_a_knob_is_told_by_its_kind() -> None:
    assert [fidelity.has_knob for fidelity in EVERY_KIND] == [True, True, True, True, False]
    assert [fidelity.is_continuous for fidelity in EVERY_KIND] == [True, True, False, False, False]


def test_fidelities_are_equal_if_declared_alike_and_survive_a_journey_to_another_process() -> None:
    for i, fidelity in enumerate(EVERY_KIND):
        travelled = pickle.loads(pickle.dumps(fidelity))  # noqa: S301 - our own bytes
        assert [travelled == other for other in EVERY_KIND] == [i == j for j in range(len(EVERY_KIND))]
        assert hash(travelled) == hash(fidelity)
    assert len({*EVERY_KIND, Fidelity.none(), Fidelity.continuous(3.0, 9.0)}) == len(EVERY_KIND)


def test_ends_and_levels_given_as_numpy_numbers_are_kept_as_plain_ones() -> None:
    ends = Fidelity.continuous(np.int64(1), np.float32(2.0), target=np.int64(1))  # type: ignore[arg-type]
    assert (type(ends.low), type(ends.high), type(ends.is_target_low)) == (float, float, bool)
    assert [type(level) for level in Levels((np.int64(1), np.float64(2.5), np.str_("a"))).values] == [int, float, str]  # type: ignore[arg-type]


def test_shortfalls_tell_how_far_every_knob_is_from_full_accuracy() -> None:
    z = np.array([0.0, 0.25, 1.0])
    np.testing.assert_array_equal(Fidelity.continuous(1, 5, target=1).shortfalls(z), [[1.0], [0.75], [0.0]])
    np.testing.assert_array_equal(Fidelity.none().shortfalls(z), np.empty((3, 0)))
    sources = Fidelity.sources(["a", "b", "c"])
    np.testing.assert_array_equal(sources.shortfalls(sources.grid(3)), [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    knobs = Fidelity.knobs(mesh=[1, 2, 4], steps=[10, 20])
    settings = [{"mesh": 1, "steps": 20}, {"mesh": 2, "steps": 10}, {"mesh": 4, "steps": 20}]
    np.testing.assert_array_equal(knobs.shortfalls(knobs.encode_all(settings)), [[1.0, 0.0], [0.5, 1.0], [0.0, 0.0]])
