"""What is recommended where measured values scatter: shown as measured, compared as believed."""

import dataclasses

import numpy as np
import pytest
from deciding import recommend, trial_at

from imoca.problem import Constraint, Fidelity, Objective, Output, Problem, Real, Simulator
from imoca.snapshot.designs import robust_values
from imoca.snapshot.recommendation import (
    QUICK,
    THOROUGH,
    ParetoPoint,
    believe_answers,
    front_values,
    measured_values,
    recommended,
)
from imoca.snapshot.verification import verification
from imoca.trials import Answer, Promise, Trial, TrialTable

KNOB = Fidelity.continuous()
PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator("s", [Objective("drag", "minimize")], fidelity=KNOB, cost="0.1 + z"),
        Simulator("t", [Objective("lift", "maximize")], fidelity=KNOB, cost="0.1 + z"),
    ],
)
ERRORS = {"drag": 80.0, "lift": 0.8}


def simulate(x: np.ndarray) -> dict[str, float]:
    """Both are best along a curve between (0.2, 0.5) and (0.8, 0.5); in units of their own."""
    return {
        "drag": float(300.0 + 1000.0 * ((x[0] - 0.2) ** 2 + (x[1] - 0.5) ** 2)),
        "lift": float(5.0 - 7.0 * ((x[0] - 0.8) ** 2 + (x[1] - 0.5) ** 2)),
    }


def cheap_trials(n: int = 16) -> list[Trial]:
    x = np.random.default_rng(6).random((n, 2))
    return [trial_at(PROBLEM, i, x[i], [0.8, 0.8], Answer(simulate(x[i]))) for i in range(n)]


def measured(
    number: int, x: tuple[float, float], luck: float, errors: dict[str, float] | None = ERRORS, z: float = 1.0
) -> Trial:
    """At full accuracy, better than the truth by so many of the usual errors."""
    truth = simulate(np.array(x))
    values = {"drag": truth["drag"] - luck * ERRORS["drag"], "lift": truth["lift"] + luck * ERRORS["lift"]}
    return trial_at(PROBLEM, number, np.array(x), [z, z], Answer(values, errors=errors or {}))


def verified(front: list[ParetoPoint]) -> list[ParetoPoint]:
    return [point for point in front if point.verified]


def test_a_lucky_measurement_with_its_error_told_is_shown_but_displaces_nothing() -> None:
    lucky = measured(16, (0.5, 0.5), 1.5)
    front = recommend(PROBLEM, [*cheap_trials(), lucky])
    (point,) = verified(front)
    truth = simulate(np.array([0.5, 0.5]))
    assert (point.measured, point.errors) == (lucky.values, ERRORS)
    for name, error in ERRORS.items():
        assert abs(point.estimated[name] - truth[name]) < 0.2 * error
        assert point.known[name] == point.estimated[name]
    drag, lift = (np.array([p.predicted[name] for p in front if not p.verified]) for name in ("drag", "lift"))
    is_beaten = (drag > lucky.values["drag"]) & (lift < lucky.values["lift"])
    assert is_beaten.sum() > 20  # predicted designs that it dominates, taken at its word


def test_a_small_error_leaves_what_was_measured_whatever_the_model_thinks() -> None:
    """Two designs side by side, measured far apart: no surrogate believes it."""
    pair = [measured(16, (0.5, 0.5), 2.0, {}), measured(17, (0.5, 0.5 + 1e-6), -2.0, {})]
    told = [dataclasses.replace(t, answer=Answer(t.values, errors=dict.fromkeys(ERRORS, 1e-6))) for t in pair]
    (exact,), (point,) = (verified(recommend(PROBLEM, [*cheap_trials(), *each])) for each in (pair, told))
    assert exact.measured == point.measured == pair[0].values
    assert abs(point.predicted["drag"] - pair[0].values["drag"]) > 50.0
    assert point.known == pytest.approx(exact.known, rel=1e-6)


def test_of_designs_that_scatter_the_better_one_is_kept_not_the_luckier_one() -> None:
    better, luckier = measured(16, (0.5, 0.5), -1.0), measured(17, (0.5, 0.7), 1.5)
    assert luckier.values["drag"] < better.values["drag"]
    assert luckier.values["lift"] > better.values["lift"]
    front = recommend(PROBLEM, [*cheap_trials(), better, luckier])
    assert [point.parameters for point in verified(front)] == [better.parameters]
    table = TrialTable.encode(PROBLEM, [*cheap_trials(), better, luckier])
    beliefs = believe_answers(table)
    assert beliefs is not None
    reached = measured_values(beliefs, table)  # by which further designs are chosen to be verified
    assert (reached[0] > reached[1]).all()


