"""What ``print(study)`` says, and what it does not do for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from imoca import Fidelity, FunctionReference, Objective, Problem, Real, Simulator, Study
from imoca.problem.cost import CallableCost
from imoca.storage.memory import MemoryStorage
from imoca.trials import Answer, Candidate


def make_problem(cost: Any = (1, 4), output: str = "mass") -> Problem:
    solver = Simulator("solver", [Objective(output, "minimize")], fidelity=Fidelity.levels([8, 16]), cost=cost)
    return Problem([Real("x", 0, 1)], [solver, Simulator("drag", [Objective("range", "maximize")])])


def test_a_new_study_says_what_it_is_about() -> None:
    assert repr(Study(make_problem(), method="random", seed=7)).splitlines() == [
        "Study of mass (minimize), range (maximize) by random, seed 7",
        "no trials yet, cost 0 full-fidelity runs",
        "kept in memory",
    ]


def test_trials_are_counted_by_state_with_what_they_cost() -> None:
    study = Study(make_problem(), method="random")
    study.add({"x": 0.5}, {"solver": 8}, {"mass": 1.0, "range": 2.0})
    assert str(study).splitlines()[1] == "1 trial (1 complete), cost 1.25 full-fidelity runs"
    study.fail(study.ask(), "blew up", cost={"solver": 4.0, "drag": 1.0})
    study.ask(2)
    assert str(study).splitlines()[1] == "4 trials (2 running, 1 complete, 1 failed), cost 3.25 full-fidelity runs"


def test_a_study_in_a_file_says_which_also_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "wing.db"
    with Study(make_problem(), storage=path) as study:
        assert repr(study).endswith(f"\nkept in {path}")
    assert repr(study) == f"Study in {path}, closed"


def test_a_measured_cost_is_not_fitted_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(make_problem("measured"), method="random")
    for x in (0.1, 0.5, 0.9):
        study.add({"x": x}, {"solver": 8}, {"mass": x, "range": x}, cost={"solver": 1.0 + x})
    monkeypatch.setattr("imoca.models.cost.learn_cost", forbidden)
    assert repr(study).splitlines()[1] == "3 trials (3 complete), cost as told by study.cost_spent"
    with pytest.raises(AssertionError, match="fitted"):
        _ = study.cost_spent


def test_a_cost_function_is_not_called_or_imported_for_it() -> None:
    for cost in (forbidden_cost, CallableCost(FunctionReference("no_such_module:cost"))):
        storage = MemoryStorage()
        study = Study(make_problem(cost), method="random", storage=storage)
        storage.add(Candidate({"x": 0.5}, {"solver": 8}), Answer({"mass": 1.0, "range": 2.0}))
        assert repr(study).splitlines()[1] == "1 trial (1 complete), cost as told by study.cost_spent"


def test_control_characters_in_a_name_do_not_reach_the_screen() -> None:
    assert r"ma\x1b[2Jss" in repr(Study(make_problem(output="ma\x1b[2Jss")))


def forbidden(*_: object, **__: object) -> None:
    raise AssertionError("a model was fitted")


def forbidden_cost(x: float, z: int) -> float:
    raise AssertionError(f"called at {x}, {z}")
