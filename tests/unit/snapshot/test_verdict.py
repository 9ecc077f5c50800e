"""The verdict follows from what was spent, moved and measured; its numbers are counted by hand here."""

import dataclasses
import math

import numpy as np
import pytest

from imoca import Fidelity, Integer, Study
from imoca.problem.allowance import Allowance
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command, Objective, Simulator
from imoca.snapshot.accounting import Bill
from imoca.snapshot.cheap_runs import CheapRuns
from imoca.snapshot.movement import Movement
from imoca.snapshot.verdict import Purse, Verdict, full_price, larger_budget, next_step, verdict, written_time
from imoca.snapshot.verification import Check, CheckedDesign, Verification
from imoca.trials.trial import Promise

MOVED, STILL, SEEN = Movement(0.2, 3.0, False), Movement(0.001, 3.0, False), Movement(0.001, 3.0, True)


def problem_of(*full_costs: float, run: Command | None = None, setup_cost: float = 0.0) -> Problem:
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "minimize")], run, full_cost=cost) for j, cost in enumerate(full_costs)
    ]
    return Problem([Real("x", 0, 1)], simulators, setup_cost=setup_cost)


def bill_of(search: float, to_verify: float = 0.0) -> Bill:
    spent = np.array([[search], [to_verify]])
    nothing = np.zeros_like(spent)
    return Bill(spent, nothing, nothing, np.zeros(2), np.array([False, True]))


def checked(n_kept: int, n_missed: int) -> Verification:
    checks = [Check("f0", Promise(0.0, -1.0, 1.0), 0.0 if i < n_kept else 5.0) for i in range(n_kept + n_missed)]
    return Verification((CheckedDesign(0, {"x": 0.5}, tuple(checks)),), 1.0)


def verdict_of(
    movement: Movement, n_full: int = 0, found: Verification | None = None, bill: Bill | None = None
) -> Verdict:
    problem = problem_of(1.0, 2.5, run=Command(("run",)), setup_cost=0.5)
    return verdict(problem, n_full, bill or bill_of(4.0), movement, found or Verification((), 0.0), ())


def test_a_full_run_of_a_design_costs_all_its_simulators_and_its_preparation() -> None:
    assert full_price(problem_of(1.0, 2.5, setup_cost=0.5)) == 4.0


def test_a_front_that_moves_is_to_be_searched_on_with_half_as_much_again() -> None:
    found = verdict_of(MOVED)
    assert (found.settled.word, found.settled.level) == ("no", "open")
    assert found.next_step.command(" wing.toml") == "imoca run wing.toml --budget 6"
    assert found.next_step.price == pytest.approx(2.0)
    assert found.next_step.line == "let the search go on, for about 2 full-fidelity runs"
    assert verdict_of(MOVED, bill=bill_of(math.nan)).next_step.price is None


def test_a_front_that_stands_still_without_a_witness_is_to_be_verified() -> None:
    found = verdict_of(STILL)
    assert found.settled.word == "no"
    assert found.next_step.command() == "imoca verify --best 3"
    assert found.next_step.price == pytest.approx(12.0)  # three designs of 0.5 + 1 + 2.5


def test_once_settled_a_design_is_to_be_chosen() -> None:
    found = verdict_of(SEEN, n_full=1)
    assert (found.settled.word, found.settled.level) == ("yes", "good")
    assert found.next_step.what.startswith("choose a design")


@pytest.mark.parametrize(
    ("movement", "n_predicted", "command", "line"),
    [
        (SEEN, 0, "imoca front", "choose a design: all on the front were measured at full accuracy"),
        (SEEN, 2, "imoca verify --best 2", "choose a design, and run 2 at full accuracy to be sure, for about 2"),
        (STILL, 1, "imoca verify --best 1", "run 1 design of the front at full accuracy, for about 1"),
        (STILL, 0, "imoca run --budget 6", "let the search go on"),
        (SEEN, 200, "imoca verify --best 3", "choose a design, and run 3 at full accuracy to be sure, for about 3"),
    ],
)
def test_no_more_designs_are_to_be_verified_than_the_front_has(
    movement: Movement, n_predicted: int, command: str, line: str
) -> None:
    problem = problem_of(1.0, run=Command(("run",)))
    step = next_step(problem, Purse.of_runs(problem, bill_of(4.0)), movement, n_predicted)
    assert step.command() == command
    assert step.line.startswith(line)


