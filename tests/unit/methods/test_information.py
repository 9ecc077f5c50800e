"""What the information methods ask: the best question for their gain, and its fidelities by trying all of them."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from deciding import believe, is_in_reduced_space, is_start, suggest, trial_at

from imoca.acquisition.feasible_gain import FeasibleBoundGain
from imoca.acquisition.front_gain import DominatedRegions, FrontGain
from imoca.acquisition.gain import BlurredGain, Gain
from imoca.acquisition.regions import BoxRegions, dominated_regions
from imoca.acquisition.score import GainPerCost, PricedSimulator
from imoca.acquisition.skew_gain import SkewGain
from imoca.acquisition.truncated_gain import TruncatedGain
from imoca.methods import beliefs as beliefs_module
from imoca.methods import information
from imoca.methods.beliefs import Beliefs
from imoca.methods.fronts import lifted_fronts, sample_fronts, sample_maxima, sample_paths
from imoca.methods.initial_design import initial_question
from imoca.methods.method import Method
from imoca.methods.registry import get_method
from imoca.methods.settings import InitialDesign, MethodSettings
from imoca.models.gp import GaussianProcess
from imoca.models.surrogates import ModelName
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Answer, Candidate, Trial

CONTINUOUS = Fidelity.continuous()
LEVELS = Fidelity.levels(["coarse", "medium", "fine"])
N_FRONTS = 3
SEEDS = range(4)
GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 41)] * 2), axis=-1).reshape(-1, 2)
COARSE = np.linspace(0.0, 1.0, 11)  # fidelities at which designs are compared
FINE = np.linspace(0.0, 1.0, 101)  # and among which those of the chosen design are chosen


def cost_share(z: np.ndarray | float) -> np.ndarray | float:
    """The declared cost as a share of a full run."""
    return (0.1 + np.asarray(z) ** 2) / 1.1


def make_problem(knob: Fidelity = CONTINUOUS) -> Problem:
    cost = "0.1 + z**2" if knob is CONTINUOUS else [float(1.1 * cost_share(z)) for z in (0.0, 0.5, 1.0)]
    simulators = [Simulator(f"s{j}", [Objective(f"f{j}", "maximize")], fidelity=knob, cost=cost) for j in range(2)]
    return Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], simulators)


def joint_problem() -> Problem:
    """The outer two of three objectives come from one simulator."""
    outer = [Objective("f0", "maximize"), Objective("f2", "maximize")]
    simulators = [
        Simulator("both", outer, fidelity=CONTINUOUS, cost="0.1 + z**2"),
        Simulator("alone", [Objective("f1", "maximize")], fidelity=CONTINUOUS, cost="0.1 + z**2", full_cost=3.0),
    ]
    return Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], simulators)


def make_trials(problem: Problem, seed: int, n: int = 12) -> list[Trial]:
    """Smooth bumps, two of three seen at the cheapest fidelity, which is biased."""
    rng = np.random.default_rng(seed)
    x, tops = rng.random((n, 2)), {"f0": [0.3, 0.4], "f1": [0.7, 0.5], "f2": [0.5, 0.9]}
    trials = []
    for i, design in enumerate(x):
        z = 1.0 if i % 3 == 0 else 0.0
        values = {
            each.name: float(
                np.exp(-4.0 * ((design - tops[each.name]) ** 2).sum()) + 0.3 * (1.0 - z) * np.sin(5.0 * design[0])
            )
            for each in problem.objectives
        }
        trials.append(trial_at(problem, i, design, [z] * len(problem.simulators), Answer(values)))
    return trials


def believed(problem: Problem, trials: list[Trial]) -> Beliefs:
    beliefs = believe(problem, trials)
    assert beliefs is not None
    return beliefs


def method(name: str, fidelity_reduction: bool | None = None, model: ModelName | None = None) -> Method:
    """Asking by information alone."""
    verify = 0.0 if name == "imoca-p" else None
    return get_method(name, MethodSettings(N_FRONTS, None, fidelity_reduction, model, verify))


def gain_of(name: str, beliefs: Beliefs, number: int, seed: int) -> Gain:
    """The gain that the question with this number is chosen by: the same draws from the same seed."""
    rng = np.random.default_rng([seed, number])
    paths = sample_paths(beliefs, N_FRONTS, rng)
    maxima, extremes = sample_maxima(beliefs, paths, rng)
    if name == "imoca-p":
        return FrontGain(BoxRegions.below([front.values for front in sample_fronts(beliefs, paths, extremes, rng)]))
    return SkewGain(maxima) if name == "imoca-e" else TruncatedGain(maxima)


def encoded(problem: Problem, question: Candidate) -> tuple[np.ndarray, np.ndarray]:
    """Design (d,) and fidelities (n_simulators,) of a question."""
    z = [each.fidelity.encode(question.fidelities[each.name]) for each in problem.simulators]
    return problem.space.encode(question.parameters), np.array(z)


def ratios(beliefs: Beliefs, gain: Gain, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Gain per cost at one design for every pair of fidelities of the two simulators: (m, m)."""
    values = gain.values([surrogate.moments(x[None], z) for surrogate in beliefs.surrogates])
    names = [objective.name for objective in beliefs.problem.objectives]
    gains, costs = [], []
    for simulator in beliefs.problem.simulators:
        gains.append(sum(values[names.index(output.name)][0] for output in simulator.outputs))
        costs.append(simulator.full_cost * np.asarray(cost_share(z)))
    return (gains[0][:, None] + gains[1]) / (costs[0][:, None] + costs[1])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["imoca-p", "imoca-e", "mesmo"])
