import math
from typing import Any

import numpy as np
import pytest

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.branin_currin import branin
from imoca_lab.problems.momf_branin_currin import (
    momf_branin_currin,
    rescaled_branin_currin,
    rescaled_values,
    true_values,
)
from imoca_lab.stored_front import load_front


def exact_front() -> Array:  # (n, 2)
    """The second parameter moves Branin alone, a parabola in it: its best value is known for each first one."""
    u1 = np.linspace(0.0, 1.0, 400_001)
    x1 = 15.0 * u1 - 5.0
    vertex = 5.1 / (4.0 * math.pi**2) * x1**2 - 5.0 / math.pi * x1 + 6.0
    x2 = np.clip(vertex, 0.0, 15.0)
    b = (x2 - vertex) ** 2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * np.cos(x1) + 10.0
    c = (2300 * u1**3 + 1900 * u1**2 + 2092 * u1 + 60) / (100 * u1**3 + 500 * u1**2 + 4 * u1 + 20)
    return np.stack([(21.0 - b) / 22.0, (14.0 - c) / 15.0], axis=1)


def test_both_objectives_by_hand() -> None:
    outputs = rescaled_branin_currin(0.5, 0.5, z=1.0)
    assert outputs["branin"] == pytest.approx((21.0 - branin(2.5, 7.5, 1.0)) / 22.0)
    assert outputs["currin"] == pytest.approx((14.0 - 1868.5 / 159.5) / 15.0)
    low = rescaled_branin_currin(0.5, 0.5, z=0.0)["currin"]
    assert low == pytest.approx((14.0 - (1.0 - 0.1 * math.exp(-1.0)) * 1868.5 / 159.5) / 15.0)


def test_the_minimum_of_branin_is_the_top_of_the_first_objective() -> None:
    assert rescaled_branin_currin((math.pi + 5.0) / 15.0, 2.275 / 15.0, z=1.0)["branin"] == pytest.approx(
        (21.0 - 0.397887) / 22.0, abs=1e-7
    )


def test_the_second_parameter_moves_currin_below_full_fidelity_only() -> None:
    u = np.array([[0.3, 0.0], [0.3, 0.5], [0.3, 1.0]])
    assert np.ptp(rescaled_values(u, 1.0)[:, 1]) == 0.0
    assert np.ptp(rescaled_values(u, 0.5)[:, 1]) > 0.01


def test_one_simulator_answers_both_and_is_charged_once() -> None:
    problem = momf_branin_currin().problem
    assert len(problem.simulators) == 1
    assert [(o.name, o.goal) for o in problem.objectives] == [("branin", "maximize"), ("currin", "maximize")]
    ratio = problem.simulators[0].cost_ratio(problem.space, np.full((1, 2), 0.5), np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(ratio[0], [math.exp(-4.8), math.exp(-2.4), 1.0])


def test_true_values_are_the_simulator_at_full_fidelity() -> None:
    problem, unit_designs = momf_branin_currin().problem, np.random.default_rng(1).random((5, 2))
    for u, row in zip(unit_designs, true_values(unit_designs), strict=True):
        named: dict[str, Any] = problem.space.decode(u)
        outputs = rescaled_branin_currin(**named, z=1.0)
        np.testing.assert_allclose(row, list(outputs.values()), rtol=1e-12)


def test_the_problem_survives_a_study_file() -> None:
    problem = momf_branin_currin().problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_the_hypervolume_is_that_of_the_front_derived_by_hand_and_not_the_one_in_circulation() -> None:
    exact = hypervolume(exact_front(), np.zeros(2))
    assert momf_branin_currin().hypervolume == pytest.approx(exact, rel=1e-5)
    assert exact < 0.97 * 0.5235514  # which no set of designs at full fidelity reaches


def test_the_stored_front_is_what_its_designs_give_and_covers_nearly_the_whole_volume() -> None:
    benchmark, stored = momf_branin_currin(), load_front("momf_branin_currin", 2)
    np.testing.assert_allclose(true_values(stored.designs), stored.values, atol=1e-7)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    volume = hypervolume(stored.values, benchmark.reference_point)
    assert 0.99 * benchmark.hypervolume < volume <= benchmark.hypervolume


def test_no_point_of_the_derived_front_beats_the_stored_one_by_more_than_its_spacing() -> None:
    front, exact = momf_branin_currin().reference_front, exact_front()
    exact = exact[non_dominated(exact)][::50]
    assert not (exact[:, None, :] > front[None] + 0.01).all(axis=2).any()
