import math
from collections.abc import Callable

import numpy as np
import pytest

from imoca_lab.harness.curves import (
    HYPERVOLUME_DIFFERENCE,
    all_series,
    convergence_costs,
    curve_of,
    quantile,
    steps_of,
)
from imoca_lab.harness.results import RunResult
from imoca_lab.harness.summary import convergence_table, every_convergence_table, known_front_table
from imoca_lab.harness.tables import costs_to_within


def test_a_value_holds_until_the_next_checkpoint(make_run: Callable[..., RunResult]) -> None:
    steps = steps_of(make_run([0.5, 0.2, 0.1], [1.0, 2.0, 4.0]), HYPERVOLUME_DIFFERENCE)
    assert [steps.at(cost) for cost in (1.0, 1.9, 2.0, 3.9, 4.0, 99.0)] == [0.5, 0.5, 0.2, 0.2, 0.1, 0.1]
    assert math.isnan(steps.at(0.9))


def test_a_value_must_stay_within_the_limit_to_have_settled(make_run: Callable[..., RunResult]) -> None:
    steps = steps_of(make_run([0.5, 0.01, 0.3, 0.02, 0.01], [1.0, 2.0, 3.0, 4.0, 5.0]), HYPERVOLUME_DIFFERENCE)
    assert steps.settled_within(0.05) == 4.0
    assert steps.settled_within(0.01) == 5.0
    assert steps.settled_within(0.005) == math.inf
    assert steps.settled_within(1.0) == 1.0


def test_the_median_curve_by_hand(make_run: Callable[..., RunResult]) -> None:
    runs = [
        make_run([0.8, 0.4], [1.0, 3.0], seed=0),
        make_run([0.6, 0.2], [2.0, 4.0], seed=1),
        make_run([0.7, 0.1], [1.0, 5.0], seed=2),
    ]
    (series,) = all_series(runs)
    curve = curve_of(series, HYPERVOLUME_DIFFERENCE)
    assert curve.costs.tolist() == [2.0, 3.0, 4.0, 5.0]  # from where the last seed begins
    assert curve.median.tolist() == [0.7, 0.6, 0.4, 0.2]
    assert curve.lower == pytest.approx([0.65, 0.5, 0.3, 0.15])
    assert curve.upper == pytest.approx([0.75, 0.65, 0.55, 0.3])


def test_quantiles_are_those_of_numpy_and_know_infinity(rng: np.random.Generator) -> None:
    values = rng.random((7, 5))
    for share in (0.25, 0.5, 0.75):
        assert quantile(values, share) == pytest.approx(np.quantile(values, share, axis=0))
    mixed = np.array([[1.0, math.inf], [2.0, math.inf], [math.inf, math.inf], [math.inf, math.inf]])
    assert quantile(mixed, 0.5).tolist() == [math.inf, math.inf]
    assert quantile(mixed, 0.25).tolist() == [1.75, math.inf]


def test_convergence_by_hand(make_run: Callable[..., RunResult]) -> None:
    """Best final hypervolume 0.95; within 1 % of it is 0.9405 or more, a difference of 0.0595 or less."""
    runs = [
        make_run([0.5, 0.059, 0.06, 0.059, 0.05], [1.0, 2.0, 3.0, 4.0, 5.0], method="imoca-p"),
        make_run([0.9, 0.3, 0.0594], [2.0, 8.0, 16.0], method="mesmo"),
        make_run([0.9, 0.8], [2.0, 20.0], method="random"),
    ]
    costs = convergence_costs([curve_of(series, HYPERVOLUME_DIFFERENCE) for series in all_series(runs)])
    assert costs == {"imoca-p": 4.0, "mesmo": 16.0, "random": math.inf}


def test_the_reduction_is_against_the_best_single_fidelity_method(make_run: Callable[..., RunResult]) -> None:
    runs = [
        make_run([0.5, 0.0], [1.0, 4.0], method="imoca-p"),
        make_run([0.5, 0.001], [1.0, 8.0], method="imoca-t"),
        make_run([0.5, 0.002], [2.0, 16.0], method="mesmo", z=1.0),
        make_run([0.5, 0.001], [2.0, 20.0], method="ehi", z=1.0),
        make_run([0.5, 0.001], [2.0, 10.0], method="mf-osemo-tg"),
    ]
    (row,) = convergence_table({"branin_currin": all_series(runs)}).rows
    assert row == (
        *("branin_currin", "1", "mesmo: 16", "mf-osemo-tg: 10", "4", "–", "8"),
        *("75.0 %", "50.0 %", "85 %"),
    )
    everyone = every_convergence_table({"branin_currin": all_series(runs)}).rows
    assert everyone == (("ehi", "20"), ("imoca-p", "4"), ("imoca-t", "8"), ("mesmo", "16"), ("mf-osemo-tg", "10"))


def test_the_cost_to_the_known_front_does_not_hang_on_other_methods(make_run: Callable[..., RunResult]) -> None:
    """Attainable 0.96: within 1 % is a difference of 0.0496 at the most, within 2 % one of 0.0592; mesmo relapses."""
    runs = [
        make_run([0.3, 0.0495], [1.0, 4.0], method="imoca-p", attainable=0.04),
        make_run([0.0495, 0.2, 0.059, 0.0495], [1.0, 2.0, 3.0, 9.0], method="mesmo", attainable=0.04),
        make_run([0.3, 0.06], [1.0, 16.0], method="random", attainable=0.04),
    ]
    problems = {"branin_currin": all_series(runs)}
    assert known_front_table(problems, 0.01).rows == (("imoca-p", "4"), ("mesmo", "9"), ("random", "> 16"))
    assert known_front_table(problems, 0.02).rows == (("imoca-p", "4"), ("mesmo", "3"), ("random", "> 16"))


def test_a_method_that_did_not_converge_gives_a_bound(make_run: Callable[..., RunResult]) -> None:
    runs = [
        make_run([0.5, 0.0], [1.0, 4.0], method="imoca-p"),
        make_run([0.5, 0.3], [2.0, 16.0], method="mesmo", z=1.0),
    ]
    (row,) = convergence_table({"branin_currin": all_series(runs)}).rows
    assert row[2] == "mesmo: > 16"
    assert row[7] == "> 75.0 %"


def test_coming_close_is_measured_against_what_two_hundred_designs_can_reach(
    make_run: Callable[..., RunResult],
) -> None:
    """Attainable 0.96: 99 % of it is 0.9504, a difference of 0.0496."""
    (series,) = all_series([make_run([0.2, 0.0497, 0.0495], [1.0, 2.0, 3.0], attainable=0.04)])
    assert costs_to_within(series, 0.01) == [3.0]
    assert costs_to_within(series, 0.05) == [2.0]
