"""Designs that hold the constraints on parameters: spread over large parts of the space, found in small ones."""

import numpy as np
import pytest
from deciding import suggest, trial_at

from imoca import Fidelity, ImocaError, Integer, Objective, Problem, Real, Simulator, Study
from imoca.acquisition.maximise import maximise
from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.methods.allowed_designs import check_some_are_allowed
from imoca.methods.initial_design import sobol_designs
from imoca.methods.registry import get_method, method_names
from imoca.problem.parameters import Parameter
from imoca.trials import Answer, Trial


def make_problem(*constraints: str, outputs: int = 2) -> Problem:
    parameters: list[Parameter] = [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0), Integer("n", 0, 4)]
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j in range(outputs)
    ]
    return Problem(parameters, simulators, constraints=constraints)


def test_the_first_allowed_points_of_the_sequence_however_many_are_wanted() -> None:
    free, bound = make_problem(), make_problem("a + b <= 0.5")
    every = sobol_designs(free, 1024, np.random.default_rng(3))
    expected = every[bound.space.is_allowed(every)]
    for n in (1, 5, 60):
        np.testing.assert_array_equal(sobol_designs(bound, n, np.random.default_rng(3)), expected[:n])


@pytest.mark.parametrize("text", ["0.31 <= a * b + n <= 0.3101", "3.999 <= a + b + 0.5 * n"])
def test_a_tiny_part_of_the_space_is_found_and_explored(text: str) -> None:
    problem = make_problem(text)
    x = sobol_designs(problem, 40, np.random.default_rng(0))
    assert problem.space.is_allowed(x).all()
    assert len(np.unique(x, axis=0)) > 20
    np.testing.assert_array_equal(sobol_designs(problem, 12, np.random.default_rng(0)), x[:12])


def test_what_no_design_holds_is_an_error_in_words_before_anything_is_asked() -> None:
    with pytest.raises(ProblemError, match=r"No design was found that satisfies 'a \+ b > 2.5'"):
        Study(make_problem("a + b > 2.5"))
    check_some_are_allowed(make_problem().space)


def answer(problem: Problem, x: Array) -> Answer:
    return Answer({each.name: float(np.sin(3.0 * x + j).sum()) for j, each in enumerate(problem.objectives)})


@pytest.mark.parametrize("method", method_names())
def test_no_question_of_any_method_violates_a_constraint_on_parameters(method: str) -> None:
    """Both objectives are better outside, and the boundary is curved, so that every search is drawn beyond it."""
    problem = make_problem("a ** 2 + b ** 2 <= 0.3", "n + 4 * a <= 4")
    trials: list[Trial] = []
    for number in range(22):
        question = suggest(get_method(method), problem, trials, 1)
        design = question.parameters
        assert design["a"] ** 2 + design["b"] ** 2 <= 0.3  # type: ignore[operator]
        assert design["n"] + 4 * design["a"] <= 4  # type: ignore[operator]
        x = problem.space.encode(design)
        values = answer(problem, x).values
        asked = [each.outputs[0].name for each in problem.simulators if each.name in question.fidelities]
        trials.append(Trial.asked(number, question, Answer({name: values[name] for name in asked})))


@pytest.mark.parametrize("method", ["imoca-p", "ehi", "sur"])
def test_a_constraint_on_parameters_that_always_holds_changes_no_question(method: str) -> None:
    questions = []
    for problem in (make_problem(), make_problem("a + b <= 9")):
        trials = [
            trial_at(problem, i, x, [1.0, 1.0], answer(problem, x))
            for i, x in enumerate(problem.space.snap(np.random.default_rng(2).random((12, 3))))
        ]
        question = suggest(get_method(method), problem, trials, 0)
        questions.append([*question.parameters.values(), *question.fidelities.values()])
    assert questions[1] == pytest.approx(questions[0], abs=1e-6)


def test_the_best_design_on_a_boundary_is_climbed_to() -> None:
    """Of a linear score below a circle the top is where its normal meets it."""
    space = make_problem("a ** 2 + b ** 2 <= 0.5").space

    def score(x: Array) -> tuple[Array, Array]:
        return x[:, 0] + 2.0 * x[:, 1], np.tile([1.0, 2.0, 0.0], (len(x), 1))

    starts = np.array([[0.1, 0.1, 0.0], [0.6, 0.1, 0.5]])
    x, value = maximise(score, starts, space)
    assert space.is_allowed(x[None])[0]
    assert value > 0.97 * np.sqrt(0.5 * 5.0)


def test_nothing_recommended_violates_a_constraint_on_parameters() -> None:
    problem = make_problem("a + b <= 0.7")
    with Study(problem, method="random", seed=0) as study:
        study.add({"a": 0.9, "b": 0.9, "n": 2}, {"s0": 1.0, "s1": 1.0}, {"f0": 99.0, "f1": 99.0})  # told, not asked
        for _ in range(12):
            trial = study.ask()
            study.tell(trial, answer(problem, problem.space.encode(trial.parameters)).values)
        front = study.pareto_front()
    assert len(front) > 3
    assert all(point.parameters["a"] + point.parameters["b"] <= 0.7 for point in front)  # type: ignore[operator]


def test_a_method_of_another_package_that_does_not_keep_to_them_says_so() -> None:
    with pytest.raises(ImocaError, match="'botorch-momf' does not keep to constraints on parameters"):
        Study(make_problem("a + b <= 0.7"), method="botorch-momf")


def test_neighbours_in_a_discrete_parameter_are_taken_as_far_as_they_are_allowed() -> None:
    space = make_problem("n + a <= 2").space

    def score(x: Array) -> tuple[Array, Array]:
        return x[:, 2].copy(), np.zeros_like(x)

    x, value = maximise(score, np.array([[0.0, 0.5, 0.0]]), space)
    assert space.decode(x)["n"] == 2
    assert value == 0.5
