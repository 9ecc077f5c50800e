"""How a front came to be, and one moment of a study for all that looks at it."""

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.methods import beliefs
from imoca.methods.beliefs import Beliefs
from imoca.methods.recall import recall
from imoca.models.fitting import fit_on
from imoca.report.figures import RECORDS
from imoca.snapshot import history
from imoca.snapshot.convergence import box_around, front_volume
from imoca.snapshot.history import front_history
from imoca.snapshot.recommendation import (
    QUICK,
    ParetoPoint,
    believe_answers,
    front_values,
    recommend,
    recommended,
)
from imoca.trials import Answer, Trial, TrialTable

PROBLEM = Problem(
    [Real("x", 0.0, 1.0)],
    [Simulator("s", [Objective("low", "minimize"), Objective("high", "maximize")], full_cost=2.0)],
)


def table_of(*designs: float) -> TrialTable:
    trials = [
        Trial(i, {"x": x}, {"s": None}, {}, Answer({"low": x, "high": 2.0 * x - x**2})) for i, x in enumerate(designs)
    ]
    return TrialTable.encode(PROBLEM, trials)


def test_a_checkpoint_knows_only_the_trials_before_it() -> None:
    table = table_of(0.5, 0.4, 0.6, 0.1, 0.9, 0.0)
    found = front_history(table, np.arange(2.0, 14.0, 2.0), believe_answers(table), seed=0, n_checkpoints=40)
    assert [(each.n_trials, each.cost) for each in found] == [(n, 2.0 * n) for n in range(1, 7)]
    for checkpoint in found:
        measured = {p.parameters["x"] for p in checkpoint.front if p.verified}
        assert measured <= {trial.parameters["x"] for trial in table.trials[: checkpoint.n_trials]}


def test_checkpoints_are_spread_over_cost_and_trials_and_the_last_trial_is_one() -> None:
    costs = np.array([1.0, 2.0, 3.0, 4.0, 100.0, 101.0])
    table = table_of(0.5, 0.4, 0.6, 0.1, 0.9, 0.0)
    found = front_history(table, costs, believe_answers(table), seed=0, n_checkpoints=4)
    assert [each.cost for each in found] == [1.0, 101.0]  # both ends of the two even steps of either kind


@pytest.mark.slow
def test_a_front_on_the_way_is_about_what_would_have_been_recommended_then() -> None:
    """Of a search, whose questions remember what was believed, and of answers that were added, where none does."""

    def low(x: float, y: float, z: float) -> float:
        return (x - 0.2) ** 2 + y + 0.1 * (1.0 - z)

    def high(x: float, y: float, z: float) -> float:
        return float(np.sin(3.0 * x) + y * (1.0 - y))

    problem = Problem(
        [Real("x", 0, 1), Real("y", 0, 1)],
        [
            Simulator("a", [Objective("low", "minimize")], low, fidelity=Fidelity.continuous(), cost="0.1 + z"),
            Simulator("b", [Objective("high", "maximize")], high, fidelity=Fidelity.continuous(), cost="0.1 + z"),
        ],
    )
    searched, added = Study(problem, n_fronts=2), Study(problem)
    searched.optimize(4.0)
    for trial in searched.trials:
        added.add(trial.parameters, trial.fidelities, trial.values)
    for study in (searched, added):
        snapshot = study.snapshot()
        for checkpoint in snapshot.history[-4:]:
            then = recommend(snapshot.finished.rows(slice(checkpoint.n_trials)), study.seed, study.model)
            now, expected = (front_values(problem, each) for each in (checkpoint.front, then))
            spread = np.ptp(expected, axis=0)
            apart = np.abs(now[:, None] - expected[None]) / spread
            assert np.median(apart.max(axis=2).min(axis=1)) < 0.1
            assert len(checkpoint.front) <= 100 + len(snapshot.finished)


