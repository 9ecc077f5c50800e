"""Ackley, Rosenbrock and the sphere, all minimised on [-2, 2]^5, each with its own fidelity and cost.

[Belakaria2020], appendix B, taken literally. There a lower fidelity of Ackley and of the sphere is a constant
offset, and Rosenbrock's hardly bends it: cheap runs rank designs as full ones do, a free lunch that a
multi-fidelity method must find. The paper states no domain; this is that of the authors' earlier work.
"""

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

N_PARAMETERS = 5
LOW, HIGH = -2.0, 2.0  # of every parameter
# Minus Ackley, Rosenbrock, sphere: just beyond the worst of Ackley and sphere along the front, and at 300
# for Rosenbrock, whose worst there is 4 but whose median over the cube is 1500: a few random designs count.
REFERENCE_POINT = np.array([-6.0, -300.0, -6.0])
COST = "0.05 + z**6.5"


def ackley_rosenbrock_sphere() -> Benchmark:
    """Five parameters, three objectives with a continuous fidelity each."""
    runs = {"ackley": ackley, "rosenbrock": rosenbrock, "sphere": sphere}
    return with_stored_front(
        name="ackley_rosenbrock_sphere",
        problem=Problem(
            parameters=[Real(f"x{i + 1}", LOW, HIGH) for i in range(N_PARAMETERS)],
            simulators=[
                Simulator(name, [Objective(name, "minimize")], run, fidelity=Fidelity.continuous(), cost=COST)
                for name, run in runs.items()
            ],
        ),
        reference_point=REFERENCE_POINT,
        true_values=true_values,
    )


def ackley(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    """Ackley at one design; 0 at the origin."""
    return float(ackley_values(np.array([[x1, x2, x3, x4, x5]]), z)[0])


def rosenbrock(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    """Rosenbrock at one design; 0 where every parameter is 1."""
    return float(rosenbrock_values(np.array([[x1, x2, x3, x4, x5]]), z)[0])


def sphere(x1: float, x2: float, x3: float, x4: float, x5: float, z: float) -> float:
    """The sphere at one design; 0 at the origin."""
    return float(sphere_values(np.array([[x1, x2, x3, x4, x5]]), z)[0])


def ackley_values(
    x: Array,  # (n, 5)
    z: float,
) -> Array:  # (n,)
    """Ackley, row by row."""
    bowl = -20.0 * np.exp(-0.2 * np.sqrt(np.mean(x**2, axis=1)))
    ripple = -np.exp(np.mean(np.cos(2.0 * np.pi * x), axis=1))
    return np.asarray(bowl + ripple + np.e + 20.0 + 0.01 * (1.0 - z))


def rosenbrock_values(
    x: Array,  # (n, 5)
    z: float,
) -> Array:  # (n,)
    """Rosenbrock's chain, row by row; the fidelity shifts its valley."""
    off_the_valley = x[:, 1:] - x[:, :-1] ** 2 + 0.01 * (1.0 - z)
    return np.asarray((100.0 * off_the_valley**2 + (1.0 - x[:, :-1]) ** 2).sum(axis=1))


def sphere_values(
    x: Array,  # (n, 5)
    z: float,
) -> Array:  # (n,)
    """The squared distance from the origin, row by row."""
    return np.asarray((x**2).sum(axis=1) + 0.01 * (1.0 - z))


def true_values(
    unit_designs: Array,  # (n, 5)
) -> Array:  # (n, 3)
    """Minus Ackley, Rosenbrock and sphere at full fidelity."""
    x = LOW + np.asarray(unit_designs) * (HIGH - LOW)
    return -np.stack([ackley_values(x, 1.0), rosenbrock_values(x, 1.0), sphere_values(x, 1.0)], axis=1)
