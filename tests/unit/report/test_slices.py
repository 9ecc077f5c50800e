"""Slices of the model through a design: what is predicted there, by other routes."""

import math

import numpy as np
import pytest

from imoca import Choice, Constraint, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.errors import ParameterError
from imoca.problem.parameters import Value
from imoca.report.page.readings import importance_reading, slices_reading
from imoca.report.records.slices import slices_record
from imoca.snapshot.designs import balanced_point
from imoca.snapshot.snapshot import Snapshot

WORTH = {"al": 0.0, "cfrp": -1.0, "steel": 2.0}


def mass(x: float, n: int, skin: str, z: float) -> float:
    return 3.0 * x + 0.5 * n + WORTH[skin] + 1.5 * (1.0 - z) * x


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """A number, an integer and a choice, a constraint on parameters and one on an output; half at full accuracy."""
    problem = Problem(
        [Real("x", 0, 1), Integer("n", 1, 4), Choice("skin", list(WORTH))],
        [
            Simulator(
                "weigh",
                [Objective("mass", "minimize", low=0.0)],
                fidelity=Fidelity.levels([1, 2, 3, 4]),
                cost=[1, 2, 3, 4],
            ),
            Simulator("cfd", [Objective("lift", "maximize"), Constraint("stress", upper=4.0)]),
        ],
        constraints=["x + n <= 4.5"],
    )
    study = Study(problem, method="random")
    rng = np.random.default_rng(0)
    for i in range(40):
        x, n, skin, level = float(rng.random()), 1 + i % 4, list(WORTH)[i % 3], [1, 4][i % 2]
        x = min(x, 4.5 - n)
        values = {"mass": 2.0 + mass(x, n, skin, (level - 1) / 3), "lift": x * n, "stress": x + n}
        study.add({"x": x, "n": n, "skin": skin}, {"weigh": level}, values)
    return study.snapshot()


def test_slices_pass_through_what_is_predicted_of_the_design(snapshot: Snapshot) -> None:
    point = next(point for point in snapshot.front if not point.verified)
    record = slices_record(snapshot, point.id)
    assert record.design == point.id
    assert [axis.parameter for axis in record.axes] == ["x", "n", "skin"]
    assert [output.output for output in record.outputs] == ["mass", "lift", "stress"]
    for output in record.outputs:
        assert output.predicted == pytest.approx(point.predicted[output.output])
        assert output.measured is None
        for axis, piece in zip(record.axes[1:], output.slices[1:], strict=True):
            at = piece.places.index(axis.chosen)
            assert piece.values[at] == pytest.approx(point.predicted[output.output])
            assert (piece.low[at], piece.high[at]) == pytest.approx(point.interval[output.output])


def test_a_design_is_given_by_its_id_as_a_point_or_by_its_parameters(snapshot: Snapshot) -> None:
    point = snapshot.front[0]
    by_id, by_point, by_parameters = (slices_record(snapshot, each) for each in (point.id, point, point.parameters))
    assert repr(by_id) == repr(by_point) == repr(by_parameters)  # gaps are NaN, which equals nothing
    with pytest.raises(ParameterError, match="no design 'F0000'"):
        slices_record(snapshot, "F0000")
    with pytest.raises(ParameterError, match="violates a constraint"):
        slices_record(snapshot, {"x": 1.0, "n": 4, "skin": "al"})


def test_without_a_design_it_is_the_one_nearest_to_the_best_of_all(snapshot: Snapshot) -> None:
    offered = [point for point in snapshot.front if point.is_vouched_for] or list(snapshot.front)
    offered = [point for point in offered if point.feasibility >= 0.9]
    masses = [p.measured["mass"] if p.measured else p.interval["mass"][1] for p in offered]  # the worse ends
    lifts = [p.measured["lift"] if p.measured else p.interval["lift"][0] for p in offered]
    too_heavy = [(each - min(masses)) / (max(masses) - min(masses)) for each in masses]
    too_weak = [(max(lifts) - each) / (max(lifts) - min(lifts)) for each in lifts]
    apart = list(map(math.hypot, too_heavy, too_weak))
    best = offered[int(np.argmin(apart))]
    assert balanced_point(snapshot.problem, snapshot.front) is best
    assert slices_record(snapshot).design == best.id


