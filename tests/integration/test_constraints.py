"""Whole questions and answers with constraints: what is asked and recommended, and that a bound far away is none."""

import numpy as np
import pytest
from deciding import believe, recommend, suggest, trial_at
from scipy.stats import norm

from imoca import Constraint, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.methods.fronts import incumbents, sample_fronts, sample_maxima, sample_paths
from imoca.methods.registry import get_method
from imoca.methods.settings import MethodSettings
from imoca.problem.simulator import Output
from imoca.snapshot import ParetoPoint
from imoca.trials import Answer, Trial

METHODS = ["imoca-p", "imoca-e", "imoca-t", "naive-cfmo", "mesmo", "parego", "smsego", "ehi", "random"]
KNOB = Fidelity.continuous()
TOPS = {"f0": np.array([0.2, 0.5]), "f1": np.array([0.8, 0.5])}


def make_problem(*limits: Output) -> Problem:
    """The limits are further outputs of the first simulator."""
    outputs: list[Output] = [Objective("f0", "maximize"), *limits]
    simulators = [
        Simulator("s0", outputs, fidelity=KNOB, cost="0.1 + z**2"),
        Simulator("s1", [Objective("f1", "maximize")], fidelity=KNOB, cost="0.1 + z**2"),
    ]
    return Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], simulators)


def simulate(x: np.ndarray, z: float) -> dict[str, float]:
    """Fronts lie between the tops; height is biased by the fidelity: a cheap run calls more designs feasible."""
    values = {name: float(-((x - top) ** 2).sum() + 0.1 * (1.0 - z) * np.sin(5.0 * x[0])) for name, top in TOPS.items()}
    return values | {"height": float(x[1] + 0.3 * x[0] - 0.2 * (1.0 - z)), "width": float(np.cos(2.0 * x[0]) - z)}


def make_trials(problem: Problem, seed: int, n: int = 14) -> list[Trial]:
    trials, names = [], [output.name for output in problem.outputs]
    for i, x in enumerate(np.random.default_rng(seed).random((n, 2))):
        z = 1.0 if i % 3 == 0 else 0.0
        values = simulate(x, z)
        trials.append(trial_at(problem, i, x, [z, z], Answer({name: values[name] for name in names})))
    return trials


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", METHODS)
def test_constraints_that_always_hold_change_no_question(method: str, seed: int) -> None:
    far = [Constraint("height", upper=1e6), Constraint("width", -1e6, 1e6)]
    questions = [
        suggest(get_method(method), problem, make_trials(problem, seed), seed)
        for problem in (make_problem(), make_problem(*far))
    ]
    free, bound = (np.array([*q.parameters.values(), *q.fidelities.values()], float) for q in questions)
    np.testing.assert_allclose(bound, free, atol=1e-6)


@pytest.mark.parametrize("method", ["imoca-p", "ehi"])
def test_questions_beyond_the_start_keep_to_where_the_constraint_may_hold(method: str) -> None:
    """Without it both tops, at b = 0.5, are asked about; feasible is b + 0.3 a <= 0.4."""
    problem = make_problem(Constraint("height", upper=0.4))
    trials = make_trials(problem, 0)
    settings = MethodSettings(n_fronts=4) if method == "imoca-p" else None
    for number in range(len(trials), len(trials) + 6):
        question = suggest(get_method(method, settings), problem, trials, 0)
        x = problem.space.encode(question.parameters)
        z = [KNOB.encode(question.fidelities[name]) for name in ("s0", "s1")]
        assert x[1] + 0.3 * x[0] < 0.75
        values = {**simulate(x, z[0]), "f1": simulate(x, z[1])["f1"]}
        trials.append(trial_at(problem, number, x, z, Answer({name: values[name] for name in ("f0", "height", "f1")})))
    front = recommend(problem, trials)
    heights = np.array([simulate(problem.space.encode(point.parameters), 1.0)["height"] for point in front])
    assert len(front) > 10
    assert np.mean(heights <= 0.4 + 0.02) > 0.9
    assert all(point.feasibility > 0.45 for point in front)
    assert {*front[0].predicted} == {"f0", "f1", "height"}


