"""The first questions, by hand."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import qmc

from imoca.methods.initial_design import candidate, initial_question, initial_size, sobol_designs
from imoca.methods.settings import InitialDesign
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Parameter, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator


def make_problem(d: int) -> Problem:
    simulators = [
        Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(10.0, 20.0), cost="z"),
        Simulator("t", [Objective("g", "minimize")], fidelity=Fidelity.levels(["coarse", "fine"]), cost=[1.0, 9.0]),
    ]
    return Problem([Real(f"x{i}", -2.0, 2.0) for i in range(d)], simulators)


@pytest.mark.parametrize(
    ("design", "d", "size"),
    [
        *[("cheap", 2, 10 + 1), ("cheap", 4, 10 + 1), ("cheap", 7, 16 + 1), ("cheap", 20, 30 + 1)],
        *[("paper", 2, 6), ("paper", 5, 6), ("paper", 9, 10), ("target", 2, 6), ("target", 9, 10)],
    ],
)
def test_the_number_of_first_questions_by_hand(design: InitialDesign, d: int, size: int) -> None:
    assert initial_size(make_problem(d), design) == size


def test_the_designs_of_the_cheap_and_the_target_start_are_the_same_sobol_set() -> None:
    problem = make_problem(3)
    expected = -2.0 + 4.0 * qmc.Sobol(3, rng=np.random.default_rng(5)).random_base2(4)
    for design in ("cheap", "target"):
        questions = [initial_question(problem, design, number, seed=5) for number in range(16)]
        found: list[list[Any]] = [[question.parameters[f"x{i}"] for i in range(3)] for question in questions]
        np.testing.assert_allclose(found, expected)


def test_fidelities_of_the_first_questions() -> None:
    problem = make_problem(2)
    cheap = [initial_question(problem, "cheap", number, seed=0).fidelities for number in range(12)]
    assert cheap[0] == {"s": pytest.approx(17.0), "t": "fine"}
    assert cheap[1:] == [{"s": 10.0, "t": "coarse"}] * 11
    assert initial_question(problem, "target", 3, seed=0).fidelities == {"s": 20.0, "t": "fine"}


def test_the_paper_start_draws_designs_and_fidelities_evenly_each_simulator_its_own() -> None:
    problem = make_problem(2)
    questions = [initial_question(problem, "paper", number, seed=1) for number in range(200)]
    x, z = (np.array([[q.parameters["x0"], q.fidelities["s"]] for q in questions])).T.astype(float)
    assert abs(x.mean()) < 0.35  # four standard errors of the mean of 200 uniform draws on [-2, 2]
    assert abs(z.mean() - 15.0) < 0.85
    assert {q.fidelities["t"] for q in questions} == {"coarse", "fine"}
    assert any(q.fidelities["t"] == "fine" and s < 12.0 for q, s in zip(questions, z, strict=True))


def test_another_seed_asks_elsewhere_and_the_same_one_asks_the_same() -> None:
    problem = make_problem(2)
    for design in ("cheap", "paper", "target"):
        first, again, other = (initial_question(problem, design, 4, seed) for seed in (1, 1, 2))
        assert first == again
        assert first.parameters != other.parameters


@pytest.mark.parametrize("n", [1, 5, 16])
def test_so_many_sobol_designs_as_asked_for_on_the_nodes_of_the_space(n: int, rng: np.random.Generator) -> None:
    parameters: list[Parameter] = [Real("a", 0.0, 1.0), Integer("n", 0, 3), Choice("c", ["x", "y"])]
    problem = Problem(parameters, [Simulator("s", [Objective("f", "minimize")])])
    designs = sobol_designs(problem, n, rng)
    assert designs.shape == (n, problem.space.n_columns)
    np.testing.assert_array_equal(problem.space.snap(designs), designs)


def test_a_candidate_is_in_the_users_own_words() -> None:
    asked = candidate(make_problem(2), np.array([0.25, 1.0]), np.array([0.3, 0.6]), {"f": (1.0,)})
    assert asked.parameters == {"x0": -1.0, "x1": 2.0}
    assert asked.fidelities == {"s": 13.0, "t": "fine"}
    assert asked.fitted == {"f": (1.0,)}


def test_every_source_is_tried_once_before_the_first_is_run_at_many_designs() -> None:
    simulators = [
        Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(10.0, 20.0), cost="z"),
        Simulator(
            "t", [Objective("g", "minimize")], fidelity=Fidelity.sources(["a", "b", "c", "d"]), cost=[1, 2, 3, 4]
        ),
    ]
    problem = Problem([Real("x", 0.0, 1.0)], simulators)
    asked = [initial_question(problem, "cheap", number, 0).fidelities for number in range(4)]
    assert [each["t"] for each in asked] == ["b", "c", "a", "a"]
    assert [each["s"] for each in asked] == [17.0, 10.0, 10.0, 10.0]
    assert initial_size(problem, "cheap") == 10 + 2