def test_designs_that_are_not_allowed_are_gaps_and_values_stay_within_what_is_possible(snapshot: Snapshot) -> None:
    record = slices_record(snapshot, {"x": 0.75, "n": 3, "skin": "al"})
    for output in record.outputs:
        along_n = output.slices[1]
        assert [math.isnan(value) for value in along_n.values] == [0.75 + n > 4.5 for n in along_n.places]
        assert [math.isnan(value) for value in along_n.low] == [0.75 + n > 4.5 for n in along_n.places]
    assert min(min(piece.low) for piece in record.outputs[0].slices if not math.isnan(sum(piece.low))) >= 0.0
    assert record.outputs[0].slices[0].places[0] == 0.0
    assert record.outputs[0].slices[0].places[-1] == 1.0


def test_cheaper_curves_are_what_was_measured_there(snapshot: Snapshot) -> None:
    record = slices_record(snapshot, {"x": 0.5, "n": 2, "skin": "al"})
    first, second = record.outputs[0].slices[0].cheaper
    assert (first.setting, second.setting) == (1, 3)
    x = np.array(record.outputs[0].slices[0].places)
    full, cheap = (np.array([2.0 + mass(float(each), 2, "al", z) for each in x]) for z in (1.0, 0.0))
    assert np.abs(np.array(record.outputs[0].slices[0].values) - full).max() < 0.25
    assert np.abs(np.array(first.values) - cheap).max() < 0.25
    assert np.abs(full - cheap).max() > 1.0
    assert record.outputs[1].slices[0].cheaper == ()  # no knob


def test_runs_near_are_those_that_differ_in_the_parameter_of_the_slice_alone(snapshot: Snapshot) -> None:
    trial = snapshot.trials[7]
    record = slices_record(snapshot, trial.parameters)
    assert record.outputs[0].measured == trial.values["mass"]
    for axis, piece in zip(record.axes, record.outputs[0].slices, strict=True):
        own = next(run for run in piece.near if run.trial == 7)
        assert (own.place, own.value) == (axis.chosen, trial.values["mass"])
        assert (own.setting, own.z) == (trial.fidelities["weigh"], 1.0)
    alike = [run for run in record.outputs[0].slices[0].near if run.trial != 7]
    worth = [WORTH[str(snapshot.trials[run.trial].parameters["skin"])] for run in alike]
    assert all(each <= 0.0 for each in worth)  # al, not steel: mass differs by two there


def many(n_parameters: int, n_outputs: int) -> Snapshot:
    """The first output depends on the last parameter alone, the others on it and on one of their own."""
    outputs = [f"f{j}" for j in range(n_outputs)]
    problem = Problem(
        [Real(f"x{i}", 0, 1) for i in range(n_parameters)],
        [Simulator(name, [Objective(name, "minimize")]) for name in outputs],
    )
    study = Study(problem, method="random")
    for row in np.random.default_rng(1).random((50, n_parameters)):
        x: dict[str, Value] = {f"x{i}": float(each) for i, each in enumerate(row)}
        study.add(x, {}, {name: float(row[-1] * (1 + j) + 0.3 * row[j]) for j, name in enumerate(outputs)})
    return study.snapshot()


@pytest.mark.slow
def test_of_many_parameters_and_outputs_those_that_matter_are_shown_and_the_others_named() -> None:
    found = many(14, 7)
    record = slices_record(found, found.trials[0].parameters)
    assert "x13" in [axis.parameter for axis in record.axes]
    assert len(record.axes) == len(record.outputs) == 5
    shown = {axis.parameter for axis in record.axes} | {output.output for output in record.outputs}
    left_out = {*record.parameters_left_out, *record.outputs_left_out}
    assert shown | left_out == {f"x{i}" for i in range(14)} | {f"f{j}" for j in range(7)}
    assert not shown & left_out
    assert {"x7", "x12"} <= left_out  # do nothing
    reading = slices_reading(record)
    assert all(name in reading for name in left_out)
    assert "f2 most with x13" in reading
    importance = importance_reading(found.importance)
    assert "2 parameters of at most 0 % are left out" in importance
    assert "by x13" in importance


def test_a_study_without_answers_has_no_slices() -> None:
    empty = Study(Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])).snapshot()
    assert slices_record(empty).outputs == ()
    assert slices_record(empty, {"x": 0.5}).outputs == ()


def test_few_answers_are_called_a_guess() -> None:
    study = Study(Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])]))
    for x in (0.1, 0.4, 0.9):
        study.add({"x": x}, {}, {"f": x})
    assert "With 3 answers this is hardly more than a guess." in importance_reading(study.snapshot().importance)