def test_without_a_fit_too_no_design_is_to_be_verified_that_was_measured() -> None:
    """Of four possible designs, as the last question remembers its model."""
    fidelity = Fidelity.continuous()
    outputs = [Objective("f", "minimize"), Objective("g", "minimize")]

    def run(n: int, z: float) -> dict[str, float]:
        return {"f": n + 0.1 * (1.0 - z), "g": 1.0 / n + 0.05 * (1.0 - z)}

    problem = Problem([Integer("n", 1, 4)], [Simulator("s", outputs, run, fidelity=fidelity, cost="0.1 + 0.9 * z")])
    study = Study(problem, n_fronts=2, verify=0.0)
    study.optimize(trials=18, progress=False)
    open_ones = [dict(point.parameters) for point in study.pareto_front() if not point.verified]
    for n_left in range(len(open_ones), -1, -1):
        snapshot = study.snapshot()
        steps = [snapshot.verdict_for(None).next_step, snapshot.verdict_for(None, snapshot.front).next_step]
        assert steps[0] == steps[1]
        assert snapshot.movement.has_ended
        assert steps[0].command() == (f"imoca verify --best {min(3, n_left)}" if n_left else "imoca front")
        if n_left:
            study.verify(open_ones[n_left - 1])


def test_a_front_that_hardly_moved_moved_by_less_than_can_be_told() -> None:
    assert "by less than 0.01 % of" in Movement(2.5e-12, 6.0, True).words
    assert "by 0.05 % of" in Movement(5e-4, 6.0, True).words


def test_without_a_way_to_run_simulators_designs_are_to_be_asked_for() -> None:
    found = verdict(problem_of(1.0), 0, bill_of(4.0), MOVED, Verification((), 0.0), ())
    assert (found.next_step.command(), found.next_step.price) == ("imoca ask", None)
    assert found.next_step.line == found.next_step.what


@pytest.mark.parametrize(
    ("n_kept", "n_missed", "word"),
    [
        (2, 0, "yes"),
        (1, 1, "yes"),  # 1 - 0.9^2 = 0.19: bad luck
        (0, 2, "no"),  # 0.1^2 = 0.01
        (6, 4, "no"),  # 0.013 by the binomial distribution
        (8, 2, "yes"),  # 0.26
    ],
)
def test_predictions_are_doubted_once_so_few_hold_that_it_is_no_chance(n_kept: int, n_missed: int, word: str) -> None:
    found = verdict_of(SEEN, 3, checked(n_kept, n_missed)).trusted
    assert found.word == word
    assert f"of {n_kept + n_missed} predictions that imoca verify put to the test {n_kept} held" in found.why


def test_what_was_never_put_to_the_test_is_relied_on_in_part_or_not_yet() -> None:
    assert verdict_of(SEEN, 0).trusted.word == "not yet"
    assert verdict_of(SEEN, 1).trusted.line == "in part: 1 design at full accuracy"


def test_cheap_runs_that_are_not_worth_it_are_warned_of() -> None:
    poor, good = CheapRuns("drag", "cfd", 0.9, 0.5, 0, None), CheapRuns("mass", "cad", 0.1, 0.1, 5, 0.99)
    found = verdict(problem_of(1.0), 0, bill_of(4.0), MOVED, Verification((), 0.0), (poor, good))
    assert [warning.split(":")[0] for warning in found.warnings] == ["Cheap runs of drag"]


@pytest.mark.parametrize(("share", "is_warned"), [(0.0, False), (0.09, False), (0.1, True), (0.35, True)])
def test_where_many_runs_fail_a_front_that_stands_still_is_not_the_last_word(share: float, is_warned: bool) -> None:
    found = verdict(problem_of(1.0), 1, bill_of(4.0), SEEN, Verification((), 0.0), (), share)
    assert found.settled.word == "yes"
    assert [words.startswith(f"{round(100 * share)} % of the runs failed.") for words in found.warnings] == [
        True
    ] * is_warned
    assert found.failing == "".join(found.warnings)


def test_as_long_as_the_front_moves_nothing_is_said_of_failures() -> None:
    found = verdict(problem_of(1.0), 1, bill_of(4.0), MOVED, Verification((), 0.0), (), 0.5)
    assert (found.failing, found.warnings) == ("", ())


