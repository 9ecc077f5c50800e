import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import qmc, spearmanr
from simulating import function_of
from stored_fronts import largest_gain_by_a_step

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import estimate_hypervolume, hypervolume
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.dtlz2 import (
    N_PARAMETERS,
    Variant,
    distance,
    dtlz2,
    dtlz2_values,
    on_the_sphere,
    six_true_values,
    sphere_angles,
    three_true_values,
)
from imoca_lab.stored_front import load_front

SIZES: list[tuple[Variant, int]] = [("k6", 6), ("k3", 3)]
DESIGNS = {n: np.random.default_rng(0).random((5000, N_PARAMETERS[n])) for n in (6, 3)}


def test_three_objectives_by_hand() -> None:
    # g = 0.3^2 + 0.1^2 + 0.5^2 = 0.35; angles of 60 and 30 degrees
    values = dtlz2_values(np.array([[2 / 3, 1 / 3, 0.8, 0.4, 0.0]]), 1.0, 3)[0]
    expected = [0.5 * math.sqrt(3) / 2, 0.5 * 0.5, math.sqrt(3) / 2]
    np.testing.assert_allclose(values, 1.35 * np.array(expected), rtol=1e-12)


def test_six_objectives_by_hand_in_the_middle_of_the_cube() -> None:
    root = math.sqrt(0.5)  # every angle is 45 degrees, and the distance vanishes
    expected = [root**5, root**5, root**4, root**3, root**2, root]
    np.testing.assert_allclose(dtlz2_values(np.full((1, 10), 0.5), 1.0, 6)[0], expected, rtol=1e-12)


def test_the_lowest_fidelity_by_hand() -> None:
    # the valley lies at 0.6, where g vanishes; sin(2 pi x) is 1 at 1/4 and sin(1.2 pi) at 0.6
    x = np.array([[0.25, 0.0, 0.6, 0.6, 0.6]])
    honest = np.array([math.cos(math.pi / 8), 0.0, math.sin(math.pi / 8)])
    bend = 0.1 * np.array([1.0, 0.0, math.sin(1.2 * math.pi)])
    np.testing.assert_allclose(dtlz2_values(x, 0.0, 3)[0], honest + bend, atol=1e-12)


@pytest.mark.parametrize("n_objectives", [6, 3])
def test_the_squares_add_up_to_the_square_of_one_plus_g(n_objectives: int) -> None:
    x = DESIGNS[n_objectives]
    radii = np.linalg.norm(dtlz2_values(x, 1.0, n_objectives), axis=1)
    np.testing.assert_allclose(radii, 1.0 + ((x[:, n_objectives - 1 :] - 0.5) ** 2).sum(axis=1))


@pytest.mark.parametrize("n_objectives", [6, 3])
def test_the_error_is_half_as_large_half_way_up_but_for_the_square_of_the_shift(n_objectives: int) -> None:
    x = DESIGNS[n_objectives]
    truth = dtlz2_values(x, 1.0, n_objectives)
    whole, half = (dtlz2_values(x, z, n_objectives) - truth for z in (0.0, 0.5))
    n_valley = N_PARAMETERS[n_objectives] - n_objectives + 1
    assert np.abs(half - 0.5 * whole).max() <= n_valley * 0.1**2 / 4 + 1e-12


def test_the_valley_moves_with_the_fidelity() -> None:
    assert distance(np.full((1, 4), 0.5), 1.0)[0] == 0.0
    assert distance(np.full((1, 4), 0.55), 0.5)[0] == pytest.approx(0.0, abs=1e-30)
    assert distance(np.full((1, 4), 0.5), 0.0)[0] == pytest.approx(4 * 0.01)


@pytest.mark.parametrize("n_objectives", [6, 3])
def test_angles_lead_back_to_the_point_of_the_sphere(n_objectives: int) -> None:
    x = DESIGNS[n_objectives][:, : n_objectives - 1]
    np.testing.assert_allclose(sphere_angles(on_the_sphere(x)), x, atol=1e-9)
    np.testing.assert_allclose(on_the_sphere(sphere_angles(np.eye(n_objectives))), np.eye(n_objectives), atol=1e-15)


