"""What MF-OSEMO asks: the best design for its gain, and the best vector of levels by trying all of them."""

import numpy as np
import pytest
from deciding import believe_in_levels, is_start, suggest, trial_at

from imoca.acquisition.gain import RESOLUTION
from imoca.acquisition.level_gain import integrated_level_gain, truncated_level_gain
from imoca.methods.fronts import CLEARANCE, N_SEARCH_DESIGNS, maxima_of
from imoca.methods.initial_design import initial_question, sobol_designs
from imoca.methods.level_beliefs import LevelBeliefs, levels_of, nearest_levels
from imoca.methods.registry import get_method
from imoca.methods.settings import MethodSettings
from imoca.models.paths import draw_paths
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Answer, Trial

LEVELS = np.array([0.0, 0.5, 1.0])
COSTS = [1.0, 4.0, 20.0], [1.0, 1.2, 1.4]  # so that the simulators are best asked at different levels
N_FRONTS = 3
GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 31)] * 2), axis=-1).reshape(-1, 2)
PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator(
            f"s{j}",
            [Objective(f"f{j}", "maximize")],
            fidelity=Fidelity.levels(["coarse", "medium", "fine"]),
            cost=COSTS[j],
        )
        for j in range(2)
    ],
)


def make_trials(seed: int, n: int = 12) -> list[Trial]:
    """Coarse values lie above fine ones: what TG supposes, that no level exceeds the target, is wrong here."""
    rng = np.random.default_rng(seed)
    x, tops = rng.random((n, 2)), np.array([[0.3, 0.4], [0.7, 0.5]])
    trials = []
    for i in range(n):
        z = LEVELS[i % 3]
        values = np.exp(-4.0 * ((x[i] - tops) ** 2).sum(axis=1)) + 0.8 * (1.0 - z)
        trials.append(trial_at(PROBLEM, i, x[i], [z, z], Answer({"f0": float(values[0]), "f1": float(values[1])})))
    return trials


def believed(trials: list[Trial]) -> LevelBeliefs:
    beliefs = believe_in_levels(PROBLEM, trials)
    assert beliefs is not None
    return beliefs


def gains_at(name: str, beliefs: LevelBeliefs, number: int, seed: int, x: np.ndarray) -> list[np.ndarray]:
    """Gain per objective (n, M) at designs, by the same draws from the same seed."""
    rng = np.random.default_rng([seed, number])
    asked = np.unique(np.concatenate([surrogate.x for surrogate in beliefs.surrogates]), axis=0)
    starts = np.concatenate([sobol_designs(PROBLEM, N_SEARCH_DESIGNS, rng), asked])
    gains = []
    for surrogate in beliefs.surrogates:
        draws = draw_paths(surrogate, N_FRONTS, rng)
        noise_variance = surrogate.noise_at_target
        floors = surrogate.mean(asked, LEVELS).max(axis=0) + CLEARANCE * np.sqrt(noise_variance + RESOLUTION**2)
        maxima, _ = maxima_of(draws, starts, floors[-1], PROBLEM.space)
        if name == "mf-osemo-tg":
            bounds = np.array([[max(top, floor) for floor in floors] for top in maxima])
            gains.append(truncated_level_gain(surrogate.moments(x, LEVELS), bounds))
        else:
            gains.append(integrated_level_gain(surrogate.moments(x, LEVELS), maxima))
    return gains


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["mf-osemo-tg", "mf-osemo-ni"])
def test_the_question_is_the_best_of_a_dense_grid_at_the_best_of_all_pairs_of_levels(name: str, seed: int) -> None:
    trials = make_trials(seed)
    question = suggest(get_method(name, MethodSettings(n_fronts=N_FRONTS)), PROBLEM, trials, seed)
    x = PROBLEM.space.encode(question.parameters)
    first, second = gains_at(name, believed(trials), len(trials), seed, np.concatenate([x[None], GRID]))
    costs = [np.array(each) / each[-1] for each in COSTS]
    ratios = (first[:, :, None] + second[:, None, :]) / (costs[0][:, None] + costs[1])  # (n, M, M)
    assert ratios[0].max() > 0.97 * ratios[1:].max()
    asked = [LEVELS.tolist().index(PROBLEM.simulators[j].fidelity.encode(question.fidelities[f"s{j}"])) for j in (0, 1)]
    assert ratios[0][tuple(asked)] == pytest.approx(ratios[0].max(), rel=1e-9)


def test_a_continuous_fidelity_is_cut_into_three_levels_and_others_stand_for_the_nearest() -> None:
    simulator = Simulator("s", [Objective("f", "maximize")], fidelity=Fidelity.continuous(10.0, 20.0), cost="z")
    np.testing.assert_allclose(levels_of(simulator), [0.0, 0.5, 1.0])
    nearest = nearest_levels(simulator, np.array([0.0, 0.2, 0.3, 0.7, 0.8, 1.0]))
    np.testing.assert_array_equal(nearest, [0.0, 0.0, 0.5, 0.5, 1.0, 1.0])
    np.testing.assert_allclose(levels_of(PROBLEM.simulators[0]), LEVELS)


def test_answers_and_questions_without_one_enter_at_their_levels() -> None:
    trials = [*make_trials(0), trial_at(PROBLEM, 12, np.array([0.2, 0.9]), [0.5, 1.0])]
    beliefs = believed(trials)
    for j, surrogate in enumerate(beliefs.surrogates):
        np.testing.assert_array_equal(surrogate.z, [*[0.0, 0.5, 1.0] * 4, LEVELS[j + 1]])
        expected = surrogate.mean(np.array([[0.2, 0.9]]), LEVELS)[0, j + 1]
        assert surrogate.values[-1] == pytest.approx(expected, abs=1e-3)
    assert beliefs.n_data == 13


def test_the_start_is_the_cheap_one_at_the_levels() -> None:
    recipe = get_method("mf-osemo-ni", MethodSettings(n_fronts=N_FRONTS))
    trials = make_trials(0, 11)
    for number in (0, 1, 10):
        assert is_start(recipe, PROBLEM, trials[:number])
        asked, plain = suggest(recipe, PROBLEM, trials[:number], 3), initial_question(PROBLEM, "cheap", number, 3)
        assert (asked.parameters, asked.fidelities) == (plain.parameters, plain.fidelities)
    assert not is_start(recipe, PROBLEM, trials)
