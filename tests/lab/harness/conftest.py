"""Results made by hand."""

from collections.abc import Callable, Sequence

import pytest

from imoca_lab.harness.results import RunResult
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec
from imoca_lab.harness.scoring import Score

MakeRun = Callable[..., RunResult]


@pytest.fixture
def make_run() -> MakeRun:
    """A run with a checkpoint after every trial, whose hypervolume differences and costs are given."""

    def make(
        differences: Sequence[float],
        costs: Sequence[float],
        *,
        method: str = "imoca-p",
        problem: str = "branin_currin",
        seed: int = 0,
        z: float = 0.5,
        attainable: float = 0.0,
    ) -> RunResult:
        n = len(costs)
        return RunResult(
            spec=RunSpec(ProblemChoice(problem), MethodChoice(method), seed, budget=10.0),
            versions={"python": "3.11.7", "imoca": "0.1.0"},
            command="imoca bench run by_hand.toml",
            attainable_difference=attainable,
            costs=tuple(costs),
            fidelities={"branin": (z,) * n, "currin": (1.0,) * n},
            seconds=tuple(0.1 * (i + 1) for i in range(n)),
            n_initial=1,
            n_failed=0,
            scores=tuple(Score(i + 1, d, 2.0 * d, 1.0, float("inf")) for i, d in enumerate(differences)),
        )

    return make
