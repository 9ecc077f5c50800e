import math
from typing import Any

import pytest

from imoca import Objective, Problem, Real, Simulator
from imoca.errors import CostError, MethodError
from imoca.problem.allowance import Allowance


@pytest.mark.parametrize(
    ("written", "amount", "is_time"),
    [(30, 30.0, False), (0.5, 0.5, False), ("40h", 144000.0, True), ("1.5m", 90.0, True), (" 2d ", 172800.0, True)],
)
def test_a_budget_is_full_runs_or_simulator_time(written: Any, amount: float, is_time: bool) -> None:
    assert Allowance.read(written) == Allowance(amount, is_time)


@pytest.mark.parametrize("written", [0, -1, math.nan, math.inf, True, "40x", "0h", "-3h", "h", "", "40", "1e3h", [3]])
def test_anything_else_is_refused_in_words(written: Any) -> None:
    with pytest.raises(MethodError, match="The budget is") as caught:
        Allowance.read(written)
    assert '"40h"' in caught.value.hint


def test_spent_is_shown_in_the_unit_of_the_budget() -> None:
    assert Allowance.read(2).spent_words(0.734) == "0.73 of 2 full-fidelity runs"
    assert Allowance.read("40h").spent_words(5400.0) == "1.50 of 40 h of simulator time"
    assert Allowance.read("90m").spent_words(90.0) == "1.50 of 90 min of simulator time"
    assert Allowance.read("2h").spent_words(1800.0) == "0.50 of 2 h of simulator time"
    assert Allowance.read("100s").spent_words(50.0) == "50.00 of 100 s of simulator time"


def test_simulator_time_needs_measured_costs_of_all_simulators_and_no_other_cost() -> None:
    measured = Simulator("cfd", [Objective("drag", "minimize")], cost="measured")
    declared = Simulator("scale", [Objective("mass", "minimize")], cost=3)
    x = Real("x", 0, 1)
    Allowance.read("1h").check_suits(Problem([x], [measured]))
    Allowance.read(3).check_suits(Problem([x], [measured, declared], setup_cost=1))
    with pytest.raises(CostError, match="how long 'scale' runs is not measured") as caught:
        Allowance.read("1h").check_suits(Problem([x], [measured, declared]))
    assert 'cost = "measured"' in caught.value.hint
    with pytest.raises(CostError, match="set-up cost"):
        Allowance.read("1h").check_suits(Problem([x], [measured], setup_cost=1))
