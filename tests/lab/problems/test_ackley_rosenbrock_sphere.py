import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import spearmanr
from simulating import function_of

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.ackley_rosenbrock_sphere import (
    ackley,
    ackley_rosenbrock_sphere,
    ackley_values,
    rosenbrock,
    rosenbrock_values,
    sphere,
    sphere_values,
    true_values,
)
from imoca_lab.stored_front import load_front

DESIGNS = np.random.default_rng(0).uniform(-2.0, 2.0, size=(20_000, 5))


def test_ackley_by_hand_at_the_origin_at_ones_and_at_halves() -> None:
    assert ackley(0, 0, 0, 0, 0, z=1.0) == pytest.approx(0.0, abs=1e-14)
    assert ackley(1, 1, 1, 1, 1, z=1.0) == pytest.approx(20.0 - 20.0 * math.exp(-0.2))  # every cosine is 1
    halves = 20.0 - 20.0 * math.exp(-0.1) + math.e - math.exp(-1.0)  # every cosine is -1
    assert ackley(0.5, -0.5, 0.5, -0.5, 0.5, z=1.0) == pytest.approx(halves)


def test_rosenbrock_by_hand() -> None:
    assert rosenbrock(1, 1, 1, 1, 1, z=1.0) == 0.0
    assert rosenbrock(0, 0, 0, 0, 0, z=1.0) == 4.0
    assert rosenbrock(0, 0, 0, 0, 0, z=0.0) == pytest.approx(4.0 + 4 * 100 * 0.01**2)
    # 100 (1 - 4)^2 + 1, 100 (0 - 1)^2 + 0, twice 0 + 1
    assert rosenbrock(2, 1, 0, 0, 0, z=1.0) == pytest.approx(901.0 + 100.0 + 2.0)


def test_sphere_by_hand() -> None:
    assert sphere(1, -2, 0, 0.5, 0, z=1.0) == pytest.approx(5.25)


@pytest.mark.parametrize("values", [ackley_values, sphere_values])
def test_low_fidelities_of_ackley_and_sphere_are_a_constant_offset(values: Callable[[Array, float], Array]) -> None:
    np.testing.assert_allclose(values(DESIGNS, 0.25) - values(DESIGNS, 1.0), 0.0075, atol=1e-12)


def test_low_fidelities_of_rosenbrock_rank_almost_perfectly() -> None:
    low, full = rosenbrock_values(DESIGNS, 0.0), rosenbrock_values(DESIGNS, 1.0)
    assert np.corrcoef(low, full)[0, 1] == pytest.approx(0.999997, abs=1e-6)
    assert spearmanr(low, full).statistic > 0.9999


def test_ackley_spans_the_documented_range() -> None:
    values = ackley_values(DESIGNS, 1.0)
    assert values.min() == pytest.approx(1.4, abs=0.3)
    assert values.max() == pytest.approx(7.8, abs=0.1)


def test_every_simulator_costs_what_the_paper_says() -> None:
    problem = ackley_rosenbrock_sphere().problem
    assert [s.name for s in problem.simulators] == ["ackley", "rosenbrock", "sphere"]
    for simulator in problem.simulators:
        ratio = simulator.cost_ratio(problem.space, np.full((1, 5), 0.5), np.array([0.0, 0.5, 1.0]))
        np.testing.assert_allclose(ratio[0], [0.05 / 1.05, (0.05 + 0.5**6.5) / 1.05, 1.0])


def test_true_values_are_the_negated_simulators_at_full_fidelity() -> None:
    problem, unit_designs = ackley_rosenbrock_sphere().problem, np.random.default_rng(1).random((5, 5))
    for u, row in zip(unit_designs, true_values(unit_designs), strict=True):
        named = problem.space.decode(u)
        np.testing.assert_allclose(row, [-function_of(s)(**named, z=1.0) for s in problem.simulators], rtol=1e-12)


def test_the_problem_survives_a_study_file() -> None:
    problem = ackley_rosenbrock_sphere().problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_the_stored_front_is_what_its_designs_give_and_covers_nearly_the_whole_volume() -> None:
    benchmark, stored = ackley_rosenbrock_sphere(), load_front("ackley_rosenbrock_sphere", 5)
    np.testing.assert_allclose(true_values(stored.designs), stored.values, atol=1e-6)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    volume = hypervolume(stored.values, benchmark.reference_point)
    assert 0.998 * benchmark.hypervolume < volume <= benchmark.hypervolume


def test_the_front_holds_both_ends() -> None:
    front = ackley_rosenbrock_sphere().reference_front
    np.testing.assert_allclose(front[front[:, 1].argmax()], [-20.0 + 20.0 * math.exp(-0.2), 0.0, -5.0], atol=0.05)
    np.testing.assert_allclose(front[front[:, 2].argmax()], [0.0, -4.0, 0.0], atol=0.02)
    assert (front > ackley_rosenbrock_sphere().reference_point).all()


def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective() -> None:
    stored, rng = load_front("ackley_rosenbrock_sphere", 5), np.random.default_rng(2)
    for scale in (1e-1, 1e-2, 1e-3):
        tried = np.clip(stored.designs + scale * rng.normal(size=(40, *stored.designs.shape)), 0.0, 1.0)
        gain = true_values(tried.reshape(-1, 5)).reshape(40, *stored.values.shape) - stored.values
        assert (gain / np.ptp(stored.values, axis=0)).min(axis=2).max() < 1e-3


@pytest.mark.slow
def test_no_minimum_of_a_weighted_sum_beats_the_front(rng: np.random.Generator) -> None:
    """Another route to points of the front: local minima from random starts."""
    front = ackley_rosenbrock_sphere().reference_front
    span = np.ptp(front, axis=0)
    for _ in range(40):
        weights = rng.dirichlet(np.ones(3)) / span
        answer = minimize(lambda u, w=weights: float(-true_values(u[None])[0] @ w), rng.random(5), bounds=[(0, 1)] * 5)
        ahead = (true_values(np.clip(answer.x, 0.0, 1.0)[None]) - front) / span  # (m, 3)
        # Some stored point is nowhere behind by more than the spacing of the stored points.
        assert ahead.max(axis=1).min() < 0.1
        # And none is beaten everywhere by much.
        assert ahead.min(axis=1).max() < 0.05
