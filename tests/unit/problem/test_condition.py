"""Constraints on parameters: what may be written, where they hold, and by how much they do not."""

import numpy as np
import pytest

from imoca.errors import ProblemError
from imoca.problem.condition import Condition
from imoca.problem.parameters import Choice, Integer, Parameter, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.studyfile import problem_from_toml, problem_to_toml

A, B = np.array([0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.5, 0.6, -1.0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b <= 1", [True, True, False, True]),
        ("a + b < 1", [True, False, False, True]),
        ("1 >= a + b", [True, True, False, True]),
        ("1 > a + b", [True, False, False, True]),
        ("0 < a + b <= 1", [False, True, False, False]),
        ("sqrt(b) <= 9", [True, True, True, False]),  # of a negative number it is no number
        ("max(a, b) ** 2 < 0.3", [True, True, False, False]),
    ],
)
def test_where_a_condition_holds(text: str, expected: list[bool]) -> None:
    condition = Condition(text)
    assert condition.holds({"a": A, "b": B}).tolist() == expected
    excess = condition.excess({"a": A, "b": B})
    assert (excess[np.array(expected)] == 0.0).all()
    assert np.isfinite(excess).all()


def test_the_excess_is_what_is_missing() -> None:
    np.testing.assert_allclose(Condition("0.2 <= a + b <= 1").excess({"a": A, "b": B}), [0.2, 0.0, 0.1, 0.2])


@pytest.mark.parametrize(
    "text",
    ["a + b", "a == b", "a != 1", "a <= ", "a <= b or b <= a", "a in b", "__import__('os') <= 1", "a.x < 1", "", 3],
)
def test_what_is_no_comparison_of_expressions_is_refused_with_an_example(text: object) -> None:
    with pytest.raises(ProblemError) as caught:
        Condition(text)  # type: ignore[arg-type]
    assert "x1 + x2 <= 1" in caught.value.hint


def make_problem(*constraints: str) -> Problem:
    parameters: list[Parameter] = [
        Real("x", 0.0, 2.0),
        Real("width", 1.0, 100.0, log=True),
        Integer("n", 1, 5),
        Choice("skin", ["al", "cf"]),
    ]
    return Problem(parameters, [Simulator("s", [Objective("f", "minimize")])], constraints=constraints)


@pytest.mark.parametrize(("text", "culprit"), [("y <= 1", "y"), ("skin <= 1", "skin"), ("1 <= 2", "no parameter")])
def test_only_numeric_parameters_may_be_named(text: str, culprit: str) -> None:
    with pytest.raises(ProblemError, match=culprit) as caught:
        make_problem(text)
    assert "['x', 'width', 'n']" in caught.value.hint


def test_one_text_instead_of_a_list_is_refused() -> None:
    with pytest.raises(ProblemError):
        Problem([Real("x", 0.0, 2.0)], [Simulator("s", [Objective("f", "minimize")])], constraints="x <= 1")


def test_designs_are_judged_by_their_decoded_values(rng: np.random.Generator) -> None:
    problem = make_problem("x * n <= 4", "width > 10 * x")
    x = problem.space.from_unit(rng.random((300, 4)))
    designs = [problem.space.decode(row) for row in x]
    expected = [d["x"] * d["n"] <= 4 and d["width"] > 10 * d["x"] for d in designs]  # type: ignore[operator]
    assert problem.space.is_allowed(x).tolist() == expected
    assert 0 < sum(expected) < 300
    np.testing.assert_array_equal(problem.space.excess(x) == 0.0, expected)


def test_constraints_on_parameters_survive_the_study_file_and_tell_problems_apart() -> None:
    problem = make_problem("x * n <= 4")
    assert 'constraints = [\n    "x * n <= 4",\n]' in problem_to_toml(problem)
    assert problem_from_toml(problem_to_toml(problem)) == problem
    assert problem != make_problem()
    assert problem.with_simulators(problem.simulators) == problem
