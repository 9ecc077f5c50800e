"""What experiments/feasibility.py and constrained_speed.py count, by hand."""

import dataclasses

import numpy as np
import pytest

import imoca_lab
from experiments.constrained_speed import SETTINGS, problem_of, trials_of
from experiments.feasibility import Bin, reliability, stated_and_true, summary
from imoca.snapshot import ParetoPoint
from imoca.trials import TrialTable
from imoca_lab.problems.branin_currin_disc import distance


def test_what_was_stated_is_put_into_bins_that_hold_their_upper_ends() -> None:
    stated = np.array([0.0, 0.5, 0.55, 0.95, 0.96, 0.98, 0.99, 1.0])
    is_feasible = np.array([False, True, True, True, True, False, True, True])
    assert reliability(stated, is_feasible) == [
        Bin(0.0, 0.5, 2, 0.25, 0.5),
        Bin(0.5, 0.6, 1, 0.55, 1.0),
        Bin(0.9, 0.95, 1, 0.95, 1.0),
        Bin(0.95, 0.99, 3, 0.9767, 0.6667),
        Bin(0.99, 1.0, 1, 1.0, 1.0),
    ]


def test_infeasible_designs_are_counted_over_all_and_per_study(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = (np.empty(0), np.empty(0, dtype=np.bool_))
    studies = [
        [nothing, (np.array([0.96, 0.97, 0.6]), np.array([True, False, False]))],
        [nothing, (np.array([0.99, 0.98]), np.array([True, True]))],
        [nothing, nothing],
    ]
    found = summary("some", studies)
    assert (found["designs"], found["above 0.95"], found["infeasible of these"]) == (5, 4, 0.25)
    assert found["by seed"] == [0.5, 0.0, None]
    assert "5 designs" in capsys.readouterr().out


def test_verified_designs_are_left_out_and_the_truth_is_that_of_full_accuracy() -> None:
    inside, outside = {"x1": 2.5, "x2": 7.5}, {"x1": 9.6, "x2": 7.5}
    assert distance(**outside, z=0.0) < 50.0 < distance(**outside, z=1.0)
    point = ParetoPoint(inside, {}, {}, None, feasibility=0.9)
    front = [
        point,
        dataclasses.replace(point, parameters=outside, feasibility=0.97),
        dataclasses.replace(point, measured={"branin": 1.0}, feasibility=1.0),
    ]
    stated, is_feasible = stated_and_true(imoca_lab.get("branin_currin_disc"), front)
    assert stated.tolist() == [0.9, 0.97]
    assert is_feasible.tolist() == [True, False]


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_whose_time_is_taken_has_the_same_answers(name: str) -> None:
    setting = SETTINGS[name]
    table = TrialTable.encode(problem_of(setting), trials_of(setting, 20))
    has_failed = np.array([bool(trial.failures) for trial in table.trials])
    assert has_failed.sum() == (5 if setting.has_failures else 0)
    assert table.has_all_outputs[~has_failed].sum() == 20
    assert len(table.problem.constraints) == (2 if setting.has_constraints else 0)
    free = TrialTable.encode(problem_of(SETTINGS["neither"]), trials_of(SETTINGS["neither"], 20))
    np.testing.assert_array_equal(table.x[~has_failed], free.x)
    columns = table.problem.objective_columns
    np.testing.assert_array_equal(table.values[~has_failed][:, columns], free.values)
