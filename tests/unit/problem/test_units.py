"""A unit is a word to be shown: what may be one, and who may have one."""

from collections.abc import Callable
from typing import Any

import pytest

from imoca import Choice, Constraint, Fidelity, Integer, Objective, Problem, Real, Simulator
from imoca.errors import ImocaError, ParameterError

OWNERS: dict[str, Callable[..., Any]] = {
    "Parameter 'x'": lambda unit: Real("x", 0, 1, unit=unit),
    "Parameter 'n'": lambda unit: Integer("n", 1, 4, unit=unit),
    "Objective 'mass'": lambda unit: Objective("mass", "minimize", unit=unit),
    "Constraint 'stress'": lambda unit: Constraint("stress", upper=240, unit=unit),
    "Fidelity": lambda unit: Fidelity.continuous(1, 9, unit=unit),
    "Fidelity: ": lambda unit: Fidelity.continuous(1, 9, target=1, unit=unit),
    "Fidelity:": lambda unit: Fidelity.levels([10, 20.5], unit=unit),
}


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("unit", ["mm", "kg/m^3", "°C", "µm", "%", "W/(m2 K)", "<b>", "x" * 30, None])
def test_a_unit_is_kept_as_it_was_written(owner: str, unit: str | None) -> None:
    assert OWNERS[owner](unit).unit == unit


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize(
    "unit", ["", " ", " mm", "mm ", "m\nm", "\x1b[31m", "\u202em", "\ud800", "\0", "x" * 31, 3, b"m"]
)
def test_what_cannot_be_printed_or_is_no_short_word_is_refused(owner: str, unit: object) -> None:
    with pytest.raises(ImocaError, match=owner) as caught:
        OWNERS[owner](unit)
    assert "the unit is" in caught.value.message
    assert "kg/m^3" in caught.value.hint


def test_a_choice_has_no_unit_and_says_where_to_put_it() -> None:
    with pytest.raises(ParameterError, match=r"'gauge' is a choice, but has the unit 'mm'\."):
        Choice("gauge", [1, 2], unit="mm")  # type: ignore[arg-type]
    assert Choice("gauge", [1, 2]).unit is None


def test_levels_that_are_words_and_no_fidelity_have_no_unit() -> None:
    with pytest.raises(ImocaError, match=r"'cells', but are not numbers"):
        Fidelity.levels(["coarse", 20], unit="cells")
    assert Fidelity.none().unit is None


def test_problems_that_differ_in_a_unit_are_not_equal_but_count_the_same() -> None:
    """A unit is part of the description and of nothing that is computed."""

    def problem(unit: str | None) -> Problem:
        mesh = Fidelity.continuous(1, 9, unit=unit)
        simulator = Simulator("s", [Objective("f", "minimize", unit=unit)], fidelity=mesh, cost="z")
        return Problem([Real("x", 0, 1, unit=unit)], [simulator])

    bare, dressed = problem(None), problem("mm")
    assert bare != dressed
    assert dressed.output("f").unit == "mm"
    x = bare.space.encode({"x": 0.25})
    assert (dressed.space.encode({"x": 0.25}) == x).all()
    assert dressed.declared_costs(0, x, 0.5) == bare.declared_costs(0, x, 0.5)
