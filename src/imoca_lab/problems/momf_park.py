"""Two of Park's functions, rescaled and maximised, from one simulator with one fidelity.

The second test problem of [Irshad2021], in the form in which it is used for comparisons (the code, whose
first function guards its denominator by 1e-4, and where the second function's signs follow Park). One run
gives both objectives and costs exp(4.8 z).
"""

import numpy as np

from imoca.arrays import Array
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems.momf import shared_fidelity_benchmark

N_PARAMETERS = 4
DENOMINATOR_GUARD = 1e-4


def momf_park() -> Benchmark:
    """Four parameters in the unit cube, two objectives that share one continuous fidelity."""
    return shared_fidelity_benchmark("momf_park", N_PARAMETERS, "park", ("park1", "park2"), park, true_values)


def park(x1: float, x2: float, x3: float, x4: float, z: float) -> dict[str, float]:
    """Both objectives at one design."""
    first, second = park_values(np.array([[x1, x2, x3, x4]]), z)[0]
    return {"park1": float(first), "park2": float(second)}


def park_values(
    x: Array,  # (n, 4)
    z: float,
) -> Array:  # (n, 2)
    """Park's functions of the folded design, shrunk and shifted by the fidelity."""
    a, b, c, d = folded(x).T
    shrink, shift = 0.9 + 0.1 * z, 0.1 * (1.0 - z)
    root = np.sqrt(1.0 + (b + c**2) * d / (a**2 + DENOMINATOR_GUARD))
    first = (a + 0.001 * (1.0 - z)) / 2.0 * root + (a + 3.0 * d) * np.exp(1.0 + np.sin(c))
    second = 5.0 - 2.0 / 3.0 * np.exp(a + b) + shrink * d * np.sin(c) - c
    return np.stack([shrink * (first - shift) / 22.0 - 0.8, shrink * (second + shift) / 4.0 - 0.7], axis=1)


def folded(
    x: Array,  # (n, 4)
) -> Array:  # (n, 4)
    """Three of the parameters bent into parabolas, so that the optimum leaves the corners."""
    x1, x2, x3, x4 = x.T
    return np.stack([1.0 - 2.0 * (x1 - 0.6) ** 2, x2, 1.0 - 3.0 * (x3 - 0.5) ** 2, 1.0 - (x4 - 0.8) ** 2], axis=1)


def true_values(
    unit_designs: Array,  # (n, 4)
) -> Array:  # (n, 2)
    """Both objectives at full fidelity; the design is its own encoding."""
    return park_values(np.asarray(unit_designs), 1.0)
