"""Maxima and fronts of drawn functions, against the same draws on a dense grid."""

from dataclasses import dataclass

import numpy as np
import pytest
from deciding import believe, posterior, trial_at

from imoca.acquisition.gain import RESOLUTION
from imoca.arrays import Array, IntArray
from imoca.methods import fronts as fronts_module
from imoca.methods.beliefs import Beliefs
from imoca.methods.fronts import (
    BOXED_FRONT_SIZE,
    CLEARANCE,
    SHARE_BELOW,
    DrawnLimits,
    incumbents,
    lifted_fronts,
    maxima_of,
    maximum_floor,
    predicted_front,
    sample_fronts,
    sample_maxima,
    sample_paths,
)
from imoca.models.failure import Running, learn_failures
from imoca.models.limit import Limit
from imoca.pareto.dominance import is_below_front, non_dominated
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.problem.space import SearchSpace
from imoca.trials import Answer

SQUARE = SearchSpace([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)])
GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 101)] * 2), axis=-1).reshape(-1, 2)
N_FRONTS = 6


def make_problem(n_objectives: int) -> Problem:
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j in range(n_objectives)
    ]
    return Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], simulators)


def make_beliefs(n: int = 10, n_objectives: int = 2, *, are_tops_known: bool = False) -> Beliefs:
    """Of smooth bumps, seen at random designs and, if wanted, at their very tops."""
    problem = make_problem(n_objectives)
    x = np.random.default_rng(4).random((n, 2))
    tops = np.array([[0.3, 0.4], [0.7, 0.5], [0.5, 0.9], [0.1, 0.1], [0.9, 0.9]])[:n_objectives]
    if are_tops_known:
        x[:n_objectives] = tops
    values = np.exp(-4.0 * ((x[:, None] - tops) ** 2).sum(axis=2))
    names = [objective.name for objective in problem.objectives]
    trials = [
        trial_at(problem, i, x[i], [1.0] * n_objectives, Answer(dict(zip(names, values[i].tolist(), strict=True))))
        for i in range(n)
    ]
    beliefs = believe(problem, trials)
    assert beliefs is not None
    return beliefs


class Bowls:
    """Drawn functions whose maxima are known: ``height - |x - top|^2``."""

    n_paths = 3
    tops = np.array([[0.3, 0.8], [0.6, 0.1], [1.4, 0.5]])  # the last lies outside: its maximum is on the face
    heights = np.array([1.0, 2.0, 3.0])

    def __call__(self, x: Array) -> Array:
        return self.heights - ((x[:, None] - self.tops) ** 2).sum(axis=2)

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        apart = x - self.tops[path]
        return self.heights[path] - (apart**2).sum(axis=1), -2.0 * apart


def test_maxima_of_functions_whose_tops_are_known(rng: np.random.Generator) -> None:
    maxima, x = maxima_of(Bowls(), rng.random((40, 2)), np.array(-np.inf), SQUARE)
    np.testing.assert_allclose(maxima, [1.0, 2.0, 3.0 - 0.4**2], atol=1e-3)
    np.testing.assert_allclose(x, [[0.3, 0.8], [0.6, 0.1], [1.0, 0.5]], atol=0.02)


def test_a_maximum_below_the_floor_is_raised_to_it_and_one_above_is_left(rng: np.random.Generator) -> None:
    maxima, _ = maxima_of(Bowls(), rng.random((40, 2)), np.array(2.4), SQUARE)
    np.testing.assert_allclose(maxima, [2.4, 2.4, 3.0 - 0.4**2], atol=1e-3)


def test_the_floor_is_the_best_known_mean_and_five_deviations_of_an_observation() -> None:
    means = np.array([[0.5, 2.0], [1.5, -1.0]])
    noise = np.sqrt(1e-4 + RESOLUTION**2)
    np.testing.assert_allclose(maximum_floor(means, 1e-4), [1.5 + CLEARANCE * noise, 2.0 + CLEARANCE * noise])


