"""Trials as arrays: encoded once, maximised, and renewed where something changed."""

import dataclasses
import math

import numpy as np
import pytest

from imoca.arrays import BoolArray, IntArray
from imoca.problem import Choice, Constraint, Fidelity, FidelityValue, Objective, Output, Problem, Real, Simulator
from imoca.trials import Answer, SimulatorState, Trial, TrialTable
from imoca.trials.table import combined

PROBLEM = Problem(
    [Real("a", 0.0, 4.0), Choice("c", ["x", "y"])],
    [
        Simulator(
            "flow",
            [Objective("drag", "minimize"), Objective("lift", "maximize")],
            fidelity=Fidelity.continuous(10.0, 20.0),
            cost="z",
        ),
        Simulator(
            "stress",
            [Constraint("load", upper=3.0), Objective("mass", "minimize")],
            fidelity=Fidelity.levels(["coarse", "medium", "fine"]),
            cost="measured",
        ),
    ],
)
FULL = {"drag": 2.0, "lift": 3.0, "load": 1.0, "mass": 5.0}


def make_trial(number: int, a: float, flow: float | None, stress: str | None, answer: Answer | None) -> Trial:
    fidelities: dict[str, FidelityValue] = {} if flow is None else {"flow": flow}
    if stress is not None:
        fidelities["stress"] = stress
    return Trial(number, {"a": a, "c": "y"}, fidelities, {}, answer)


TRIALS = (
    make_trial(
        0, 1.0, 20.0, "fine", Answer(FULL, {"stress": 7.0}, {}, {"flow": 0.5}, errors={"drag": 0.1, "mass": 0.2})
    ),
    make_trial(1, 2.0, 15.0, "medium", Answer({"drag": 4.0, "lift": 1.0}, {}, {"stress": "no mesh"})),
    make_trial(2, 3.0, 20.0, None, Answer({"drag": 4.0, "lift": 1.0})),
    make_trial(3, 4.0, 10.0, "coarse", None),
    make_trial(4, 0.0, 10.0, "fine", Answer(FULL)),
)


