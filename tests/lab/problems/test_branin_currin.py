import math

import numpy as np
import pytest
from simulating import function_of
from stored_fronts import largest_gain_by_a_step

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.branin_currin import (
    Variant,
    branin,
    branin_currin,
    branin_values,
    currin,
    currin_values,
    paper_true_values,
    printed_currin,
    true_values,
)
from imoca_lab.stored_front import load_front


@pytest.mark.parametrize(("x1", "x2"), [(-math.pi, 12.275), (math.pi, 2.275), (9.42478, 2.475)])
def test_branin_has_its_known_minimum_at_three_places(x1: float, x2: float) -> None:
    assert branin(x1, x2, 1.0) == pytest.approx(0.397887, abs=1e-6)


def test_branin_at_the_lowest_fidelity_computed_by_hand() -> None:
    # x1 = 0: (x2 - 6)^2 + 10 (1 - t) + 10 with t = 1/(8 pi) + 0.05
    assert branin(0.0, 8.0, 0.0) == pytest.approx(4.0 + 20.0 - 10.0 / (8.0 * math.pi) - 0.5)


def test_branin_bends_its_valley_at_half_fidelity() -> None:
    # b and c enter alone where x2 - 6 and the cosine are known
    b, c, t = 5.1 / (4 * math.pi**2) - 0.005, 5 / math.pi - 0.05, 1 / (8 * math.pi) + 0.025
    assert branin(math.pi, 6.0, 0.5) == pytest.approx((c * math.pi - b * math.pi**2) ** 2 + 10 * t)


def test_currin_at_corners_and_centre_computed_by_hand() -> None:
    assert currin(-5.0, 15.0, 1.0) == pytest.approx((1 - math.exp(-0.5)) * 3.0)
    assert currin(10.0, 15.0, 1.0) == pytest.approx((1 - math.exp(-0.5)) * 6352.0 / 624.0)
    # u = (1/2, 1/2): (287.5 + 475 + 1046 + 60) / (12.5 + 125 + 2 + 20)
    assert currin(2.5, 7.5, 1.0) == pytest.approx((1 - math.exp(-1.0)) * 1868.5 / 159.5)
    assert currin(2.5, 7.5, 0.0) == pytest.approx((0.9 - math.exp(-1.0)) * 1868.5 / 159.5)


def test_currin_takes_its_limit_at_the_lower_edge_without_a_warning() -> None:
    assert currin(-5.0, 0.0, 1.0) == 3.0
    assert currin(-5.0, 1e-300, 1.0) == 3.0


def test_true_values_are_the_negated_simulators_at_full_fidelity() -> None:
    u = np.random.default_rng(0).random((5, 2))
    expected = [[-branin(15 * a - 5, 15 * b, 1.0), -currin(15 * a - 5, 15 * b, 1.0)] for a, b in u]
    np.testing.assert_allclose(true_values(u), expected, rtol=1e-12)


def test_the_simulators_of_the_problem_run_with_named_parameters() -> None:
    problem = branin_currin().problem
    assert [s.name for s in problem.simulators] == ["branin", "currin"]
    assert all(objective.goal == "minimize" for objective in problem.objectives)
    run = problem.simulator("branin").run
    assert callable(run)
    assert run(x1=math.pi, x2=2.275, z=1.0) == pytest.approx(0.397887, abs=1e-6)


def test_the_declared_costs_are_those_of_the_paper_relative_to_a_full_run() -> None:
    problem = branin_currin().problem
    x, z = np.array([[0.5, 0.5]]), np.array([0.0, 0.5, 1.0])
    np.testing.assert_allclose(
        problem.simulator("branin").cost_ratio(problem.space, x, z)[0],
        [0.05 / 1.05, (0.05 + 0.5**6.5) / 1.05, 1.0],
    )
    np.testing.assert_allclose(
        problem.simulator("currin").cost_ratio(problem.space, x, z)[0], [0.1 / 1.1, 0.35 / 1.1, 1.0]
    )


def test_the_dense_front_has_the_independently_measured_hypervolume() -> None:
    assert branin_currin().hypervolume == pytest.approx(59.406, abs=1e-3)


def test_the_stored_front_is_what_its_designs_give_and_covers_nearly_the_whole_volume() -> None:
    benchmark, stored = branin_currin(), load_front("branin_currin", n_parameters=2)
    np.testing.assert_allclose(true_values(stored.designs), stored.values, atol=1e-6)
    assert len(stored.values) <= 500
    assert non_dominated(stored.values).all()
    volume = hypervolume(stored.values, benchmark.reference_point)
    assert 0.995 * benchmark.hypervolume < volume < benchmark.hypervolume


