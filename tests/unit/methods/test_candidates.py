"""The designs that are compared: how many of each kind, and where they lie."""

import numpy as np
import pytest

from imoca.methods.candidates import MOVE_RANGE, candidate_designs
from imoca.methods.initial_design import sobol_designs
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator

SIMULATORS = [Simulator(f"s{j}", [Objective(f"f{j}", "maximize")]) for j in range(2)]
SQUARE = Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], SIMULATORS)
MIXED = Problem([Real("a", 0.0, 1.0), Integer("n", 0, 4), Choice("c", ["x", "y"])], SIMULATORS)


def make_candidates(problem: Problem, near: np.ndarray, n_data: int = 20, seed: int = 1) -> np.ndarray:
    return candidate_designs(problem, near, n_data, np.random.default_rng(seed))


def test_there_are_256_spread_designs_then_128_given_ones_and_128_moves() -> None:
    near = np.array([[0.3, 0.4], [0.6, 0.9]])
    designs = make_candidates(SQUARE, near)
    assert designs.shape == (512, 2)
    np.testing.assert_array_equal(designs[:256], sobol_designs(SQUARE, 256, np.random.default_rng(1)))
    counts = np.histogram2d(designs[:256, 0], designs[:256, 1], bins=4, range=[[0, 1], [0, 1]])[0]
    np.testing.assert_array_equal(counts, 16)  # a Sobol set has as many designs in each of 16 equal squares
    picked = designs[256:384]
    assert {tuple(design) for design in picked} == {tuple(design) for design in near}


def test_moves_are_near_the_designs_that_they_start_from_but_not_there() -> None:
    near = np.array([[0.3, 0.4], [0.6, 0.9]])
    designs = make_candidates(SQUARE, near)
    distance = np.linalg.norm(designs[384:] - designs[256:384], axis=1)
    assert distance.min() > 0.0
    assert distance.max() < 5.0 * MOVE_RANGE[1]  # a Gaussian step of the largest size beyond five deviations is no step
    # Steps are spread evenly in their logarithm, so that their median is near the root of the product of the ends;
    # the median length of a Gaussian vector in the plane is sqrt(2 ln 2) of its step.
    typical = np.sqrt(MOVE_RANGE[0] * MOVE_RANGE[1]) * np.sqrt(2.0 * np.log(2.0))
    assert 0.5 * typical < np.median(distance) < 2.0 * typical


def test_all_designs_lie_in_the_cube_also_where_moves_start_from_its_corners() -> None:
    designs = make_candidates(SQUARE, np.array([[0.0, 1.0], [1.0, 1.0]]))
    assert designs.min() >= 0.0
    assert designs.max() <= 1.0
    is_inside = ((designs[384:] > 0.0) & (designs[384:] < 1.0)).any(axis=1)
    assert is_inside.any()


def test_integers_and_choices_are_on_their_nodes() -> None:
    near = MIXED.space.from_unit(np.random.default_rng(3).random((10, 3)))
    designs = make_candidates(MIXED, near)
    np.testing.assert_array_equal(MIXED.space.snap(designs), designs)
    assert len(np.unique(designs[:, 1])) == 5


# By hand: 1e10 multiplications over n^2 times 11 fidelities, 2 objectives and 512 designs is the share that is kept.
@pytest.mark.parametrize(
    ("n_data", "n_spread", "n_near"),
    [(900, 256, 128), (942, 256, 128), (1500, 101, 50), (10_000, 32, 16)],
)
def test_with_very_many_observations_fewer_designs_are_compared(n_data: int, n_spread: int, n_near: int) -> None:
    near = np.array([[0.3, 0.4]])
    designs = make_candidates(SQUARE, near, n_data)
    assert len(designs) == n_spread + 2 * n_near
    is_given = (designs == near[0]).all(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(is_given), np.arange(n_spread, n_spread + n_near))
