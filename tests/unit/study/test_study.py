"""Ask, tell, fail, add, optimise, recommend; and what bad input does: nothing but an error."""

import math
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import imoca
from imoca import Constraint, Fidelity, ImocaError, Objective, Problem, Real, Simulator, Study, TrialState
from imoca.cli.export import trials_csv
from imoca.errors import AnsweredError, MethodError, StorageError, TrialError
from imoca.problem.parameters import Value
from imoca.problem.simulator import Output
from imoca.trials.trial import RunState, SimulatorState, Trial

AT_FIRST = (0.1 + 0.7**2) / 1.1  # declared cost of one simulator in the first question, z = 0.7


def left(x: float, z: float) -> float:
    return (x - 0.2) ** 2 + 0.1 * (1 - z)


def right(x: float, z: float) -> float:
    return (x - 0.8) ** 2 + 0.1 * (1 - z) * x


def x_of(parameters: Mapping[str, Value]) -> float:
    x = parameters["x"]
    assert isinstance(x, float)
    return x


def make_problem(cost: Any = "0.1 + z**2") -> Problem:
    return Problem(
        [Real("x", 0.0, 1.0)],
        [
            Simulator("left", [Objective("l", "minimize")], left, fidelity=Fidelity.continuous(), cost=cost),
            Simulator("right", [Objective("r", "minimize")], right, fidelity=Fidelity.continuous(), cost=cost),
        ],
    )


def make_study(**settings: Any) -> Study:
    return Study(make_problem(), n_fronts=3, **settings)


def test_a_told_trial_is_complete_and_counts_its_declared_cost() -> None:
    study = make_study()
    trial = study.ask()
    finished = study.tell(trial, {"l": 1.0, "r": 2.0})
    assert finished.state is TrialState.COMPLETE
    assert study.trials == (finished,)
    assert study.cost_spent == pytest.approx(2 * AT_FIRST)


def test_a_told_cost_counts_instead_of_the_declared_one() -> None:
    study = make_study()
    study.tell(study.ask(), {"l": 1.0, "r": 2.0}, cost={"left": 2.2})
    assert study.cost_spent == pytest.approx(2.2 / 1.1 + AT_FIRST)


def test_a_failed_trial_costs_what_was_declared() -> None:
    study = make_study()
    assert study.fail(study.ask(), "mesh exploded").failures == {"left": "mesh exploded", "right": "mesh exploded"}
    assert study.cost_spent == pytest.approx(2 * AT_FIRST)


def test_one_simulator_may_fail_alone() -> None:
    study = make_study()
    trial = study.tell(study.ask(), {"l": 1.0}, failures={"right": "diverged"})
    assert trial.state is TrialState.COMPLETE
    assert trial.values == {"l": 1.0}


def test_the_same_tell_twice_is_harmless_and_a_different_one_refused() -> None:
    study = make_study()
    trial = study.ask()
    study.tell(trial, {"l": 1.0, "r": 2.0})
    study.tell(trial.number, {"l": 1.0, "r": 2.0})
    with pytest.raises(ImocaError, match="already has another answer"):
        study.tell(trial, {"l": 1.0, "r": 3.0})
    assert study.trials[0].values == {"l": 1.0, "r": 2.0}


