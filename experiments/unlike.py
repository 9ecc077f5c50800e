"""A problem whose errors are unlike its truth: one objective hangs on one parameter, its error on all of them.

After ZDT1 in ten parameters: the way to the front is a bowl instead of a slope. A run at z adds a wave along a random
direction and a slope, other ones for every objective, which fade with (1 - z)^1.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark

N_PARAMETERS = 10
DEEPEST = 0.3  # of every parameter but the first: there the front lies
STEEPNESS = 36.0
WAVE, SLOPE, EXPONENT = 0.35, 0.2, 1.5  # of the errors, in deviations of their objective over random designs
ROUGHNESS = 1.5
FRONT_SIZE = 2000
REFERENCE = 1.1  # of every objective, as usual
SEED = 20261120  # of the waves: the same for every seed of a study
COST = "0.02 + 0.98 * z**2"


def unlike() -> Benchmark:
    problem = Problem(
        parameters=[Real(f"x{i + 1}", 0.0, 1.0) for i in range(N_PARAMETERS)],
        simulators=[
            Simulator(
                f"f{j + 1}", [Objective(f"f{j + 1}", "minimize")], Run(j), fidelity=Fidelity.continuous(), cost=COST
            )
            for j in range(2)
        ],
    )
    first = np.linspace(0.0, 1.0, FRONT_SIZE)
    front = -np.column_stack([first, 1.0 - np.sqrt(first)])
    hypervolume = REFERENCE**2 - 1.0 / 3.0  # the box without what lies below the front: the integral of 1 - sqrt(f1)
    return Benchmark("unlike", problem, np.full(2, -REFERENCE), lambda x: -truth(x), front, hypervolume)


def truth(x: Array) -> Array:  # (n, d) -> (n, 2) to be minimised
    away = 1.0 + STEEPNESS * ((x[:, 1:] - DEEPEST) ** 2).mean(axis=1)
    return np.column_stack([x[:, 0], away * (1.0 - np.sqrt(x[:, 0] / away))])


@dataclass(frozen=True)
class Run:
    """The simulator of one objective."""

    objective: int

    def __call__(self, z: float, **design: float) -> float:
        x, rng = np.array([list(design.values())]), np.random.default_rng(SEED + self.objective)
        direction, phase = ROUGHNESS * rng.standard_normal(N_PARAMETERS), 6.0 * rng.random()
        spread = truth(rng.random((4096, N_PARAMETERS)))[:, self.objective].std()
        error = WAVE * np.sin(x @ direction + phase)[0] + SLOPE * x[0, self.objective]
        return float(truth(x)[0, self.objective] + spread * error * (1.0 - z) ** EXPONENT)