def test_drawn_fronts_are_those_of_the_feasible_designs_of_the_same_draw(rng: np.random.Generator) -> None:
    problem = make_problem(Constraint("height", upper=0.4), Constraint("width", lower=-0.9))
    beliefs = believe(problem, make_trials(problem, 1))
    assert beliefs is not None
    paths = sample_paths(beliefs, 5, rng)
    maxima, extremes = sample_maxima(beliefs, paths, rng)
    fronts = sample_fronts(beliefs, paths, extremes, rng)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 121)] * 2), axis=-1).reshape(-1, 2)
    for s, front in enumerate(fronts):
        inside = np.ones(len(grid), bool)
        on_front = np.ones(len(front.x), bool)
        for limit, draws in zip(beliefs.limits, paths[2:], strict=True):
            inside &= limit.violation(draws(grid)[:, s]) == 0.0
            on_front &= limit.violation(draws(front.x)[:, s]) == 0.0
            assert (limit.violation(draws(extremes[s :: len(fronts)])[:, s]) == 0.0).all()
        assert on_front.all()
        best = np.array([draws(grid)[inside, s].max() for draws in paths[:2]])
        assert (front.values.max(axis=0) > best - 0.1).all()
        known = incumbents(beliefs)
        floor = np.array(
            [s.mean_at_target(known[beliefs.are_likely_feasible(known)]).max() for s in beliefs.surrogates]
        )
        assert (maxima[s] > best - 0.1).all()
        assert (maxima[s] < np.maximum(best, floor) + 0.1).all()


def test_random_numbers_of_objectives_do_not_depend_on_constraints() -> None:
    draws = []
    for problem in (make_problem(), make_problem(Constraint("height", upper=0.4))):
        beliefs = believe(problem, make_trials(problem, 0))
        assert beliefs is not None
        rng = np.random.default_rng(5)
        paths = sample_paths(beliefs, 3, rng)
        draws.append((paths[1](np.full((1, 2), 0.3)), rng.random()))
    np.testing.assert_array_equal(draws[0][0], draws[1][0])
    assert draws[0][1] == draws[1][1]


@pytest.mark.parametrize("method", ["imoca-p", "imoca-e", "imoca-t", "ehi", "smsego", "parego"])
def test_where_nothing_is_feasible_questions_go_where_it_may_be_and_nothing_is_recommended(method: str) -> None:
    """The lowest height is 0, at a = b = 0; at most -0.05 is asked for."""
    problem = make_problem(Constraint("height", upper=-0.05))
    full = [trial for trial in make_trials(problem, 2, 40) if trial.fidelities["s0"] == 1.0]
    trials = [trial for trial in full if trial.values["height"] > 0.1]
    trials = [
        trial_at(problem, i, problem.space.encode(t.parameters), [1.0, 1.0], t.answer) for i, t in enumerate(trials)
    ]
    question = suggest(get_method(method), problem, trials, 0)
    x = problem.space.encode(question.parameters)
    assert x[1] + 0.3 * x[0] < 0.15
    front = recommend(
        problem, [*trials, trial_at(problem, len(trials), np.zeros(2), [1.0, 1.0], Answer(simulate(np.zeros(2), 1.0)))]
    )
    assert front == []


def probability_of_holding(problem: Problem, trials: list[Trial], front: list[ParetoPoint]) -> np.ndarray:
    """That the height is at most 0.4 at full accuracy, by SciPy, of the designs that are predicted."""
    beliefs = believe(problem, trials)
    assert beliefs is not None
    (limit,) = beliefs.limits
    x = np.array([problem.space.encode(point.parameters) for point in front if not point.verified])
    mean, variance = limit.surrogate.mean_and_variance_at_target(x)
    return np.asarray(norm.cdf((limit.data.standardised(np.array(0.4)) - mean) / np.sqrt(variance)))