def test_an_answer_may_come_in_parts_and_the_next_question_knows_each(until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(make_study())
    trial = study.ask()
    half = study.tell(trial, {"l": 1.0})
    assert (half.state, half.pending, half.values) == (TrialState.RUNNING, ("right",), {"l": 1.0})
    assert study.cost_spent == pytest.approx(AT_FIRST)
    with pytest.raises(TrialError, match="already has another answer of left"):
        study.tell(trial, {"l": 2.0, "r": 2.0})
    with pytest.raises(TrialError, match="already has another answer of left"):
        study.tell(trial, {"r": 2.0}, failures={"left": "no mesh"})
    assert study.trials == (half,)
    study.tell(trial, {"l": 1.0})  # the same again
    whole = study.tell(trial, {"l": 1.0, "r": 2.0})
    assert (whole.state, whole.pending, whole.values) == (TrialState.COMPLETE, (), {"l": 1.0, "r": 2.0})
    assert study.cost_spent == pytest.approx(2 * AT_FIRST)


def test_what_has_not_answered_may_fail_alone_later() -> None:
    study = make_study()
    trial = study.ask()
    study.tell(trial, {"l": 1.0})
    failed = study.fail(trial, "diverged")
    assert (failed.failures, failed.values, failed.state) == ({"right": "diverged"}, {"l": 1.0}, TrialState.COMPLETE)


def test_the_same_failure_again_changes_nothing_and_another_is_refused() -> None:
    study = make_study()
    trial = study.ask()
    study.tell(trial, {}, failures={"left": "no licence"})
    failed = study.fail(trial, "diverged " * 1000)
    assert study.fail(trial, "diverged " * 1000) == failed
    with pytest.raises(AnsweredError, match="already has another answer of left, right"):
        study.fail(trial, "exploded")
    whole = study.tell(study.ask(), {"l": 1.0, "r": 2.0})
    with pytest.raises(AnsweredError, match="already has another answer of left, right"):
        study.fail(whole, "exploded")
    assert study.trials == (failed, whole)


def test_a_worker_is_given_its_question_again_until_all_of_it_is_answered() -> None:
    study = make_study()
    first, other, unnamed = study.ask(worker="a"), study.ask(worker="b"), study.ask()
    assert [trial.number for trial in (first, other, unnamed)] == [0, 1, 2]
    assert study.ask(worker="a") == first
    in_part = study.tell(first, {"l": 1.0})
    assert study.ask(worker="a") == in_part
    study.fail(first, "diverged")
    assert (study.ask(worker="a").number, study.ask(worker="b").number, study.ask().number) == (3, 1, 4)


def test_the_question_does_not_depend_on_who_asks() -> None:
    named, unnamed = make_study().ask(worker="a"), make_study().ask()
    assert (named.parameters, named.fidelities) == (unnamed.parameters, unnamed.fidelities)


@pytest.mark.parametrize("name", ["", "n" * 201, "\ud800", "\0", 3, True, ["a"]])
def test_a_worker_needs_a_name_that_can_be_kept(name: Any) -> None:
    study = make_study()
    with pytest.raises(TrialError, match="The name of a worker came as"):
        study.ask(worker=name)
    with pytest.raises(TrialError, match="one at a time"):
        study.ask(2, worker="a")  # type: ignore[call-overload]
    assert study.trials == ()


def asked_in_part(study: Study) -> Trial:
    """The first question that leaves a simulator out."""
    for _ in range(40):
        trial = study.ask()
        if len(trial.fidelities) < 2:
            return trial
        x = x_of(trial.parameters)
        study.tell(trial, {"l": left(x, z=0.0), "r": right(x, z=0.0)})
    raise AssertionError("every question asked both simulators")


def test_of_simulators_only_what_is_worth_its_price_is_asked() -> None:
    trial = asked_in_part(make_study(evaluate="best", verify=0.0))
    (asked,) = trial.fidelities
    assert asked in ("left", "right")
    with pytest.raises(AssertionError, match="both"):
        asked_in_part(make_study(evaluate="all", verify=0.0))


def test_an_answer_of_a_simulator_that_was_not_asked_is_refused() -> None:
    study = make_study(evaluate="best", verify=0.0)
    trial = asked_in_part(study)
    (asked,) = trial.fidelities
    other = {"left": "right", "right": "left"}[asked]
    for values, failures in (({"l": 1.0, "r": 2.0}, {}), ({asked[0]: 1.0}, {other: "no"})):
        with pytest.raises(TrialError, match=f"'{other}', which this trial does not ask"):
            study.tell(trial, values, failures=failures)
    assert study.trials[-1].answer is None
    done = study.tell(trial, {asked[0]: 1.0})
    assert done.state is TrialState.COMPLETE
    assert done.state_of(other) is SimulatorState.NOT_RUN


def test_a_study_that_leaves_simulators_out_runs_and_charges_only_what_it_asked() -> None:
    study = make_study(evaluate="best", verify=0.0)
    study.optimize(trials=16)
    trials = study.trials[11:]
    assert all(trial.state is TrialState.COMPLETE and len(trial.values) == len(trial.fidelities) for trial in trials)
    assert any(len(trial.fidelities) == 1 for trial in trials)
    n_runs = sum(len(trial.fidelities) for trial in study.trials)
    assert len(study.runs) == n_runs
    expected = [(0.1 + z**2) / 1.1 for trial in study.trials for z in trial.fidelities.values() if isinstance(z, float)]
    assert study.cost_spent == pytest.approx(sum(expected))


@pytest.mark.parametrize(
    ("values", "extra", "culprit"),
    [
        ({"l": 1.0}, {"cost": {"right": 1.0}}, "'right'"),
        ({"l": 1.0, "r": 2.0, "q": 3.0}, {}, "'q'"),
        ({}, {}, "'left'"),
        ({"l": math.nan, "r": 2.0}, {}, "nan"),
        ({"l": math.inf, "r": 2.0}, {}, "inf"),
        ({"l": None, "r": 2.0}, {}, "None"),
        ({"l": "1.0", "r": 2.0}, {}, "'1.0'"),
        ({"l": True, "r": 2.0}, {}, "True"),
        ({"l": 1j, "r": 2.0}, {}, "1j"),
        ({"l": np.array([1.0]), "r": 2.0}, {}, "array"),
        ({"l": 1.0, "r": 2.0}, {"cost": {"left": -1.0}}, "-1.0"),
        ({"l": 1.0, "r": 2.0}, {"cost": {"left": 0.0}}, "0.0"),
        ({"l": 1.0, "r": 2.0}, {"cost": {"left": math.nan}}, "nan"),
        ({"l": 1.0, "r": 2.0}, {"cost": {"middle": 1.0}}, "middle"),
        ({"l": 1.0, "r": 2.0}, {"failures": {"left": "no"}}, "both"),
        ({"l": 1.0, "r": 2.0}, {"failures": {"middle": "no"}}, "middle"),
    ],
)
def test_a_bad_answer_is_refused_with_a_hint_and_changes_nothing(values: Any, extra: Any, culprit: str) -> None:
    study = make_study()
    trial = study.ask()
    with pytest.raises(ImocaError, match=culprit) as caught:
        study.tell(trial, values, **extra)
    assert caught.value.hint
    assert study.trials == (trial,)


@pytest.mark.parametrize("trial", [7, -1, "0", 0.0, True, None])
def test_an_unknown_trial_is_refused(trial: Any) -> None:
    study = make_study()
    study.ask()
    with pytest.raises(ImocaError):
        study.tell(trial, {"l": 1.0, "r": 2.0})


def test_a_measured_cost_must_be_told() -> None:
    study = Study(make_problem("measured"))
    trial = study.ask()
    with pytest.raises(ImocaError, match="measured"):
        study.tell(trial, {"l": 1.0, "r": 2.0}, cost={"left": 3.0})
    study.tell(trial, {"l": 1.0, "r": 2.0}, cost={"left": 3.0, "right": 1e-3})


@pytest.mark.parametrize(
    ("settings", "culprit"),
    [({"method": "imoca-z"}, "imoca-z"), ({"seed": -1}, "-1"), ({"seed": 1.5}, "1.5"), ({"initial_design": "x"}, "x")],
)
def test_a_wrong_setting_is_refused(settings: dict[str, Any], culprit: str) -> None:
    with pytest.raises(ImocaError, match=culprit):
        Study(make_problem(), **settings)


@pytest.mark.parametrize("budget", [0, -3.0, math.nan, math.inf, "30", None])
def test_a_wrong_budget_is_refused_before_anything_is_asked(budget: Any) -> None:
    study = make_study()
    with pytest.raises(ImocaError, match="budget"):
        study.optimize(budget)
    assert not study.trials


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_a_wrong_number_of_questions_is_refused(n: Any) -> None:
    with pytest.raises(ImocaError):
        make_study().ask(n)


@pytest.mark.parametrize("method", ["sur", "pesmo", "mf-osemo-tg", "mf-osemo-ni", "botorch-hvkg"])
def test_a_method_that_does_not_know_constraints_says_so_and_names_those_that_do(method: str) -> None:
    outputs: list[Output] = [Objective("f", "minimize"), Constraint("stress", upper=240.0)]
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", outputs)])
    with pytest.raises(
        MethodError, match=f"'{method}' does not know constraints, but the problem has 'stress'"
    ) as caught:
        Study(problem, method=method)
    for name in ("imoca-p", "imoca-e", "imoca-t", "naive-cfmo", "mesmo", "parego", "smsego", "ehi", "random"):
        assert name in caught.value.hint
        Study(problem, method=name).close()


def test_several_questions_at_once_are_all_different() -> None:
    study = make_study()
    for trial in study.ask(12):
        x = x_of(trial.parameters)
        study.tell(trial, {"l": left(x, z=0.0), "r": right(x, z=0.0)})
    asked = study.ask(4)
    assert len({(*t.parameters.values(), *t.fidelities.values()) for t in asked}) == 4


def test_old_data_count_as_trials_and_a_simulator_without_values_as_not_run() -> None:
    study = make_study()
    study.add({"x": 0.5}, {"left": 1.0, "right": 0.5}, {"l": 0.09, "r": 0.1})
    partial = study.add({"x": 0.3}, {"left": 0.0}, {"l": 0.11})
    assert partial.failures == {}
    assert partial.fidelities == {"left": 0.0}
    assert study.cost_spent == pytest.approx(1.0 + (0.1 + 0.25) / 1.1 + 0.1 / 1.1)


@pytest.mark.parametrize(
    ("parameters", "fidelities"),
    [({"x": 2.0}, {"left": 1.0}), ({"y": 0.5}, {"left": 1.0}), ({"x": 0.5}, {"left": 1.5}), ({"x": 0.5}, {})],
)
def test_old_data_outside_the_problem_are_refused(parameters: Any, fidelities: Any) -> None:
    study = make_study()
    with pytest.raises(ImocaError):
        study.add(parameters, fidelities, {"l": 0.1})
    with pytest.raises(ImocaError, match="middle"):
        study.add({"x": 0.5}, {"left": 1.0, "middle": 1.0}, {"l": 0.1})
    assert not study.trials


def test_the_same_seed_asks_the_same_questions_also_after_a_restart() -> None:
    first, second = make_study(seed=4), make_study(seed=4)
    first.optimize(3.0)
    for trial in first.trials[:-1]:  # a second study that is told the same answers, one question at a time
        assert second.ask() == trial.__class__(trial.number, trial.parameters, trial.fidelities, trial.fitted)
        second.tell(trial.number, trial.values, trial.costs)
    resumed = Study(make_problem(), n_fronts=3, seed=4, storage=second._storage)
    assert resumed.ask().parameters == first.trials[-1].parameters
    assert make_study(seed=5).ask().parameters != first.trials[0].parameters


def test_optimize_stops_at_the_budget_and_a_larger_one_continues() -> None:
    study = make_study()
    seen: list[int] = []
    study.optimize(1.0, on_trial=lambda trial: seen.append(trial.number))
    assert seen == list(range(len(study.trials)))
    assert study.cost_spent >= 1.0
    before, n = study.trials, len(study.trials)
    study.optimize(1.0)
    assert len(study.trials) == n
    study.optimize(3.0)
    assert study.cost_spent >= 3.0
    assert study.trials[:n] == before


def test_optimize_stops_at_a_number_of_trials_and_tells_of_every_question() -> None:
    study = Study(make_problem(), method="random")
    asked: list[tuple[int, bool]] = []

    def note(trial: Trial, seconds: float) -> None:
        asked.append((trial.number, trial.answer is None))
        assert seconds >= 0.0

    study.optimize(trials=3, on_question=note)
    assert asked == [(0, True), (1, True), (2, True)]
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 3
    study.optimize(1e9, trials=4)
    assert len(study.trials) == 4


def test_whoever_is_told_of_the_questions_may_end_them() -> None:
    study = Study(make_problem(), method="random")
    study.optimize(1e9, on_question=lambda trial, seconds: trial.number < 2)
    assert len(study.trials) == 3
    assert study.trials[-1].state is TrialState.COMPLETE  # what was asked is still run


@pytest.mark.parametrize("trials", [0, -1, 2.5, True])
def test_a_number_of_trials_that_is_none_is_refused(trials: Any) -> None:
    with pytest.raises(MethodError, match="number of trials"):
        make_study().optimize(trials=trials)


def test_what_was_not_run_has_no_cost() -> None:
    study = make_study()
    with pytest.raises(TrialError, match="answer came of simulator 'right', which this trial does not ask"):
        study.add({"x": 0.5}, {"left": 1.0}, {"l": 0.5}, cost={"right": 5.0})
    assert study.trials == ()


def test_a_result_without_anything_in_it_is_refused() -> None:
    study = make_study()
    with pytest.raises(TrialError, match="neither a value nor a failure"):
        study.add({"x": 0.5}, {}, {})
    assert study.trials == ()


def test_an_added_failure_is_one_and_is_paid_for() -> None:
    study = make_study()
    trial = study.add({"x": 0.5}, {"left": 1.0, "right": 0.0}, {"l": 0.5}, failures={"right": "no mesh"})
    assert trial.failures == {"right": "no mesh"}
    assert list(trial.fidelities) == ["left", "right"]
    assert study.cost_spent == pytest.approx(1.0 + 0.1 / 1.1)
    with pytest.raises(TrialError, match="fidelity of simulator 'right' is missing"):
        study.add({"x": 0.5}, {"left": 1.0}, {"l": 0.5}, failures={"right": "no mesh"})


def test_a_study_cannot_be_closed_under_its_own_driver(tmp_path: Path) -> None:
    with Study(make_problem(), method="random", storage=tmp_path / "study.db") as study:

        def close_early(trial: Trial) -> None:
            study.close()

        with pytest.raises(StorageError, match="being run by this process"):
            study.optimize(trials=2, on_trial=close_early)
        study.optimize(trials=3)  # nothing holds it any more
        assert len(study.trials) == 3


def test_a_failure_in_whatever_words_costs_what_the_run_costs() -> None:
    study = Study(make_problem(), method="random")
    trial = study.ask()
    study.fail(trial, "not run")
    assert study.cost_spent == pytest.approx(2.0)  # two simulators at full accuracy


def test_a_measured_cost_must_be_seen_at_two_fidelities_before_a_budget_is_judged() -> None:
    def costly(x: float, z: float) -> tuple[float, float]:
        return x, 600.0**z

    simulator = Simulator("s", [Objective("f", "minimize")], costly, fidelity=Fidelity.continuous(), cost="measured")
    study = Study(Problem([Real("x", 0.0, 1.0)], [simulator]))
    study.optimize(0.05)  # the first question, at z = 0.7, costs 600^-0.3 = 0.15
    assert [trial.fidelities["s"] for trial in study.trials] == [0.7, 0.0]
    assert study.cost_spent == pytest.approx(600**-0.3 + 1 / 600, rel=0.3)


def test_the_front_of_two_parabolas_is_found_with_honest_uncertainty() -> None:
    study = make_study(seed=1)
    study.optimize(8.0)
    front = study.pareto_front()
    assert len(front) > 20
    xs = np.array([point.parameters["x"] for point in front])
    assert xs.min() > 0.15
    assert xs.max() < 0.85
    for point in front:
        for name, function in (("l", left), ("r", right)):
            error = abs(point.predicted[name] - function(x_of(point.parameters), 1.0))
            assert error < 5.0 * point.uncertainty[name] + 0.01
    assert [p.predicted["l"] for p in front] == sorted([p.predicted["l"] for p in front], reverse=True)


def test_verified_points_carry_what_was_measured_at_full_accuracy() -> None:
    study = make_study()
    for x in np.linspace(0.0, 1.0, 9).tolist():
        study.add({"x": x}, {"left": 1.0, "right": 1.0}, {"l": left(x, 1.0), "r": right(x, 1.0)})
    assert study.table().is_verified.all()
    verified = [point for point in study.pareto_front() if point.verified]
    assert verified
    for point in verified:
        x = x_of(point.parameters)
        assert point.measured == {"l": left(x, 1.0), "r": right(x, 1.0)}
        assert 0.2 <= x <= 0.8


def test_the_front_of_one_objective_is_its_best_design() -> None:
    simulator = Simulator("left", [Objective("l", "minimize")], left, fidelity=Fidelity.continuous(), cost="0.1 + z")
    study = Study(Problem([Real("x", 0.0, 1.0)], [simulator]), n_fronts=3)
    study.optimize(3.0)
    (point,) = study.pareto_front()
    assert point.parameters["x"] == pytest.approx(0.2, abs=0.03)


def test_there_is_no_front_before_every_objective_has_an_answer() -> None:
    study = make_study()
    assert study.pareto_front() == []
    study.tell(study.ask(), {"l": 1.0}, failures={"right": "no"})
    assert study.pareto_front() == []


def test_an_interrupted_run_is_recorded_as_lost_and_run_again() -> None:
    interrupts = iter([True, False])

    def interrupted_once(x: float) -> float:
        if next(interrupts, False):
            raise KeyboardInterrupt
        return x

    study = Study(Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], interrupted_once)]))
    with pytest.raises(KeyboardInterrupt):
        study.optimize(2.0)
    (lost,) = study.trials
    assert lost.state is TrialState.RUNNING
    assert [run.state for run in study.runs] == [RunState.LOST]
    study.optimize(2.0)
    assert study.trials[0].state is TrialState.COMPLETE
    assert study.trials[0].wasted == {"s": 1.0}  # the declared cost of the lost attempt
    assert study.cost_spent == 2.0
    assert len(study.trials) == 1


def test_trials_become_a_table() -> None:
    study = make_study()
    study.tell(study.ask(), {"l": 1.0, "r": 2.0})
    study.tell(study.ask(), {"l": 1.0}, failures={"right": "no mesh"})
    frame = study.to_dataframe()
    assert frame.loc[0, "l"] == 1.0
    assert frame.loc[0, "fidelity.left"] == 0.7
    assert frame.loc[0, "state"] == "complete"
    assert frame["state.right"].tolist() == ["answered", "failed"]
    assert frame["failure.right"].isna().tolist() == [True, False]
    assert frame.loc[1, "failure.right"] == "no mesh"
    assert frame["failure.left"].isna().all()
    assert list(frame.columns) == trials_csv(study).splitlines()[0].split(",")


def test_the_front_door_exports_what_it_says() -> None:
    for name in imoca.__all__:
        assert getattr(imoca, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        imoca.nonsense  # noqa: B018


@pytest.mark.parametrize("n", [0, -1, 2.5, "3", True])
def test_a_front_of_no_number_of_designs_is_refused(n: object) -> None:
    with pytest.raises(MethodError, match="n is"):
        Study(Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "maximize")])])).pareto_front(n)  # type: ignore[arg-type]
