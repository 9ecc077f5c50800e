"""DTLZ2, all objectives minimised, each with its own continuous fidelity and cost; its front is a sphere.

[Deb2002]: the first parameters turn on the sphere, the others lead away from it. A lower fidelity moves the valley
that leads to the sphere, the same way for every objective, and bends each objective along a parameter of its own.
Departure: the fidelity is ours; the standard has none. ``variant="k6"`` has six objectives in ten parameters,
``"k3"`` three in five.
"""

import math
from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, check_option, with_stored_front

N_PARAMETERS = {6: 10, 3: 5}  # by the number of objectives
VALLEY_SHIFT = 0.1  # of every distance parameter at z = 0
BEND = 0.1  # amplitude at z = 0; the objectives lie between 0 and 1 along the front
COST = "0.02 + z**3"
REFERENCES = {6: 1.5, 3: 1.1}  # of every objective; at the usual 1.1 fifty random designs reach 17 % of six objectives

Variant = Literal["k6", "k3"]


def dtlz2(variant: Variant = "k6") -> Benchmark:
    """Parameters in the unit cube, one simulator per objective."""
    check_option("dtlz2", "variant", variant, Variant)
    name, runs, values = (
        ("dtlz2", SIX_RUNS, six_true_values) if variant == "k6" else ("dtlz2_k3", THREE_RUNS, three_true_values)
    )
    problem = Problem(
        parameters=[Real(f"x{i + 1}", 0.0, 1.0) for i in range(N_PARAMETERS[len(runs)])],
        simulators=[
            Simulator(f"f{j + 1}", [Objective(f"f{j + 1}", "minimize")], run, fidelity=Fidelity.continuous(), cost=COST)
            for j, run in enumerate(runs)
        ],
    )
    return with_stored_front(name, problem, reference_point(len(runs)), values)


def reference_point(n_objectives: int) -> Array:  # (K,)
    """Maximised, as the front is."""
    return np.full(n_objectives, -REFERENCES[n_objectives])


def dtlz2_values(
    x: Array,  # (n, d)
    z: float,
    n_objectives: int,
) -> Array:  # (n, K)
    """All objectives, to be minimised."""
    scale = 1.0 + distance(x[:, n_objectives - 1 :], z)
    bend = BEND * (1.0 - z) * np.sin(2.0 * np.pi * x[:, :n_objectives])
    return scale[:, None] * on_the_sphere(x[:, : n_objectives - 1]) + bend


def distance(
    x: Array,  # (n, d - K + 1) the parameters that lead away from the sphere
    z: float,
) -> Array:  # (n,)
    """``g``: 0 at the bottom of the valley, which lies at 1/2 at full fidelity."""
    return np.asarray(((x - 0.5 - VALLEY_SHIFT * (1.0 - z)) ** 2).sum(axis=1))


def on_the_sphere(
    x: Array,  # (n, K - 1) angles in units of a right angle
) -> Array:  # (n, K)
    """The point of the unit sphere at these angles; no coordinate is negative."""
    ones = np.ones((len(x), 1))
    cosines = np.sin(0.5 * np.pi * (1.0 - x))  # not by cos, which misses 0 at a right angle by 6e-17
    products = np.concatenate([ones, np.cumprod(cosines, axis=1)], axis=1)  # of the first 0..K-1
    sines = np.concatenate([ones, np.sin(0.5 * np.pi * x)[:, ::-1]], axis=1)
    return np.asarray(products[:, ::-1] * sines)


def sphere_angles(
    points: Array,  # (n, K) on the unit sphere, no coordinate negative
) -> Array:  # (n, K - 1)
    """The parameters that lead to these points: the inverse of ``on_the_sphere``."""
    radii = np.sqrt(np.cumsum(points**2, axis=1))  # of the first 1..K coordinates
    return np.arctan2(points[:, 1:], radii[:, :-1])[:, ::-1] * 2.0 / np.pi


def front_hypervolume(n_objectives: int) -> float:
    """In closed form: the box below the reference point without the part of the unit ball in it."""
    ball = math.pi ** (n_objectives / 2) / math.gamma(n_objectives / 2 + 1)
    return float(REFERENCES[n_objectives] ** n_objectives - ball / 2**n_objectives)


def six_true_values(
    unit_designs: Array,  # (n, 10)
) -> Array:  # (n, 6)
    """Minus the objectives at full fidelity; the design is its own encoding."""
    return -dtlz2_values(np.asarray(unit_designs), 1.0, 6)


def three_true_values(
    unit_designs: Array,  # (n, 5)
) -> Array:  # (n, 3)
    """The same with three objectives."""
    return -dtlz2_values(np.asarray(unit_designs), 1.0, 3)


def _one(j: int, design: dict[str, float], z: float, n_objectives: int) -> float:
    x = np.array([[design[f"x{i + 1}"] for i in range(N_PARAMETERS[n_objectives])]])
    return float(dtlz2_values(x, z, n_objectives)[0, j - 1])


# One importable function per objective and variant: a study file names its simulators by address.


def f1(z: float, **design: float) -> float:
    return _one(1, design, z, 6)


def f2(z: float, **design: float) -> float:
    return _one(2, design, z, 6)


def f3(z: float, **design: float) -> float:
    return _one(3, design, z, 6)


def f4(z: float, **design: float) -> float:
    return _one(4, design, z, 6)


def f5(z: float, **design: float) -> float:
    return _one(5, design, z, 6)


def f6(z: float, **design: float) -> float:
    return _one(6, design, z, 6)


def k3_f1(z: float, **design: float) -> float:
    return _one(1, design, z, 3)


def k3_f2(z: float, **design: float) -> float:
    return _one(2, design, z, 3)


def k3_f3(z: float, **design: float) -> float:
    return _one(3, design, z, 3)


SIX_RUNS = (f1, f2, f3, f4, f5, f6)
THREE_RUNS = (k3_f1, k3_f2, k3_f3)
