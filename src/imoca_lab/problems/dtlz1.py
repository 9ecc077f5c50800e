"""DTLZ1 with six objectives in five parameters, all minimised, each in three levels.

[Belakaria2020], appendix B. Departure: the cosine belongs inside the sum of ``r`` and has the standard's
frequency 20 pi; ``variant="paper"`` keeps the printed 10 pi. Every parameter takes part in ``r``, whereas the
standard DTLZ1 keeps the first five out of it, so the front is not the plane where the objectives add up to
1/2: their sum is ``(1 + r) / 2``, and ``r`` vanishes at the centre alone.
"""

from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, check_option, with_stored_front

N_PARAMETERS, N_OBJECTIVES = 5, 6
LEVELS, LEVEL_COSTS = (0.2, 0.6, 1.0), (0.01, 0.1, 1.0)
FREQUENCY, PAPER_FREQUENCY = 20.0 * np.pi, 10.0 * np.pi
REFERENCE_POINT = np.full(N_OBJECTIVES, -100.0)

Variant = Literal["standard", "paper"]


def dtlz1(variant: Variant = "standard") -> Benchmark:
    """Five parameters in the unit cube, six objectives with a fidelity of three levels each."""
    check_option("dtlz1", "variant", variant, Variant)
    name, runs, values = (
        ("dtlz1", STANDARD_RUNS, true_values)
        if variant == "standard"
        else ("dtlz1_paper", PAPER_RUNS, paper_true_values)
    )
    return with_stored_front(
        name=name,
        problem=Problem(
            parameters=[Real(f"x{i + 1}", 0.0, 1.0) for i in range(N_PARAMETERS)],
            simulators=[
                Simulator(
                    f"f{j + 1}",
                    [Objective(f"f{j + 1}", "minimize")],
                    run,
                    fidelity=Fidelity.levels(LEVELS),
                    cost=LEVEL_COSTS,
                )
                for j, run in enumerate(runs)
            ],
        ),
        reference_point=REFERENCE_POINT,
        true_values=values,
    )


def dtlz1_values(
    x: Array,  # (n, 5)
    z: float,
    frequency: float = FREQUENCY,
) -> Array:  # (n, 6)
    """All six objectives, to be minimised, with the same error each."""
    n = len(x)
    products = np.concatenate([np.ones((n, 1)), np.cumprod(x, axis=1)], axis=1)  # of the first 0..5 parameters
    shares = np.empty((n, N_OBJECTIVES))
    shares[:, 0] = products[:, 5]
    for j in range(2, N_OBJECTIVES + 1):
        shares[:, j - 1] = (1.0 - x[:, 6 - j]) * products[:, 6 - j]
    scale = 0.5 * (1.0 + distance(x, frequency))
    return scale[:, None] * shares + resolution_error(x, z)[:, None]


def distance(
    x: Array,  # (n, 5)
    frequency: float = FREQUENCY,
) -> Array:  # (n,)
    """``r``: 0 at the centre, with a local minimum at every crest of the cosine."""
    offset = x - 0.5
    return np.asarray(100.0 * (offset**2 + 1.0 - np.cos(frequency * offset)).sum(axis=1))


def resolution_error(
    x: Array,  # (n, 5)
    z: float,
) -> Array:  # (n,)
    """What a lower level adds to every objective; 0 at full fidelity."""
    a = 1.0 - z
    return np.asarray((a * np.cos(10.0 * np.pi * a * x + 0.5 * np.pi * a + np.pi)).sum(axis=1))


def true_values(
    unit_designs: Array,  # (n, 5)
) -> Array:  # (n, 6)
    """Minus the objectives at full fidelity; the design is its own encoding."""
    return -dtlz1_values(np.asarray(unit_designs), 1.0)


def paper_true_values(
    unit_designs: Array,  # (n, 5)
) -> Array:  # (n, 6)
    """The same with the printed frequency."""
    return -dtlz1_values(np.asarray(unit_designs), 1.0, PAPER_FREQUENCY)


def _one(j: int, design: tuple[float, ...], z: float, frequency: float) -> float:
    return float(dtlz1_values(np.array([design]), z, frequency)[0, j - 1])


# One importable function per objective and variant: a study file names its simulators by address.


def f1(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(1, (x1, x2, x3, x4, x5), z, FREQUENCY)


def f2(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(2, (x1, x2, x3, x4, x5), z, FREQUENCY)


def f3(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(3, (x1, x2, x3, x4, x5), z, FREQUENCY)


def f4(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(4, (x1, x2, x3, x4, x5), z, FREQUENCY)


def f5(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(5, (x1, x2, x3, x4, x5), z, FREQUENCY)


def f6(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(6, (x1, x2, x3, x4, x5), z, FREQUENCY)


def paper_f1(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(1, (x1, x2, x3, x4, x5), z, PAPER_FREQUENCY)


def paper_f2(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(2, (x1, x2, x3, x4, x5), z, PAPER_FREQUENCY)


def paper_f3(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(3, (x1, x2, x3, x4, x5), z, PAPER_FREQUENCY)


def paper_f4(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(4, (x1, x2, x3, x4, x5), z, PAPER_FREQUENCY)


def paper_f5(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(5, (x1, x2, x3, x4, x5), z, PAPER_FREQUENCY)


def paper_f6(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    return _one(6, (x1, x2, x3, x4, x5), z, PAPER_FREQUENCY)


STANDARD_RUNS = (f1, f2, f3, f4, f5, f6)
PAPER_RUNS = (paper_f1, paper_f2, paper_f3, paper_f4, paper_f5, paper_f6)