def test_a_study_counts_the_runs_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two simulators, four trials; one of them fails twice: 2 of 8 runs."""
    study = Study(problem_of(1.0, 1.0), method="random")
    for i in range(4):
        trial = study.ask()
        study.tell(trial, {"f0": float(i)})
        if i % 2:
            study.fail(trial, "mesh")
        else:
            study.tell(trial, {"f1": 1.0 - i})
    snapshot = study.snapshot()
    monkeypatch.setitem(vars(snapshot), "movement", STILL)
    assert snapshot.verdict.failing.startswith("25 % of the runs failed.")


@pytest.mark.parametrize(
    ("movement", "command", "line"),
    [
        (MOVED, "imoca run --budget 3h", "let the search go on, for about 60 min of simulator time"),
        (
            STILL,
            "imoca verify --best 3",
            "run 3 designs of the front at full accuracy, for about 36 min of simulator time",
        ),
    ],
)
def test_of_simulator_time_the_next_step_is_in_time(movement: Movement, command: str, line: str) -> None:
    counted, taken = (np.array([[each, 2.0 * each]]) for each in (20.0, 3600.0))  # 3 hours for 60 of cost
    nothing, verified = np.zeros((1, 2)), np.array([False])
    bill, seconds = (Bill(each, nothing, nothing, np.zeros(1), verified) for each in (counted, taken / 1.5))
    problem = problem_of(1.0, 5.0, run=Command(("run",)))
    purse = Purse.of_time(problem, bill, seconds)
    assert purse.full_design == pytest.approx(720.0)  # 2 hours for 60 runs are 120 s each, of which a design takes six
    step = next_step(problem, purse, movement)
    assert (step.command(), step.line) == (command, line)


def test_of_time_that_nobody_has_spent_nothing_is_foretold() -> None:
    nothing = bill_of(0.0)
    purse = Purse.of_time(problem_of(1.0), nothing, nothing)
    step = next_step(problem_of(1.0, run=Command(("run",))), purse, MOVED)
    assert (step.command(), step.line) == ("imoca run", "let the search go on")
    assert next_step(problem_of(1.0), purse, STILL).price is None


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (10_800.0, "3h"),
        (7200.0, "2h"),
        (7199.0, "120m"),
        (5401.0, "90.1m"),
        (119.0, "119s"),
        (0.5, "0.5s"),
        (360_010.0, "101h"),
    ],
)
def test_time_is_written_as_a_budget_is_and_never_less_than_it_is(seconds: float, written: str) -> None:
    assert written_time(seconds) == written
    assert seconds <= Allowance.read(written).amount <= 1.01 * seconds


def test_a_larger_budget_has_half_as_much_again_for_the_search() -> None:
    assert larger_budget(bill_of(10.33)) == 15.53  # and half of it, 5.2
    assert larger_budget(bill_of(0.0)) == larger_budget(bill_of(math.nan)) == 30.0
    assert larger_budget(bill_of(0.26, 4.0)) == 4.39  # what verification cost is no search


def test_as_long_as_something_is_left_of_the_budget_it_is_spent_first() -> None:
    problem = problem_of(1.0, run=Command(("run",)))
    left, spent = (dataclasses.replace(Purse.of_runs(problem, bill_of(4.0)), budget=budget) for budget in (9.0, 4.0))
    step = next_step(problem, left, MOVED)
    assert step.command() == "imoca run"
    assert step.price == pytest.approx(5.0)
    assert next_step(problem, spent, MOVED).command() == "imoca run --budget 6"


def failing_study(fails: list[bool]) -> Study:
    """Of two simulators, the first of which always answers."""
    study = Study(problem_of(1.0, 1.0, run=Command(("run",))), method="random")
    for has_failed in fails:
        trial = study.ask()
        study.tell(trial, {"f0": 1.0})
        if has_failed:
            study.fail(trial, "mesh")
        else:
            study.tell(trial, {"f1": 1.0})
    return study


@pytest.mark.parametrize(
    ("fails", "how_often"),
    [
        ([True] * 5, "in all of its first 5 runs"),
        ([True] * 4, None),
        ([False] * 9 + [True] * 11, "in 11 of its last 20 runs"),
        ([True] * 5 + [False], None),  # mended
    ],
)
def test_a_simulator_that_fails_is_to_be_mended_first(fails: list[bool], how_often: str | None) -> None:
    step = failing_study(fails).snapshot().verdict_for(30.0).next_step
    if how_often is None:
        assert step.verb == "run"
    else:
        assert step.line == f"mend simulator 's1', which failed {how_often}"
        assert step.command() == f"imoca show {len(fails) - 1}"
