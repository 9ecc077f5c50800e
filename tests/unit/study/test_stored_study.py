"""A study in a database: closed, opened, continued, edited."""

from pathlib import Path
from typing import Any

import pytest

from imoca import Choice, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.errors import ProblemError, StorageError, StudyMismatchError


def left(x: float, n: int, c: str, z: float) -> float:
    return (x - 0.2) ** 2 + 0.1 * (1 - z) + n


def right(x: float, n: int, c: str, z: float) -> float:
    return (x - 0.8) ** 2 + 0.1 * (1 - z) * x


def make_problem(
    high: float = 1.0, goal: Any = "minimize", run: Any = left, cost: Any = "0.1 + z", **simulator: Any
) -> Problem:
    return Problem(
        [Real("x", 0.0, high), Integer("n", 0, 3), Choice("c", ["a", "b"])],
        [
            Simulator("left", [Objective("l", goal)], run, fidelity=Fidelity.continuous(), cost=cost, **simulator),
            Simulator("right", [Objective("r", "minimize")], right, fidelity=Fidelity.continuous(), cost="0.1 + z"),
        ],
    )


def test_a_study_continues_where_it_was_left(tmp_path: Path) -> None:
    whole = Study(make_problem(), n_fronts=2)
    whole.optimize(8.0)
    for budget in (0.5, 3.0, 8.0):
        Study(make_problem(), n_fronts=2, storage=tmp_path / "study.db").optimize(budget)
    stored = Study.load(tmp_path / "study.db", read_only=True)
    assert stored.trials == whole.trials
    assert stored.cost_spent == whole.cost_spent
    assert stored.problem == make_problem()
    assert len(stored.runs) == 2 * len(stored.trials)
    assert stored.owner is None


@pytest.mark.parametrize(
    ("changes", "settings", "words"),
    [
        ({"high": 2.0}, {}, "parameters.x.high: was 1.0, now is 2.0"),
        ({"goal": "maximize"}, {}, "simulators.left.outputs.l: was 'minimize', now is 'maximize'"),
        ({"cost": "0.2 + z"}, {}, "simulators.left.cost: was '0.1 [+] z', now is '0.2 [+] z'"),
        ({}, {"seed": 1}, "study.seed: was 0, now is 1"),
        ({}, {"method": "imoca-e"}, "study.method: was 'imoca-p', now is 'imoca-e'"),
        ({}, {"n_fronts": 5}, "study.n_fronts: was absent, now is 5"),
    ],
)
def test_another_definition_is_refused_and_its_difference_shown(
    changes: dict[str, Any], settings: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "study.db"
    Study(make_problem(), storage=path).ask()
    with pytest.raises(StudyMismatchError, match=words):
        Study(make_problem(**changes), storage=path, **settings)
    assert Study.load(path).problem == make_problem()


def test_the_order_of_parameters_is_part_of_the_definition(tmp_path: Path) -> None:
    problem = make_problem()
    Study(problem, storage=tmp_path / "study.db")
    with pytest.raises(StudyMismatchError, match="order"):
        Study(Problem(problem.parameters[::-1], problem.simulators), storage=tmp_path / "study.db")


def test_how_a_simulator_is_started_may_change(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    Study(make_problem(), storage=path)
    Study(make_problem(run=right, timeout=60.0, retries=2), storage=path)
    changed = Study.load(path).problem.simulator("left")
    assert (changed.timeout, changed.retries) == (60.0, 2)


def test_a_function_that_cannot_be_imported_is_given_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    Study(make_problem(run=lambda x, n, c, z: x), storage=path).optimize(0.5)
    viewed = Study.load(path)
    assert viewed.problem.simulator("left").run is None
    with pytest.raises(ProblemError, match="nothing to run"):
        viewed.optimize(1.0)
    Study(make_problem(run=lambda x, n, c, z: x), storage=path).optimize(3.0)
    assert len(Study.load(path).trials) > 1


def test_a_cost_that_cannot_be_stored_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="cost"):
        Study(make_problem(cost=lambda z: 0.1 + z), storage=tmp_path / "study.db")


def test_loading_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no study"):
        Study.load(tmp_path / "none.db")
