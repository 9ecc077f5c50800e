"""The table of fidelities on functions whose numbers are known."""

import pytest

from imoca.benchmarks.fidelity_table import fidelity_table
from imoca.errors import ProblemError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator


def make_problem() -> Problem:
    biased = Simulator(
        "biased",
        [Objective("f", "minimize")],
        lambda x, z: x + 3.0 * (1.0 - z),
        fidelity=Fidelity.continuous(),
        cost="1 + 9 * z",
    )
    reversed_ = Simulator(
        "reversed",
        [Objective("g", "minimize")],
        lambda x, z: (x if z == "fine" else -x, 2.0 if z == "fine" else 0.5),
        fidelity=Fidelity.levels(["coarse", "fine"]),
        cost="measured",
    )
    exact = Simulator("exact", [Objective("h", "minimize")], lambda x: x)
    return Problem([Real("x", -1.0, 1.0)], [biased, reversed_, exact])


def test_costs_correlations_and_errors_are_those_of_the_functions() -> None:
    rows = {(row.simulator, row.fidelity): row for row in fidelity_table(make_problem(), 16)}
    assert [fidelity for name, fidelity in rows if name == "biased"] == [0.0, 0.25, 0.5, 0.75, 1.0]
    low, full = rows["biased", 0.0], rows["biased", 1.0]
    assert (low.cost_ratio, low.rank_correlation) == pytest.approx((0.1, 1.0))
    assert low.relative_error == pytest.approx(3.0 / (1.0 / 3.0**0.5), rel=0.05)  # over the deviation of uniform x
    assert (full.cost_ratio, full.relative_error) == (1.0, 0.0)
    coarse = rows["reversed", "coarse"]
    assert (coarse.cost_ratio, coarse.rank_correlation) == pytest.approx((0.25, -1.0))
    assert not [name for name, _ in rows if name == "exact"]


def test_too_few_designs_are_refused() -> None:
    with pytest.raises(ProblemError, match="2 designs"):
        fidelity_table(make_problem(), 2)
