"""Shares of a hypervolume that random designs reach, where they are known."""

import numpy as np
import pytest

import imoca_lab
from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca_lab.benchmark import Benchmark
from imoca_lab.random_shares import random_shares


def make_benchmark() -> Benchmark:
    """Both objectives are the design itself, so its front is one point and the best design counts."""
    simulator = Simulator("both", [Objective("a", "maximize"), Objective("b", "maximize")], lambda x: {"a": x, "b": x})
    problem = Problem([Real("x", 0.0, 1.0)], [simulator])

    def values(x: Array) -> Array:
        return np.hstack([x, x])

    return Benchmark("line", problem, np.zeros(2), values, np.ones((1, 2)), 1.0)


def test_the_best_of_n_uniform_designs_covers_the_square_that_order_statistics_expect() -> None:
    shares = random_shares(make_benchmark(), [1, 2, 8], n_draws=4000)
    expected = [n / (n + 2) for n in (1, 2, 8)]  # mean square of the largest of n
    np.testing.assert_allclose(shares, expected, atol=4 * 0.3 / np.sqrt(4000))


def test_more_designs_never_reach_less_and_the_same_seed_gives_the_same() -> None:
    benchmark = imoca_lab.get("branin_currin")
    shares = random_shares(benchmark, [50, 100, 200], n_draws=5)
    assert 0.0 < shares[0] <= shares[1] <= shares[2] < 1.0
    np.testing.assert_array_equal(shares, random_shares(benchmark, [50, 100, 200], n_draws=5))


@pytest.mark.parametrize(("sizes", "n_draws"), [([], 1), ([0], 1), ([5], 0)])
def test_no_designs_or_draws_are_refused(sizes: list[int], n_draws: int) -> None:
    with pytest.raises(ProblemError, match="draw"):
        random_shares(make_benchmark(), sizes, n_draws)