def test_no_sampled_maximum_is_below_what_is_already_believed_reached(rng: np.random.Generator) -> None:
    """The tops of smooth functions are known so well that the draws' own maxima are no higher."""
    beliefs = make_beliefs(40, are_tops_known=True)
    maxima, _ = sample_maxima(beliefs, sample_paths(beliefs, N_FRONTS, rng), rng)
    for j, surrogate in enumerate(beliefs.surrogates):
        best = max(posterior(surrogate, x, 1.0)[0] for x in surrogate.x)
        floor = best + CLEARANCE * np.sqrt(surrogate.noise_at_target + RESOLUTION**2)
        np.testing.assert_allclose(maxima[:, j], floor, atol=1e-6)


def test_sampled_maxima_are_those_of_the_same_draws_on_a_dense_grid(rng: np.random.Generator) -> None:
    beliefs = make_beliefs()
    paths = sample_paths(beliefs, N_FRONTS, rng)
    maxima, extremes = sample_maxima(beliefs, paths, rng)
    assert maxima.shape == (N_FRONTS, 2)
    designs = extremes.reshape(2, N_FRONTS, 2)
    known = beliefs.surrogates[0].x
    for j, draws in enumerate(paths):
        on_grid = draws(GRID).max(axis=0)
        noise_variance = beliefs.surrogates[j].noise_at_target
        floor = beliefs.means_at_target(known)[:, j].max() + CLEARANCE * np.sqrt(noise_variance + RESOLUTION**2)
        np.testing.assert_allclose(maxima[:, j], np.maximum(on_grid, floor), atol=5e-3)
        is_above = maxima[:, j] > floor
        assert is_above.any()
        at_designs = draws(designs[j])[np.arange(N_FRONTS), np.arange(N_FRONTS)]
        np.testing.assert_allclose(at_designs[is_above], maxima[is_above, j])
    assert (maxima.std(axis=0) > 0.01).all()  # draws differ


@pytest.mark.parametrize("n_objectives", [2, 5])
def test_sampled_fronts_are_non_dominated_and_dense_samples_of_the_same_draws_hardly_beat_them(
    n_objectives: int, rng: np.random.Generator
) -> None:
    beliefs = make_beliefs(n_objectives=n_objectives)
    paths = sample_paths(beliefs, N_FRONTS, rng)
    _, extremes = sample_maxima(beliefs, paths, rng)
    found = sample_fronts(beliefs, paths, extremes, rng)
    assert len(found) == N_FRONTS
    dense = GRID[::3]  # 3 is no divisor of 101: every column of the grid is met
    everywhere = np.stack([draws(dense) for draws in paths], axis=2)  # (n, S, K)
    for s, front in enumerate(found):
        own = np.stack([draws(front.x)[:, s] for draws in paths], axis=1)
        np.testing.assert_allclose(front.values, own, atol=1e-9)
        assert non_dominated(front.values).all()
        # By how much the front has to be lifted to dominate every design of the grid
        beaten_by = (everywhere[:, s, None] - front.values).max(axis=2).min(axis=1)
        tolerance = 0.05 if n_objectives == 2 else 0.25  # fifty points of a curve are denser than 200 of a solid
        assert beaten_by.max() < tolerance * np.ptp(everywhere[:, s], axis=0).max()


@pytest.mark.parametrize(("n_objectives", "is_thinned"), [(2, True), (5, False)])
def test_fronts_that_are_cut_into_boxes_have_fifty_points_at_most(
    n_objectives: int, is_thinned: bool, rng: np.random.Generator
) -> None:
    beliefs = make_beliefs(n_objectives=n_objectives)
    paths = sample_paths(beliefs, 2, rng)
    found = sample_fronts(beliefs, paths, sample_maxima(beliefs, paths, rng)[1], rng)
    assert all((len(front.x) <= BOXED_FRONT_SIZE) == is_thinned for front in found)