def same(one: TrialTable, other: TrialTable) -> None:
    assert one.trials == other.trials
    for name in ("x", "z", "values", "errors", "costs", "wasted", "states"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
        assert getattr(one, name).dtype == getattr(other, name).dtype


def test_everything_is_where_the_problem_has_it() -> None:
    table = TrialTable.encode(PROBLEM, TRIALS)
    nan = math.nan
    assert len(table) == 5
    np.testing.assert_allclose(table.x[:, 0], [0.25, 0.5, 0.75, 1.0, 0.0])
    np.testing.assert_allclose(table.z, [[1.0, 1.0], [0.5, 0.5], [1.0, nan], [0.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(
        table.values,  # drag and mass are minimised, lift is maximised, load is a constraint
        [
            [-2.0, 3.0, 1.0, -5.0],
            [-4.0, 1.0, nan, nan],
            [-4.0, 1.0, nan, nan],
            [nan, nan, nan, nan],
            [-2.0, 3.0, 1.0, -5.0],
        ],
    )
    np.testing.assert_array_equal(table.errors, [[0.1, 0.0, 0.0, 0.2], *[[0.0] * 4] * 4])  # an error has no sign
    np.testing.assert_array_equal(table.costs, [[nan, 7.0], *[[nan, nan]] * 4])
    np.testing.assert_array_equal(table.wasted, [[0.5, nan], *[[nan, nan]] * 4])


def test_every_simulator_has_a_state_of_its_own() -> None:
    pending, answered, failed, not_run = (
        SimulatorState.PENDING,
        SimulatorState.ANSWERED,
        SimulatorState.FAILED,
        SimulatorState.NOT_RUN,
    )
    expected = [[answered, answered], [answered, failed], [answered, not_run], [pending, pending], [answered, answered]]
    np.testing.assert_array_equal(TrialTable.encode(PROBLEM, TRIALS).states, expected)
    assert str(not_run) == "not run"


def test_what_came_of_one_simulator_is_known_while_another_runs() -> None:
    half = make_trial(0, 1.0, 20.0, "fine", Answer({"drag": 4.0, "lift": 1.0}, pending=("stress",)))
    asked_one = make_trial(1, 1.0, 20.0, None, None)
    table = TrialTable.encode(PROBLEM, [half, asked_one])
    assert table.states.tolist() == [
        [SimulatorState.ANSWERED, SimulatorState.PENDING],
        [SimulatorState.PENDING, SimulatorState.NOT_RUN],
    ]
    assert table.was_run.tolist() == [[True, False], [False, False]]
    assert table.is_finished.tolist() == [False, False]
    assert table.values[0, 0] == -4.0
    assert (half.pending, asked_one.pending) == (("stress",), ("flow",))


def test_what_is_finished_known_and_verified() -> None:
    table = TrialTable.encode(PROBLEM, TRIALS)
    assert table.is_finished.tolist() == [True, True, True, False, True]
    assert table.has_all_outputs.tolist() == [True, False, False, False, True]
    assert table.is_verified.tolist() == [True, False, False, False, False]


def test_a_trial_is_feasible_unless_some_answer_lies_outside_its_bounds() -> None:
    outputs: list[Output] = [
        Constraint("load", upper=3.0),
        Constraint("gap", lower=-1.0, upper=1.0),
        Objective("mass", "minimize"),
    ]
    problem = Problem([Real("a", 0.0, 4.0)], [Simulator("s", outputs)])
    answers = [(3.0, -1.0), (3.1, 0.0), (0.0, 1.5), (-9.0, -1.5), (0.0, 0.0)]
    trials = [
        Trial(i, {"a": 1.0}, {"s": None}, {}, Answer({"load": load, "gap": gap, "mass": 1.0}))
        for i, (load, gap) in enumerate(answers)
    ]
    table = TrialTable.encode(problem, [*trials, Trial(5, {"a": 1.0}, {"s": None})])
    assert table.is_feasible.tolist() == [True, False, False, False, True, True]


def test_objectives_of_one_design_that_were_measured_in_several_trials_verify_it() -> None:
    flow, stress = Answer({"drag": 2.0, "lift": 3.0}), Answer({"load": 1.0, "mass": 5.0})
    trials = [
        make_trial(0, 1.0, 20.0, None, flow),
        make_trial(1, 2.0, 20.0, None, flow),  # of another design
        make_trial(2, 1.0, None, "coarse", Answer({"load": 9.0, "mass": 9.0})),  # too cheap
    ]
    assert len(TrialTable.encode(PROBLEM, trials).verified) == 0
    trials.append(make_trial(3, 1.0, None, "fine", stress))
    trials.append(make_trial(4, 3.0, 20.0, "fine", Answer(FULL)))
    verified = TrialTable.encode(PROBLEM, trials).verified
    assert [trial.number for trial in verified.trials] == [3, 4]
    assert verified.trials[0].values == FULL
    np.testing.assert_array_equal(verified.values, [[-2.0, 3.0, 1.0, -5.0]] * 2)
    assert trials[3].values == stress.values  # the trial itself is as it was
    again = make_trial(5, 1.0, 20.0, "fine", Answer({**FULL, "mass": 6.0}))  # alone, it needs no other
    assert [t.number for t in TrialTable.encode(PROBLEM, [*trials, again]).verified.trials] == [4, 5]
    assert TrialTable.encode(PROBLEM, trials).is_verified.tolist() == [False, False, False, False, True]


def test_a_design_that_was_measured_again_is_one_with_the_mean_of_all() -> None:
    again = {**FULL, "drag": 4.0, "mass": 8.0}
    errors = [{"drag": 0.3, "lift": 0.1}, {"drag": 0.6}]
    trials = [
        make_trial(0, 1.0, 20.0, "fine", Answer(FULL, errors=errors[0])),
        make_trial(1, 2.0, 20.0, "fine", Answer(FULL)),
        make_trial(2, 1.0, 15.0, "fine", Answer({**FULL, "load": 4.0, "mass": 5.0})),  # drag and lift were too cheap
        make_trial(3, 1.0, 20.0, "fine", Answer(again, errors=errors[1])),
    ]
    table = TrialTable.encode(PROBLEM, trials)
    verified = table.verified
    assert [trial.number for trial in verified.trials] == [1, 3]
    assert verified.trials[0] is trials[1]
    combined = verified.trials[1]
    # drag by weights 4 to 1, lift by the one without an error, load and mass by plain means: s / sqrt(3) of 1, 4, 1 and
    # 5, 5, 8 is 1
    assert combined.values == pytest.approx({"drag": 2.4, "lift": 3.0, "load": 2.0, "mass": 6.0})
    assert combined.errors == pytest.approx({"drag": 0.3 * 0.6 / np.hypot(0.3, 0.6), "load": 1.0, "mass": 1.0})
    np.testing.assert_allclose(verified.values[1], [-2.4, 3.0, 2.0, -6.0])
    np.testing.assert_allclose(verified.errors[1], [combined.errors.get(name, 0.0) for name in FULL])
    assert table.is_verified.tolist() == [True, True, False, True]


def test_repeats_combine_as_the_closed_form_says(rng: np.random.Generator) -> None:
    values, errors = rng.normal(size=7), np.full(7, 0.3)
    mean, error = combined(values, errors)
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(0.3 / np.sqrt(7))
    assert combined(np.full(3, 0.1), np.zeros(3)) == (0.1, 0.0)  # to the last bit
    assert combined(np.array([1.0, np.nan]), np.array([0.5, 0.0])) == (1.0, 0.5)
    tiny = combined(np.array([1.0, 3.0]), np.array([1e-200, 1e-200]))
    assert tiny == pytest.approx((2.0, 1e-200 / np.sqrt(2.0)))


def test_half_an_answer_at_full_accuracy_verifies_nothing() -> None:
    half = make_trial(0, 1.0, 20.0, "fine", Answer({"drag": 4.0, "lift": 1.0}, failures={"stress": "no mesh"}))
    table = TrialTable.encode(PROBLEM, [half])
    assert table.z.tolist() == [[1.0, 1.0]]
    assert not table.is_verified.any()


@pytest.mark.parametrize("n_known", range(6))
def test_a_renewed_table_is_that_of_the_new_trials(n_known: int) -> None:
    known = TrialTable.encode(PROBLEM, TRIALS[:n_known])
    same(known.renewed(TRIALS), TrialTable.encode(PROBLEM, TRIALS))
    answered = list(TRIALS)
    answered[3] = TRIALS[3].answered(Answer(FULL))
    same(known.renewed(answered), TrialTable.encode(PROBLEM, answered))


def test_known_trials_are_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = TrialTable.encode(PROBLEM, TRIALS[:4])
    encoded: list[Trial] = []
    encode = TrialTable.encode

    def recording(problem: Problem, trials: list[Trial]) -> TrialTable:
        encoded.extend(trials)
        return encode(problem, trials)

    monkeypatch.setattr(TrialTable, "encode", staticmethod(recording))
    assert known.renewed(TRIALS[:4]) is known
    known.renewed(TRIALS)
    assert encoded == [TRIALS[4]]


@pytest.mark.parametrize(
    "chosen", [slice(2), slice(1, 4), np.array([0, 4]), np.array([True, False, True, False, True])]
)
def test_some_rows_are_the_table_of_those_trials(chosen: IntArray | BoolArray | slice) -> None:
    kept = np.arange(5)[chosen]
    same(TrialTable.encode(PROBLEM, TRIALS).rows(chosen), TrialTable.encode(PROBLEM, [TRIALS[i] for i in kept]))


def test_no_trials_are_a_table_too() -> None:
    table = TrialTable.encode(PROBLEM, [])
    assert (table.x.shape, table.z.shape, table.values.shape, table.costs.shape) == ((0, 2), (0, 2), (0, 4), (0, 2))
    assert not table.is_verified.any()
    same(table.renewed(TRIALS), TrialTable.encode(PROBLEM, TRIALS))


def test_a_table_outlives_the_trials_it_was_made_of() -> None:
    table = TrialTable.encode(PROBLEM, TRIALS)
    renewed = table.renewed([dataclasses.replace(TRIALS[0], answer=None), *TRIALS[1:]])
    assert table.is_finished[0]
    assert not renewed.is_finished[0]
    assert table.values[0, 0] == -2.0