def test_designs_on_the_way_have_the_values_that_a_doubting_front_has() -> None:
    table = table_of(0.5, 0.4, 0.6, 0.1, 0.9, 0.0)
    beliefs = believe_answers(table)
    bare, doubted = (recommended(table, beliefs, 0, care=care) for care in (QUICK, replace(QUICK, is_doubting=True)))
    assert [(p.parameters, p.measured) for p in bare] == [(p.parameters, p.measured) for p in doubted]
    for one, other in zip(bare, doubted, strict=True):
        assert one.predicted == pytest.approx(other.predicted)
    assert any(p.verified for p in bare)


def test_of_very_many_answers_a_part_tells_the_fronts_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    table, sizes = table_of(*np.linspace(0.0, 1.0, 12)), []

    def noting(*given: Any) -> Beliefs | None:
        found = recall(*given)
        sizes.append(0 if found is None else found.n_data)
        return found

    monkeypatch.setattr(history, "MOST_OBSERVATIONS", 5)
    monkeypatch.setattr(history, "recall", noting)
    found = front_history(table, np.arange(1.0, 13.0), believe_answers(table), seed=0, n_checkpoints=8)
    assert found[-1].n_trials == 12
    assert max(sizes) == 5


def test_the_volume_is_that_of_the_box_that_was_seen_computed_by_hand() -> None:
    table = TrialTable.encode(
        PROBLEM,
        [
            Trial(i, {"x": 0.5}, {"s": None}, {}, Answer({"low": a, "high": b}))
            for i, (a, b) in enumerate([(4, 0), (0, 2)])
        ],
    )
    zero = {"low": 0.0, "high": 0.0}
    front = [ParetoPoint({"x": 0.5}, {"low": 1.0, "high": 1.0}, zero, None)]
    np.testing.assert_array_equal(front_values(PROBLEM, front), [[-1.0, 1.0]])
    box = box_around(PROBLEM, [front], table)
    # From low = 4 to 1 of 4, from high = 0 to 1 of 2.
    assert front_volume(PROBLEM, front, box) == pytest.approx(0.75 * 0.5)
    measured = [ParetoPoint({"x": 0.5}, {"low": 1.0, "high": 1.0}, zero, {"low": 2.0, "high": 2.0})]
    assert front_volume(PROBLEM, measured, box) == pytest.approx(0.5 * 1.0)
    assert front_volume(PROBLEM, [], box) == 0.0


def test_no_front_is_larger_than_the_box_and_the_last_one_lies_within_it() -> None:
    table, zero = table_of(0.0, 1.0), {"low": 0.0, "high": 0.0}  # low from 0 to 1, high from 0 to 1
    beyond = [ParetoPoint({"x": 0.5}, {"low": -1.0, "high": 3.0}, zero, None)]
    assert front_volume(PROBLEM, beyond, box_around(PROBLEM, [], table)) == pytest.approx(1.0)
    box = box_around(PROBLEM, [beyond], table)
    assert (box.worst.tolist(), box.best.tolist()) == ([-1.0, 0.0], [1.0, 3.0])
    inner = [ParetoPoint({"x": 0.5}, {"low": 0.0, "high": 1.5}, zero, None)]
    assert front_volume(PROBLEM, inner, box) == pytest.approx(0.5 * 0.5)


def test_a_report_fits_each_model_once_and_is_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(PROBLEM, method="random")
    for x in (0.1, 0.5, 0.9):
        study.add({"x": x}, {}, {"low": x, "high": 2.0 * x - x**2})
    fitted: list[int] = []
    here = threading.get_ident()

    def counting(*data: object) -> object:
        if threading.get_ident() == here:  # figures of other tests may still be drawn
            fitted.append(len(data[1]))  # type: ignore[arg-type]
        return fit_on(*data)  # type: ignore[arg-type]

    monkeypatch.setattr(beliefs, "fit_on", counting)
    snapshot = study.snapshot()
    study.add({"x": 0.3}, {}, {"low": 0.3, "high": 0.5})
    for record in RECORDS.values():
        record(snapshot)
    assert fitted == [3, 3]  # one model per objective, of the three trials that there were
    assert snapshot.bill.total == 6.0