def test_most_values_of_a_draw_of_many_objectives_lie_below_its_own_lifted_front(rng: np.random.Generator) -> None:
    """Designs that the lift was not made from, half of them spread over the space, half of them near the front."""
    beliefs = make_beliefs(n_objectives=5)
    paths = sample_paths(beliefs, N_FRONTS, rng)
    found = sample_fronts(beliefs, paths, sample_maxima(beliefs, paths, rng)[1], rng)
    lifted = lifted_fronts(beliefs, paths, found, rng)
    near = np.concatenate([front.x for front in found])
    moved = np.clip(near[rng.integers(len(near), size=400)] + 0.03 * rng.standard_normal((400, 2)), 0.0, 1.0)
    designs = np.concatenate([rng.random((400, 2)), moved])
    values = np.stack([draws(designs) for draws in paths], axis=2)
    shares = np.array(
        [
            [is_below_front(values[:, s], each).mean() for s, each in enumerate(fronts)]
            for fronts in ([front.values for front in found], lifted)
        ]
    )
    assert shares[0].mean() < SHARE_BELOW - 0.1  # else there was nothing to lift
    np.testing.assert_allclose(shares[1], SHARE_BELOW, atol=0.07)
    assert shares[1].mean() == pytest.approx(SHARE_BELOW, abs=0.03)


def test_the_lift_is_the_same_share_of_the_spread_of_every_objective_and_no_larger_than_needed() -> None:
    """By hand: eleven values along the diagonal of objectives of spread 1 : 10, and one point amid them."""
    steps = np.linspace(0.0, 1.0, 11)
    values, front = np.column_stack([steps, 10.0 * steps]), np.array([[0.5, 5.0]])
    np.testing.assert_allclose(fronts_module._lift(values, front), [0.4, 4.0])  # up to the tenth of the eleven
    np.testing.assert_array_equal(fronts_module._lift(values, front + 5.0), [0.0, 0.0])
    both = np.concatenate([front, [[0.8, 8.0]]])
    np.testing.assert_allclose(fronts_module._lift(values, both), [0.1, 1.0])
    assert np.isfinite(fronts_module._lift(np.ones((4, 2)), np.ones((1, 2)))).all()


def test_fronts_of_few_objectives_stay_where_they_were_found_and_draw_nothing(rng: np.random.Generator) -> None:
    beliefs = make_beliefs()
    paths = sample_paths(beliefs, N_FRONTS, rng)
    found = sample_fronts(beliefs, paths, sample_maxima(beliefs, paths, rng)[1], rng)
    state = rng.bit_generator.state
    lifted = lifted_fronts(beliefs, paths, found, rng)
    assert all(each is front.values for each, front in zip(lifted, found, strict=True))
    assert rng.bit_generator.state == state


def test_the_extremes_that_are_given_are_on_the_fronts(rng: np.random.Generator) -> None:
    beliefs = make_beliefs()
    paths = sample_paths(beliefs, N_FRONTS, rng)
    _, extremes = sample_maxima(beliefs, paths, rng)
    found = sample_fronts(beliefs, paths, extremes, rng)
    for j, draws in enumerate(paths):
        reached = draws(extremes.reshape(2, N_FRONTS, 2)[j]).diagonal()
        for s, front in enumerate(found):
            assert front.values[:, j].max() >= reached[s] - 1e-12


def test_the_predicted_front_is_that_of_the_means(rng: np.random.Generator) -> None:
    beliefs = make_beliefs()
    front = predicted_front(beliefs, rng)
    np.testing.assert_allclose(front.values, beliefs.means_at_target(front.x), atol=1e-9)
    means = beliefs.means_at_target(GRID)
    beaten_by = (means[:, None] - front.values).max(axis=2).min(axis=1)
    assert non_dominated(front.values).all()
    assert beaten_by.max() < 0.05


def test_searches_start_from_every_design_asked_about_while_there_are_few() -> None:
    beliefs = make_beliefs(10)
    np.testing.assert_array_equal(incumbents(beliefs), np.unique(beliefs.surrogates[0].x, axis=0))


