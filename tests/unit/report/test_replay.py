"""The front step by step, and which objectives are at odds."""

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.page.readings import replay_reading
from imoca.report.records.front import ObjectiveRecord
from imoca.report.records.replay import replay_record
from imoca.report.records.trade_offs import trading_pairs
from imoca.snapshot.recommendation import ParetoPoint
from imoca.snapshot.snapshot import Snapshot


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """The first and the last objective are at odds, the one between goes with the first."""
    problem = Problem(
        [Real("x", 0, 1)],
        [
            Simulator(
                "s",
                [Objective("a", "minimize"), Objective("b", "minimize")],
                fidelity=Fidelity.levels([1, 2]),
                cost=[1, 2],
            ),
            Simulator("t", [Objective("c", "maximize")]),
        ],
    )
    study = Study(problem, method="random")
    for i, x in enumerate(np.random.default_rng(0).random(10).tolist()):
        study.add({"x": x}, {"s": 1 + i % 2}, {"a": x, "b": x**2 + 0.1 * np.sin(9.0 * x), "c": np.sqrt(x)})
    return study.snapshot()


def test_every_step_holds_the_front_of_its_checkpoint_and_the_runs_since_the_one_before(snapshot: Snapshot) -> None:
    record = replay_record(snapshot)
    names = [objective.name for objective in record.objectives]
    assert names == ["a", "c"]
    assert [step.cost for step in record.steps] == [checkpoint.cost for checkpoint in snapshot.history]
    for step, checkpoint in zip(record.steps, snapshot.history, strict=True):
        todays = [point for point in checkpoint.front if not point.is_earlier]
        assert [design.x for design in step.front] == [(p.measured or p.predicted)["a"] for p in todays]
        assert [design.is_verified for design in step.front] == [p.verified for p in todays]
    runs = [run for step in record.steps for run in step.runs]
    assert [run.trial for run in runs] == list(range(10))
    assert [run.z for run in runs] == [float(i % 2) for i in range(10)]
    assert [(run.x, run.y) for run in runs] == [(t.values["a"], t.values["c"]) for t in snapshot.trials]


def test_the_axes_hold_every_front(snapshot: Snapshot) -> None:
    record = replay_record(snapshot)
    for step in record.steps:
        assert all(record.x_range[0] < design.x < record.x_range[1] for design in step.front)
        assert all(record.y_range[0] < design.y < record.y_range[1] for design in step.front)
    reading = replay_reading(record)
    assert "10 steps from 1 trial to 10." in reading  # how many designs a front has the thinned ones do not tell
    assert "to see c against a" in reading


def test_one_objective_has_nothing_to_replay() -> None:
    study = Study(Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])]))
    study.add({"x": 0.5}, {}, {"f": 1.0})
    assert replay_record(study.snapshot()).steps == ()


def point(*values: float) -> ParetoPoint:
    named = dict(zip("abc", values, strict=True))
    return ParetoPoint({}, named, named, None)


def test_objectives_most_at_odds_come_first_whatever_their_goals() -> None:
    objectives = [ObjectiveRecord("a", "minimize"), ObjectiveRecord("b", "maximize"), ObjectiveRecord("c", "minimize")]
    front = [point(1.0, 1.0, 9.0), point(2.0, 20.0, 4.0), point(3.0, 300.0, 5.0)]
    # Ranks of the goals: a falls as b rises (-1); a and c trade for ranks 2, 1, 0 against 0, 2, 1 (-0.5).
    assert trading_pairs(objectives, front) == [(0, 1), (0, 2), (1, 2)]
    alike = [point(1.0, 1.0, 1.0)] * 3
    assert trading_pairs(objectives, alike) == trading_pairs(objectives, front[:1]) == [(0, 1), (0, 2), (1, 2)]
