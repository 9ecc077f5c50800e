"""SMSego: its constants and its value, by hand."""

import numpy as np
import pytest
from scipy.stats import norm

from imoca.acquisition.hypervolume_improvement import BoxImprovement
from imoca.acquisition.optimistic_improvement import (
    REMAINING_EVALUATIONS,
    OptimisticImprovement,
    optimism,
    tolerance,
)

FRONT = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]])
CRITERION = OptimisticImprovement(FRONT, BoxImprovement.over(FRONT, np.array([-1.0, -1.0])))
CERTAIN = np.full((1, 2), 1e-12)


@pytest.mark.parametrize("n_objectives", [1, 2, 3, 6])
def test_all_objectives_exceed_their_optimistic_value_with_the_probability_of_the_paper(n_objectives: int) -> None:
    assert (2.0 * norm.sf(optimism(n_objectives))) ** n_objectives == pytest.approx(0.5)


def test_the_tolerance_is_the_range_over_front_size_and_evaluations_left() -> None:
    np.testing.assert_allclose(tolerance(FRONT), 2.0 / (3.0 + 0.75 * REMAINING_EVALUATIONS))


def test_a_point_beyond_the_front_counts_its_hypervolume() -> None:
    # of the square between (0, 0) and (1.5, 1.5) the front has the unit square already, and all that lies outside
    assert CRITERION(np.array([[1.5, 1.5]]), CERTAIN)[0] == pytest.approx(1.25)


def test_optimism_is_added_before_the_hypervolume_is_taken() -> None:
    std = np.full((1, 2), 0.5 / optimism(2))
    assert CRITERION(np.array([[1.0, 1.0]]), std)[0] == pytest.approx(1.25)


def test_a_dominated_point_pays_the_penalty_of_the_point_that_dominates_it_most() -> None:
    assert CRITERION(np.array([[0.5, 0.75]]), CERTAIN)[0] == pytest.approx(-(1.5 * 1.25 - 1.0))
    assert CRITERION(np.array([[-1.0, -1.0]]), CERTAIN)[0] == pytest.approx(-(3.0 * 3.0 - 1.0))


def test_a_point_hardly_better_than_the_front_gains_nothing() -> None:
    hardly, clearly = 0.5 * tolerance(FRONT), 2.0 * tolerance(FRONT)
    assert CRITERION(FRONT[1:2] + hardly, CERTAIN)[0] == pytest.approx(0.0)
    assert CRITERION(FRONT[1:2] + clearly, CERTAIN)[0] > 0.0