def test_a_design_measured_again_stands_once_with_mean_and_error() -> None:
    runs = [measured(16 + i, (0.5, 0.5), luck) for i, luck in enumerate((1.0, -0.4, 0.3, 0.1))]
    (point,) = verified(recommend(PROBLEM, [*cheap_trials(), *runs]))
    for name, error in ERRORS.items():
        assert point.measured is not None
        assert point.measured[name] == pytest.approx(np.mean([run.values[name] for run in runs]))
        assert point.errors[name] == pytest.approx(error / 2.0)


def test_quick_fronts_and_thorough_ones_count_alike() -> None:
    table = TrialTable.encode(PROBLEM, [*cheap_trials(), measured(16, (0.5, 0.5), 1.5)])
    beliefs = believe_answers(table)
    quick, thorough = (verified(recommended(table, beliefs, 0, care=care))[0] for care in (QUICK, THOROUGH))
    assert (quick.measured, quick.errors, quick.estimated) == (thorough.measured, thorough.errors, thorough.estimated)


def test_what_scatters_is_judged_by_the_worse_end_of_its_interval_and_ranked_by_its_estimate() -> None:
    point = ParetoPoint(
        {"a": 0.5, "b": 0.5},
        {"drag": 10.0, "lift": 2.0},
        {},
        {"drag": 8.0, "lift": 2.5},
        {"drag": (9.0, 11.0), "lift": (1.0, 3.0)},
        errors={"drag": 2.0},
        estimated={"drag": 9.5},
    )
    np.testing.assert_allclose(robust_values(PROBLEM, [point]), [[-11.0, 2.5]])
    np.testing.assert_allclose(front_values(PROBLEM, [point]), [[-9.5, 2.5]])


def test_a_constraint_that_is_measured_with_an_error_is_judged_by_what_is_believed() -> None:
    outputs: list[Output] = [Objective("drag", "minimize"), Constraint("stress", upper=1.0)]
    problem = Problem([Real("a", 0.0, 1.0)], [Simulator("s", outputs, fidelity=KNOB, cost="0.1 + z")])

    def trial(number: int, a: float, z: float, luck: float = 0.0, error: float = 0.0) -> Trial:
        values = {"drag": (a - 0.8) ** 2, "stress": 2.0 * a + luck * error}  # feasible up to 0.5
        errors = {"stress": error} if error else {}
        return trial_at(problem, number, np.array([a]), [z], Answer(values, errors=errors))

    cheap = [trial(i, a, 0.8) for i, a in enumerate(np.linspace(0.0, 1.0, 12).tolist())]
    safe, unsafe = trial(12, 0.45, 1.0, 1.0, 0.3), trial(12, 0.6, 1.0, -1.0, 0.3)
    assert safe.values["stress"] > 1.0 > unsafe.values["stress"]
    (point,) = verified(recommend(problem, [*cheap, safe]))
    assert point.measured == safe.values
    assert 0.5 < point.feasibility < 1.0
    assert not verified(recommend(problem, [*cheap, unsafe]))
    (exact,) = verified(recommend(problem, [*cheap, trial(12, 0.45, 1.0)]))
    assert exact.feasibility == 1.0


def test_nine_of_ten_promises_are_kept_whatever_the_error_of_what_came(rng: np.random.Generator) -> None:
    promise, n = Promise(2.0, 2.0 - 1.6448536 * 0.5, 2.0 + 1.6448536 * 0.5), 20_000
    truths = 2.0 + 0.5 * rng.standard_normal(n)
    for error in (0.0, 0.3, 2.0):
        came = truths + error * rng.standard_normal(n)
        kept = np.mean([promise.is_kept(value, error) for value in came.tolist()])
        assert kept == pytest.approx(0.9, abs=0.01)  # five standard errors
    lopsided = Promise(2.0, 1.0, 5.0)
    assert [lopsided.is_kept(value) for value in (0.9, 1.0, 4.9, 5.1)] == [False, True, True, False]
    assert lopsided.is_kept(0.9, 0.5)
    assert not lopsided.is_kept(0.5, 0.5)


def test_a_table_of_verified_designs_shows_errors_and_judges_by_them() -> None:
    asked = Trial(0, {"a": 0.5, "b": 0.5}, {"s": 1.0, "t": 1.0}, promised={"drag": Promise(10.0, 9.0, 11.0)})
    told = asked.answered(Answer({"drag": 11.5, "lift": 1.0}, errors={"drag": 0.8}))
    found = verification(TrialTable.encode(PROBLEM, [told]))
    assert "11.50 ± 0.80  within" in str(found)
    exact = asked.answered(Answer({"drag": 11.5, "lift": 1.0}))
    assert "11.5      outside" in str(verification(TrialTable.encode(PROBLEM, [exact])))
