"""Studies of simulators that fail in a third of the space or more: they go on, and learn where."""

from collections.abc import Callable

import numpy as np
import pytest

import imoca_lab
from imoca import Study
from imoca.arrays import Array, BoolArray
from imoca_lab.problems.cantilever import is_whole
from imoca_lab.problems.reactor import is_safe

pytestmark = pytest.mark.slow

N_RANDOM = 2000


@pytest.mark.parametrize(("name", "runs"), [("cantilever", is_whole), ("reactor", is_safe)])
def test_failures_are_learned_where_they_are_and_recommended_designs_say_how_likely_they_run(
    name: str, runs: Callable[[Array], BoolArray]
) -> None:
    problem = imoca_lab.get(name).problem
    with Study(problem, n_fronts=3) as study:
        study.optimize(3.0, progress=False)
        trials, front = study.trials, study.pareto_front()
        (failures,) = study.snapshot().beliefs.failures  # type: ignore[union-attr]
    assert any(trial.failures for trial in trials)
    assert any(trial.values for trial in trials)
    assert failures is not None
    x = np.random.default_rng(0).random((N_RANDOM, 3))
    brier = np.mean((failures.at_target(x) - ~runs(x)) ** 2)
    rate = (~runs(x)).mean()
    assert brier < 0.7 * rate * (1.0 - rate)  # better than knowing the rate alone
    assert all(0.5 - 1e-9 <= point.feasibility <= 1.0 for point in front)
    assert any(point.feasibility < 1.0 for point in front)
