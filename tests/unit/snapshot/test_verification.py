"""Predicted beside measured: what is missing of a design, what is promised of it, which one to run, and the record."""

import dataclasses
import math

import numpy as np
import pytest
from deciding import trial_at

from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca.snapshot import Check, CheckedDesign, Verification
from imoca.snapshot.recommendation import ParetoPoint, believe_answers, recommended
from imoca.snapshot.verification import (
    in_simulator_time,
    missing_simulators,
    most_worthwhile,
    open_designs,
    question_about,
    verification,
)
from imoca.trials import Answer, Promise, Trial, TrialTable

PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z"),
        Simulator("t", [Objective("g", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z"),
    ],
)
HERE = np.array([0.25, 0.75])
PROMISED = {"f": Promise(0.1, 0.0, 0.2)}


def values_at(x: np.ndarray) -> dict[str, float]:
    return {"f": float(np.sum((x - 0.3) ** 2)), "g": -float(np.sum((x - 0.7) ** 2))}


def trials_at(n: int, z: float = 0.0) -> list[Trial]:
    x = np.random.default_rng(3).random((n, 2))
    return [trial_at(PROBLEM, i, x[i], [z, z], Answer(values_at(x[i]))) for i in range(n)]


@pytest.mark.parametrize(
    ("z", "answer", "missing"),
    [
        ([1.0, 1.0], Answer({"f": 1.0, "g": 1.0}), ()),
        ([1.0, 0.9], Answer({"f": 1.0, "g": 1.0}), ("t",)),
        ([1.0, 1.0], Answer({"f": 1.0}, failures={"t": "no mesh"}), ("t",)),
        ([math.nan, 1.0], Answer({"g": 1.0}), ("s",)),  # not asked
        ([1.0, 0.5], None, ("t",)),  # s is being run
    ],
)
def test_what_did_not_answer_at_full_accuracy_and_is_not_asked_there_is_missing(
    z: list[float], answer: Answer | None, missing: tuple[str, ...]
) -> None:
    trials = [*trials_at(3, z=1.0), trial_at(PROBLEM, 3, HERE, z, answer)]
    assert missing_simulators(TrialTable.encode(PROBLEM, trials), HERE) == missing
    assert missing_simulators(TrialTable.encode(PROBLEM, trials[:3]), HERE) == ("s", "t")


def test_a_question_promises_what_the_front_shows_and_remembers_the_model() -> None:
    table = TrialTable.encode(PROBLEM, trials_at(14))
    beliefs = believe_answers(table)
    assert beliefs is not None
    point = recommended(table, beliefs, seed=0)[7]
    asked = question_about(table, beliefs, point.parameters)
    assert asked is not None
    assert (asked.parameters, asked.fidelities) == (point.parameters, {"s": 1.0, "t": 1.0})
    assert asked.fitted == beliefs.fitted
    for name, promise in asked.promised.items():
        assert promise == pytest.approx((point.predicted[name], *point.interval[name]))


def test_nothing_is_promised_of_what_is_not_asked() -> None:
    table = TrialTable.encode(
        PROBLEM, [*trials_at(14), trial_at(PROBLEM, 14, HERE, [1.0, 0.0], Answer(values_at(HERE)))]
    )
    beliefs = believe_answers(table)
    assert beliefs is not None
    asked = question_about(table, beliefs, {"a": 0.25, "b": 0.75})
    assert asked is not None
    assert (list(asked.fidelities), list(asked.promised)) == (["t"], ["g"])
    whole = TrialTable.encode(PROBLEM, [trial_at(PROBLEM, 0, HERE, [1.0, 1.0], Answer(values_at(HERE)))])
    assert question_about(whole, beliefs, {"a": 0.25, "b": 0.75}) is None


def test_designs_that_run_failed_or_cannot_be_vouched_for_are_passed_over(rng: np.random.Generator) -> None:
    trials = trials_at(14)
    table = TrialTable.encode(PROBLEM, trials)
    beliefs = believe_answers(table)
    assert beliefs is not None

    def point(x: float, is_doubtful: bool = False, is_earlier: bool = False) -> ParetoPoint:
        return ParetoPoint({"a": x, "b": x}, {}, {}, None, is_doubtful=is_doubtful, is_earlier=is_earlier)

    front = [point(0.4), point(0.5), point(0.6), point(0.45, is_doubtful=True), point(0.55, is_earlier=True)]
    first = most_worthwhile(table, beliefs, open_designs(table, beliefs, front), 1, rng)
    assert first in front[:3]
    for answer in (None, Answer({"f": 1.0}, failures={"t": "no mesh"})):
        x = np.array([first.parameters["a"]] * 2) if first else HERE
        asked = TrialTable.encode(PROBLEM, [*trials, trial_at(PROBLEM, 14, x, [1.0, 1.0], answer)])
        second = most_worthwhile(asked, beliefs, open_designs(asked, beliefs, front), 1, rng)
        assert second in front[:3]
        assert second != first
    assert most_worthwhile(table, beliefs, open_designs(table, beliefs, front[3:]), 1, rng) == front[3]
    assert most_worthwhile(table, beliefs, open_designs(table, beliefs, front[4:]), 1, rng) is None


def test_a_design_that_is_being_verified_counts_as_reached(rng: np.random.Generator) -> None:
    """Else the one beside it would be chosen next."""
    trials = trials_at(14)
    beliefs = believe_answers(TrialTable.encode(PROBLEM, trials))
    assert beliefs is not None
    front = [ParetoPoint({"a": x, "b": x}, {}, {}, None) for x in (0.35, 0.5, 0.501, 0.65)]
    asked = trial_at(PROBLEM, 14, np.array([0.5, 0.5]), [1.0, 1.0])
    launched = Trial(14, asked.parameters, asked.fidelities, promised={"f": Promise(0.0, 0.0, 0.0)})
    table = TrialTable.encode(PROBLEM, [*trials, launched])
    found = most_worthwhile(table, beliefs, open_designs(table, beliefs, front), 1, rng)
    assert found in (front[0], front[3])


def made(measured: float | None, failure: str | None = None) -> CheckedDesign:
    return CheckedDesign(7, {"a": 0.5}, (Check("f", Promise(2.0, 1.0, 3.0), measured, failure),))


def test_the_record_counts_what_was_kept_and_prints_itself() -> None:
    designs = tuple(
        dataclasses.replace(each, parameters={"a": i / 10})
        for i, each in enumerate((made(2.5), made(1.0), made(3.5), made(None), made(None, "no mesh")))
    )
    found = Verification(designs, 12.5, ("F1234",))
    assert [design.checks[0].verdict for design in found.designs] == [
        "within",
        "within",
        "outside",
        "no answer yet",
        "failed",
    ]
    assert (found.n_kept, found.n_measured) == (2, 3)
    lines = str(found).splitlines()
    assert lines[0].split() == ["design", "trial", "output", "predicted", "90", "%", "interval", "measured"]
    assert lines[3].split() == [designs[2].id, "7", "f", "2", "1", "to", "3", "3.5", "outside"]
    assert lines[-1] == (
        f"5 designs were run at full accuracy for a cost of 12.5. Runs of {designs[4].id} failed. "
        "2 of 3 measured values lie within the 90 % intervals. Nothing was missing of F1234."
    )
    assert str(Verification((), 0.0)) == "Nothing was verified."
    again = Verification((made(2.5), made(1.5)), 2.0)  # one design, run twice
    assert again.summary.startswith("1 design was verified at full accuracy for a cost of 2. 2 of 2 measured")


@pytest.mark.parametrize(("seconds", "words"), [(9000.0, "2.5 h"), (600.0, "10 min"), (0.0125, "0.0125 s")])
def test_what_it_cost_is_told_in_time_where_that_is_known(seconds: float, words: str) -> None:
    found = Verification((made(2.5),), 3.0, seconds=seconds)
    assert f"verified at full accuracy for {words} of simulator time, a cost of 3." in found.summary


def test_simulator_time_is_that_of_the_designs_alone() -> None:
    timed = Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="measured")
    problem = Problem([Real("a", 0, 1)], [timed])
    told: list[tuple[float, dict[str, Promise]]] = [(40.0, {}), (50.0, PROMISED), (60.0, PROMISED)]
    answers = [Answer({"f": 0.15}, {"s": seconds}, wasted={"s": 1.5}) for seconds, _ in told]
    trials = [Trial(i, {"a": 0.1 * i}, {"s": 1.0}, {}, answers[i], promised=told[i][1]) for i in range(3)]
    table = TrialTable.encode(problem, trials)
    assert in_simulator_time(verification(table), table).seconds == pytest.approx(50.0 + 60.0 + 2 * 1.5)
    second = verification(table, np.array([False, False, True]))
    assert in_simulator_time(second, table).seconds == pytest.approx(61.5)
    assert in_simulator_time(verification(table, np.zeros(3, dtype=np.bool_)), table).seconds == 0.0


def test_names_cannot_move_the_cursor() -> None:
    check = Check("f\x1b[2J", Promise(2.0, 1.0, 3.0), 2.0)
    assert "\x1b" not in str(Verification((CheckedDesign(0, {"a": 1.0}, (check,)),), 1.0))


def test_the_cost_of_a_verification_is_that_of_its_trials_alone() -> None:
    trials = [
        trial_at(PROBLEM, 0, HERE, [1.0, 1.0], Answer(values_at(HERE))),
        *(
            Trial(
                i,
                {"a": 0.1 * i, "b": 0.5},
                {"s": 1.0},
                {},
                Answer({"f": 0.15}),
                promised=PROMISED,
            )
            for i in (1, 2)
        ),
    ]
    table = TrialTable.encode(PROBLEM, trials)
    assert verification(table).cost == pytest.approx(2.0)
    assert [design.trial for design in verification(table).designs] == [1, 2]
    some = verification(table, np.array([True, False, True]))
    assert some.cost == pytest.approx(1.0)
    assert [design.trial for design in some.designs] == [2]
