"""One contract for every method, and what sets each apart."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from deciding import suggest

from imoca import Study
from imoca.errors import MethodError
from imoca.methods.initial_design import initial_question, initial_size
from imoca.methods.level_beliefs import N_LEVELS
from imoca.methods.method import Method
from imoca.methods.registry import get_method, method_names
from imoca.methods.settings import InitialDesign, MethodSettings
from imoca.pareto.indicators import hypervolume
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Real, Value
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials.trial import Answer, Trial

AT_TARGET = ("mesmo", "parego", "smsego", "ehi", "sur", "pesmo", "random")  # methods that know no other fidelity
AT_LEVELS = ("mf-osemo-tg", "mf-osemo-ni")

WITHOUT_FRONTS = ("parego", "smsego", "ehi", "sur", "random")


def answer(problem: Problem, parameters: Mapping[str, Value], fidelities: Mapping[str, FidelityValue]) -> Answer:
    """Smooth functions of the encoded design; lower fidelities are biased."""
    x = problem.space.encode(parameters)
    values, costs = {}, {}
    for s, simulator in enumerate(problem.simulators):
        z = simulator.fidelity.encode(fidelities[simulator.name])
        for j, output in enumerate(simulator.outputs):
            values[output.name] = float(np.sin(3 * x + s + j).sum() + 0.2 * (1 - z) * x[0])
        if simulator.is_cost_measured:
            costs[simulator.name] = 10.0 ** (2 * z)
    return Answer(values, costs)


def made(method: str, n_fronts: int | None = None) -> Method:
    """With so many sampled fronts, where it samples any."""
    return get_method(method, MethodSettings(n_fronts=None if method in WITHOUT_FRONTS else n_fronts))


def run(problem: Problem, method: str, n: int, seed: int = 0, n_fronts: int | None = None) -> list[Trial]:
    recipe = made(method, n_fronts)
    trials: list[Trial] = []
    for number in range(n):
        candidate = suggest(recipe, problem, trials, seed)
        trials.append(Trial.asked(number, candidate, answer(problem, candidate.parameters, candidate.fidelities)))
    return trials


def continuous_problem(n_objectives: int = 2) -> Problem:
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z**2")
        for j in range(n_objectives)
    ]
    return Problem([Real("a", -1.0, 1.0), Real("b", 0.1, 10.0, log=True)], simulators)


def mixed_problem() -> Problem:
    return Problem(
        [Real("a", 0.0, 1.0), Integer("n", 1, 5), Choice("c", ["x", "y", "z"])],
        [
            Simulator(
                "cfd",
                [Objective("drag", "minimize"), Objective("lift", "maximize")],
                fidelity=Fidelity.levels(["coarse", "medium", "fine"]),
                cost=[1.0, 5.0, 30.0],
            ),
            Simulator("mass", [Objective("mass", "minimize")], full_cost=0.01),
            Simulator("noise", [Objective("noise", "minimize")], fidelity=Fidelity.continuous(), cost="measured"),
        ],
    )


@pytest.mark.parametrize("method", method_names())
@pytest.mark.parametrize("problem", [continuous_problem(), mixed_problem()], ids=["continuous", "mixed"])
def test_a_method_asks_valid_questions_and_repeats_them_from_the_same_seed(method: str, problem: Problem) -> None:
    design: InitialDesign = "target" if method in AT_TARGET else "cheap"
    n = initial_size(problem, design) + 2
    trials = run(problem, method, n, n_fronts=3)
    for trial in trials:
        problem.space.check(trial.parameters)
        for simulator in problem.simulators:
            assert 0.0 <= simulator.fidelity.encode(trial.fidelities[simulator.name]) <= 1.0
    again = suggest(made(method, 3), problem, trials[:-1], 0)
    assert (again.parameters, again.fidelities) == (trials[-1].parameters, trials[-1].fidelities)


@pytest.mark.parametrize("n_objectives", [1, 3, 5])
@pytest.mark.parametrize("method", ["imoca-t", "imoca-e", "imoca-p"])
def test_any_number_of_objectives_will_do(n_objectives: int, method: str) -> None:
    problem = continuous_problem(n_objectives)
    assert run(problem, method, initial_size(problem, "cheap") + 1, n_fronts=2)[-1].fitted


@pytest.mark.parametrize("n_objectives", [1, 3, 5])
@pytest.mark.parametrize("method", [*AT_TARGET, *AT_LEVELS])
def test_baselines_take_any_number_of_objectives(n_objectives: int, method: str) -> None:
    problem = continuous_problem(n_objectives)
    n = initial_size(problem, "target" if method in AT_TARGET else "cheap") + 1
    trials = run(problem, method, n, n_fronts=2)
    x = np.array([problem.space.encode(trial.parameters) for trial in trials])
    distances = np.linalg.norm(x[:-1] - x[-1], axis=1)
    assert distances.min() > 1e-3  # nothing is asked twice


@pytest.mark.parametrize("method", AT_LEVELS)
def test_multi_level_methods_ask_at_their_levels_only(method: str) -> None:
    problem = continuous_problem()
    trials = run(problem, method, initial_size(problem, "cheap") + 3, n_fronts=3)
    asked: set[Any] = {value for trial in trials for value in trial.fidelities.values()}
    assert asked <= set(np.linspace(0.0, 1.0, N_LEVELS))
    assert min(asked) == 0.0


@pytest.mark.parametrize("method", ["parego", "smsego", "ehi", "sur", "pesmo", *AT_LEVELS])
def test_baselines_do_not_ask_a_pending_question_again(method: str) -> None:
    problem = continuous_problem()
    recipe = made(method, 4)
    trials = run(problem, method, initial_size(problem, "target" if method in AT_TARGET else "cheap"), n_fronts=4)
    first = suggest(recipe, problem, trials, 0)
    second = suggest(recipe, problem, [*trials, Trial.asked(len(trials), first)], 0)
    gap = problem.space.encode(first.parameters) - problem.space.encode(second.parameters)
    assert np.linalg.norm(gap) > 1e-3 or first.fidelities != second.fidelities


def two_bumps(x: np.ndarray) -> np.ndarray:  # (n, 2) -> (n, 2)
    """The front is the segment between the tops."""
    tops = np.array([[0.6, 0.3], [0.9, 0.3]])
    return np.exp(-12.0 * ((x[:, None] - tops) ** 2).sum(axis=2))


def hypervolume_reached(method: str, n: int) -> float:
    problem, recipe = continuous_problem(), made(method, 5)
    trials: list[Trial] = []
    for number in range(n):
        question = suggest(recipe, problem, trials, 0)
        values = two_bumps(problem.space.encode(question.parameters)[None])[0]
        trials.append(Trial.asked(number, question, Answer({"f0": float(values[0]), "f1": float(values[1])})))
    reached = np.array([[trial.values["f0"], trial.values["f1"]] for trial in trials])
    return hypervolume(reached, np.zeros(2))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["parego", "smsego", "ehi", "sur", "pesmo", *AT_LEVELS])
def test_baselines_reach_a_narrow_front_that_random_designs_miss(method: str) -> None:
    n = initial_size(continuous_problem(), "target" if method in AT_TARGET else "cheap") + 14
    segment = np.column_stack([np.linspace(0.6, 0.9, 200), np.full(200, 0.3)])
    whole = hypervolume(two_bumps(segment), np.zeros(2))
    assert hypervolume_reached(method, n) > 0.8 * whole
    assert hypervolume_reached("random", n) < 0.75 * whole


@pytest.mark.parametrize("method", AT_TARGET)
def test_single_fidelity_methods_ask_at_full_accuracy_only(method: str) -> None:
    for trial in run(continuous_problem(), method, 8, n_fronts=2):
        assert set(trial.fidelities.values()) == {1.0}


def test_the_cheap_design_looks_once_above_and_then_stays_at_the_cheapest_fidelity() -> None:
    problem = mixed_problem()
    size = initial_size(problem, "cheap")
    questions = [initial_question(problem, "cheap", number, seed=3) for number in range(size)]
    assert all(q.fidelities == {"cfd": "coarse", "mass": None, "noise": 0.0} for q in questions[1:])
    assert questions[0].fidelities == {"cfd": "medium", "mass": None, "noise": 0.7}
    assert len({tuple(q.parameters.items()) for q in questions}) > size // 2


def test_the_paper_design_draws_fidelities_at_random() -> None:
    problem = continuous_problem()
    drawn = [initial_question(problem, "paper", number, seed=1).fidelities["s0"] for number in range(6)]
    assert len(set(drawn)) == 6


@pytest.mark.parametrize("method", ["imoca-p", "imoca-e"])
def test_pending_and_failed_questions_are_not_asked_again(method: str) -> None:
    problem = continuous_problem()
    trials = run(problem, method, initial_size(problem, "cheap"), n_fronts=4)
    recipe = made(method, 4)
    first = suggest(recipe, problem, trials, 0)
    failed = Answer(failures={"s0": "no", "s1": "no"})
    for unanswered in (None, failed):
        second = suggest(recipe, problem, [*trials, Trial.asked(len(trials), first, unanswered)], 0)
        gap = problem.space.encode(first.parameters) - problem.space.encode(second.parameters)
        assert np.linalg.norm(gap) > 1e-3 or first.fidelities != second.fidelities


def test_when_every_answer_failed_the_questions_go_on_filling_the_space() -> None:
    problem = continuous_problem()
    failed = Answer(failures={"s0": "no", "s1": "no"})
    recipe = get_method("imoca-p")
    trials: list[Trial] = []
    for number in range(14):
        trials.append(Trial.asked(number, suggest(recipe, problem, trials, 0), failed))
    assert len({tuple(trial.parameters.values()) for trial in trials}) == 14


@pytest.mark.parametrize(
    ("settings", "culprit"),
    [
        ({"method": "imoca-x"}, "imoca-x"),
        ({"method": "imoca-p", "n_fronts": 0}, "n_fronts"),
        ({"method": "imoca-p", "n_fronts": 2.5}, "n_fronts"),
        ({"method": "imoca-p", "initial_design": "lavish"}, "lavish"),
        ({"method": "imoca-p", "fidelity_reduction": "yes"}, "fidelity_reduction"),
        ({"method": "parego", "initial_design": "cheap"}, "initial_design"),
        ({"method": "ehi", "n_fronts": 4}, "n_fronts"),
        ({"method": "mesmo", "fidelity_reduction": True}, "fidelity_reduction"),
        ({"method": "random", "n_fronts": 4}, "n_fronts"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(settings: dict[str, Any], culprit: str) -> None:
    with pytest.raises(MethodError, match=culprit) as caught:
        Study(continuous_problem(), **settings)
    assert caught.value.hint