def test_of_very_many_designs_searches_start_from_the_best_of_each_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    beliefs = make_beliefs(40)
    monkeypatch.setattr(fronts_module, "N_INCUMBENTS", 6)
    asked = beliefs.surrogates[0].x
    means = np.array([[posterior(surrogate, x, 1.0)[0] for surrogate in beliefs.surrogates] for x in asked])
    best_three = {tuple(asked[i]) for j in range(2) for i in np.argsort(means[:, j])[-3:]}
    assert {tuple(x) for x in incumbents(beliefs)} == best_three


@dataclass(frozen=True)
class Ramps:
    """Draws that rise along the first parameter, each with its own slope."""

    slopes: Array  # (S,)

    @property
    def n_paths(self) -> int:
        return len(self.slopes)

    def __call__(self, x: Array) -> Array:
        return x[:, :1] * self.slopes

    def own_values(self, x: Array, path: IntArray) -> tuple[Array, Array]:
        gradient = np.zeros_like(x)
        gradient[:, 0] = self.slopes[path]
        return x[:, 0] * self.slopes[path], gradient


def test_the_maximum_of_a_draw_is_that_of_its_feasible_designs(rng: np.random.Generator) -> None:
    """Two that are gently climbed to the bound, one so steep that it is climbed beyond, one with no feasible design."""
    surrogate = make_beliefs(10).surrogates[0]
    limit = Limit(make_beliefs(10).data[0], surrogate, -np.inf, 0.6)
    heights = Ramps(np.array([1.0, 2.0, 1.0, 1e6]))
    drawn = DrawnLimits((limit,), (heights,))
    starts = 0.1 + 0.9 * rng.random((40, 2))
    floor = np.full(4, -np.inf)
    maxima, x = maxima_of(Ramps(np.array([1.0, 1.0, 1e4, 1.0])), starts, floor, SQUARE, drawn)
    best = starts[starts[:, 0] <= 0.6, 0].max()
    assert best <= maxima[0] <= 0.6
    assert 0.25 <= maxima[1] <= 0.3
    assert maxima[2] == pytest.approx(1e4 * best)
    assert (heights(x)[np.arange(3), np.arange(3)] <= 0.6).all()
    assert maxima[3] == -np.inf
    assert x[3, 0] == starts[:, 0].min()
    approached = drawn.approached(starts, 4, SQUARE)
    assert approached.shape == (1, 2)  # of the last draw alone
    assert 1e6 * approached[0, 0] <= 0.6


def test_no_drawn_function_has_its_maximum_or_its_front_where_runs_fail(rng: np.random.Generator) -> None:
    x = rng.random((60, 2))
    running = Running((learn_failures(x, np.ones(60), x[:, 0] > 0.6),))
    drawn = DrawnLimits((), (), running)
    starts, likely = rng.random((200, 2)), np.log(0.5)
    outside = drawn.violation(starts, 3)
    np.testing.assert_array_equal(outside[:, 0] > 0.0, running.log_probability(starts) < likely)
    maxima, at = maxima_of(Ramps(np.array([1.0, 2.0])), starts, np.full(2, -np.inf), SQUARE, drawn)
    assert (running.log_probability(at) >= likely).all()
    inside = starts[running.log_probability(starts) >= likely, 0].max()
    assert (maxima >= np.array([1.0, 2.0]) * inside).all()
    assert maxima[0] > inside  # climbed to the edge
    value, gradient = drawn.own_violation(starts, np.zeros(200, dtype=int))
    np.testing.assert_allclose(value, outside[:, 0])
    for column, shift in enumerate(1e-6 * np.eye(2)):
        numeric = (drawn.violation(starts + shift, 1) - drawn.violation(starts - shift, 1))[:, 0] / 2e-6
        np.testing.assert_allclose(gradient[:, column], numeric, atol=1e-4)
