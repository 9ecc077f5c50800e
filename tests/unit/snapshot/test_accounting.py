"""Bills worked out by hand."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from deciding import bill, is_cost_guessed, trial_at

from imoca.models.cost import PRIOR_LEVEL_SD, PRIOR_SLOPE, PRIOR_SLOPE_SD, TREND_NOISE_SD
from imoca.problem.cost import MeasuredCost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot import accounting
from imoca.snapshot.accounting import Bill, seconds_bill
from imoca.study.journal import merged_answer
from imoca.trials import Answer, Run, Trial, TrialTable

CENTRE = np.array([0.5, 0.5])
DONE = {"f": 1.0, "g": 2.0}
DONE_S = Answer({"f": 1.0})


def make_problem(cost: str | MeasuredCost = "0.1 + z**2", other: str = "1 + 3 * z") -> Problem:
    """The first simulator's full run counts 1, the second's 2."""
    knob = Fidelity.continuous()
    return Problem(
        [Real("a", 0.0, 4.0), Real("b", 0.0, 1.0)],
        [
            Simulator("s", [Objective("f", "minimize")], fidelity=knob, cost=cost),
            Simulator("t", [Objective("g", "minimize")], fidelity=knob, cost=other, full_cost=2.0),
        ],
    )


def bill_with(problem: Problem, trials: Sequence[Trial], runs: Sequence[Run]) -> Bill:
    """Of trials and the journal."""
    return accounting.bill(TrialTable.encode(problem, trials), runs)


def one_bill(answer: Answer | None, problem: Problem | None = None) -> tuple[list[float], list[float], list[float]]:
    """Spent, wasted and expected of one trial with s at z = 0.5 and t at z = 1/3."""
    problem = problem or make_problem()
    made = bill(problem, [trial_at(problem, 0, CENTRE, [0.5, 1 / 3], answer)])
    return made.spent[0].tolist(), made.wasted[0].tolist(), made.expected[0].tolist()


AT_S, AT_T = 0.35 / 1.1, 2.0 * 2.0 / 4.0  # declared, as shares of a full run


def test_a_finished_trial_costs_what_was_declared() -> None:
    spent, wasted, expected = one_bill(Answer(DONE))
    assert spent == pytest.approx([AT_S, AT_T])
    assert wasted == expected == [0.0, 0.0]


def test_a_told_cost_replaces_the_declared_one_of_its_simulator_alone() -> None:
    spent, _, _ = one_bill(Answer(DONE, costs={"t": 3.0}))
    assert spent == pytest.approx([AT_S, 2.0 * 3.0 / 4.0])  # a full run of t takes 4 and counts 2


def test_a_failed_simulator_costs_what_was_declared_or_what_was_told() -> None:
    spent, _, _ = one_bill(Answer({"f": 1.0}, failures={"t": "diverged"}))
    assert spent == pytest.approx([AT_S, AT_T])
    spent, _, _ = one_bill(Answer({}, {"s": 0.22}, {"s": "no", "t": "no"}))
    assert spent == pytest.approx([0.22 / 1.1, AT_T])


def test_a_simulator_that_was_not_run_costs_nothing() -> None:
    problem = make_problem()
    made = bill(problem, [trial_at(problem, 0, CENTRE, [0.5, math.nan], answer) for answer in (DONE_S, None)])
    np.testing.assert_allclose(made.spent, [[AT_S, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(made.expected, [[0.0, 0.0], [AT_S, 0.0]])


def test_what_has_answered_is_paid_for_while_another_simulator_runs() -> None:
    spent, _, expected = one_bill(Answer({"f": 1.0}, pending=("t",)))
    assert spent == pytest.approx([AT_S, 0.0])
    assert expected == pytest.approx([0.0, AT_T])


def test_preparing_a_design_is_paid_for_by_every_question_once() -> None:
    plain = make_problem()
    problem = Problem(plain.parameters, plain.simulators, setup_cost=0.5)
    trials = [trial_at(problem, 0, CENTRE, [0.5, math.nan], DONE_S), trial_at(problem, 1, CENTRE, [0.5, 1 / 3], None)]
    made = bill(problem, trials)
    np.testing.assert_allclose(made.by_trial, [AT_S + 0.5, 0.5])
    assert made.total == pytest.approx(AT_S + 1.0)


def test_a_running_trial_has_cost_nothing_yet_and_is_expected_to() -> None:
    spent, wasted, expected = one_bill(None)
    assert spent == wasted == [0.0, 0.0]
    assert expected == pytest.approx([AT_S, AT_T])


def test_earlier_attempts_are_charged_on_top_and_shown_apart() -> None:
    spent, wasted, _ = one_bill(Answer(DONE, costs={"s": 0.22}, wasted={"s": 0.55, "t": 1.0}))
    assert wasted == pytest.approx([0.5, 0.5])  # 0.55 / 1.1, and 2 * 1 / 4
    assert spent == pytest.approx([0.2 + 0.5, AT_T + 0.5])


LOST = Run(0, "t", 1, 100.0, None, 107.0)
FAILED = Run(0, "t", 2, 110.0, None, 115.0, Answer(costs={"t": 3.0}, failures={"t": "no"}))
RUNNING = Run(0, "t", 3, 120.0)


def test_attempts_that_are_repeated_are_charged_before_the_answer_and_as_after_it() -> None:
    """Of s one attempt was lost before it answered, which its trial knows; of t two, which its journal knows."""
    plain, lost_s = make_problem(), replace(LOST, simulator="s")
    problem = plain.with_simulators([replace(each, run=abs, retries=1) for each in plain.simulators])
    known = [lost_s, replace(lost_s, attempt=2, answer=DONE_S), LOST, FAILED]
    asked = trial_at(problem, 0, CENTRE, [0.5, 1 / 3])
    running = asked.answered(merged_answer(problem, asked, known))
    assert running.pending == ("t",)
    attempts = AT_T + 2.0 * 3.0 / 4.0  # one as declared, one as told
    before = bill_with(problem, [running], [*known, RUNNING])
    assert before.spent[0].tolist() == pytest.approx([2 * AT_S, attempts])
    assert before.wasted[0].tolist() == pytest.approx([AT_S, attempts])
    assert before.expected[0].tolist() == pytest.approx([0.0, AT_T])
    known.append(replace(RUNNING, ended=125.0, answer=Answer({"g": 2.0})))
    after = bill_with(problem, [asked.answered(merged_answer(problem, asked, known))], known)
    np.testing.assert_allclose(after.wasted, before.wasted)
    assert after.total == pytest.approx(before.total + AT_T)


def test_of_measured_attempts_that_are_repeated_the_time_counts_once_a_full_run_is_known() -> None:
    problem = make_problem(other="measured")
    done = [trial_at(problem, i, CENTRE, [0.5, 1.0], Answer(DONE, {"t": 14.0})) for i in range(3)]
    running = trial_at(problem, 3, CENTRE, [0.5, 1.0])
    lost = replace(LOST, trial=3)
    assert bill_with(problem, [*done, running], (lost, lost)).spent[3, 1] == pytest.approx(2.0, rel=1e-3)  # 14 s, of 14
    assert bill_with(problem, [replace(running, number=0)], (LOST,)).total == 0.0  # nobody knows what 7 s are worth
    timed = make_problem("measured", "measured")
    table = TrialTable.encode(timed, [trial_at(timed, 0, CENTRE, [0.5, 1.0])])
    made = seconds_bill(table, (LOST, FAILED, RUNNING))
    assert (made.spent.tolist(), made.wasted.tolist()) == ([[0.0, 10.0]], [[0.0, 10.0]])


def test_a_cost_that_depends_on_the_design_is_a_share_of_the_full_run_of_the_same_design() -> None:
    plain = make_problem("1 + a * z", "1 + b")
    problem = Problem(plain.parameters, plain.simulators, cost_relative_to="design")
    designs, z = np.array([[0.25, 0.5], [0.75, 0.0]]), [[0.5, 1.0], [0.2, 1.0]]  # a is 1 and 3
    trials = [trial_at(problem, i, designs[i], z[i], Answer(DONE)) for i in range(2)]
    made = bill(problem, trials)
    np.testing.assert_allclose(made.spent, [[1.5 / 2.0, 2.0], [1.6 / 4.0, 2.0]])
    assert made.total == pytest.approx(0.75 + 0.4 + 4.0)
    told = [trial_at(problem, i, designs[i], z[i], Answer(DONE, {"s": 3.0, "t": 3.0})) for i in range(2)]
    np.testing.assert_allclose(bill(problem, told).spent, [[1.5, 4.0], [0.75, 6.0]])  # t's full runs take 1.5 and 1


def test_bills_of_several_trials_stand_in_their_order() -> None:
    problem = make_problem()
    answers = [None, Answer(DONE), Answer(DONE, costs={"s": 1.1, "t": 4.0})]
    trials = [trial_at(problem, i, CENTRE, [0.5, 1 / 3], answer) for i, answer in enumerate(answers)]
    made = bill(problem, trials)
    np.testing.assert_allclose(made.spent, [[0.0, 0.0], [AT_S, AT_T], [1.0, 2.0]])
    np.testing.assert_allclose(made.expected, [[AT_S, AT_T], [0.0, 0.0], [0.0, 0.0]])
    assert made.total == pytest.approx(AT_S + AT_T + 3.0)


def test_no_trials_make_an_empty_bill() -> None:
    assert bill(make_problem(), []).total == 0.0


def measured_trials(problem: Problem, raw: float, z: float) -> list[Trial]:
    """The same design three times: what is learned of it is the straight line alone, up to the prior."""
    return [trial_at(problem, i, CENTRE, [z, 1.0], Answer(DONE, {"s": raw, "t": 4.0})) for i in range(3)]


def test_a_measured_cost_at_full_accuracy_counts_one_full_run() -> None:
    problem = make_problem("measured")
    np.testing.assert_allclose(bill(problem, measured_trials(problem, 50.0, 1.0)).spent[:, 0], 1.0, rtol=1e-3)


def test_a_measured_cost_seen_below_full_accuracy_counts_by_the_line_that_is_believed() -> None:
    problem = make_problem("measured")
    spent = bill(problem, measured_trials(problem, 50.0, 0.3)).spent[:, 0]
    # Three equal observations of level + slope z with a vague level: the slope stays at its prior median.
    z = np.full(3, 0.3)
    inputs = np.column_stack([np.ones(3), z])
    stacked = np.concatenate([inputs / TREND_NOISE_SD, np.diag([1 / PRIOR_LEVEL_SD, 1 / PRIOR_SLOPE_SD])])
    target = np.concatenate([np.full(3, math.log(50.0)) / TREND_NOISE_SD, [0.0, PRIOR_SLOPE / PRIOR_SLOPE_SD]])
    level, slope = np.linalg.lstsq(stacked, target, rcond=None)[0]
    residual = math.log(50.0) - level - 0.3 * slope
    np.testing.assert_allclose(spent, math.exp(math.log(50.0) - level - slope - residual), rtol=1e-3)
    assert spent[0] == pytest.approx(0.1**0.7, rel=1e-3)  # ten times dearer from z = 0 to 1


def test_a_measured_run_that_failed_untold_costs_nothing_for_nobody_knows_what() -> None:
    problem = make_problem("measured")
    failed = trial_at(problem, 3, CENTRE, [1.0, 1.0], Answer({"g": 1.0}, {"t": 4.0}, {"s": "no"}))
    running = trial_at(problem, 4, CENTRE, [1.0, 1.0])
    made = bill(problem, [*measured_trials(problem, 50.0, 1.0), failed, running])
    assert made.spent[3, 0] == 0.0
    assert made.spent[3, 1] == pytest.approx(2.0)
    assert made.expected[4] == pytest.approx([1.0, 2.0], rel=1e-3)


def test_a_measured_run_that_failed_before_any_answered_is_no_share_of_a_full_run_yet() -> None:
    """Else 900 seconds would be 900 full runs, and the budget spent."""
    problem = make_problem("measured")
    failed = trial_at(problem, 0, CENTRE, [1.0, 1.0], Answer({"g": 1.0}, {"s": 900.0}, {"s": "no"}, {"s": 30.0}))
    made = bill(problem, [failed])
    assert (made.spent[0].tolist(), made.wasted[0].tolist()) == ([0.0, 2.0], [0.0, 0.0])
    answered = [replace(each, number=1 + i) for i, each in enumerate(measured_trials(problem, 900.0, 1.0))]
    assert bill(problem, [failed, *answered]).spent[0, 0] == pytest.approx(1.0 + 30.0 / 900.0, rel=1e-3)
    assert seconds_bill(TrialTable.encode(problem, [failed])).spent[0, 0] == 930.0


@pytest.mark.parametrize(
    ("fidelities", "is_guessed"),
    [([], False), ([0.0, 0.0], True), ([0.0, 0.4], False), ([1.0, 1.0], False), ([0.3], True)],
)
def test_a_measured_cost_is_guessed_while_it_was_seen_at_one_fidelity_below_the_target(
    fidelities: list[float], is_guessed: bool
) -> None:
    problem = make_problem("measured")
    paid = Answer(DONE, {"s": 1.0, "t": 1.0})
    trials = [trial_at(problem, i, CENTRE, [z, 0.0], paid) for i, z in enumerate(fidelities)]
    unpaid = trial_at(problem, 9, CENTRE, [1.0, 0.0], Answer({"g": 1.0}, failures={"s": "no"}))
    assert is_cost_guessed(problem, [*trials, unpaid]) is is_guessed
    assert not is_cost_guessed(make_problem(), trials)  # a declared cost never is
    assert not is_cost_guessed(make_problem(MeasuredCost("1 + z")), trials)  # nor one of which something is expected


def test_simulator_time_is_the_sum_of_what_was_measured_whatever_full_runs_count() -> None:
    problem = make_problem("measured", "measured")
    trials = [
        trial_at(problem, 0, CENTRE, [0.0, 1.0], Answer(DONE, {"s": 10.0, "t": 100.0}, wasted={"t": 7.0})),
        trial_at(problem, 1, CENTRE, [1.0, 1.0], Answer({"g": 1.0}, {"t": 100.0}, {"s": "diverged"})),
    ]
    made = seconds_bill(TrialTable.encode(problem, trials))
    assert made.spent.tolist() == [[10.0, 107.0], [0.0, 100.0]]
    assert made.wasted.tolist() == [[0.0, 7.0], [0.0, 0.0]]
    assert made.total == 217.0
    assert made.expected.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_what_runs_is_expected_to_take_as_long_as_such_runs_took() -> None:
    """Many runs, of 2 seconds at the cheapest and 200 at full accuracy; the one that runs is one of each."""
    problem = make_problem("measured", "measured")
    done = [
        trial_at(problem, i, np.array([0.1 * (i % 9), 0.5]), [z, z], Answer(DONE, {"s": cost, "t": cost}))
        for i, (z, cost) in enumerate([(0.0, 2.0), (1.0, 200.0)] * 10)
    ]
    running = trial_at(problem, len(done), CENTRE, [0.0, 1.0], None)
    made = seconds_bill(TrialTable.encode(problem, [*done, running]))
    assert made.expected[-1].tolist() == pytest.approx([2.0, 200.0], rel=0.2)
    assert made.total == 20 * 202.0


def test_the_first_runs_are_expected_to_take_nothing_for_nobody_knows_seconds_yet() -> None:
    problem = make_problem("measured", "measured")
    made = seconds_bill(TrialTable.encode(problem, [trial_at(problem, 0, CENTRE, [0.0, 1.0], None)]))
    assert (made.total, made.expected.sum()) == (0.0, 0.0)
