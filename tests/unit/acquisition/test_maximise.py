"""The maximiser on functions whose maximum is known."""

import numpy as np

from imoca.acquisition.maximise import ValueAndGradient, climb, distinct_best, maximise, with_differences
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.space import SearchSpace

SQUARE = SearchSpace([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)])
MIXED = SearchSpace([Real("a", 0.0, 1.0), Integer("n", 0, 10), Choice("c", ["r", "g", "b"])])


def bowl(centre: np.ndarray) -> ValueAndGradient:
    def value_and_gradient(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return 5.0 - ((x - centre) ** 2).sum(axis=1), -2.0 * (x - centre)

    return value_and_gradient


def test_every_start_climbs_to_the_top_of_a_bowl(rng: np.random.Generator) -> None:
    x, values = climb(bowl(np.array([0.3, 0.8])), rng.random((5, 2)), SQUARE)
    np.testing.assert_allclose(x, np.tile([0.3, 0.8], (5, 1)), atol=1e-2)
    np.testing.assert_allclose(values, 5.0, atol=1e-4)


def test_a_maximum_outside_the_cube_is_found_on_its_face(rng: np.random.Generator) -> None:
    x, _ = maximise(bowl(np.array([1.4, 0.5])), rng.random((3, 2)), SQUARE)
    np.testing.assert_allclose(x, [1.0, 0.5], atol=1e-2)


def test_discrete_columns_reach_their_best_value_and_stay_on_their_nodes(rng: np.random.Generator) -> None:
    target = MIXED.encode({"a": 0.62, "n": 7, "c": "b"})
    starts = MIXED.from_unit(rng.random((2, 3)))
    x, value = maximise(bowl(target), starts, MIXED)
    np.testing.assert_allclose(x, target, atol=1e-2)
    np.testing.assert_array_equal(x[1:], target[1:])
    assert value > 4.999


def test_a_space_without_real_parameters_is_searched_by_neighbours_alone() -> None:
    space = SearchSpace([Integer("n", 0, 20), Choice("c", ["x", "y"])])
    target = space.encode({"n": 13, "c": "y"})
    x, _ = maximise(bowl(target), space.encode({"n": 2, "c": "x"})[None], space)
    np.testing.assert_array_equal(x, target)


def test_distinct_best_keeps_the_best_of_each_hill() -> None:
    x = np.array([[0.1, 0.1], [0.11, 0.1], [0.9, 0.9], [0.5, 0.1]])
    kept = distinct_best(x, np.array([1.0, 2.0, 1.5, 0.1]), 2)
    np.testing.assert_array_equal(kept, [[0.11, 0.1], [0.9, 0.9]])


def test_the_starts_are_not_changed(rng: np.random.Generator) -> None:
    starts = rng.random((3, 2))
    before = starts.copy()
    climb(bowl(np.array([0.5, 0.5])), starts, SQUARE)
    np.testing.assert_array_equal(starts, before)


def test_differences_match_the_analytic_gradient_inside_and_point_inwards_at_the_bounds(
    rng: np.random.Generator,
) -> None:
    exact = bowl(np.array([0.3, 0.8]))
    x = np.concatenate([rng.random((4, 2)), [[0.0, 1.0]]])
    values, gradient = with_differences(lambda designs: exact(designs)[0], SQUARE)(x)
    np.testing.assert_allclose(values, exact(x)[0])
    np.testing.assert_allclose(gradient, exact(x)[1], atol=2e-5)


def test_differences_leave_discrete_columns_alone(rng: np.random.Generator) -> None:
    exact = bowl(np.full(MIXED.n_columns, 0.5))
    x = MIXED.from_unit(rng.random((3, 3)))
    _, gradient = with_differences(lambda designs: exact(designs)[0], MIXED)(x)
    np.testing.assert_allclose(gradient[:, 0], exact(x)[1][:, 0], atol=1e-6)
    np.testing.assert_array_equal(gradient[:, 1:], 0.0)
