"""DTLZ2 with as many parameters and objectives, as cheap and as wrong a low end of its fidelity as one wants.

At full accuracy it is DTLZ2, whose front is a part of a sphere. Departure: the way to it is as long in many parameters
as in four that lead to it; in the standard it grows with each, and in twenty nobody comes near. A run at z is off by a
wave along two parameters, one that turns on the sphere and one that leads away from it, other ones for every objective.
The wave has the standard deviation of its objective, times ``error_size`` at z = 0, times 1 - z: so answers at z = 0
have the correlation wanted with those at full accuracy, over all designs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca.sobol import sobol_sequence
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems.dtlz2 import distance, on_the_sphere

REFERENCE = 1.1  # of every objective, as usual
FRONT_SIZE = 2000  # points of the stored front
SPREAD_SIZE = 12  # log2 of the designs by which the spread of an objective is known
EXPONENT = 3  # of the cost in the fidelity
WAY = 4.0  # parameters that lead to the sphere, of which the way is that of the standard
SEED = 20261118  # of the waves and the front: the same for every seed of a study


@dataclass(frozen=True)
class Member:
    """One problem of the family; a full run of each of its simulators costs 1."""

    n_parameters: int = 5
    n_objectives: int = 2
    cost_ratio: float = 100.0  # of a full run and the cheapest
    correlation: float = 0.9  # of the cheapest run with a full one

    @property
    def error_size(self) -> float:
        """At z = 0, in standard deviations of the objective; uncorrelated with it."""
        return math.sqrt(1.0 / self.correlation**2 - 1.0)

    @cached_property
    def spread(self) -> Array:  # (K,)
        unit = sobol_sequence(self.n_parameters, np.random.default_rng(SEED)).random_base2(SPREAD_SIZE)
        return np.asarray(self.truth(unit).std(axis=0))

    def truth(self, x: Array) -> Array:  # (n, d) -> (n, K)
        """To be minimised."""
        turns = self.n_objectives - 1
        away = distance(x[:, turns:], 1.0) * WAY / (self.n_parameters - turns)
        return np.asarray((1.0 + away)[:, None] * on_the_sphere(x[:, :turns]))

    def values(self, x: Array, z: float) -> Array:  # (n, d) -> (n, K)
        rng = np.random.default_rng(SEED)
        turning = rng.integers(self.n_objectives - 1, size=self.n_objectives)
        leading = rng.integers(self.n_objectives - 1, self.n_parameters, size=self.n_objectives)
        phase = rng.random(self.n_objectives)
        wave = math.sqrt(2.0) * np.sin(2.0 * np.pi * (x[:, turning] + x[:, leading] + phase))
        return np.asarray(self.truth(x) + self.error_size * (1.0 - z) * self.spread * wave)

    def benchmark(self) -> Benchmark:
        problem = Problem(
            parameters=[Real(name, 0.0, 1.0) for name in self._names],
            simulators=[
                Simulator(
                    f"f{j + 1}",
                    [Objective(f"f{j + 1}", "minimize")],
                    _Run(self, j),
                    fidelity=Fidelity.continuous(),
                    cost=f"{1.0 / self.cost_ratio!r} + {1.0 - 1.0 / self.cost_ratio!r} * z**{EXPONENT}",
                )
                for j in range(self.n_objectives)
            ],
        )
        directions = np.abs(np.random.default_rng(SEED).standard_normal((FRONT_SIZE, self.n_objectives)))
        front = -directions / np.linalg.norm(directions, axis=1, keepdims=True)
        reference = np.full(self.n_objectives, -REFERENCE)
        return Benchmark("growth", problem, reference, lambda x: -self.truth(x), front, self.front_hypervolume)

    @property
    def front_hypervolume(self) -> float:
        """In closed form: the box below the reference point without the part of the unit ball in it."""
        ball = math.pi ** (self.n_objectives / 2) / math.gamma(self.n_objectives / 2 + 1)
        return float(REFERENCE**self.n_objectives - ball / 2**self.n_objectives)

    @property
    def _names(self) -> list[str]:
        return [f"x{i + 1}" for i in range(self.n_parameters)]


@dataclass(frozen=True)
class _Run:
    """The simulator of one objective."""

    member: Member
    objective: int

    def __call__(self, z: float, **design: float) -> float:
        x = np.array([list(design.values())])
        return float(self.member.values(x, z)[0, self.objective])
