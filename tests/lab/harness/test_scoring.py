import dataclasses

import numpy as np
import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.methods.registry import get_method
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.scoring import attainable_difference, checkpoint_sizes, n_initial_trials, score
from imoca_lab.registry import get


def line() -> Benchmark:
    """Every design is Pareto-optimal: the front is the straight line from (0, 1) to (1, 0), with half of the square."""
    outputs = [Objective("up", "maximize"), Objective("down", "maximize")]
    return Benchmark(
        "line",
        Problem([Real("x", 0.0, 1.0)], [Simulator("line", outputs)]),
        np.zeros(2),
        lambda x: np.column_stack([x[:, 0], 1.0 - x[:, 0]]),
        np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]),
        0.5,
    )


def trials_at(*designs: float) -> TrialTable:
    trials = [
        Trial(
            i, {"x": x}, {"line": line().problem.simulators[0].fidelity.target}, answer=Answer({"up": x, "down": 1 - x})
        )
        for i, x in enumerate(designs)
    ]
    return TrialTable.encode(line().problem, trials)


def test_verified_designs_are_scored_as_computed_by_hand() -> None:
    found = score(line(), trials_at(0.25, 0.75), seed=0)
    assert found.n_trials == 2
    # two rectangles: 0.25 * 0.75 + (0.75 - 0.25) * 0.25 = 0.3125 of 0.5
    assert found.verified_hypervolume_difference == pytest.approx(0.375)
    assert found.verified_average_distance == pytest.approx(np.hypot(0.25, 0.25))


def test_the_recovered_front_fills_the_gaps_between_verified_designs() -> None:
    found = score(line(), trials_at(0.1, 0.3, 0.5, 0.7, 0.9), seed=0)
    assert found.hypervolume_difference < 0.05 < found.verified_hypervolume_difference
    assert found.average_distance < 0.05


def test_an_infeasible_design_counts_nothing_be_it_recommended_or_verified() -> None:
    free = line()
    half = dataclasses.replace(free, is_feasible=lambda x: x[:, 0] <= 0.5)
    found = score(half, trials_at(0.25, 0.75), seed=0)
    assert found.verified_hypervolume_difference == pytest.approx(1.0 - 0.25 * 0.75 / 0.5)  # one rectangle
    many = trials_at(0.1, 0.3, 0.5, 0.7, 0.9)
    # Of the triangle under the line the part right of the middle is lost, but for the rectangle of 0.5 by 0.5.
    assert score(half, many, seed=0).hypervolume_difference == pytest.approx(0.25, abs=0.05)
    nothing = dataclasses.replace(free, is_feasible=lambda x: x[:, 0] > 1.0)
    assert score(nothing, many, seed=0).hypervolume_difference == 1.0


def test_nothing_told_lacks_everything() -> None:
    found = score(line(), trials_at(), seed=0)
    assert found.hypervolume_difference == found.verified_hypervolume_difference == 1.0
    assert found.average_distance == found.verified_average_distance == np.inf


def test_scores_are_the_same_every_time() -> None:
    assert score(line(), trials_at(0.2, 0.6), seed=3) == score(line(), trials_at(0.2, 0.6), seed=3)


def test_two_hundred_designs_lack_a_little_of_branin_currin() -> None:
    assert 0.0 < attainable_difference(get("branin_currin")) < 0.01


def test_checkpoints_are_even_in_the_logarithm_of_cost_with_both_ends() -> None:
    costs = np.arange(1.0, 101.0)
    assert checkpoint_sizes(costs, 10, 3) == [10, 31, 100]  # 10, sqrt(10 * 100) = 31.6, 100
    assert checkpoint_sizes(costs[:3], 10, 5) == [3]
    sizes = checkpoint_sizes(costs, 2, 40)
    assert sizes[0] == 2
    assert sizes[-1] == 100
    assert len(sizes) <= 41


def test_the_initial_design_ends_at_the_first_question_of_a_model() -> None:
    problem = get("branin_currin").problem
    study = Study(problem, method="imoca-t", seed=0)
    for _ in range(15):
        trial = study.ask()
        study.tell(trial, {"branin": 0.1 * trial.number, "currin": -0.1 * trial.number})
    first_modelled = next(trial.number for trial in study.trials if trial.fitted)
    assert n_initial_trials(get_method("imoca-t"), study.table(), 0) == first_modelled
    assert n_initial_trials(get_method("random"), study.table(), 0) == 6
