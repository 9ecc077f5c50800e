"""When a search stops by itself, and what it warns of."""

import itertools
import logging
from types import SimpleNamespace
from typing import Any

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.errors import CostError, MethodError
from imoca.problem.allowance import Allowance
from imoca.snapshot.cheap_runs import CheapRuns
from imoca.snapshot.snapshot import Snapshot
from imoca.storage.memory import MemoryStorage
from imoca.study.questions import Limits, Search
from imoca.trials import Candidate, Run, Trial, TrialTable


def left(x: float, z: float) -> float:
    return (x - 0.2) ** 2 + 0.1 * (1 - z)


def right(x: float, z: float) -> float:
    return (x - 0.8) ** 2 + 0.1 * (1 - z) * x


PROBLEM = Problem(
    [Real("x", 0.0, 1.0)],
    [
        Simulator("left", [Objective("l", "minimize")], left, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z"),
        Simulator("right", [Objective("r", "minimize")], right, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z"),
    ],
)


def test_a_search_stops_when_its_front_has_settled_and_was_verified() -> None:
    study = Study(PROBLEM, n_fronts=2)
    asked: list[Trial] = []
    study.optimize(100.0, stop="settled", progress=False, on_question=lambda trial, seconds: asked.append(trial))
    assert study.cost_spent < 20.0
    assert study.snapshot().movement.is_settled
    verified = [trial for trial in study.trials if trial.is_verification]
    assert len(verified) == 1  # asked for by the rule itself, as nothing else had run at full accuracy
    assert [trial.number for trial in asked] == list(range(len(study.trials)))
    n_trials = len(study.trials)
    study.optimize(stop="settled", progress=False)  # a rule is a limit of its own
    assert len(study.trials) == n_trials
    study.optimize(trials=n_trials + 1, progress=False)  # without it the study goes on
    assert len(study.trials) == n_trials + 1


def test_up_to_its_end_the_rule_changes_no_question() -> None:
    one, other = Study(PROBLEM, n_fronts=2), Study(PROBLEM, n_fronts=2)
    one.optimize(100.0, stop="settled", progress=False)
    n_searched = next(trial.number for trial in one.trials if trial.is_verification)
    other.optimize(trials=n_searched, progress=False)
    assert one.trials[:n_searched] == other.trials


def test_the_budget_holds_with_the_rule_too() -> None:
    study = Study(PROBLEM, n_fronts=2)
    study.optimize(1.5, stop="settled", progress=False)
    assert 1.5 <= study.cost_spent < 3.6


def test_runs_that_were_lost_count_while_they_are_run_again() -> None:
    storage = MemoryStorage()
    study = Study(PROBLEM, method="random", storage=storage)
    trial = study.launch(Candidate({"x": 0.5}, {"left": 1.0, "right": 1.0}))
    search = Search(study, Limits(Allowance.read(5.0), None), None)
    for attempt in (1, 2):
        storage.record(Run(trial.number, "left", attempt, 100.0, None, 107.0))
    assert study.cost_spent == study.snapshot().bill.total == pytest.approx(2.0)
    assert search.next(4, is_idle=False) is not None  # 2 were lost and 2 run, of 5
    storage.record(Run(trial.number, "right", 1, 100.0, None, 107.0))
    assert study.cost_spent == pytest.approx(3.0)
    assert search.next(4, is_idle=False) is None


@pytest.mark.slow
def test_with_workers_the_rule_waits_for_what_verifies_the_front() -> None:
    study = Study(PROBLEM, n_fronts=2)
    study.optimize(100.0, stop="settled", workers=4, progress=False)
    assert study.snapshot().movement.is_settled
    assert sum(trial.is_verification for trial in study.trials) <= 2
    assert all(trial.answer is not None for trial in study.trials)


@pytest.mark.parametrize("rule", ["soon", "", True, 0])
def test_a_rule_that_is_none_is_refused(rule: Any) -> None:
    study = Study(PROBLEM)
    with pytest.raises(MethodError, match="stop is"):
        study.optimize(10.0, stop=rule)
    assert study.trials == ()


@pytest.mark.parametrize("method", ["random", "mf-osemo-tg"])
def test_a_method_that_remembers_no_model_cannot_tell(method: str) -> None:
    study = Study(PROBLEM, method=method)
    with pytest.raises(MethodError, match="remember no model"):
        study.optimize(10.0, stop="settled")
    assert study.trials == ()


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        r.getMessage()
        for r in caplog.records
        if r.levelno >= logging.WARNING and "Half of the budget" in r.getMessage()
    ]


def test_half_of_the_budget_without_a_full_run_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    study = Study(PROBLEM, n_fronts=2, verify=0.0)
    told: list[float] = []

    def look(trial: Trial) -> None:
        if warnings_of(caplog):
            told.append(study.cost_spent)

    study.optimize(6.0, progress=False, on_trial=look)
    assert not len(study.table().verified)
    assert len(warnings_of(caplog)) == 1
    assert 3.0 <= told[0] < 6.0


def test_where_something_was_verified_nothing_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    study = Study(PROBLEM, method="random")
    study.add({"x": 0.5}, {"left": 1.0, "right": 1.0}, {"l": 0.09, "r": 0.09})
    study.optimize(6.0, progress=False)
    study = Study(PROBLEM, method="ehi")  # at full accuracy from the start
    study.optimize(6.0, progress=False)
    Study(PROBLEM, method="random").optimize(trials=5, progress=False)  # no budget
    assert not warnings_of(caplog)


def timed(x: float, z: float) -> tuple[float, float]:
    """Its second number is what the run took, in seconds."""
    return x, 600.0 + 3000.0 * z


def test_a_budget_of_simulator_time_ends_when_so_much_was_run() -> None:
    simulator = Simulator(
        "timed", [Objective("f", "minimize")], timed, fidelity=Fidelity.continuous(), cost="measured", full_cost=7.0
    )
    study = Study(Problem([Real("x", 0.0, 1.0)], [simulator]), method="random")
    study.optimize("5h", trials=20, progress=False)
    seconds = [trial.costs["timed"] for trial in study.trials]
    assert sum(seconds) >= 5 * 3600.0 > sum(seconds[:-1])
    n_trials = len(study.trials)
    study.optimize("5h", progress=False)  # is spent
    assert len(study.trials) == n_trials
    study.optimize("6h", progress=False)
    assert sum(trial.costs["timed"] for trial in study.trials) >= 6 * 3600.0


def test_simulator_time_as_a_budget_of_declared_costs_is_refused_and_nothing_is_asked() -> None:
    study = Study(PROBLEM, method="random")
    with pytest.raises(CostError, match="'left', 'right'"):
        study.optimize("5h", progress=False)
    for nonsense in ("0h", "40x", "-1h", -1, 0):
        with pytest.raises(MethodError, match="The budget is"):
            study.optimize(nonsense, progress=False)
    assert not study.trials


def test_seconds_are_seconds_although_a_full_run_was_never_seen() -> None:
    """In full runs a cost seen at one fidelity alone is a guess, upon which no search ends; hours are no guess."""
    simulator = Simulator("timed", [Objective("f", "minimize")], timed, fidelity=Fidelity.continuous(), cost="measured")
    study = Study(Problem([Real("x", 0.0, 1.0)], [simulator]), method="random")
    study.add({"x": 0.5}, {"timed": 0.0}, {"f": 0.5}, cost={"timed": 7200.0})
    study.optimize("2h", progress=False)
    assert len(study.trials) == 1


@pytest.mark.parametrize(("explained", "n_warnings"), [(0.01, 1), (0.9, 0), (None, 0)])
def test_a_cheap_end_that_is_not_worth_its_price_is_named(
    explained: float | None, n_warnings: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By full runs alone; what the model says before there are enough is no reason to warn."""
    study = Study(PROBLEM, method="random")
    found = (CheapRuns("l", "left", 3.0, 0.1, 5, explained),)
    monkeypatch.setattr(Snapshot, "cheap_runs", found)
    study.add({"x": 0.5}, {"left": 1.0, "right": 1.0}, {"l": 0.09, "r": 0.09})
    study.optimize(6.0, progress=False)
    assert len(warnings_of(caplog)) == n_warnings
    assert all("cheap end of 'left'" in words for words in warnings_of(caplog))


class Choosing:
    """Three questions at once, whatever is asked; it notes how often it chose."""

    def __init__(self) -> None:
        self.n_choices = 0

    def is_start(self, table: TrialTable, seed: int) -> bool:
        return False

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        return self.suggest_several(table, seed)[0]

    def suggest_several(self, table: TrialTable, seed: int) -> tuple[Candidate, ...]:
        self.n_choices += 1
        return tuple(Candidate({"x": (3 * self.n_choices + i) / 100.0}, {"timed": 0.0}) for i in range(3))


@pytest.fixture
def study_of_three(monkeypatch: pytest.MonkeyPatch) -> tuple[Study, Choosing]:
    """Whose method chooses three at once; every look at the clock finds it two seconds later."""
    simulator = Simulator("timed", [Objective("f", "minimize")], timed, fidelity=Fidelity.continuous(), cost="measured")
    study, choosing = Study(Problem([Real("x", 0.0, 1.0)], [simulator])), Choosing()
    looks = itertools.count(0.0, 2.0)
    monkeypatch.setattr("imoca.study.study.time", SimpleNamespace(monotonic=lambda: next(looks)))
    monkeypatch.setattr(study, "_method", choosing)
    return study, choosing


def test_questions_that_were_chosen_together_are_asked_one_after_the_other(
    study_of_three: tuple[Study, Choosing],
) -> None:
    study, choosing = study_of_three
    study.optimize("100h", trials=5, progress=False)
    assert [trial.parameters["x"] for trial in study.trials] == [0.03, 0.04, 0.05, 0.06, 0.07]
    assert choosing.n_choices == 2
    assert [trial.thinking for trial in study.trials] == [2.0, 0.0, 0.0, 2.0, 0.0]
    study.optimize("100h", trials=6, progress=False)  # what was chosen and not asked is chosen anew
    assert study.trials[5].parameters["x"] == 0.09


def test_a_budget_ends_also_between_questions_that_were_chosen_together(study_of_three: tuple[Study, Choosing]) -> None:
    study, _ = study_of_three
    study.optimize("15m", progress=False)  # of 10 minutes each
    assert len(study.trials) == 2


def test_where_runs_cost_no_time_nobody_remembers_how_long_choosing_took(
    study_of_three: tuple[Study, Choosing],
) -> None:
    study, _ = study_of_three
    study.optimize(trials=4, progress=False)  # what these runs tell is not how long they take
    assert [trial.thinking for trial in study.trials] == [0.0] * 4


def test_choosing_costs_the_time_of_everyone_who_waits(study_of_three: tuple[Study, Choosing]) -> None:
    study, _ = study_of_three
    trial, others = study.launch_several(n_waiting=5)
    assert (trial.thinking, trial.is_launched) == (10.0, True)
    assert [each.parameters["x"] for each in others] == [0.04, 0.05]
    assert study.trials == (trial,)  # the others are not asked yet


def test_a_method_that_chooses_one_at_a_time_is_asked_for_one() -> None:
    study = Study(PROBLEM, method="random")
    trial, others = study.launch_several(0)
    assert (trial.number, others) == (0, ())
