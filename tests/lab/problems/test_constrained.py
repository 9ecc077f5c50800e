"""Problems with constraints: their truths by hand, cheap runs too lenient, fronts that nothing feasible beats."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from stored_fronts import largest_gain_by_a_step

import imoca_lab
from imoca.arrays import Array, BoolArray
from imoca.pareto import hypervolume, non_dominated
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems import branin_currin_disc, c2_dtlz2, osyczka_kundu, tanaka
from imoca_lab.problems.branin_currin import branin_currin
from imoca_lab.stored_front import load_front

NAMES = ["branin_currin_disc", "c2_dtlz2", "tanaka", "osyczka_kundu"]


def feasible(benchmark: Benchmark, x: Array) -> BoolArray:
    assert benchmark.is_feasible is not None
    return benchmark.is_feasible(x)


@pytest.mark.parametrize("name", NAMES)
def test_feasible_is_what_the_simulators_say_at_full_accuracy(name: str) -> None:
    benchmark = imoca_lab.get(name)
    problem = benchmark.problem
    x = np.random.default_rng(0).random((300, problem.space.n_parameters))
    for row, is_feasible, values in zip(x, feasible(benchmark, x), benchmark.true_values(x), strict=True):
        told: dict[str, float] = {}
        for simulator in problem.simulators:
            answer = simulator.run(**problem.space.decode(row), z=1.0)  # type: ignore[operator, misc]
            told |= answer if isinstance(answer, dict) else {simulator.outputs[0].name: answer}
        limits = [(told[each.name], each.lower, each.upper) for each in problem.constraints]
        assert is_feasible == all(
            (low is None or value >= low) and (high is None or value <= high) for value, low, high in limits
        )
        np.testing.assert_allclose(-values, [told[each.name] for each in problem.objectives], rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_cheap_runs_call_feasible_what_is_not_and_never_much_the_other_way(name: str) -> None:
    benchmark = imoca_lab.get(name)
    problem = benchmark.problem
    x = np.random.default_rng(1).random((1500, problem.space.n_parameters))
    if name == "c2_dtlz2":
        x[:, 2:] = 0.4 + 0.2 * x[:, 2:]  # near the front, where the balls are
    cheap = np.ones(len(x), bool)
    for simulator in problem.simulators:
        limits = [each for each in simulator.outputs if each in problem.constraints]
        for i, row in enumerate(x if limits else ()):
            answer = simulator.run(**problem.space.decode(row), z=0.0)  # type: ignore[operator, misc]
            told = answer if isinstance(answer, dict) else {limits[0].name: answer}
            for limit in limits:
                low, high = (
                    -np.inf if limit.lower is None else limit.lower,
                    np.inf if limit.upper is None else limit.upper,
                )
                cheap[i] &= low <= told[limit.name] <= high
    truly = feasible(benchmark, x)
    assert cheap.sum() > 1.2 * truly.sum() > 0
    assert (cheap & ~truly).sum() > 3 * (truly & ~cheap).sum()


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_front_is_feasible_true_and_beaten_by_no_feasible_step(name: str) -> None:
    benchmark = imoca_lab.get(name)
    stored = load_front(name, benchmark.problem.space.n_parameters)
    np.testing.assert_allclose(benchmark.true_values(stored.designs), stored.values, rtol=1e-8, atol=1e-8)
    assert feasible(benchmark, stored.designs).mean() > 0.4  # others lie on a bound, to the digits that are stored
    assert non_dominated(stored.values).all()

    def feasible_values(x: Array) -> Array:
        return np.where(feasible(benchmark, x)[:, None], benchmark.true_values(x), -np.inf)

    assert largest_gain_by_a_step(stored, feasible_values) < 1e-4
    assert 0.97 * benchmark.hypervolume < hypervolume(stored.values, benchmark.reference_point) <= benchmark.hypervolume


@pytest.mark.parametrize("name", NAMES)
def test_no_feasible_design_of_many_lies_above_the_stored_front(name: str) -> None:
    benchmark = imoca_lab.get(name)
    x = np.random.default_rng(2).random((400_000, benchmark.problem.space.n_parameters))
    values = benchmark.true_values(x[feasible(benchmark, x)])
    joined = np.concatenate([benchmark.reference_front, values[non_dominated(values)]])
    assert hypervolume(joined, benchmark.reference_point) <= benchmark.hypervolume * (1.0 + 1e-6)


def test_the_disc_cuts_the_front_of_branin_currin() -> None:
    ours, free = branin_currin_disc.branin_currin_disc(), branin_currin()
    beyond = hypervolume(free.reference_front, ours.reference_point)
    assert ours.hypervolume < 0.99 * beyond
    assert branin_currin_disc.distance(2.5, 7.5, 1.0) == 0.0
    assert branin_currin_disc.distance(2.5, 12.5, 0.5) == pytest.approx(25.0 - 0.5 * (15.0 + 10.0 * math.sin(2.5)))


def test_the_hypervolume_of_three_arcs_by_integration() -> None:
    """Under the staircase of the arcs: along each the height of the circle, in a gap that of the arc before it."""
    half = 2.0 * math.asin(0.5 * c2_dtlz2.RADIUS)  # the angle that a ball reaches round the circle
    arcs = [(0.0, half), (0.25 * math.pi - half, 0.25 * math.pi + half), (0.5 * math.pi - half, 0.5 * math.pi)]
    f1 = np.linspace(0.0, 1.1, 2_000_001)
    best = np.full(len(f1), 1.1)  # the smallest f2 that some design with at most this f1 has
    for low, high in arcs:
        ends = math.cos(high), math.cos(low)
        inside = f1 >= ends[0]
        best[inside] = np.minimum(best[inside], np.sqrt(np.maximum(1.0 - np.minimum(f1[inside], ends[1]) ** 2, 0.0)))
    assert c2_dtlz2.c2_dtlz2().hypervolume == pytest.approx(np.trapezoid(1.1 - best, f1), rel=1e-5)
    corner = np.array([[0.0, 0.5, 0.5, 0.5]])
    assert c2_dtlz2.outside_values(corner, 1.0)[0] == pytest.approx(-(c2_dtlz2.RADIUS**2))


def test_tanakas_constraints_by_hand() -> None:
    assert tanaka.limit_values(0.0, 1.0, 1.0) == {"inner": pytest.approx(-0.1), "outer": 0.5}
    assert tanaka.limit_values(1.0, 1.0, 1.0)["inner"] == pytest.approx(1.0 - 0.1 * math.cos(4.0 * math.pi))
    assert tanaka.f1(0.3, 0.7, 0.5) == pytest.approx(0.3 + 0.1 * math.sin(1.4))


def test_osyczkas_and_kundus_values_by_hand() -> None:
    corner = np.array([[5.0, 1.0, 5.0, 0.0, 5.0, 0.0]])
    np.testing.assert_allclose(osyczka_kundu.objectives(corner, 1.0), [[-(225.0 + 1 + 16 + 16 + 16), 76.0]])
    np.testing.assert_allclose(osyczka_kundu.edge_values(corner, 1.0), [[4.0, 0.0, 6.0, 0.0]])
    np.testing.assert_allclose(osyczka_kundu.bowl_values(corner, 1.0), [[0.0, 0.0]])
    lenience = 0.5 * (0.5 + 0.3 * math.sin(4.0))
    np.testing.assert_allclose(osyczka_kundu.edge_values(corner, 0.5)[0], np.array([4.0, 0.0, 6.0, 0.0]) + lenience)
    np.testing.assert_allclose(
        osyczka_kundu.bowl_values(corner, 0.5), 0.5 * (0.8 + 0.4 * math.cos(10.0)) * np.ones((1, 2))
    )


def test_the_pieces_of_osyczka_and_kundu_are_what_a_solver_of_constrained_problems_finds() -> None:
    """The smallest f1 of all designs whose f2 is at most so much, by SLSQP from many starts."""
    low, high = osyczka_kundu.LOW, osyczka_kundu.HIGH
    front = -osyczka_kundu.osyczka_kundu().reference_front
    rng = np.random.default_rng(0)

    def limits(x: Array) -> Array:
        return np.concatenate([osyczka_kundu.edge_values(x[None], 1.0)[0], osyczka_kundu.bowl_values(x[None], 1.0)[0]])

    for most in (4.5, 8.0, 16.0, 24.0, 33.0, 45.0, 60.0, 75.0):
        found = []
        for _ in range(60):
            answer = minimize(
                lambda x: osyczka_kundu.objectives(x[None], 1.0)[0, 0],
                low + rng.random(6) * (high - low),
                method="SLSQP",
                bounds=list(zip(low, high, strict=True)),
                constraints=[
                    {"type": "ineq", "fun": limits},
                    {"type": "ineq", "fun": lambda x, most=most: most - (x**2).sum()},
                ],
            )
            if answer.success and limits(answer.x).min() > -1e-6:
                found.append(answer.fun)
        stored = front[front[:, 1] <= most, 0].min()
        assert min(found) == pytest.approx(stored, abs=2.0)  # the stored points are apart
        assert min(found) > np.interp(most, *front[np.argsort(front[:, 1])].T[::-1]) - 1.0