def test_what_is_recommended_holds_its_constraints_with_nine_tenths() -> None:
    problem = make_problem(Constraint("height", upper=0.4))
    trials = make_trials(problem, 3)
    probability = probability_of_holding(problem, trials, recommend(problem, trials))
    assert len(probability) > 20
    assert probability.min() > 0.9 - 1e-6
    assert probability.min() < 0.95  # the front lies on the edge


def test_where_nothing_is_so_sure_what_is_likely_is_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(Constraint("height", upper=0.4))
    trials = make_trials(problem, 3)
    monkeypatch.setattr("imoca.methods.beliefs.LOG_FEASIBLE_TO_OFFER", 1.0)  # more than any probability
    probability = probability_of_holding(problem, trials, recommend(problem, trials))
    assert len(probability) > 20
    assert 0.5 - 1e-6 < probability.min() < 0.6


def test_what_was_recommended_before_and_is_likely_infeasible_now_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The top of the first objective, whose height is 0.56 where 0.4 is allowed."""
    problem = make_problem(Constraint("height", upper=0.4))
    trials, top = make_trials(problem, 3, 30), np.array([[0.2, 0.5]])
    monkeypatch.setattr("imoca.snapshot.recommendation.designs_once_recommended", lambda *given: top)
    front = recommend(problem, trials)
    x = np.array([problem.space.encode(point.parameters) for point in front])
    assert len(front) > 20
    assert np.abs(x - top).max(axis=1).min() > 0.01


def test_a_measured_violation_is_never_recommended_and_a_measured_design_that_holds_is() -> None:
    problem = make_problem(Constraint("height", upper=0.4))
    trials = make_trials(problem, 3)
    for x in ([0.3, 0.2], [0.3, 0.4], [0.2, 0.5]):
        values = simulate(np.array(x), 1.0)
        answer = Answer({name: values[name] for name in ("f0", "height", "f1")})
        trials.append(trial_at(problem, len(trials), np.array(x), [1.0, 1.0], answer))
    verified = [point for point in recommend(problem, trials) if point.verified]
    assert verified
    assert all(point.measured is not None and point.measured["height"] <= 0.4 for point in verified)
    assert all(point.feasibility == 1.0 for point in verified)


def test_a_simulator_of_constraints_alone_is_priced_and_asked_like_the_others() -> None:
    """Its runs get cheaper ones than full accuracy, and it is run at all."""
    problem = Problem(
        [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
        [
            Simulator(
                "s0",
                [Objective("f0", "maximize")],
                lambda a, b, z: simulate(np.array([a, b]), z)["f0"],
                fidelity=KNOB,
                cost="0.1 + z**2",
            ),
            Simulator(
                "s1",
                [Objective("f1", "maximize")],
                lambda a, b, z: simulate(np.array([a, b]), z)["f1"],
                fidelity=KNOB,
                cost="0.1 + z**2",
            ),
            Simulator(
                "limit",
                [Constraint("height", upper=0.4)],
                lambda a, b, z: simulate(np.array([a, b]), z)["height"],
                fidelity=KNOB,
                cost="0.1 + z**2",
            ),
        ],
    )
    with Study(problem, seed=0, n_fronts=4) as study:
        study.optimize(budget=5.0)
        asked = [KNOB.encode(trial.fidelities["limit"]) for trial in study.trials]
        front = study.pareto_front()
        spent = study.snapshot().bill.spent.sum(axis=0)
    assert len(asked) > 13
    assert spent[2] > 0.5
    assert any(0.0 < z < 1.0 for z in asked[11:])
    heights = [simulate(np.array(list(point.parameters.values())), 1.0)["height"] for point in front]
    assert np.mean(np.array(heights) <= 0.42) > 0.9
