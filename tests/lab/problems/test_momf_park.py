import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.momf_park import momf_park, park, park_values, true_values
from imoca_lab.stored_front import load_front


def test_at_the_tops_of_the_parabolas_by_hand() -> None:
    # x = (0.6, 0, 0.5, 0.8) folds to (1, 0, 1, 1)
    first = 0.5 * math.sqrt(1.0 + 1.0 / 1.0001) + 4.0 * math.exp(1.0 + math.sin(1.0))
    second = 5.0 - 2.0 / 3.0 * math.e + math.sin(1.0) - 1.0
    outputs = park(0.6, 0.0, 0.5, 0.8, z=1.0)
    assert outputs["park1"] == pytest.approx(first / 22.0 - 0.8)
    assert outputs["park2"] == pytest.approx(second / 4.0 - 0.7)


def test_at_the_lowest_fidelity_by_hand() -> None:
    first = 0.5005 * math.sqrt(1.0 + 1.0 / 1.0001) + 4.0 * math.exp(1.0 + math.sin(1.0))
    second = 5.0 - 2.0 / 3.0 * math.e + 0.9 * math.sin(1.0) - 1.0
    outputs = park(0.6, 0.0, 0.5, 0.8, z=0.0)
    assert outputs["park1"] == pytest.approx(0.9 * (first - 0.1) / 22.0 - 0.8)
    assert outputs["park2"] == pytest.approx(0.9 * (second + 0.1) / 4.0 - 0.7)


def test_away_from_the_tops_by_hand() -> None:
    # x = (0.1, 1, 0, 0.3) folds to (1/2, 1, 1/4, 3/4)
    first = 0.25 * math.sqrt(1.0 + (1.0 + 0.0625) * 0.75 / 0.2501) + (0.5 + 2.25) * math.exp(1.0 + math.sin(0.25))
    second = 5.0 - 2.0 / 3.0 * math.exp(1.5) + 0.75 * math.sin(0.25) - 0.25
    np.testing.assert_allclose(
        park_values(np.array([[0.1, 1.0, 0.0, 0.3]]), 1.0)[0], [first / 22.0 - 0.8, second / 4.0 - 0.7]
    )


def test_one_simulator_answers_both_and_is_charged_once() -> None:
    problem = momf_park().problem
    assert len(problem.simulators) == 1
    assert [(o.name, o.goal) for o in problem.objectives] == [("park1", "maximize"), ("park2", "maximize")]
    ratio = problem.simulators[0].cost_ratio(problem.space, np.full((1, 4), 0.5), np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(ratio[0], [math.exp(-4.8), math.exp(-2.4), 1.0])


def test_true_values_are_the_simulator_at_full_fidelity() -> None:
    problem, unit_designs = momf_park().problem, np.random.default_rng(1).random((5, 4))
    for u, row in zip(unit_designs, true_values(unit_designs), strict=True):
        named: dict[str, Any] = problem.space.decode(u)
        np.testing.assert_allclose(row, list(park(**named, z=1.0).values()), rtol=1e-12)


def test_the_problem_survives_a_study_file() -> None:
    problem = momf_park().problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_the_cheapest_runs_rank_designs_well_but_are_biased() -> None:
    u = np.random.default_rng(0).random((2000, 4))
    low, full = park_values(u, 0.0), true_values(u)
    assert all(spearmanr(low[:, j], full[:, j]).statistic > 0.99 for j in range(2))
    assert (low[:, 0] < full[:, 0]).all()


def test_the_hypervolume_is_that_of_two_independent_searches() -> None:
    assert momf_park().hypervolume == pytest.approx(0.08989, abs=1e-5)


def test_the_value_in_circulation_is_exceeded_by_the_stored_points_alone() -> None:
    assert hypervolume(momf_park().reference_front, np.zeros(2)) > 1.04 * 0.08551927


def test_the_stored_front_is_what_its_designs_give_and_covers_nearly_the_whole_volume() -> None:
    benchmark, stored = momf_park(), load_front("momf_park", 4)
    np.testing.assert_allclose(true_values(stored.designs), stored.values, atol=1e-8)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    volume = hypervolume(stored.values, benchmark.reference_point)
    assert 0.99 * benchmark.hypervolume < volume <= benchmark.hypervolume


def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective() -> None:
    stored, rng = load_front("momf_park", 4), np.random.default_rng(2)
    for scale in (1e-1, 1e-2, 1e-3):
        tried = np.clip(stored.designs + scale * rng.normal(size=(40, *stored.designs.shape)), 0.0, 1.0)
        gain = true_values(tried.reshape(-1, 4)).reshape(40, *stored.values.shape) - stored.values
        assert (gain / np.ptp(stored.values, axis=0)).min(axis=2).max() < 1e-3
