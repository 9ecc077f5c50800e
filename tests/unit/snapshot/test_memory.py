"""What was recommended before: which fronts are recalled, and which of their designs are recommended still."""

from dataclasses import replace

import numpy as np
import pytest
from deciding import believe, recommend, trial_at

from imoca.methods.beliefs import Beliefs
from imoca.methods.recall import recall
from imoca.models.gp import GaussianProcess
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot.memory import BESIDE, MOST_TRIALS, are_worth_keeping, most_different, recalled_sizes
from imoca.snapshot.snapshot import Snapshot
from imoca.trials import Answer, Trial, TrialTable

FRONT = np.array([[0.0, 1.0], [1.0, 0.0]])
PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator("s", [Objective("drag", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
        Simulator("t", [Objective("lift", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
    ],
)


def simulate(x: np.ndarray, height: float) -> Answer:
    """The designs of the front lie at b = height, a from 0.2 to 0.8."""
    drag = (x[0] - 0.2) ** 2 + (x[1] - height) ** 2
    lift = 5.0 - (x[0] - 0.8) ** 2 - (x[1] - height) ** 2
    return Answer({"drag": float(np.exp(3.0 * drag)), "lift": float(lift)})


def cheap_trials(n: int, height: float, first: int = 0, z: float = 0.3) -> list[Trial]:
    x = np.random.default_rng(first).random((n, 2))
    return [trial_at(PROBLEM, first + i, x[i], [z, z], simulate(x[i], height)) for i in range(n)]


def remembering(trial: Trial, before: list[Trial]) -> Trial:
    """As if it had been asked for after those."""
    beliefs = believe(PROBLEM, before)
    assert beliefs is not None
    return replace(trial, fitted=beliefs.fitted)


def test_recalled_are_the_newest_and_always_the_same_of_the_others() -> None:
    for n in range(2, 400):
        sizes = recalled_sizes(n).tolist()
        assert sizes == sorted(set(sizes))
        assert set(range(max(1, n - 3), n)) <= set(sizes)
        assert sizes[0] == 1
        kept = set(recalled_sizes(n + 1).tolist())
        assert set(sizes) - kept <= {n - 3}  # only what was among the newest is given up
        assert np.diff([0, *sizes]).max() <= 1 + 0.11 * n
    assert len(recalled_sizes(500)) < 60
    assert recalled_sizes(10 * MOST_TRIALS).max() <= MOST_TRIALS
    assert len(recalled_sizes(1)) == len(recalled_sizes(0)) == 0


@pytest.mark.parametrize("is_log", [True, False])
def test_what_was_believed_follows_from_what_the_trial_remembers(is_log: bool, rng: np.random.Generator) -> None:
    before = cheap_trials(14, 0.5)
    if not is_log:  # without a logarithm
        before = [replace(t, answer=Answer({**t.values, "drag": t.values["drag"] - 100.0})) for t in before]
    then = believe(PROBLEM, before)
    assert then is not None
    assert then.data[0].is_log == is_log
    trial = remembering(trial_at(PROBLEM, 14, np.zeros(2), [1.0, 1.0]), before)
    recalled = recall(TrialTable.encode(PROBLEM, before), trial, "truth-and-error", then.costs)
    assert recalled is not None
    x = rng.random((20, 2))
    for now, past in zip(
        recalled.means_and_deviations_at_target(x), then.means_and_deviations_at_target(x), strict=True
    ):
        np.testing.assert_allclose(now, past, atol=1e-9)


def test_a_trial_that_remembers_nothing_or_another_model_recalls_nothing() -> None:
    before = cheap_trials(10, 0.5)
    beliefs = believe(PROBLEM, before)
    assert beliefs is not None
    table = TrialTable.encode(PROBLEM, before)
    others: list[dict[str, tuple[float, ...]]] = [
        {},
        {"drag": beliefs.fitted["drag"]},
        {"drag": (0.0,), "lift": (0.0,)},
    ]
    for fitted in others:
        trial = trial_at(PROBLEM, 10, np.zeros(2), [1.0, 1.0], fitted=fitted)
        assert recall(table, trial, "truth-and-error", beliefs.costs) is None


def test_hyperparameters_without_a_posterior_recall_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cheap_trials(10, 0.5)
    trial = remembering(trial_at(PROBLEM, 10, np.zeros(2), [1.0, 1.0]), before)
    table = TrialTable.encode(PROBLEM, before)

    def defeated(*_: object) -> None:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(GaussianProcess, "condition", defeated)
    assert recall(table, trial, "truth-and-error", ()) is None


class Believed:
    """Stands for beliefs: designs and their means are the same."""

    def __init__(self, deviations: list[float]) -> None:
        self.deviations = np.array(deviations)

    def means_and_deviations_at_target(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x, np.repeat(self.deviations[:, None], x.shape[1], axis=1)


def test_a_design_is_worth_keeping_if_it_may_well_be_better_than_the_front(rng: np.random.Generator) -> None:
    designs = np.array([[0.5, 0.5], [0.0, 1.0], [0.5, -0.5], [-1.0, -1.0], [0.0, 0.0]])
    beliefs: Beliefs = Believed([1e-6, 1e-6, 0.5, 0.1, 1e-6])  # type: ignore[assignment]
    keeps = are_worth_keeping(beliefs, designs, FRONT, rng)
    # Above the front, on it, below it but unsure, far below it, and surely below it.
    assert keeps.tolist() == [True, False, True, False, False]


def test_the_designs_that_are_most_unlike_a_front_are_kept() -> None:
    front = np.array([[0.0, 0.0], [1.0, 0.0]])
    x = np.array([[0.0, 0.5 * BESIDE], [0.5, 0.2], [0.5, 0.9], [0.5, 0.91], [1.0, 0.0]])
    assert most_different(x, front, 1).tolist() == [3]
    assert most_different(x, front, 2).tolist() == [1, 3]
    assert most_different(x, front, 9).tolist() == [1, 2, 3]
    assert most_different(np.empty((0, 2)), front, 3).tolist() == []


def test_a_front_does_not_go_at_once_and_goes_when_it_is_measured_to_be_worse() -> None:
    """The first trials say that the best designs lie at b = 0.2, all later ones that they lie at b = 0.8."""
    first = cheap_trials(12, 0.2)
    later = cheap_trials(6, 0.8, first=12)
    trials = [*first, remembering(later[0], first), *later[1:]]
    front = recommend(PROBLEM, trials)
    heights = np.array([point.parameters["b"] for point in front if point.is_earlier], dtype=float)
    assert len(heights) > 5
    assert (np.abs(heights - 0.2) < 0.1).any()
    assert [point.is_earlier for point in front] == sorted(point.is_earlier for point in front)  # last of all
    snapshot = Snapshot("imoca-p", 0, TrialTable.encode(PROBLEM, trials))
    assert [point.id for point in snapshot.front] == [point.id for point in front]
    todays = [point.id for point in front if not point.is_earlier]
    assert [point.id for point in snapshot.front_of_today] == todays  # which takes no memory
    measured = cheap_trials(40, 0.8, first=18, z=1.0)
    remaining = [point for point in recommend(PROBLEM, [*trials, *measured]) if point.is_earlier]
    assert len(remaining) < len(heights) / 2