def test_the_hypervolume_is_the_box_without_the_orthant_of_the_ball() -> None:
    assert dtlz2("k3").hypervolume == pytest.approx(1.1**3 - math.pi / 6, rel=1e-9)
    assert dtlz2("k6").hypervolume == pytest.approx(1.5**6 - math.pi**3 / 6 / 2**6, rel=1e-9)


@pytest.mark.parametrize(("variant", "n_objectives"), SIZES)
def test_the_hypervolume_is_the_share_of_the_box_beyond_the_sphere_counted_by_samples(
    variant: Variant, n_objectives: int
) -> None:
    benchmark = dtlz2(variant)
    corner = -benchmark.reference_point
    points = corner * qmc.Sobol(n_objectives, rng=0).random_base2(16)
    # in the positive orthant a point is dominated by the sphere if it lies beyond it: by its own projection
    beyond = float((np.linalg.norm(points, axis=1) > 1.0).mean() * np.prod(corner))
    assert benchmark.hypervolume == pytest.approx(beyond, rel=2e-3)


@pytest.mark.parametrize(("variant", "n_objectives"), SIZES)
def test_the_stored_front_lies_on_the_sphere_and_is_what_its_designs_give(variant: Variant, n_objectives: int) -> None:
    benchmark = dtlz2(variant)
    stored = load_front(benchmark.name, N_PARAMETERS[n_objectives])
    np.testing.assert_allclose(benchmark.true_values(stored.designs), stored.values, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(stored.values, axis=1), 1.0, atol=1e-4)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    for corner in -np.eye(n_objectives):
        assert np.abs(stored.values - corner).max(axis=1).min() < 1e-3


def test_the_stored_points_cover_nearly_the_whole_volume() -> None:
    three, six = dtlz2("k3"), dtlz2("k6")
    covered = hypervolume(three.reference_front, three.reference_point)
    assert 0.95 * three.hypervolume < covered < three.hypervolume
    sampled = estimate_hypervolume(six.reference_front, six.reference_point, np.random.default_rng(0)).volume
    assert 0.97 * six.hypervolume < sampled < six.hypervolume


@pytest.mark.parametrize(("variant", "n_objectives"), SIZES)
def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective(
    variant: Variant, n_objectives: int
) -> None:
    benchmark = dtlz2(variant)
    stored = load_front(benchmark.name, N_PARAMETERS[n_objectives])
    assert largest_gain_by_a_step(stored, benchmark.true_values) < 1e-3


@pytest.mark.parametrize(
    ("variant", "values"), [("k6", six_true_values), ("k3", three_true_values)], ids=["six", "three"]
)
def test_true_values_are_the_negated_simulators_at_full_fidelity(
    variant: Variant, values: Callable[[Array], Array]
) -> None:
    problem = dtlz2(variant).problem
    designs = DESIGNS[len(problem.objectives)][:4]
    for u, row in zip(designs, values(designs), strict=True):
        named = problem.space.decode(u)
        np.testing.assert_allclose(row, [-function_of(s)(**named, z=1.0) for s in problem.simulators], rtol=1e-12)


@pytest.mark.parametrize(("variant", "n_objectives"), SIZES)
def test_every_objective_has_a_simulator_of_its_own_at_the_stated_cost(variant: Variant, n_objectives: int) -> None:
    problem = dtlz2(variant).problem
    assert [s.name for s in problem.simulators] == [f"f{j + 1}" for j in range(n_objectives)]
    for simulator in problem.simulators:
        middle = np.full((1, problem.space.n_parameters), 0.5)
        ratio = simulator.cost_ratio(problem.space, middle, np.array([0.0, 0.5, 1.0]))[0]
        np.testing.assert_allclose(ratio, [0.02 / 1.02, 0.145 / 1.02, 1.0])
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_cheap_runs_rank_designs_as_documented() -> None:
    low, full = dtlz2_values(DESIGNS[6], 0.0, 6), dtlz2_values(DESIGNS[6], 1.0, 6)
    correlations = [spearmanr(low[:, j], full[:, j]).statistic for j in range(6)]
    np.testing.assert_allclose(correlations, [0.826, 0.825, 0.908, 0.953, 0.979, 0.954], atol=0.02)


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProblemError, match="k4") as caught:
        dtlz2("k4")  # type: ignore[arg-type]
    assert "k6, k3" in caught.value.hint
