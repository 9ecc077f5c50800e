"""The methods that know full accuracy only: their criteria by Monte Carlo and by hand, their question on a grid."""

import moocore
import numpy as np
import pytest
from deciding import believe, is_start, suggest, trial_at
from scipy.special import ndtri

from imoca.acquisition.maximise import Criterion
from imoca.methods.beliefs import Beliefs
from imoca.methods.candidates import candidate_designs
from imoca.methods.fronts import incumbents, predicted_front
from imoca.methods.initial_design import initial_question
from imoca.methods.registry import get_method
from imoca.methods.settings import MethodSettings
from imoca.methods.target_search import (
    ehi_score,
    parego_score,
    pesmo_score,
    reached_front,
    smsego_score,
    sur_score,
)
from imoca.models.surrogates import DEFAULT_MODEL
from imoca.pareto.dominance import non_dominated
from imoca.pareto.search import Front
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Answer, Trial

GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 31)] * 2), axis=-1).reshape(-1, 2)
PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator(f"s{j}", [Objective(f"f{j}", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j in range(2)
    ],
)
N_FRONTS = 3


def make_trials(seed: int, n: int = 8) -> list[Trial]:
    x, tops = np.random.default_rng(seed).random((n, 2)), np.array([[0.3, 0.4], [0.7, 0.5]])
    values = np.exp(-4.0 * ((x[:, None] - tops) ** 2).sum(axis=2))
    return [
        trial_at(PROBLEM, i, x[i], [1.0, 1.0], Answer({"f0": float(values[i, 0]), "f1": float(values[i, 1])}))
        for i in range(n)
    ]


def believed(trials: list[Trial]) -> Beliefs:
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    return beliefs


def reference_by_hand(front: np.ndarray, predicted: Front) -> np.ndarray:
    """A tenth of the range below the worst of what is reached and predicted."""
    both = np.concatenate([front, predicted.values])
    return both.min(axis=0) - 0.1 * (both.max(axis=0) - both.min(axis=0))


def added(front: np.ndarray, point: np.ndarray, reference: np.ndarray) -> float:
    """Hypervolume that a point adds, as a difference of two."""
    whole, part = (
        moocore.hypervolume(points, ref=reference, maximise=True) for points in (np.vstack([front, point]), front)
    )
    return float(whole - part)


def test_the_front_reached_is_that_of_the_means_at_the_designs_asked_about() -> None:
    beliefs = believed(make_trials(0))
    means = beliefs.means_at_target(beliefs.surrogates[0].x)
    expected = {tuple(point.round(9)) for point in means[non_dominated(means)]}
    assert {tuple(point.round(9)) for point in reached_front(beliefs)} == expected


def test_ehi_is_the_logarithm_of_the_expected_improvement_by_monte_carlo(rng: np.random.Generator) -> None:
    beliefs = believed(make_trials(0))
    predicted = predicted_front(beliefs, rng)
    x = GRID[rng.choice(len(GRID), 60, replace=False)]
    scores = ehi_score(beliefs, predicted, x, rng)(x)
    front = reached_front(beliefs)
    reference = reference_by_hand(front, predicted)
    means, deviations = beliefs.means_and_deviations_at_target(x)
    for i in np.argsort(scores)[-3:]:  # where a sample of some hundreds has many improvements
        outcomes = means[i] + deviations[i] * rng.standard_normal((800, 2))
        sample = np.array([added(front, np.maximum(outcome, reference), reference) for outcome in outcomes])
        error = sample.std() / np.sqrt(len(sample))
        assert np.exp(scores[i]) == pytest.approx(sample.mean(), abs=4.0 * error)
        assert error < 0.2 * sample.mean()


def test_smsego_is_the_hypervolume_that_the_hoped_for_outcome_adds(rng: np.random.Generator) -> None:
    beliefs = believed(make_trials(0))
    predicted = predicted_front(beliefs, rng)
    scores = smsego_score(beliefs, predicted, GRID, rng)(GRID)
    front = reached_front(beliefs)
    reference = reference_by_hand(front, predicted)
    means, deviations = beliefs.means_and_deviations_at_target(GRID)
    hoped_for = means - ndtri(0.5 * 0.5**0.5) * deviations  # two objectives
    for i in np.argsort(scores)[-10:]:
        assert scores[i] == pytest.approx(added(front, hoped_for[i], reference), rel=1e-6)
    is_beaten = (hoped_for[:, None] <= front).all(axis=2).any(axis=1)
    assert is_beaten.any()
    assert (scores[is_beaten] <= 0.0).all()


def test_parego_prefers_designs_better_than_all_seen_and_none_that_is_known() -> None:
    beliefs = believed(make_trials(0))
    asked = incumbents(beliefs)
    for seed in range(4):
        score = parego_score(beliefs, DEFAULT_MODEL, np.random.default_rng(seed))
        best = GRID[score(GRID).argmax()]
        assert score(asked).max() < score(GRID).max() - 1.0  # logarithms
        assert np.linalg.norm(asked - best, axis=1).min() > 0.02


def score_of(name: str, beliefs: Beliefs, number: int, seed: int) -> Criterion:
    """The criterion that the question with this number is chosen by: the same draws from the same seed."""
    rng = np.random.default_rng([seed, number])
    predicted = predicted_front(beliefs, rng)
    candidates = candidate_designs(PROBLEM, predicted.x, beliefs.n_data, rng)
    return {
        "parego": lambda: parego_score(beliefs, DEFAULT_MODEL, rng),
        "smsego": lambda: smsego_score(beliefs, predicted, candidates, rng),
        "ehi": lambda: ehi_score(beliefs, predicted, candidates, rng),
        "sur": lambda: sur_score(beliefs, rng),
        "pesmo": lambda: pesmo_score(beliefs, N_FRONTS, rng),
    }[name]()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["parego", "smsego", "ehi", "sur", "pesmo"])
def test_no_design_of_a_dense_grid_is_better_than_the_one_asked_about(name: str, seed: int) -> None:
    trials = make_trials(seed)
    question = suggest(
        get_method(name, MethodSettings(n_fronts=N_FRONTS if name == "pesmo" else None)), PROBLEM, trials, seed
    )
    assert question.fidelities == {"s0": 1.0, "s1": 1.0}
    score = score_of(name, believed(trials), len(trials), seed)
    values = score(GRID)
    reached = score(PROBLEM.space.encode(question.parameters)[None])[0]
    assert reached > values.max() - 0.03 * np.ptp(values[values > np.median(values)])


def test_the_start_is_six_designs_at_full_accuracy() -> None:
    recipe, trials = get_method("ehi"), make_trials(0)
    for number in range(6):
        assert is_start(recipe, PROBLEM, trials[:number])
        assert suggest(recipe, PROBLEM, trials[:number], 4) == initial_question(PROBLEM, "target", number, 4)
    assert not is_start(recipe, PROBLEM, trials[:6])
