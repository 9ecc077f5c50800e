"""Branin-Currin on a disc: two objectives and one constraint, each with its own fidelity and cost.

The disc is that of BoTorch's ConstrainedBraninCurrin: (x1 - 2.5)^2 + (x2 - 7.5)^2 <= 50. It cuts off an end of
Branin-Currin's front. Departure: the constraint has a fidelity, and a cheap run calls more designs feasible than are.
"""

import math

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.problem import Constraint, Fidelity, Problem, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front
from imoca_lab.problems.branin_currin import HIGH, LOW, branin, currin, problem_on_the_square, true_values

CENTRE = np.array([2.5, 7.5])
LARGEST = 50.0  # squared distance from the centre
BIAS, RIPPLE = 15.0, 10.0  # by which the cheapest run is too low, and how much that varies
COST = "0.1 + z**2"
REFERENCE_POINT = np.array([-80.0, -12.0])  # minus Branin, minus Currin


def branin_currin_disc() -> Benchmark:
    """Branin-Currin's simulators and one of the constraint alone."""
    free = problem_on_the_square(branin, currin)
    limit = Simulator(
        "disc", [Constraint("distance", upper=LARGEST)], distance, fidelity=Fidelity.continuous(), cost=COST
    )
    problem = Problem(free.parameters, [*free.simulators, limit])
    return with_stored_front("branin_currin_disc", problem, REFERENCE_POINT, true_values, is_feasible=is_feasible)


def distance(x1: float, x2: float, z: float) -> float:
    """Squared, from the centre of the disc; below full fidelity too small."""
    exact = (x1 - CENTRE[0]) ** 2 + (x2 - CENTRE[1]) ** 2
    return float(exact - (1.0 - z) * (BIAS + RIPPLE * math.sin(x1)))


def is_feasible(
    unit_designs: Array,  # (n, 2)
) -> BoolArray:  # (n,)
    x = LOW + np.asarray(unit_designs) * (HIGH - LOW)
    return np.asarray(((x - CENTRE) ** 2).sum(axis=1) <= LARGEST)
