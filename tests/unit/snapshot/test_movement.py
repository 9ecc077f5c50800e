"""Whether the front still moves: which questions are looked at, what their fronts lack, and what follows."""

from pathlib import Path

import numpy as np
import pytest
from deciding import believe, trial_at

from imoca import Constraint, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.methods.fronts import front_of_means
from imoca.pareto.search import Front
from imoca.snapshot import Snapshot
from imoca.snapshot import movement as module
from imoca.snapshot.movement import EFFORT, MOST_MOVED, Movement, _lacking, movement, watched
from imoca.trials import Answer, Promise, Trial, TrialTable


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


@pytest.fixture(scope="module")
def searched() -> Study:
    """Far enough that the front has settled, nothing at full accuracy."""
    study = Study(PROBLEM, n_fronts=2, verify=0.0)
    study.optimize(trials=30, progress=False)
    assert not len(study.table().verified)
    return study


def remembering(n_without: int, n_with: int) -> TrialTable:
    x = np.linspace(0.0, 1.0, n_without + n_with)
    fitted: list[dict[str, tuple[float, ...]]] = [{}] * n_without + [{"l": (1.0,), "r": (1.0,)}] * n_with
    trials = [
        trial_at(PROBLEM, i, x[i : i + 1], [0.0, 0.0], Answer({"l": 0.0, "r": 0.0}), fitted[i]) for i in range(len(x))
    ]
    return TrialTable.encode(PROBLEM, trials)


def test_questions_are_looked_at_from_a_quarter_of_the_cost_ago_to_the_last() -> None:
    table = remembering(10, 41)
    spent = np.arange(1.0, 52.0)  # 50 when the last was asked
    rows = watched(table, spent)
    assert rows[-1] == 50
    assert spent[rows[0] - 1] <= 0.75 * 50.0 < spent[rows[0]]
    assert len(rows) == 6
    assert np.ptp(np.diff(rows)) <= 1


def test_where_questions_are_dear_some_are_looked_at_all_the_same() -> None:
    table = remembering(10, 8)
    spent = 100.0 ** np.arange(18.0)
    assert watched(table, spent) == [12, 13, 14, 15, 16, 17]
    assert watched(remembering(10, 5), spent[:15]) == []  # too few
    assert watched(remembering(10, 41), np.arange(1.0, 52.0) + 1000.0) == []  # the search has hardly begun


def test_what_designs_lack_is_the_share_of_the_hypervolume_that_they_leave_uncovered(rng: np.random.Generator) -> None:
    """By counting random points."""
    x = rng.random((15, 1))
    trials = [
        trial_at(
            PROBLEM, i, x[i], [1.0, 1.0], Answer({"l": left(float(x[i, 0]), 1.0), "r": right(float(x[i, 0]), 1.0)})
        )
        for i in range(15)
    ]
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    front = front_of_means(beliefs, beliefs.lacking, rng.random((200, 1)), EFFORT, rng)
    sets = [np.array([[0.3], [0.5]]), np.array([[0.25], [0.45], [0.7]]), front.x[::2]]
    usual = np.array([np.quantile(data.values, 0.25) for data in beliefs.data])
    low = np.minimum(usual, front.values.min(axis=0) - 0.1 * np.ptp(front.values, axis=0))
    points = rng.uniform(low, front.values.max(axis=0) + 0.01, (100_000, 2))

    def n_covered(values: np.ndarray) -> int:
        is_below = np.array([(points <= value).all(axis=1) for value in values])
        return int(is_below.any(axis=0).sum())

    values = [beliefs.means_at_target(each) for each in sets]
    whole = n_covered(np.concatenate([front.values, *values]))
    expected = [1.0 - n_covered(each) / whole for each in values]
    for each, share in zip(sets, expected, strict=True):
        assert _lacking(beliefs, front, [each]) == pytest.approx(share, abs=0.01)
    assert _lacking(beliefs, front, sets) == pytest.approx(max(expected), abs=0.01)
    assert _lacking(beliefs, Front(front.x, front.values), [front.x]) == pytest.approx(0.0, abs=1e-9)
    assert _lacking(beliefs, front, [front.x, front.x[:0]]) == 1.0  # there was none a while ago


def test_a_front_at_rest_is_settled_only_with_a_witness(searched: Study) -> None:
    table = searched.table()
    found = movement(table)
    assert found.share is not None
    assert found.share <= MOST_MOVED
    assert (found.has_ended, found.is_settled) == (True, False)
    assert "no design that was chosen was run at full accuracy" in found.words
    x = np.array([0.5])
    answer = Answer({"l": left(0.5, 1.0), "r": right(0.5, 1.0)})
    added = trial_at(PROBLEM, len(table), x, [1.0, 1.0], answer)  # old data says nothing of what was chosen
    assert not movement(TrialTable.encode(PROBLEM, [*table.trials, added])).is_settled
    chosen = trial_at(PROBLEM, len(table), x, [1.0, 1.0], answer, dict(table.trials[-1].fitted))
    settled = movement(TrialTable.encode(PROBLEM, [*table.trials, chosen]))
    assert settled.is_settled
    assert settled.words.startswith("the front moved by")


