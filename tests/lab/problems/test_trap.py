import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from imoca_lab.problems.branin_currin import branin, branin_currin, currin
from imoca_lab.problems.trap import trap, wavy_branin, wavy_currin

DESIGNS = np.random.default_rng(0).random((200, 2)) * 15.0 - np.array([5.0, 0.0])


def test_full_fidelity_is_branin_currin() -> None:
    for x1, x2 in DESIGNS[:10]:
        assert wavy_branin(x1, x2, 1.0) == branin(x1, x2, 1.0)
        assert wavy_currin(x1, x2, 1.0) == currin(x1, x2, 1.0)


def test_the_waves_are_added_to_the_maximised_form() -> None:
    # the lower left corner: u = (0, 0), where Currin's wave vanishes
    assert -wavy_branin(-5.0, 0.0, 0.25) == pytest.approx(-branin(-5.0, 0.0, 1.0) + 0.75 * 60 * math.sin(2.0))
    assert wavy_currin(-5.0, 0.0, 0.25) == currin(-5.0, 0.0, 1.0)
    # the centre: u = (1/2, 1/2)
    wave = 4.0 * math.sin(5.5) * math.cos(5.5)
    assert -wavy_currin(2.5, 7.5, 0.0) == pytest.approx(-currin(2.5, 7.5, 1.0) + wave)


def test_the_cheapest_runs_rank_designs_far_worse_than_those_of_branin_currin() -> None:
    truth = [branin(x1, x2, 1.0) for x1, x2 in DESIGNS]
    honest = spearmanr(truth, [branin(x1, x2, 0.0) for x1, x2 in DESIGNS]).statistic
    misleading = spearmanr(truth, [wavy_branin(x1, x2, 0.0) for x1, x2 in DESIGNS]).statistic
    assert honest > 0.98
    assert misleading < 0.9


def test_everything_but_the_low_fidelities_is_that_of_branin_currin() -> None:
    ours, theirs = trap(), branin_currin()
    assert ours.name == "trap"
    assert ours.hypervolume == theirs.hypervolume
    np.testing.assert_array_equal(ours.reference_point, theirs.reference_point)
    np.testing.assert_array_equal(ours.reference_front, theirs.reference_front)
    u = np.full((1, 2), 0.3)
    np.testing.assert_array_equal(ours.true_values(u), theirs.true_values(u))
    for mine, other in zip(ours.problem.simulators, theirs.problem.simulators, strict=True):
        assert mine.cost == other.cost
