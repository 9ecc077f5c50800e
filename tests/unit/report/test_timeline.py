"""When simulators ran, by hand."""

import dataclasses

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.page.readings import timeline_reading
from imoca.report.records.timeline import timeline_record
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import Answer, Run, RunState


def snapshot_of(*runs: Run) -> Snapshot:
    problem = Problem(
        [Real("x", 0, 1)],
        [
            Simulator("slow", [Objective("f", "minimize")], fidelity=Fidelity.continuous(0, 10), cost="1 + z"),
            Simulator("quick", [Objective("g", "minimize")]),
        ],
    )
    study = Study(problem, method="random")
    for i in range(4):
        study.add({"x": 0.1 * i}, {"slow": 2.5 * i}, {"f": 1.0, "g": 2.0})
    return dataclasses.replace(study.snapshot(), runs=runs)


ANSWERED = Answer({"f": 1.0})


def test_runs_at_the_same_time_have_lanes_of_their_own_and_free_lanes_are_used_again() -> None:
    record = timeline_record(
        snapshot_of(
            Run(0, "slow", 1, 100.0, ended=110.0, answer=ANSWERED),
            Run(1, "slow", 1, 105.0, ended=107.0, answer=Answer(failures={"slow": "mesh"})),
            Run(1, "slow", 2, 107.0, ended=120.0),
            Run(2, "slow", 1, 110.0),
            Run(0, "quick", 1, 100.0, ended=101.0, answer=Answer({"g": 2.0})),
        )
    )
    assert record.lanes == ("slow", "slow", "quick")
    assert [(run.trial, run.attempt, run.lane, run.start, run.end) for run in record.runs] == [
        (0, 1, 0, 0.0, 10.0),
        (0, 1, 2, 0.0, 1.0),
        (1, 1, 1, 5.0, 7.0),
        (1, 2, 1, 7.0, 20.0),
        (2, 1, 0, 10.0, 20.0),  # to the last moment that is known
    ]
    states = [run.state for run in record.runs]
    assert states == [RunState.ANSWERED, RunState.ANSWERED, RunState.FAILED, RunState.LOST, RunState.RUNNING]
    assert [run.z for run in record.runs] == [0.0, 1.0, 0.25, 0.25, 0.5]
    assert record.runs[2].reason == "mesh"
    reading = timeline_reading(record)
    assert reading.startswith("5 runs took 36 s of computing, 1.8 at a time on average; ")
    assert "2 answered, 1 failed, 1 lost and 1 not ended" in reading


def test_a_night_in_which_nothing_ran_is_cut_short() -> None:
    night = 8 * 3600.0
    record = timeline_record(
        snapshot_of(
            Run(0, "slow", 1, 0.0, ended=600.0, answer=ANSWERED),
            Run(1, "slow", 1, 630.0, ended=1000.0, answer=ANSWERED),  # choosing a question is no pause
            Run(2, "slow", 1, 1000.0 + night, ended=1030.0 + night, answer=ANSWERED),
        )
    )
    shown = 0.02 * 1000.0
    assert [run.start for run in record.runs] == pytest.approx([0.0, 630.0, 1000.0 + shown])
    assert [run.end for run in record.runs] == pytest.approx([600.0, 1000.0, 1030.0 + shown])
    assert record.pauses == ((1000.0, night),)
    assert record.runs[-1].seconds == 30.0
    assert "Pauses of 8.0 h in all are cut short." in timeline_reading(record)


def test_a_clock_that_was_set_back_ends_no_run_before_it_starts() -> None:
    (run,) = timeline_record(snapshot_of(Run(0, "slow", 1, 100.0, ended=90.0, answer=ANSWERED))).runs
    assert (run.start, run.end, run.seconds) == (0.0, 0.0, 0.0)


def test_answers_that_were_told_have_no_time() -> None:
    record = timeline_record(snapshot_of())
    assert record.runs == ()
    assert timeline_reading(record) == "No run yet: answers that are told or added have no time."