def test_an_answer_that_contradicts_the_front_sets_it_in_motion(searched: Study) -> None:
    """Both objectives are far better at a place that no front held than all cheap runs said."""
    table = searched.table()
    better = Answer({"l": -0.5, "r": -0.5})
    fitted = dict(table.trials[-1].fitted)
    verified = trial_at(PROBLEM, len(table), np.array([0.0]), [1.0, 1.0], better, fitted)
    found = movement(TrialTable.encode(PROBLEM, [*table.trials, verified]))
    assert found.share is not None
    assert found.share > 10 * MOST_MOVED
    assert not found.is_settled
    assert "more than 2.5 %" in found.words


def test_it_is_the_same_after_a_restart(searched: Study, tmp_path: Path) -> None:
    with Study(PROBLEM, n_fronts=2, verify=0.0, storage=tmp_path / "study.db") as study:
        study.optimize(trials=30, progress=False)
        found = study.snapshot().movement
    with Study.load(tmp_path / "study.db", read_only=True) as again:
        assert again.snapshot().movement == found
    assert found == searched.snapshot().movement


def test_one_absurd_answer_neither_settles_a_front_nor_sets_it_in_motion(searched: Study) -> None:
    table = searched.table()
    absurd = trial_at(PROBLEM, len(table), np.array([0.513]), [0.0, 0.0], Answer({"l": 1e6, "r": 0.1}))
    better = Answer({"l": -0.5, "r": -0.5})
    contrary = trial_at(PROBLEM, len(table) + 1, np.array([0.0]), [1.0, 1.0], better, dict(table.trials[-1].fitted))
    at_rest, moving = [
        movement(TrialTable.encode(PROBLEM, [*table.trials, absurd, *each])).share for each in ((), (contrary,))
    ]
    assert at_rest is not None
    assert moving is not None
    assert at_rest == pytest.approx(movement(table).share, abs=0.01)
    assert moving > 10 * MOST_MOVED


def test_an_impossible_answer_witnesses_nothing(searched: Study) -> None:
    table = searched.table()
    fitted = dict(table.trials[-1].fitted)
    absurd = trial_at(PROBLEM, len(table), np.array([0.513]), [1.0, 1.0], Answer({"l": 1e6, "r": 0.1}), fitted)
    trials = TrialTable.encode(PROBLEM, [*table.trials, absurd])
    found = movement(trials)
    assert (found.has_ended, found.is_verified, found.is_settled) == (True, False, False)
    trusted = searched.snapshot().verdict.trusted
    snapshot = Snapshot(searched.method, searched.seed, trials)
    assert trusted.line == "not yet: 0 designs at full accuracy, so that all of it is prediction"
    assert snapshot.n_full == sum(point.verified for point in snapshot.front_of_today) == 0
    assert snapshot.verdict.trusted.line == (
        "not yet: 0 designs at full accuracy (1 more gave an impossible answer), so that all of it is prediction"
    )


def test_the_cost_of_verification_is_no_part_of_the_stretch(searched: Study) -> None:
    table = searched.table()
    found = movement(table)
    asked = trial_at(PROBLEM, 20, np.array([0.5]), [1.0, 1.0], Answer({"l": left(0.5, 1.0), "r": right(0.5, 1.0)}))
    verified = Trial(
        20, asked.parameters, asked.fidelities, table.trials[-1].fitted, asked.answer, promised={"l": Promise(0, 0, 0)}
    )
    after = movement(TrialTable.encode(PROBLEM, [*table.trials, verified]))
    assert after.cost <= found.cost


def test_without_memory_nothing_can_be_told() -> None:
    study = Study(PROBLEM, method="random")
    study.optimize(trials=30, progress=False)
    found = study.snapshot().movement
    assert (found.share, found.has_ended, found.is_settled) == (None, False, False)
    assert Movement(None, 0.0, True).words == "too few questions were asked by a model to tell"
    assert movement(TrialTable.encode(PROBLEM, [])).share is None


def test_where_no_design_is_likely_to_be_feasible_there_is_no_front_to_settle() -> None:
    outputs: list[Objective | Constraint] = [
        *(Objective("l", "minimize"), Objective("r", "minimize")),
        Constraint("c", upper=-1.0),
    ]

    def run(x: float, z: float) -> dict[str, float]:
        return {"l": left(x, z), "r": right(x, z), "c": 1.0 + x * x - 0.02 * z}

    simulator = Simulator("s", outputs, run, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z")
    study = Study(Problem([Real("x", 0.0, 1.0)], [simulator]), n_fronts=2)
    study.optimize(trials=21, progress=False)
    snapshot = study.snapshot()
    assert (snapshot.front, snapshot.movement.is_settled) == ((), False)
    assert snapshot.movement.words == "there is no front yet: no design is likely to be feasible"
    assert snapshot.verdict_for(None).next_step.verb == "run"


def test_of_one_objective_there_is_a_front_too() -> None:
    problem = Problem([Real("x", 0.0, 1.0)], PROBLEM.simulators[:1])
    study = Study(problem, n_fronts=2)
    study.optimize(trials=19, progress=False)
    found = study.snapshot().movement
    assert found.share is not None
    assert 0.0 <= found.share <= 1.0


def test_of_very_many_answers_a_part_judges(searched: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    by_all = movement(searched.table())
    monkeypatch.setattr(module, "MOST_OBSERVATIONS", 12)
    found = movement(searched.table())
    assert found.share is not None
    assert found != by_all