def test_no_random_design_beats_the_stored_front_by_more_than_its_spacing() -> None:
    front = branin_currin().reference_front
    values = true_values(np.random.default_rng(1).random((5000, 2)))
    assert not (values[:, None, :] > front[None] + np.array([0.3, 0.05])).all(axis=2).any()


def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective() -> None:
    assert largest_gain_by_a_step(load_front("branin_currin", n_parameters=2), true_values) < 1e-3


# The printed problem.


def derived_paper_front() -> Array:  # (n, 2) maximised
    """The second parameter moves Branin alone, a parabola in it: its best value is known for each first one."""
    x1 = np.linspace(-5.0, 10.0, 1_000_001)
    u1 = (x1 + 5.0) / 15.0
    vertex = 5.1 / (4.0 * math.pi**2) * x1**2 - 5.0 / math.pi * x1 + 6.0
    b = (np.clip(vertex, 0.0, 15.0) - vertex) ** 2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * np.cos(x1) + 10.0
    c = (2300 * u1**3 + 1900 * u1**2 + 2092 * u1 + 60) / (100 * u1**3 + 500 * u1**2 + 4 * u1 + 20)
    return -np.stack([b, c], axis=1)


def test_the_printed_currin_loses_its_second_parameter_at_full_fidelity() -> None:
    values = [printed_currin(2.5, x2, 1.0) for x2 in (0.0, 3.0, 7.5, 15.0)]
    np.testing.assert_allclose(values, 1868.5 / 159.5)
    assert printed_currin(2.5, 7.5, 0.0) == pytest.approx((1 - 0.1 * math.exp(-1.0)) * 1868.5 / 159.5)
    grid = np.array([printed_currin(x1, 7.5, 1.0) for x1 in np.linspace(-5.0, 10.0, 500)])
    assert grid.min() == pytest.approx(3.0)  # the standard Currin goes down to 1.18
    assert grid.max() == pytest.approx(13.8, abs=0.01)


def test_the_printed_variant_has_a_front_of_its_own_with_the_derived_hypervolume() -> None:
    benchmark, stored = branin_currin("paper"), load_front("branin_currin_paper", n_parameters=2)
    exact = hypervolume(derived_paper_front(), benchmark.reference_point)
    assert benchmark.hypervolume == pytest.approx(exact, rel=2e-5)
    np.testing.assert_allclose(paper_true_values(stored.designs), stored.values, atol=1e-6)
    assert len(stored.values) <= 300
    assert 0.99 * exact < hypervolume(stored.values, benchmark.reference_point) <= exact
    # of Branin's three minima the one with the smallest Currin ends the front: x1 = 3 pi
    np.testing.assert_allclose(stored.values[stored.values[:, 0].argmax()], [-0.397887, -10.213], atol=1e-3)


@pytest.mark.parametrize("variant", ["code", "paper"])
def test_the_problem_survives_a_study_file_and_its_truth_is_what_it_runs(variant: Variant) -> None:
    benchmark = branin_currin(variant)
    assert problem_from_toml(problem_to_toml(benchmark.problem)) == benchmark.problem
    u = np.random.default_rng(3).random((4, 2))
    for row, values in zip(u, benchmark.true_values(u), strict=True):
        named = benchmark.problem.space.decode(row)
        np.testing.assert_allclose(
            values, [-function_of(s)(**named, z=1.0) for s in benchmark.problem.simulators], rtol=1e-12
        )


def test_low_fidelities_differ_as_specified() -> None:
    designs = np.random.default_rng(0).random((20_000, 2)) * 15.0 - np.array([5.0, 0.0])
    x1, x2 = designs.T
    for values, correlation, error in ((branin_values, 0.9988, 4.2), (currin_values, 0.998, 1.14)):
        low, full = values(x1, x2, 0.0), values(x1, x2, 1.0)
        assert np.corrcoef(low, full)[0, 1] == pytest.approx(correlation, abs=3e-4)
        assert np.sqrt(np.mean((low - full) ** 2)) == pytest.approx(error, rel=0.02)


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProblemError, match="printed") as caught:
        branin_currin("printed")  # type: ignore[arg-type]
    assert "code, paper" in caught.value.hint
