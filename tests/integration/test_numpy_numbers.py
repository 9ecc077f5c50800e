"""NumPy's numbers pass wherever Python's do, become plain ones, and its booleans pass no more easily than Python's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import (
    Choice,
    Command,
    Constraint,
    Fidelity,
    ImocaError,
    Integer,
    Objective,
    Problem,
    Real,
    Simulator,
    Study,
    TrialState,
)
from imoca.studyfile import problem_to_toml

PLAIN = (str, int, float, bool, type(None))


def runs(n: int, x: float, mesh: int, z: float) -> tuple[np.float32, np.float64]:
    return np.float32(n * x + z), np.float64(2.0)


def loads(n: int, x: float, mesh: int, z: int) -> dict[str, Any]:
    return {"load": np.int16(n), "drift": np.float16(x)}


def make_problem(number: Callable[[float], Any], whole: Callable[[int], Any]) -> Problem:
    """The same problem whichever kind of numbers it is declared with."""
    return Problem(
        [
            Integer("n", whole(1), whole(9)),
            Real("x", number(0.5), number(4.0), log=True),
            Choice("mesh", [whole(8), whole(16), whole(32)]),
        ],
        [
            Simulator(
                "runs",
                [Objective("time", "minimize")],
                runs,
                fidelity=Fidelity.continuous(number(0.25), number(2.0), target=number(0.25)),
                cost="measured",
                full_cost=number(2.0),
            ),
            Simulator(
                "loads",
                [Objective("load", "maximize", low=whole(0)), Objective("drift", "minimize", high=number(64.5))],
                loads,
                fidelity=Fidelity.levels([whole(2), whole(4)]),
                cost=[number(0.5), number(1.5)],
                full_cost=whole(3),
                retries=whole(2),
            ),
        ],
    )


def scalars(content: object) -> Iterator[object]:
    """Every number, word and None inside trials, answers and designs."""
    if isinstance(content, Mapping):
        content = tuple(content.values())
    if isinstance(content, tuple | list):
        for each in content:
            yield from scalars(each)
    else:
        yield content


def told(study: Study) -> list[object]:
    return [
        each
        for t in study.trials
        for each in scalars((t.number, t.parameters, t.fidelities, t.values, t.costs, t.failures))
    ]


@pytest.mark.parametrize("number", [np.float64, np.float32, np.float16, np.longdouble])
@pytest.mark.parametrize("whole", [np.int64, np.int8, np.uint16])
def test_a_problem_declared_with_numpy_numbers_is_the_same_problem(number: Any, whole: Any) -> None:
    problem, plain = make_problem(number, whole), make_problem(float, int)
    assert problem == plain
    assert repr(problem) == repr(plain)  # np.int64(3) == 3, but they are not written alike
    assert problem_to_toml(problem) == problem_to_toml(plain)


def test_a_constraint_and_a_timeout_given_by_numpy_are_plain() -> None:
    constraint = Constraint("stress", np.int64(-3), np.float32(240.0))  # type: ignore[arg-type]
    solver = Simulator("s", [Objective("f", "minimize"), constraint], Command(["a"]), timeout=np.int64(60))  # type: ignore[arg-type]
    assert repr((constraint.lower, constraint.upper, solver.timeout)) == "(-3.0, 240.0, 60.0)"


def test_the_logarithm_of_an_objective_may_be_declared_by_numpy() -> None:
    assert repr(Objective("f", "minimize", log=np.True_)) == repr(Objective("f", "minimize", log=True))  # type: ignore[arg-type]


def test_bounds_that_overflow_in_their_own_type_are_compared_as_numbers() -> None:
    assert Integer("n", np.int8(-128), np.int8(127)).high - 1 == 126  # type: ignore[arg-type]
    assert Real("x", np.int8(-100), np.int8(100)).low == -100.0  # type: ignore[arg-type]
    assert Fidelity.continuous(np.float16(-6e4), np.float16(6e4)).high > 5e4  # type: ignore[arg-type]


def test_a_study_takes_numpy_numbers_and_keeps_plain_ones(tmp_path: Path, until_the_end: ExitStack) -> None:
    path = tmp_path / "numbers.db"
    settings: dict[str, Any] = {"seed": np.int64(7), "n_fronts": np.int64(2), "fidelity_reduction": np.True_}
    study = until_the_end.enter_context(Study(make_problem(np.float64, np.int64), storage=path, **settings))
    first, second, third = study.ask(np.int64(3))  # type: ignore[call-overload]
    values: dict[str, Any] = {"time": np.float32(0.5), "load": np.int64(3), "drift": np.float64(0.25)}
    study.tell(first, values, {"runs": np.float32(1.5), "loads": np.int64(2)})  # type: ignore[dict-item]
    study.tell(np.int64(second.number), values, {"runs": np.uint8(3)})  # type: ignore[arg-type, dict-item]
    study.fail(np.uint8(third.number), "diverged", {"runs": np.int32(1)})  # type: ignore[arg-type, dict-item]
    study.add(
        {"n": np.int64(3), "x": np.float32(0.75), "mesh": np.int16(16)},  # type: ignore[dict-item]
        {"runs": np.float32(0.5), "loads": np.int64(2)},  # type: ignore[dict-item]
        values,
        {"runs": np.float64(2.0)},
    )
    assert {type(each) for each in told(study)} <= set(PLAIN)
    assert [trial.state for trial in study.trials].count(TrialState.FAILED) == 1
    assert study.trials[3].parameters == {"n": 3, "x": 0.75, "mesh": 16}
    loaded = until_the_end.enter_context(Study.load(path))
    assert loaded.trials == study.trials
    assert (loaded.seed, type(study.seed)) == (7, int)
    again = until_the_end.enter_context(
        Study(make_problem(float, int), seed=7, storage=path, n_fronts=2, fidelity_reduction=True)
    )
    assert again.trials == study.trials


def test_a_study_asks_the_same_whichever_kind_of_numbers_it_is_told() -> None:
    studies = []
    kinds: list[tuple[Any, Any]] = [(float, int), (np.float64, np.int64)]
    for number, whole in kinds:
        study = Study(make_problem(number, whole), seed=whole(3), method="imoca-t", n_fronts=whole(2))
        for i in range(13):
            answer = {"time": number(1.0 / (i + 1)), "load": whole(i % 5), "drift": number(i / 8)}
            study.tell(study.ask(), answer, {"runs": number(1.0 + i / 4)})
        studies.append(study)
    assert studies[0].ask() == studies[1].ask()


@pytest.mark.parametrize("workers", [None, pytest.param(np.int64(1), marks=pytest.mark.slow)])
def test_budget_time_and_workers_may_be_numpy_numbers(workers: Any) -> None:
    study = Study(make_problem(float, int), method="random")
    study.optimize(np.int64(12), time=np.float32(300.0), workers=workers)  # type: ignore[arg-type]
    assert study.cost_spent >= 12.0
    assert {type(each) for each in told(study)} <= set(PLAIN)


BOOLEANS: list[Callable[[Any], Any]] = [
    lambda true: Integer("n", true, 9),
    lambda true: Integer("n", 0, 9).check(true),
    lambda true: Real("x", 0.0, true),
    lambda true: Real("x", 0.0, 1.0).check(true),
    lambda true: Choice("c", [1, 2]).check(true),
    lambda true: Fidelity.continuous(0.0, true),
    lambda true: Fidelity.continuous(0.0, 1.0, target=true),
    lambda true: Fidelity.continuous().encode(true),
    lambda true: Fidelity.levels([0, true]),
    lambda true: Fidelity.levels([1, 2]).encode(true),
    lambda true: Constraint("g", upper=true),
    lambda true: Objective("f", "minimize", low=true),
    lambda true: Objective("f", "minimize", high=true),
    lambda true: Simulator("s", [Objective("f", "minimize")], full_cost=true),
    lambda true: Simulator("s", [Objective("f", "minimize")], cost=true),
    lambda true: Simulator("s", [Objective("f", "minimize")], Command(["a"]), timeout=true),
    lambda true: Simulator("s", [Objective("f", "minimize")], Command(["a"]), retries=true),
    lambda true: one_output(seed=true),
    lambda true: one_output(n_fronts=true),
    lambda true: one_output().ask(true),
    lambda true: one_output().tell(true, {"f": 1.0}),
    lambda true: one_output().fail(true, "no"),
    lambda true: one_output().add({"x": 0.5}, {}, {"f": true}),
    lambda true: one_output().add({"x": true}, {}, {"f": 1.0}),
    lambda true: one_output().add({"x": 0.5}, {}, {"f": 1.0}, {"s": true}),
    lambda true: one_output().optimize(true),
    lambda true: one_output().optimize(time=true),
    lambda true: one_output().optimize(1.0, workers=true),
]


@pytest.mark.parametrize("true", [True, np.True_])
@pytest.mark.parametrize("call", BOOLEANS)
def test_true_is_no_number(call: Callable[[Any], Any], true: Any) -> None:
    with pytest.raises(ImocaError, match="True"):
        call(true)


@pytest.mark.parametrize("half", [1.5, np.float64(1.5), np.float64(2.0), 2.0])
def test_what_counts_is_an_integer_by_its_type(half: Any) -> None:
    for call in (
        lambda: one_output(seed=half),
        lambda: one_output(n_fronts=half),
        lambda: one_output().ask(half),
        lambda: one_output().tell(half, {"f": 1.0}),
        lambda: one_output().optimize(1.0, workers=half),
    ):
        with pytest.raises(ImocaError, match=str(half)):
            call()


def test_a_seed_may_have_more_digits_than_a_float() -> None:
    assert one_output(seed=2**127 + 1).seed == 2**127 + 1


def square(x: float) -> float:
    return x * x


def one_output(**settings: Any) -> Study:
    solver = Simulator("s", [Objective("f", "minimize")], square)
    return Study(Problem([Real("x", 0.0, 1.0)], [solver]), **settings)
