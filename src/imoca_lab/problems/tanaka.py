"""Tanaka's problem (TNK): the objectives are the two parameters themselves, and all that is hard are the constraints.

[Tanaka1995]: minimise x1 and x2 outside a wavy quarter of a circle and inside a disc; the front lies along the wave,
in several pieces. Departure: objectives and constraints have fidelities. One simulator computes both constraints;
below full fidelity its wave is flatter and its circle too small.
"""

import math

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.problem import Constraint, Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

LARGEST = math.pi  # of both parameters
WAVE, N_WAVES = 0.1, 16
SHRUNK = 0.15  # of the squared radius of the inner circle, at z = 0
DISC = 0.5  # squared radius of the outer disc, and both coordinates of its centre
BEND = 0.2  # of the objectives at z = 0
COST = "0.05 + z**3"
REFERENCE_POINT = np.array([-1.2, -1.2])


def tanaka() -> Benchmark:
    """Two parameters, two objectives, two constraints."""
    knob = Fidelity.continuous()
    limits = [Constraint("inner", lower=0.0), Constraint("outer", upper=DISC)]
    problem = Problem(
        parameters=[Real("x1", 0.0, LARGEST), Real("x2", 0.0, LARGEST)],
        simulators=[
            Simulator("first", [Objective("f1", "minimize")], f1, fidelity=knob, cost=COST),
            Simulator("second", [Objective("f2", "minimize")], f2, fidelity=knob, cost=COST),
            Simulator("limits", limits, limit_values, fidelity=knob, cost=COST),
        ],
    )
    return with_stored_front("tanaka", problem, REFERENCE_POINT, true_values, is_feasible=is_feasible)


def f1(x1: float, x2: float, z: float) -> float:
    return x1 + BEND * (1.0 - z) * math.sin(2.0 * x2)


def f2(x1: float, x2: float, z: float) -> float:
    return x2 + BEND * (1.0 - z) * math.sin(2.0 * x1)


def limit_values(x1: float, x2: float, z: float) -> dict[str, float]:
    """How far outside the wavy circle, and the squared distance from the centre of the disc."""
    inner, outer = both_limits(np.array([[x1, x2]]), z)[0]
    return {"inner": float(inner), "outer": float(outer)}


def both_limits(
    x: Array,  # (n, 2)
    z: float,
) -> Array:  # (n, 2)
    wave = WAVE * z * np.cos(N_WAVES * np.arctan2(x[:, 0], x[:, 1]))
    inner = (x**2).sum(axis=1) - 1.0 - wave + SHRUNK * (1.0 - z)
    outer = ((x - DISC) ** 2).sum(axis=1) - SHRUNK * (1.0 - z)
    return np.column_stack([inner, outer])


def true_values(
    unit_designs: Array,  # (n, 2)
) -> Array:  # (n, 2)
    """Minus the parameters."""
    return -LARGEST * np.asarray(unit_designs)


def is_feasible(
    unit_designs: Array,  # (n, 2)
) -> BoolArray:  # (n,)
    inner, outer = both_limits(LARGEST * np.asarray(unit_designs), 1.0).T
    return np.asarray((inner >= 0.0) & (outer <= DISC))
