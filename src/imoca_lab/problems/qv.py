"""Quagliarella and Vicini's two rippled bowls, both minimised on [-5.12, 5.12]^8; only the second has a fidelity.

[Belakaria2020], appendix B, after [Quagliarella1998]. Departure: the printed ``20 pi x`` is read as the
standard's ``10 cos(2 pi x)``, without which the root is of a negative number over much of the domain. The
low fidelity weights the squares by 0.9 and 1.1 in turn. The paper states no domain; this is the standard's.
"""

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

N_PARAMETERS = 8
LOW, HIGH = -5.12, 5.12  # of every parameter
SHIFT = 1.5  # between the two bowls, in every parameter
LEVELS, LEVEL_COSTS = ("low", "high"), (0.1, 1.0)
LOW_LEVEL_WEIGHTS = np.array([0.9, 1.1] * (N_PARAMETERS // 2))  # of the squares
REFERENCE_POINT = np.array([-2.4, -2.4])  # minus both bowls; a random design reaches -2.1 on average


def qv() -> Benchmark:
    """Eight parameters, two objectives; the second comes in two levels."""
    return with_stored_front(
        name="qv",
        problem=Problem(
            parameters=[Real(f"x{i + 1}", LOW, HIGH) for i in range(N_PARAMETERS)],
            simulators=[
                Simulator("bowl", [Objective("bowl", "minimize")], bowl, cost=1.0),
                Simulator(
                    "shifted_bowl",
                    [Objective("shifted_bowl", "minimize")],
                    shifted_bowl,
                    fidelity=Fidelity.levels(LEVELS),
                    cost=LEVEL_COSTS,
                ),
            ],
        ),
        reference_point=REFERENCE_POINT,
        true_values=true_values,
    )


def bowl(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, x7: float, x8: float) -> float:
    """The first bowl at one design; 0 at the origin."""
    x = np.array([[x1, x2, x3, x4, x5, x6, x7, x8]])
    return float(bowl_values(x, np.ones(N_PARAMETERS))[0])


def shifted_bowl(
    x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, x7: float, x8: float, z: str
) -> float:
    """The second bowl at one design; 0 where every parameter is 1.5, at both levels."""
    x = np.array([[x1, x2, x3, x4, x5, x6, x7, x8]])
    weights = LOW_LEVEL_WEIGHTS if z == LEVELS[0] else np.ones(N_PARAMETERS)
    return float(bowl_values(x - SHIFT, weights)[0])


def bowl_values(
    x: Array,  # (n, 8)
    weights: Array,  # (8,)
) -> Array:  # (n,)
    """The fourth root of a mean Rastrigin function, row by row."""
    return np.asarray(rastrigin_terms(x, weights).mean(axis=1) ** 0.25)


def rastrigin_terms(x: Array, weights: Array) -> Array:
    """Elementwise; rounded up to 0 where cancellation leaves a hair less, for it is never negative."""
    return np.maximum(weights * x**2 + 10.0 * (1.0 - np.cos(2.0 * np.pi * x)), 0.0)


def true_values(
    unit_designs: Array,  # (n, 8)
) -> Array:  # (n, 2)
    """Minus both bowls at the high level."""
    x, ones = LOW + np.asarray(unit_designs) * (HIGH - LOW), np.ones(N_PARAMETERS)
    return -np.stack([bowl_values(x, ones), bowl_values(x - SHIFT, ones)], axis=1)
