"""Designs run at full accuracy on demand: what is run, what it is compared with, what it costs; and wrong use."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import (
    Constraint,
    Fidelity,
    ImocaError,
    MeasuredCost,
    Objective,
    ParetoPoint,
    Problem,
    Real,
    Simulator,
    Study,
)
from imoca.errors import CostError, MethodError, ParameterError, StorageError, TrialError
from imoca.problem.cost import ExpressionCost
from imoca.problem.parameters import Value
from imoca.snapshot import Verification
from imoca.snapshot.verification import open_designs
from imoca.storage.owner import this_process
from imoca.study.verifying import designs_to_verify
from imoca.trials import Candidate, SimulatorState, Trial

CALLS: list[tuple[str, float, float]] = []  # simulator, x, z


def left(x: float, z: float) -> float:
    CALLS.append(("left", x, z))
    return (x - 0.2) ** 2 + 0.1 * (1 - z)


def right(x: float, z: float) -> float:
    CALLS.append(("right", x, z))
    return (x - 0.8) ** 2 + 0.1 * (1 - z) * x


PROBLEM = Problem(
    [Real("x", 0.0, 1.0)],
    [
        Simulator("left", [Objective("l", "minimize")], left, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z"),
        Simulator(
            "right",
            [Objective("r", "minimize")],
            right,
            fidelity=Fidelity.continuous(),
            cost="0.1 + 0.9 * z",
            full_cost=3.0,
        ),
    ],
)


@pytest.fixture
def study() -> Study:
    made = Study(PROBLEM, n_fronts=2)
    made.optimize(trials=13, progress=False)
    CALLS.clear()
    return made


def unverified(study: Study) -> list[ParetoPoint]:
    return [point for point in study.pareto_front() if not point.verified and not point.is_earlier]


def x_of(point: ParetoPoint | Trial) -> float:
    x = point.parameters["x"]
    assert isinstance(x, float)
    return x


def test_designs_named_in_any_way_are_run_at_full_accuracy_and_compared_with_what_was_predicted(study: Study) -> None:
    front = unverified(study)
    chosen = [front[0], front[20], front[-1]]
    found = study.verify([chosen[0].id, chosen[1], dict(chosen[2].parameters), chosen[0].id.lower()])
    assert [(name, x_of(point), 1.0) for point in chosen for name in ("left", "right")] == CALLS
    assert [design.id for design in found.designs] == [point.id for point in chosen]
    for design, point in zip(found.designs, chosen, strict=True):
        assert {check.output: check.promise.value for check in design.checks} == pytest.approx(dict(point.predicted))
        for check in design.checks:
            assert (check.promise.low, check.promise.high) == pytest.approx(point.interval[check.output])
            low, high = point.interval[check.output]
            truth = {"l": (x_of(point) - 0.2) ** 2, "r": (x_of(point) - 0.8) ** 2}[check.output]
            assert check.measured == truth
            assert check.is_kept == (low <= truth <= high)
    assert found.cost == pytest.approx(3 * 4.0)


def test_the_prediction_is_from_before_the_design_was_run_and_stays(study: Study) -> None:
    point = unverified(study)[10]
    first = study.verify(point)
    study.optimize(trials=len(study.trials) + 2, progress=False)
    assert study.snapshot().verification.designs == first.designs
    now = next(each for each in study.pareto_front() if each.id == point.id)
    assert now.predicted != point.predicted  # the model has learned from it since


def test_only_what_did_not_run_there_at_full_accuracy_is_run(study: Study) -> None:
    point = unverified(study)[5]
    study.add(point.parameters, {"left": 1.0, "right": 0.5}, {"l": 0.5, "r": 0.5})
    found = study.verify(point)
    assert [("right", x_of(point), 1.0)] == CALLS
    trial = study.trials[-1]
    assert (list(trial.fidelities), set(trial.values), set(trial.promised)) == (["right"], {"r"}, {"r"})
    assert study.table().states[-1].tolist() == [SimulatorState.NOT_RUN, SimulatorState.ANSWERED]
    assert found.cost == pytest.approx(3.0)
    verified = [each for each in study.pareto_front() if each.verified]
    together = {"l": 0.5, "r": (x_of(point) - 0.8) ** 2}
    assert [each.measured for each in verified if each.id == point.id] in ([together], [])  # unless it is beaten
    assert {"x": x_of(point)} in [dict(trial.parameters) for trial in study.table().verified.trials]
    again = study.verify([point.id])
    assert len(CALLS) == 1
    assert again.designs == found.designs


def test_a_design_is_run_again_if_that_is_said_and_stands_once(study: Study) -> None:
    point = unverified(study)[20]
    study.verify(point)
    CALLS.clear()
    told = study.verify(point)
    assert (len(told.designs), told.known) == (1, (point.id,))
    assert not CALLS
    found = study.verify(point, again=True)
    assert [("left", x_of(point), 1.0), ("right", x_of(point), 1.0)] == CALLS
    assert [(design.id, design.trial) for design in found.designs] == [(point.id, len(study.trials) - 1)]
    assert found.cost == pytest.approx(4.0)  # what was run before is no news
    assert found.known == ()
    assert [each.id for each in study.pareto_front() if each.parameters == point.parameters] == [point.id]


def test_a_repetition_that_was_begun_before_and_is_finished_now_is_told(study: Study) -> None:
    points = unverified(study)[:2]
    study.verify(points)

    def interrupt(trial: Trial) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.verify(points, again=True, on_trial=interrupt)
    n_begun = len(study.trials)
    found = study.verify(points[1], again=True)
    assert [design.trial for design in found.designs] == [n_begun - 1, n_begun]


def test_a_design_that_the_search_itself_ran_there_is_known_and_nothing_runs(study: Study) -> None:
    parameters: dict[str, Value] = {"x": 0.5}
    study.add(parameters, {"left": 1.0, "right": 1.0}, {"l": 0.09, "r": 0.09})
    n_before = len(study.trials)
    found = study.verify(parameters)
    assert (CALLS, len(study.trials)) == ([], n_before)
    assert (found.designs, found.cost, len(found.known)) == ((), 0.0, 1)
    assert f"Nothing was missing of {found.known[0]}." in str(found)


def test_of_the_front_those_are_chosen_that_add_most_each_after_the_answers_to_those_before(study: Study) -> None:
    fronts: list[set[float]] = [{x_of(point) for point in unverified(study)}]

    def learn(trial: Trial) -> None:
        fronts.append({x_of(point) for point in unverified(study)})

    found = study.verify(n=3, on_trial=learn)
    assert "is left" not in found.summary
    xs = [float(design.parameters["x"]) for design in found.designs]
    assert len(set(xs)) == 3
    for x, front in zip(xs, fronts, strict=False):
        assert x in front
    assert fronts[0] != fronts[1]
    assert np.diff(sorted(xs)).min() > 0.05  # beside each other they would add little
    assert all(set(trial.fidelities.values()) == {1.0} for trial in study.trials[-3:])


def test_the_same_study_verifies_the_same_designs(study: Study) -> None:
    other = Study(PROBLEM, n_fronts=2)
    other.optimize(trials=13, progress=False)
    assert study.verify(n=2) == other.verify(n=2)


def test_as_many_are_verified_as_the_budget_pays_for(study: Study) -> None:
    """A design costs 4. They are those that are chosen where their number is given."""
    other = Study(PROBLEM, n_fronts=2)
    other.optimize(trials=13, progress=False)
    spent = study.cost_spent
    found = study.verify(budget=spent + 11.9)
    assert len(found.designs) == 2
    assert found.cost == pytest.approx(8.0)
    assert "is left" not in found.summary
    assert found == other.verify(n=2)
    assert len(study.verify(budget=spent + 12.0).designs) == 1  # round-off costs none
    n_before = len(study.trials)
    words = r"does not pay for one more design.* the cheapest of the front costs 4 at full accuracy"
    with pytest.raises(MethodError, match=words) as caught:
        study.verify(budget=spent + 15.9)
    assert caught.value.hint is not None
    assert "Give a larger one" in caught.value.hint
    with pytest.raises(CostError, match="The budget is simulator time"):
        study.verify(budget="3h")
    with pytest.raises(MethodError, match="The budget is 0"):
        study.verify(budget=0)
    with pytest.raises(MethodError, match="Which designs are to be verified"):
        study.verify(n=2, budget=30)
    assert len(study.trials) == n_before


def test_what_is_left_to_verify_is_counted_by_what_runs_cost_and_by_what_still_runs(study: Study) -> None:
    """Of a budget for four designs half is left where they cost twice as much, and for one less while one runs."""
    spent = study.cost_spent
    before = study.snapshot().purse_for(spent + 16.0)
    asked = study.launch(Candidate({"x": 0.5}, {"left": 1.0, "right": 1.0}))
    after = study.snapshot().purse_for(spent + 16.0)
    assert [before.left, after.left] == pytest.approx([16.0, 12.0])
    study.tell(asked, {"l": 0.09, "r": 0.09})

    twice = [dataclasses.replace(each, run=partial(twice_as_dear, each.name)) for each in PROBLEM.simulators]
    dear = Study(Problem(PROBLEM.parameters, twice), n_fronts=2)
    dear.optimize(trials=13, progress=False)
    assert len(dear.verify(budget=dear.cost_spent + 16.0).designs) == 2


def twice_as_dear(name: str, x: float, z: float) -> tuple[dict[str, float], float]:
    """At full accuracy."""
    values = {"l": left(x, z)} if name == "left" else {"r": right(x, z)}
    return values, 2.0 if z == 1.0 else 0.1 + 0.9 * z


def test_designs_that_cost_more_than_what_is_left_are_not_chosen() -> None:
    """A full run costs from a tenth of a mean one to several; only cheap ones are paid by what is left."""
    cost = ExpressionCost("(0.1 + 0.9 * z) * exp(3 * x)")
    priced = [dataclasses.replace(each, cost=cost, full_cost=1.0) for each in PROBLEM.simulators]
    study = Study(Problem(PROBLEM.parameters, priced), n_fronts=2)
    study.optimize(trials=13, progress=False)
    costs = designs_to_verify(study.snapshot()).costs
    most = float(np.quantile(costs, 0.3))
    assert costs.min() < 1.0 < 2.0 < costs.max()
    spent = study.cost_spent
    found = study.verify(budget=spent + most)
    assert 0.0 < found.cost <= most * (1.0 + 1e-6)
    with pytest.raises(MethodError, match="does not pay for one more design"):
        study.verify(budget=study.cost_spent + 0.5 * float(designs_to_verify(study.snapshot()).costs.min()))


def test_of_a_design_that_was_measured_in_part_only_the_rest_is_paid(study: Study) -> None:
    """The dear simulator answered at full accuracy; the other one costs 1."""
    point = unverified(study)[0]
    study.add(point.parameters, {"right": 1.0}, {"r": right(x_of(point), 1.0)})
    beliefs = study.snapshot().beliefs
    assert beliefs is not None
    found = open_designs(study.table(), beliefs, [point, unverified(study)[-1]])
    assert found.costs == pytest.approx([1.0, 4.0])
    assert found.paid_by(1.5, is_time=False).points == (point,)


def test_what_was_begun_is_finished_and_told_whatever_the_budget(study: Study) -> None:
    point = unverified(study)[0]

    def interrupt(trial: Trial) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.verify(unverified(study)[1:3], on_trial=interrupt)
    begun = study.trials[-1]
    assert begun.pending
    found = study.verify(budget=study.cost_spent + 4.5)  # pays for what was begun
    assert [design.trial for design in found.designs] == [begun.number]
    assert found.cost == pytest.approx(4.0)
    assert point.id not in [design.id for design in found.designs]


def test_where_nothing_is_feasible_there_is_no_front_to_verify() -> None:
    outputs: list[Objective | Constraint] = [Objective("l", "minimize"), Constraint("s", upper=-1.0)]
    simulator = Simulator("one", outputs, lambda x: {"l": x, "s": 5.0 + x})
    study = Study(Problem([Real("x", 0.0, 1.0)], [simulator]), method="ehi")
    study.optimize(6, progress=False)
    assert study.pareto_front() == []
    with pytest.raises(MethodError, match="no front to verify"):
        study.verify(n=2)


@pytest.mark.slow
def test_several_workers_do_not_overspend_what_is_left_to_verify(tmp_path: Path) -> None:
    with Study(PROBLEM, n_fronts=2, storage=tmp_path / "study.db") as study:
        study.optimize(trials=13, progress=False)
        spent = study.cost_spent
        assert len(study.verify(budget=spent + 13.0, workers=4).designs) == 3
        assert study.cost_spent == pytest.approx(spent + 12.0)


def test_of_simulator_time_as_many_are_verified_as_what_they_took_pays_for() -> None:
    """Full runs took 20 s and, of the other simulator, which counts three times as much, 60 s."""
    timed = [dataclasses.replace(each, run=None, cost=MeasuredCost("0.1 + 0.9 * z")) for each in PROBLEM.simulators]
    study = Study(Problem(PROBLEM.parameters, timed), n_fronts=2)
    for _ in range(13):
        trial = study.ask()
        z = {name: float(str(each)) for name, each in trial.fidelities.items()}
        values = {"l": left(x_of(trial), z["left"]), "r": right(x_of(trial), z["right"])}
        seconds = {name: full * (0.1 + 0.9 * z[name]) for name, full in (("left", 20.0), ("right", 60.0))}
        study.tell(trial, values, cost=seconds)
    snapshot = study.snapshot()
    taken = sum(sum(trial.costs.values()) for trial in study.trials)
    designs, rest = designs_to_verify(snapshot), snapshot.purse_for(f"{taken + 90.0}s").left
    assert rest == pytest.approx(90.0)
    assert designs.seconds == pytest.approx(80.0, rel=0.05)
    assert designs.costs == pytest.approx(4.0)
    assert np.isinf(dataclasses.replace(designs, seconds=np.full_like(designs.seconds, np.nan)).prices(True)).all()
    paid = [len(designs.paid_by(most, is_time=True).points) for most in (70.0, rest)]
    assert paid == [0, len(designs.points)]


def test_what_it_cost_is_told_in_the_unit_of_the_last_budget() -> None:
    timed = [
        Simulator("left", [Objective("l", "minimize")], lambda x: (left(x, 1.0), 60.0), cost="measured"),
        Simulator("right", [Objective("r", "minimize")], lambda x: (right(x, 1.0), 120.0), cost="measured"),
    ]
    study = Study(Problem(PROBLEM.parameters, timed), method="random")
    study.optimize("30m", progress=False)
    found = study.verify([{"x": 0.123}])
    assert found.seconds == pytest.approx(180.0)
    assert "1 design was verified at full accuracy for 3 min of simulator time, a cost of 2." in found.summary
    assert study.verify(n=1).seconds == pytest.approx(180.0)
    assert study.verify(budget=100.0).seconds is None


@pytest.mark.slow
def test_with_workers_no_design_is_run_twice(tmp_path: Path) -> None:
    with Study(PROBLEM, n_fronts=2, storage=tmp_path / "study.db") as study:
        study.optimize(trials=13, progress=False)
        found = study.verify(n=4, workers=4)
        assert len({design.id for design in found.designs}) == 4
        assert study.table().verified.x.shape[0] >= 4


def test_what_it_cost_is_kept_apart_and_counts_in_later_budgets(study: Study) -> None:
    spent = study.cost_spent
    study.verify(n=2)
    costs = study.snapshot().bill
    assert costs.verification == pytest.approx(8.0)
    assert costs.total == pytest.approx(spent + 8.0)
    n_trials = len(study.trials)
    study.optimize(spent + 7.9, progress=False)
    assert len(study.trials) == n_trials


def test_what_was_begun_is_finished_by_the_next_driver(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """All designs are stored before the first one runs."""
    points = unverified(study)[:3]

    def interrupt(trial: Trial) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.verify(points, on_trial=interrupt)
    assert [trial.answer is None for trial in study.trials[-3:]] == [False, True, True]
    expected = [trial.promised for trial in study.trials[-3:]]
    n_trials = len(study.trials)
    study.optimize(1e-9, progress=False)  # asks nothing
    assert len(study.trials) == n_trials
    assert all(trial.answer is not None for trial in study.trials[-3:])
    found = study.verify(points)
    assert len(CALLS) == 6
    assert [{c.output: c.promise for c in design.checks} for design in found.designs] == expected


def test_a_failed_run_says_so_and_the_design_is_not_chosen_again() -> None:
    def breaks(x: float, z: float) -> float:
        if z == 1.0:
            raise ValueError("no mesh")
        return right(x, z)

    broken = dataclasses.replace(PROBLEM.simulators[1], run=breaks)
    study = Study(Problem(PROBLEM.parameters, [PROBLEM.simulators[0], broken]), n_fronts=2)
    study.optimize(trials=13, progress=False)
    found = study.verify(n=2)
    assert [check.verdict for check in found.designs[0].checks if check.output == "r"] == ["failed"]
    assert "no mesh" in str(found.designs[0].checks[1].failure)
    assert found.designs[0].id != found.designs[1].id
    assert (found.n_measured, found.designs[0].checks[1].measured) == (2, None)
    names = ", ".join(design.id for design in found.designs)
    assert f"2 designs were run at full accuracy for a cost of 8. Runs of {names} failed. 2 of 2" in found.summary


def test_a_trial_that_asks_a_part_takes_the_answer_to_that_part_alone(study: Study) -> None:
    """As somebody who tells by hand what the study has launched."""
    point = unverified(study)[5]
    study.add(point.parameters, {"left": 1.0, "right": 0.5}, {"l": 0.5, "r": 0.5})

    def stop(trial: Trial) -> None:
        raise KeyboardInterrupt

    others = [each for each in unverified(study)[:2] if each.id != point.id]
    with pytest.raises(KeyboardInterrupt):
        study.verify([others[0], point], on_trial=stop)
    number = len(study.trials) - 1
    with pytest.raises(TrialError, match="which this trial does not ask"):
        study.tell(number, {"l": 0.5, "r": 0.5})
    assert study.trials[number].answer is None
    told = study.tell(number, {"r": 0.25})
    assert (told.pending, told.values) == ((), {"r": 0.25})


def test_a_trial_that_asks_a_part_may_fail(study: Study) -> None:
    point = unverified(study)[5]
    study.add(point.parameters, {"left": 1.0, "right": 0.5}, {"l": 0.5, "r": 0.5})

    def stop(trial: Trial) -> None:
        raise KeyboardInterrupt

    others = [each for each in unverified(study)[:2] if each.id != point.id]
    with pytest.raises(KeyboardInterrupt):
        study.verify([others[0], point], on_trial=stop)
    assert dict(study.fail(len(study.trials) - 1, "power cut").failures) == {"right": "power cut"}


WRONG: tuple[tuple[dict[str, Any], type[ImocaError], str], ...] = (
    ({}, MethodError, "Which designs"),
    ({"designs": ["F0000"], "n": 2}, MethodError, "Which designs"),
    ({"n": 1, "again": True}, MethodError, "Which designs are to be run again"),
    ({"n": 0}, MethodError, "at least 1"),
    ({"n": 1.5}, MethodError, "at least 1"),
    ({"n": True}, MethodError, "at least 1"),
    ({"designs": []}, MethodError, "No design"),
    ({"designs": 4}, MethodError, r"4 is no design.*verify\(n=4\)"),
    ({"designs": ["F3"]}, ParameterError, "There is no design 'F3'"),
    ({"designs": [{"x": 0.5}, {"x": 1.5}]}, ParameterError, "1.5"),
    ({"designs": [{"y": 0.5}]}, ParameterError, "missing"),
    ({"designs": [3]}, ParameterError, "came as 3"),
    ({"n": 1, "workers": 0}, ImocaError, "workers"),
)


@pytest.mark.parametrize(("given", "error", "words"), WRONG)
def test_wrong_use_is_an_error_and_nothing_changes(
    study: Study, given: dict[str, Any], error: type[ImocaError], words: str
) -> None:
    before = study.trials
    with pytest.raises(error, match=words):
        study.verify(**given)
    assert study.trials == before
    assert study.runs[-1].trial == before[-1].number


@pytest.mark.parametrize("given", [{"n": 1}, {"designs": [{"x": 0.5}]}, {"designs": ["F0000"]}])
def test_before_anything_is_known_there_is_nothing_to_verify(given: dict[str, Any]) -> None:
    study = Study(PROBLEM)
    study.ask()
    with pytest.raises(MethodError, match="nothing to verify"):
        study.verify(**given)
    assert len(study.trials) == 1


def test_while_another_process_runs_the_study_nothing_is_stored(study: Study) -> None:
    study._storage.claim(this_process())
    n_before = len(study.trials)
    with pytest.raises(StorageError, match="already being run"):
        study.verify(unverified(study)[:2])
    assert len(study.trials) == n_before


def test_two_designs_of_one_name_are_told_apart_by_their_parameters(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imoca.snapshot.designs.design_id", lambda parameters: "FAAAA")
    with pytest.raises(ParameterError, match="designs are called 'FAAAA'"):
        study.verify("FAAAA")


def test_where_nothing_of_the_front_is_left_fewer_are_verified() -> None:
    """One simulator without a knob: every design of the front was measured, or one remains."""
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], lambda x: (x - 0.3) ** 2)])
    study = Study(problem, method="ehi")
    study.optimize(8, progress=False)
    found = study.verify(n=50)
    assert len(found.designs) < 50
    assert isinstance(found, Verification)
    assert "No design of the front is left" in str(found)
    assert np.isfinite(found.cost)


def test_a_design_that_violates_a_constraint_on_parameters_is_refused() -> None:
    study = Study(Problem(PROBLEM.parameters, PROBLEM.simulators, constraints=["x <= 0.6"]), n_fronts=2)
    study.optimize(trials=12, progress=False)
    with pytest.raises(ParameterError, match="violates a constraint"):
        study.verify({"x": 0.7})
    assert len(study.trials) == 12
    assert study.verify({"x": 0.6}).n_measured == 2


def test_a_constraint_on_an_output_is_verified_like_an_objective() -> None:
    def stress(x: float, z: float) -> float:
        return x + 0.1 * (1 - z)

    outputs = [Constraint("stress", upper=0.7)]
    load = Simulator("load", outputs, stress, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z")
    study = Study(Problem(PROBLEM.parameters, [*PROBLEM.simulators, load]), n_fronts=2)
    study.optimize(trials=12, progress=False)
    (design,) = study.verify(n=1).designs
    assert [check.output for check in design.checks] == ["l", "r", "stress"]
    assert design.checks[2].measured == pytest.approx(design.parameters["x"])
    assert design.checks[2].measured is not None
    assert design.checks[2].measured <= 0.7
