"""Whether ``imoca calibrate`` tells the truth, as an experiment: what counts as right, and how hard a problem is."""

import shutil
from itertools import combinations

import numpy as np
import pytest

from experiments.calibrate import are_right, designs_needed, problem_called, table_rows
from experiments.third_party.simulators import EXAMPLES


def test_right_is_within_a_factor_of_two() -> None:
    predicted, true = np.array([0.49, 0.5, 2.0, 2.1, 0.0, 1e-9]), np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    assert are_right(predicted, true).tolist() == [False, True, True, False, True, False]


def test_one_design_is_enough_where_all_are_wrong_by_as_much() -> None:
    assert designs_needed([np.full((20, 2), 3.0)]) == 1


def test_designs_needed_are_those_that_all_subsets_need() -> None:
    sizes = np.array([5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0])[:, None]
    shares = []
    for n in range(1, 9):
        means = np.array([sizes[list(some)].mean(axis=0) for some in combinations(range(9), n)])
        shares.append(float(are_right(means, sizes.mean(axis=0)).mean()))
    needed = 1 + next(i for i, share in enumerate(shares) if share >= 0.9)
    assert not any(0.85 < share < 0.95 for share in shares)  # so that no draw decides
    assert designs_needed([sizes]) == needed > 1


def test_a_failed_run_is_no_error() -> None:
    sizes = np.full((8, 2), 3.0)
    sizes[0] = np.nan
    assert designs_needed([sizes]) == 1


@pytest.mark.skipif(shutil.which("nec2c") is None, reason="nec2c is not installed")
def test_examples_are_problems_too() -> None:
    declared = EXAMPLES["antenna"].declared()
    assert [each.name for each in problem_called("antenna").simulators] == [each.name for each in declared.simulators]
    assert problem_called("branin_currin").simulators[0].name == "branin"


def test_a_row_by_hand() -> None:
    found = {"seeds": 10, "predicted errors": 60, "within a factor of 2": 0.966, "most expensive calibration": 2.941}
    results = {"rocket": found | {"designs needed": 8}, "versions": {"python": "3"}}
    assert table_rows(results)[2:] == ["| rocket | 10 | 60 | 97 % | 2.94 | 8 |"]
