"""Front search on functions whose front is known."""

import numpy as np
import pytest

from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.pareto.search import Front, SearchEffort, search_fronts
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.space import SearchSpace


def test_the_front_of_two_quadratics_is_the_segment_between_their_tops(rng: np.random.Generator) -> None:
    space = SearchSpace([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0), Real("c", 0.0, 1.0)])
    tops = np.array([[0.2, 0.3, 0.4], [0.8, 0.6, 0.5]])

    def evaluate(x: np.ndarray) -> np.ndarray:
        return -((x[:, None, :] - tops) ** 2).sum(axis=2)[:, None, :]

    (front,) = search_fronts(evaluate, space, rng.random((200, 3)), SearchEffort(100, 20, 300), rng)
    along = (front.x - tops[0]) @ (tops[1] - tops[0]) / ((tops[1] - tops[0]) ** 2).sum()
    distance = np.linalg.norm(front.x - tops[0] - np.clip(along, 0, 1)[:, None] * (tops[1] - tops[0]), axis=1)
    assert np.median(distance) < 0.02
    # On the segment the values are (-(t L)^2, -((1 - t) L)^2) with L^2 = 0.46
    t = np.linspace(0, 1, 2001)
    exact = -0.46 * np.column_stack([t**2, (1 - t) ** 2])
    reference = np.array([-0.6, -0.6])
    assert hypervolume(front.values, reference) > 0.98 * hypervolume(exact, reference)


def test_many_functions_are_searched_at_once_and_keep_their_own_fronts(rng: np.random.Generator) -> None:
    space = SearchSpace([Real("a", 0.0, 1.0)])
    shifts = np.array([0.0, 0.5])

    def evaluate(x: np.ndarray) -> np.ndarray:  # front of function s: a in [0.1 + s, 0.4 + s]
        first, second = -((x - shifts - 0.1) ** 2), -((x - shifts - 0.4) ** 2)
        return np.stack([first, second], axis=2)

    fronts = search_fronts(evaluate, space, rng.random((50, 1)), SearchEffort(40, 5, 60), rng)
    for front, shift in zip(fronts, shifts, strict=True):
        assert non_dominated(front.values).all()
        assert front.x.min() >= 0.1 + shift - 0.01
        assert front.x.max() <= 0.4 + shift + 0.01


def test_discrete_parameters_stay_on_their_nodes_and_reach_all_of_the_front(rng: np.random.Generator) -> None:
    space = SearchSpace([Integer("n", 0, 6), Choice("c", ["x", "y", "z"])])

    def evaluate(x: np.ndarray) -> np.ndarray:
        return np.stack([x[:, 0] + x[:, 1], 1.0 - x[:, 0] + x[:, 1]], axis=1)[:, None, :]

    (front,) = search_fronts(evaluate, space, space.from_unit(rng.random((4, 2))), SearchEffort(50, 20, 40), rng)
    np.testing.assert_array_equal(space.snap(front.x), front.x)
    assert len(front.x) == 7  # every n with c = "x"
    assert (front.x[:, 1] == 1.0).all()


def test_thinning_keeps_the_extremes() -> None:
    t = np.linspace(0.0, 1.0, 100)[:, None]
    front = Front(t, np.column_stack([t, 1.0 - t])).thinned(5)
    np.testing.assert_allclose(sorted(front.x[:, 0]), [0.0, 0.25, 0.5, 0.75, 1.0], atol=0.02)


def test_a_feasible_front_is_that_of_the_feasible_designs_alone(rng: np.random.Generator) -> None:
    """Of two quadratics on a line: what is better lies to the left of 0.5, for the second function nowhere."""
    space = SearchSpace([Real("a", 0.0, 1.0)])

    def evaluate(x: np.ndarray) -> np.ndarray:
        return np.stack([np.column_stack([-((x[:, 0] - 0.2) ** 2), -((x[:, 0] - 0.8) ** 2)])] * 2, axis=1)

    def violation(x: np.ndarray) -> np.ndarray:
        return np.column_stack([np.maximum(0.0, x[:, 0] - 0.5), x[:, 0] + 0.3])

    starts = np.linspace(0.6, 1.0, 20)[:, None]  # none is feasible
    effort = SearchEffort(40, 12, 60)
    found, none = search_fronts(evaluate, space, starts, effort, rng, violation)
    assert found.x.max() <= 0.5
    assert found.x.max() == pytest.approx(0.5, abs=0.01)
    assert found.x.min() == pytest.approx(0.2, abs=0.01)
    np.testing.assert_array_equal(found.near, found.x)
    assert (none.x.shape, none.values.shape) == ((0, 1), (0, 2))
    assert none.near.min() < 0.01  # where the violation is least


def test_a_violation_that_is_never_one_changes_nothing() -> None:
    space = SearchSpace([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)])
    fronts = []
    for violation in (None, lambda x: np.zeros((len(x), 1))):
        rng = np.random.default_rng(3)
        starts, effort = rng.random((30, 2)), SearchEffort(20, 3, 40)
        fronts += search_fronts(lambda x: np.stack([x, 1.0 - x], axis=2)[:, :1], space, starts, effort, rng, violation)
    np.testing.assert_array_equal(fronts[0].x, fronts[1].x)
