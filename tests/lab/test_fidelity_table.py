"""The table of fidelities on functions whose numbers are known."""

import numpy as np
import pytest

import imoca_lab
from imoca.errors import ProblemError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca_lab.fidelity_table import fidelity_table


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


def test_chosen_fidelities_are_shown_with_the_full_one() -> None:
    shown = [row.fidelity for row in fidelity_table(make_problem(), 4, [0.9, 0.1]) if row.simulator == "biased"]
    assert shown == [0.1, 0.9, 1.0]


# What docs/benchmarks states of the cheapest fidelity, per output: cost, rank correlation and error.
DOCUMENTED = {
    "branin_currin": [(1 / 21.0, 0.9987, 0.083), (1 / 11.0, 0.9979, 0.432)],
    "trap": [(1 / 21.0, 0.858, 0.593), (1 / 11.0, 0.782, 0.755)],
    "ackley_rosenbrock_sphere": [(1 / 21.0, 1.0, 0.0119), (1 / 21.0, 1.0, 0.0094), (1 / 21.0, 1.0, 0.0037)],
    "dtlz1": [
        (0.01, 0.899, 0.074),
        (0.01, 0.899, 0.081),
        (0.01, 0.973, 0.048),
        (0.01, 0.994, 0.029),
        (0.01, 0.999, 0.019),
        (0.01, 1.000, 0.014),
    ],
    "dtlz2": [
        (1 / 51.0, 0.8311, 0.375),
        (1 / 51.0, 0.8288, 0.374),
        (1 / 51.0, 0.9076, 0.300),
        (1 / 51.0, 0.9523, 0.247),
        (1 / 51.0, 0.9781, 0.235),
        (1 / 51.0, 0.9544, 0.303),
    ],
    "branin_currin_disc": [(1 / 21.0, 0.9987, 0.0826), (1 / 11.0, 0.9979, 0.432), (1 / 11.0, 0.9555, 0.726)],
    "c2_dtlz2": [(1 / 51.0, 0.9802, 0.271), (1 / 51.0, 0.9522, 0.305), (1 / 51.0, 0.7132, 1.245)],
    "tanaka": [
        (1 / 21.0, 0.9887, 0.156),
        (1 / 21.0, 0.9886, 0.156),
        (1 / 21.0, 0.9998, 0.0402),
        (1 / 21.0, 1.0, 0.0511),
    ],
    "osyczka_kundu": [
        (1 / 21.0, 0.9946, 0.0301),
        (1 / 21.0, 0.9967, 0.0787),
        (1 / 21.0, 0.9986, 0.133),
        (1 / 21.0, 0.9985, 0.133),
        (1 / 21.0, 1.0, 0.133),
        (1 / 21.0, 0.9997, 0.0595),
        (1 / 21.0, 0.9921, 0.438),
        (1 / 21.0, 0.9963, 0.295),
    ],
    "cantilever": [(1 / 32.0, 0.9980, 0.0787), (1 / 32.0, 1.0, 0.0)],
    "adversarial": [(1 / 21.0, -1.0, 2.0), (1 / 11.0, -1.0, 2.0)],
    "qv": [(0.1, 0.996, 0.081)],
    "momf_branin_currin": [(1 / 121.5, 0.9987, 0.083), (1 / 121.5, 0.975, 0.238)],
    "momf_park": [(1 / 121.5, 1.0, 0.450), (1 / 121.5, 0.9997, 0.222)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_documented_rows_are_what_1024_designs_give(name: str) -> None:
    rows = fidelity_table(imoca_lab.get(name).problem, 1024, [0.0])
    low = [row for row in rows if row.cost_ratio < 1.0 and row.fidelity in (0.0, 0.2, "low", 2)]
    found = [(row.cost_ratio, row.rank_correlation, row.relative_error) for row in low]
    np.testing.assert_allclose(found, DOCUMENTED[name], rtol=5e-4, atol=5e-4)


def test_a_fidelity_that_says_the_same_of_every_design_ranks_none() -> None:
    flat = Simulator(
        "flat",
        [Objective("f", "minimize")],
        lambda x, z: z * x,
        fidelity=Fidelity.levels([0.0, 1.0]),
        cost=[0.1, 1.0],
    )
    rows = fidelity_table(Problem([Real("x", 0.0, 1.0)], [flat]), 8)
    assert [row.rank_correlation for row in rows] == [0.0, pytest.approx(1.0)]


def test_designs_that_fail_are_left_out_and_counted() -> None:
    def fragile(x: float, z: int) -> float:
        if x > 0.5 * z:  # half of them at the cheap level, none at full accuracy
            raise RuntimeError("broken")
        return x + (0.25 if z == 1 else 0.0)

    levels = Fidelity.levels([1, 2])
    simulator = Simulator("s", [Objective("f", "minimize")], fragile, fidelity=levels, cost=[0.1, 1.0])
    cheap, full = fidelity_table(Problem([Real("x", 0.0, 1.0)], [simulator]), 256)
    assert cheap.failed == pytest.approx(0.5, abs=0.01)
    assert full.failed == 0.0
    assert cheap.rank_correlation == pytest.approx(1.0)
    assert cheap.relative_error == pytest.approx(0.25 / (0.5 / 12.0**0.5), rel=0.02)  # of those that answered


def test_a_simulator_that_never_answers_is_named() -> None:
    def broken(x: float, z: int) -> float:
        raise RuntimeError("no licence")

    levels = Fidelity.levels([1, 2])
    simulator = Simulator("s", [Objective("f", "minimize")], broken, fidelity=levels, cost=[0.1, 1.0])
    with pytest.raises(ProblemError, match="'s' answered 0 of 8 designs"):
        fidelity_table(Problem([Real("x", 0.0, 1.0)], [simulator]), 8)


def test_too_few_designs_are_refused() -> None:
    with pytest.raises(ProblemError, match="2 designs"):
        fidelity_table(make_problem(), 2)