def test_no_design_of_a_dense_grid_has_more_gain_per_cost_than_the_one_asked_about(name: str, seed: int) -> None:
    problem = make_problem()
    trials = make_trials(problem, seed)
    x, _ = encoded(problem, suggest(method(name), problem, trials, seed))
    beliefs = believed(problem, trials)
    grid = np.ones(1) if name == "mesmo" else COARSE
    simulators = [PricedSimulator((j,), grid, beliefs.costs[j]) for j in range(2)]
    score = GainPerCost(beliefs.surrogates, gain_of(name, beliefs, len(trials), seed), simulators)
    assert score.score(x[None]).values[0] > 0.97 * score.score(GRID).values.max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["imoca-p", "imoca-e"])
@pytest.mark.parametrize("problem", [make_problem(), joint_problem()], ids=["apart", "joint"])
def test_the_fidelities_are_the_best_of_all_pairs_between_the_nodes_of_the_coarse_grid(
    problem: Problem, name: str, seed: int
) -> None:
    trials = make_trials(problem, seed)
    x, z = encoded(problem, suggest(method(name), problem, trials, seed))
    beliefs = believed(problem, trials)
    gain = gain_of(name, beliefs, len(trials), seed)
    assert ratios(beliefs, gain, x, z)[0, 1] == pytest.approx(ratios(beliefs, gain, x, FINE).max(), rel=1e-9)


def test_some_fidelities_lie_between_the_nodes_of_the_coarse_grid_and_are_better_for_it() -> None:
    problem = make_problem()
    gained = []
    for seed in SEEDS:
        trials = make_trials(problem, seed)
        x, z = encoded(problem, suggest(method("imoca-e"), problem, trials, seed))
        beliefs = believed(problem, trials)
        gain = gain_of("imoca-e", beliefs, len(trials), seed)
        at_z = ratios(beliefs, gain, x, z)[0, 1]
        on_nodes, dense = (ratios(beliefs, gain, x, grid).max() for grid in (COARSE, np.linspace(0.0, 1.0, 401)))
        assert at_z > 0.999 * dense
        if np.abs(z[:, None] - COARSE).min(axis=1).max() > 1e-6:
            gained.append(at_z / on_nodes)
    assert len(gained) >= 2
    assert min(gained) > 1.0


def test_mesmo_asks_at_full_accuracy_only() -> None:
    problem = make_problem()
    for seed in SEEDS:
        _, z = encoded(problem, suggest(method("mesmo"), problem, make_trials(problem, seed), seed))
        np.testing.assert_array_equal(z, 1.0)


def allowed_by_hand(beliefs: Beliefs, simulator: int, x: np.ndarray, z: float, iteration: int) -> bool:
    outputs = [output.name for output in beliefs.problem.simulators[simulator].outputs]
    names = [objective.name for objective in beliefs.problem.objectives]
    return any(
        is_in_reduced_space(beliefs.surrogates[names.index(each)], x, z, float(cost_share(z)), iteration)
        for each in outputs
    )


@pytest.mark.parametrize("problem", [make_problem(), joint_problem()], ids=["apart", "joint"])
def test_naive_cfmo_asks_at_the_cheapest_fidelity_of_each_reduced_space(problem: Problem) -> None:
    asked: list[float] = []
    for seed in range(6):
        trials = make_trials(problem, seed)
        x, z = encoded(problem, suggest(method("naive-cfmo"), problem, trials, seed))
        beliefs = believed(problem, trials)
        for s in range(2):  # costs rise with z: the first one allowed is the cheapest
            cheapest = next(each for each in FINE if allowed_by_hand(beliefs, s, x, each, len(trials)))
            assert z[s] == pytest.approx(cheapest, abs=1e-9)
        asked.extend(z)
    assert 0.0 in asked
    assert max(asked) == 1.0  # where nothing below is allowed


