"""A trap for multi-fidelity methods: Branin and Currin whose low fidelities mislead.

The truth is that of ``branin_currin``; a lower fidelity adds a wave, proportional to 1 - z, that has nothing
to do with it. A method that trusts cheap runs blindly looks in the wrong places.
"""

import math

import numpy as np

from imoca_lab.benchmark import Benchmark, with_stored_front
from imoca_lab.problems.branin_currin import (
    REFERENCE_POINT,
    branin,
    currin,
    problem_on_the_square,
    true_values,
    unit_square,
)


def trap() -> Benchmark:
    """Branin-Currin's parameters, costs, reference point and front, with misleading cheap runs."""
    problem = problem_on_the_square(wavy_branin, wavy_currin)
    return with_stored_front("trap", problem, REFERENCE_POINT, true_values, front_name="branin_currin")


def wavy_branin(x1: float, x2: float, z: float) -> float:
    """Branin at full fidelity minus a wave: to the maximised form it is added."""
    u1, u2 = unit_square(np.asarray(x1), np.asarray(x2))
    return branin(x1, x2, 1.0) - (1.0 - z) * 60.0 * math.sin(9.0 * u1 + 2.0) * math.cos(7.0 * u2)


def wavy_currin(x1: float, x2: float, z: float) -> float:
    """Currin at full fidelity minus a wave."""
    u1, u2 = unit_square(np.asarray(x1), np.asarray(x2))
    return currin(x1, x2, 1.0) - (1.0 - z) * 4.0 * math.sin(11.0 * u1) * math.cos(9.0 * u2 + 1.0)
