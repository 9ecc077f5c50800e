"""Names and units as figures and tables show them."""

from imoca.problem import Fidelity, Objective, Real
from imoca.problem.simulator import Constraint
from imoca.report.labels import axis_label, listed, short_label, upright_label
from imoca.report.problem_words import fidelity_words, output_words, parameter_words
from imoca.report.records import ObjectiveRecord

LONG = "a_very_long_name_of_an_objective_that_goes_on"


def test_a_label_that_is_too_long_loses_letters_of_the_name_and_never_the_unit() -> None:
    assert short_label(LONG, "kg", 12) == f"{LONG[:11]}… [kg]"
    assert short_label(LONG, None, 12) == f"{LONG[:11]}…"
    assert upright_label(ObjectiveRecord(LONG, "minimize", "kg"), 12) == f"{LONG[:11]}… [kg] ↓"
    assert axis_label(ObjectiveRecord("mass", "minimize", "kg")) == "← better   mass [kg] (minimize)"
    assert axis_label(ObjectiveRecord("lift", "maximize")) == "lift (maximize)   better →"


def test_where_the_pointer_rests_values_have_their_units() -> None:
    assert listed({"x": 12.5, "skin": "al"}, {"x": "mm", "skin": None}) == ["x = 12.5 mm", "skin = al"]
    assert listed({"x": 12.5}, {}) == ["x = 12.5"]


def test_ranges_and_bounds_have_units_in_words() -> None:
    assert parameter_words(Real("x", 0.1, 10, log=True, unit="mm")) == ("real", "0.1 to 10 mm, log")
    assert output_words(Objective("mass", "minimize", unit="kg")) == "minimize mass [kg]"
    assert output_words(Constraint("stress", upper=240, unit="MPa")) == "stress at most 240 MPa"
    assert fidelity_words(Fidelity.levels([8, 16], unit="cells")) == "8, 16 cells; the last is full accuracy"
    assert (
        fidelity_words(Fidelity.continuous(1e-6, 1e-2, log=True, target=1e-6, unit="m"))
        == "1e-06 to 0.01 m, log; full accuracy at 1e-06 m"
    )