def test_naive_cfmo_chooses_the_design_as_mesmo_does() -> None:
    problem = make_problem()
    trials = make_trials(problem, 1)
    naive, mesmo = (suggest(method(name, model="product"), problem, trials) for name in ("naive-cfmo", "mesmo"))
    assert naive.parameters == mesmo.parameters
    assert naive.fidelities != mesmo.fidelities


@pytest.mark.parametrize("seed", SEEDS)
def test_t_asks_in_the_reduced_space_and_there_at_the_best_pair(seed: int) -> None:
    problem = make_problem()
    trials = make_trials(problem, seed)
    x, z = encoded(problem, suggest(method("imoca-t"), problem, trials, seed))
    beliefs = believed(problem, trials)
    gain = gain_of("imoca-t", beliefs, len(trials), seed)
    by_pair = ratios(beliefs, gain, x, FINE)
    for s in range(2):
        assert allowed_by_hand(beliefs, s, x, z[s], len(trials))
        allowed = np.array([allowed_by_hand(beliefs, s, x, each, len(trials)) for each in FINE])
        assert not allowed.all()
        by_pair = np.where(allowed[:, None] if s == 0 else allowed, by_pair, -np.inf)
    assert ratios(beliefs, gain, x, z)[0, 1] == pytest.approx(by_pair.max(), rel=1e-9)


def test_without_its_reduction_t_asks_what_the_reduction_forbids() -> None:
    problem = make_problem()
    n_forbidden = 0
    for seed in SEEDS:
        trials = make_trials(problem, seed)
        beliefs = believed(problem, trials)
        x, z = encoded(problem, suggest(method("imoca-t", fidelity_reduction=False), problem, trials, seed))
        if all(allowed_by_hand(beliefs, s, x, z[s], len(trials)) for s in range(2)):
            continue  # it wants what is allowed
        n_forbidden += 1
        reduced_x, reduced_z = encoded(problem, suggest(method("imoca-t"), problem, trials, seed))
        assert np.abs(np.concatenate([reduced_x - x, reduced_z - z])).max() > 0.01
    assert n_forbidden >= 2


def test_the_reduction_is_for_continuous_fidelities_alone() -> None:
    problem = make_problem(LEVELS)
    n_forbidden = 0
    for seed in SEEDS:
        trials = make_trials(problem, seed)
        beliefs = believed(problem, trials)
        with_it, without = (
            suggest(method("imoca-t", fidelity_reduction=each), problem, trials, seed) for each in (True, False)
        )
        assert (with_it.parameters, with_it.fidelities) == (without.parameters, without.fidelities)
        x, z = encoded(problem, with_it)
        n_forbidden += sum(not allowed_by_hand(beliefs, s, x, z[s], len(trials)) for s in range(2))
    assert n_forbidden > 0  # a reduction of levels would have asked otherwise


def test_p_asks_what_e_does_not() -> None:
    problem = make_problem()
    advantages = []
    for seed in SEEDS:
        trials = make_trials(problem, seed)
        beliefs = believed(problem, trials)
        gain = gain_of("imoca-p", beliefs, len(trials), seed)
        by_p, by_e = (
            ratios(beliefs, gain, *encoded(problem, suggest(method(name), problem, trials, seed)))[0, 1]
            for name in ("imoca-p", "imoca-e")
        )
        advantages.append(by_p / by_e)
    assert min(advantages) > 0.97  # as near as the search comes
    assert max(advantages) > 1.02


def test_with_many_objectives_p_asks_about_lifted_fronts(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = [Objective(f"f{j}", "maximize") for j in range(5)]
    simulator = Simulator("s", outputs, fidelity=CONTINUOUS, cost="0.1 + z**2")
    problem = Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], [simulator])
    tops = np.random.default_rng(3).random((5, 2))
    trials = []
    for i, x in enumerate(np.random.default_rng(4).random((12, 2))):
        values = np.exp(-4.0 * ((x - tops) ** 2).sum(axis=1)).tolist()
        answer = Answer(dict(zip([output.name for output in outputs], values, strict=True)))
        trials.append(trial_at(problem, i, x, [1.0], answer))
    asked_about: list[np.ndarray] = []

    def noting(fronts: Sequence[np.ndarray], rng: np.random.Generator) -> DominatedRegions:
        asked_about.extend(fronts)
        return dominated_regions(fronts, rng)

    monkeypatch.setattr(information, "dominated_regions", noting)
    suggest(method("imoca-p"), problem, trials, 7)
    rng, beliefs = np.random.default_rng([7, len(trials)]), believed(problem, trials)
    paths = sample_paths(beliefs, N_FRONTS, rng)
    found = sample_fronts(beliefs, paths, sample_maxima(beliefs, paths, rng)[1], rng)
    for front, lifted, asked in zip(found, lifted_fronts(beliefs, paths, found, rng), asked_about, strict=True):
        np.testing.assert_allclose(asked, lifted, atol=1e-9)
        assert (asked - front.values).min() > 1e-4


