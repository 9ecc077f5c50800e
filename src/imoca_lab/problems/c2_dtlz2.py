"""C2-DTLZ2 with two objectives: DTLZ2 of which only three pieces of the front are feasible, each with its own fidelity.

[Jain2014]: a design is feasible if its objectives lie within a ball about one of the corners of the front or about
its middle, so that the front is three arcs of a circle. Departure: objectives and constraint have fidelities; a cheap
constraint is computed from cheap objectives and its balls are too large.
"""

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.problem import Constraint, Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front
from imoca_lab.problems.dtlz2 import dtlz2_values

N_OBJECTIVES, N_PARAMETERS = 2, 4
RADIUS = 0.2  # of the balls
EXTRA = 0.1  # by which the square of the radius is too large at z = 0
COST = "0.02 + z**3"
REFERENCE_POINT = np.array([-1.1, -1.1])


def c2_dtlz2() -> Benchmark:
    """Four parameters in the unit cube, one simulator per objective and one of the constraint alone."""
    knob = Fidelity.continuous()
    problem = Problem(
        parameters=[Real(f"x{i + 1}", 0.0, 1.0) for i in range(N_PARAMETERS)],
        simulators=[
            Simulator("f1", [Objective("f1", "minimize")], f1, fidelity=knob, cost=COST),
            Simulator("f2", [Objective("f2", "minimize")], f2, fidelity=knob, cost=COST),
            Simulator("balls", [Constraint("outside", upper=0.0)], outside, fidelity=knob, cost=COST),
        ],
    )
    return with_stored_front("c2_dtlz2", problem, REFERENCE_POINT, true_values, is_feasible=is_feasible)


def outside_values(
    x: Array,  # (n, 4)
    z: float,
) -> Array:  # (n,)
    """How far outside the nearest ball: the squared distance from its centre less its squared radius."""
    f = dtlz2_values(x, z, N_OBJECTIVES)
    centres = np.concatenate([np.eye(N_OBJECTIVES), np.full((1, N_OBJECTIVES), N_OBJECTIVES**-0.5)])
    squared = ((f[:, None, :] - centres) ** 2).sum(axis=2)
    return np.asarray(squared.min(axis=1) - RADIUS**2 - EXTRA * (1.0 - z))


def f1(z: float, **design: float) -> float:
    return float(dtlz2_values(_row(design), z, N_OBJECTIVES)[0, 0])


def f2(z: float, **design: float) -> float:
    return float(dtlz2_values(_row(design), z, N_OBJECTIVES)[0, 1])


def outside(z: float, **design: float) -> float:
    return float(outside_values(_row(design), z)[0])


def true_values(
    unit_designs: Array,  # (n, 4)
) -> Array:  # (n, 2)
    """Minus the objectives at full fidelity; the design is its own encoding."""
    return -dtlz2_values(np.asarray(unit_designs), 1.0, N_OBJECTIVES)


def is_feasible(
    unit_designs: Array,  # (n, 4)
) -> BoolArray:  # (n,)
    return np.asarray(outside_values(np.asarray(unit_designs), 1.0) <= 0.0)


def _row(design: dict[str, float]) -> Array:  # (1, 4)
    return np.array([[design[f"x{i + 1}"] for i in range(N_PARAMETERS)]])
