"""The problem of Osyczka and Kundu (OSY): six parameters, two objectives, six constraints that make the front.

[Osyczka1995]: the front runs along five different sets of active constraints, and a piece of it is won by other
parameters than the next. Departure: objectives and constraints have fidelities. One simulator computes the four
constraints on the first two parameters, another the two on the others; below full fidelity both are too lenient.
"""

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.problem import Constraint, Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

LOW, HIGH = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0]), np.array([10.0, 10.0, 5.0, 6.0, 5.0, 10.0])
RIPPLE_1, RIPPLE_2 = 20.0, 6.0  # of the objectives at z = 0
EDGE_LENIENCE, EDGE_RIPPLE = 0.5, 0.3  # by which the four constraints are too large at z = 0, and how that varies
BOWL_LENIENCE, BOWL_RIPPLE = 0.8, 0.4  # the other two
COST = "0.05 + z**3"
REFERENCE_POINT = np.array([0.0, -80.0])


def osyczka_kundu() -> Benchmark:
    """One simulator per objective, and two of three kinds of constraints."""
    knob = Fidelity.continuous()
    edge_limits = [Constraint(f"g{i}", lower=0.0) for i in (1, 2, 3, 4)]
    bowl_limits = [Constraint(f"g{i}", lower=0.0) for i in (5, 6)]
    problem = Problem(
        parameters=[Real(f"x{i + 1}", low, high) for i, (low, high) in enumerate(zip(LOW, HIGH, strict=True))],
        simulators=[
            Simulator("first", [Objective("f1", "minimize")], f1, fidelity=knob, cost=COST),
            Simulator("second", [Objective("f2", "minimize")], f2, fidelity=knob, cost=COST),
            Simulator("edges", edge_limits, edges, fidelity=knob, cost=COST),
            Simulator("bowls", bowl_limits, bowls, fidelity=knob, cost=COST),
        ],
    )
    return with_stored_front("osyczka_kundu", problem, REFERENCE_POINT, true_values, is_feasible=is_feasible)


def objectives(x: Array, z: float) -> Array:  # (n, 6) -> (n, 2), both to be minimised
    centres = np.array([2.0, 2.0, 1.0, 4.0, 1.0])
    weights = np.array([25.0, 1.0, 1.0, 1.0, 1.0])
    first = -((x[:, :5] - centres) ** 2 @ weights) + RIPPLE_1 * (1.0 - z) * np.sin(x[:, 0] + x[:, 2])
    second = (x**2).sum(axis=1) + RIPPLE_2 * (1.0 - z) * np.cos(x[:, 1] + x[:, 4])
    return np.column_stack([first, second])


def edge_values(x: Array, z: float) -> Array:  # (n, 6) -> (n, 4)
    """The four sides of a quadrilateral in the plane of the first two parameters."""
    a, b = x[:, 0], x[:, 1]
    exact = np.column_stack([a + b - 2.0, 6.0 - a - b, 2.0 + a - b, 2.0 - a + 3.0 * b])
    return exact + (1.0 - z) * (EDGE_LENIENCE + EDGE_RIPPLE * np.sin(a - b))[:, None]


def bowl_values(x: Array, z: float) -> Array:  # (n, 6) -> (n, 2)
    """Under one parabola, and above another."""
    exact = np.column_stack([4.0 - (x[:, 2] - 3.0) ** 2 - x[:, 3], (x[:, 4] - 3.0) ** 2 + x[:, 5] - 4.0])
    return exact + (1.0 - z) * (BOWL_LENIENCE + BOWL_RIPPLE * np.cos(x[:, 2] + x[:, 4]))[:, None]


def f1(z: float, **design: float) -> float:
    return float(objectives(_row(design), z)[0, 0])


def f2(z: float, **design: float) -> float:
    return float(objectives(_row(design), z)[0, 1])


def edges(z: float, **design: float) -> dict[str, float]:
    return {f"g{i + 1}": float(value) for i, value in enumerate(edge_values(_row(design), z)[0])}


def bowls(z: float, **design: float) -> dict[str, float]:
    return {f"g{i + 5}": float(value) for i, value in enumerate(bowl_values(_row(design), z)[0])}


def true_values(unit_designs: Array) -> Array:  # (n, 6) -> (n, 2)
    """Minus the objectives at full fidelity."""
    return -objectives(_in_own_units(unit_designs), 1.0)


def is_feasible(unit_designs: Array) -> BoolArray:  # (n, 6) -> (n,)
    x = _in_own_units(unit_designs)
    return np.asarray((np.column_stack([edge_values(x, 1.0), bowl_values(x, 1.0)]) >= 0.0).all(axis=1))


def _in_own_units(unit_designs: Array) -> Array:
    return LOW + np.asarray(unit_designs) * (HIGH - LOW)


def _row(design: dict[str, float]) -> Array:  # (1, 6)
    return np.array([[design[f"x{i + 1}"] for i in range(len(LOW))]])