@pytest.mark.parametrize(("name", "design", "size"), [("imoca-p", "cheap", 11), ("mesmo", "target", 6)])
def test_the_initial_design_is_asked_until_it_is_over(name: str, design: InitialDesign, size: int) -> None:
    problem, recipe = make_problem(), method(name)
    trials = make_trials(problem, 0, size)
    for number in range(size):
        assert is_start(recipe, problem, trials[:number])
        assert suggest(recipe, problem, trials[:number], 7) == initial_question(problem, design, number, 7)
    assert not is_start(recipe, problem, trials)
    question = suggest(recipe, problem, trials, 7)
    assert question.parameters != initial_question(problem, design, size, 7).parameters
    assert set(question.fitted) == {"f0", "f1"}


def test_the_initial_design_goes_on_where_no_model_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, recipe = make_problem(), method("imoca-e")
    failed = [
        Trial(t.number, t.parameters, t.fidelities, {}, Answer(failures={"s0": "no", "s1": "no"}))
        for t in make_trials(problem, 0)
    ]
    assert suggest(recipe, problem, failed) == initial_question(problem, "cheap", 12, 0)

    def defeated(*_: object) -> GaussianProcess:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(beliefs_module, "fit_on", defeated)
    assert suggest(recipe, problem, make_trials(problem, 0)) == initial_question(problem, "cheap", 12, 0)


def test_a_question_remembers_the_fits_that_it_came_from() -> None:
    problem = make_problem()
    trials = make_trials(problem, 2)
    question = suggest(method("imoca-p"), problem, trials)
    assert question.fitted == believed(problem, trials).fitted


@pytest.mark.parametrize("name", ["imoca-p", "imoca-e", "imoca-t"])
def test_where_runs_fail_the_gain_and_its_price_know_how_likely_a_design_runs(name: str) -> None:
    problem = make_problem()
    broken = Answer(failures={simulator.name: "no mesh" for simulator in problem.simulators})
    trials = [
        *make_trials(problem, 0),
        *(trial_at(problem, 12 + i, np.array([0.9, 0.1 * i]), [0.0, 0.0], broken) for i in range(9)),
    ]
    beliefs = believed(problem, trials)
    assert beliefs.running is not None
    assert beliefs.caution > 0.0
    search = method(name)
    assert isinstance(search, information.InformationSearch)
    gain, _ = search._gain(beliefs, np.random.default_rng(0))
    assert isinstance(gain, FrontGain | FeasibleBoundGain)
    assert gain.running is not None
    np.testing.assert_array_equal(gain.running(GRID)[0], beliefs.running(GRID)[0])
    for priced, failure in zip(search._priced(beliefs, len(trials), 11), beliefs.failures, strict=True):
        assert priced.failure is failure
        assert priced.caution == beliefs.caution
        assert priced.sure == pytest.approx(np.exp(beliefs.log_sure_to_run))


def test_where_simulators_may_be_left_out_p_is_blurred_by_a_share_of_the_reach_of_its_fronts() -> None:
    problem = make_problem()
    beliefs = believed(problem, make_trials(problem, 0))
    search = information.InformationSearch("front", "per cost", "cheap", False, N_FRONTS, evaluate="best")
    gain, _ = search._gain(beliefs, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    paths = sample_paths(beliefs, N_FRONTS, rng)
    _, extremes = sample_maxima(beliefs, paths, rng)
    fronts = sample_fronts(beliefs, paths, extremes, rng)
    reach = [[max(column) - min(column) for column in front.values.T] for front in fronts]
    assert isinstance(gain, BlurredGain)
    np.testing.assert_allclose(gain.blurs, 0.03 * np.median(reach, axis=0))
    sharp, _ = dataclasses.replace(search, evaluate="all")._gain(beliefs, np.random.default_rng(5))
    assert isinstance(sharp, FrontGain)
