"""Branin and Currin, rescaled to about [0, 1] and maximised, from one simulator with one fidelity.

The first test problem of [Irshad2021]. Its Currin is the printed one, in which the second parameter acts
below full fidelity only. One run gives both objectives and costs exp(4.8 z).
"""

import numpy as np

from imoca.arrays import Array
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems.branin_currin import HIGH, LOW, branin_values, printed_currin_values
from imoca_lab.problems.momf import shared_fidelity_benchmark

N_PARAMETERS = 2


def momf_branin_currin() -> Benchmark:
    """Two parameters in the unit square, two objectives that share one continuous fidelity."""
    return shared_fidelity_benchmark(
        "momf_branin_currin", N_PARAMETERS, "branin_currin", ("branin", "currin"), rescaled_branin_currin, true_values
    )


def rescaled_branin_currin(x1: float, x2: float, z: float) -> dict[str, float]:
    """Both objectives at one design."""
    branin, currin = rescaled_values(np.array([[x1, x2]]), z)[0]
    return {"branin": float(branin), "currin": float(currin)}


def rescaled_values(
    u: Array,  # (n, 2)
    z: float,
) -> Array:  # (n, 2)
    """Branin and Currin upside down, shifted and scaled."""
    x1, x2 = (LOW + u * (HIGH - LOW)).T
    return np.stack(
        [(21.0 - branin_values(x1, x2, z)) / 22.0, (14.0 - printed_currin_values(x1, x2, z)) / 15.0], axis=1
    )


def true_values(
    unit_designs: Array,  # (n, 2)
) -> Array:  # (n, 2)
    """Both objectives at full fidelity; the design is its own encoding."""
    return rescaled_values(np.asarray(unit_designs), 1.0)
