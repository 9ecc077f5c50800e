"""The simulators of the adversarial suite by address: ``...runs:branin_currin__negated__branin``.

A study names its simulators by the address of a function. A family of a hundred has no function each: they are made
when an address is looked up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.problem import Problem
from imoca_lab.problems.adversarial.distortions import DISTORTIONS, Output
from imoca_lab.problems.adversarial.problem import base_benchmark

# Mean and standard deviation of each output over the cube at full fidelity, in the user's sign.
CENTRES_AND_SPREADS = {
    "branin": (54.31, 51.25),
    "currin": (7.598, 2.65),
    "park1": (0.0315, 0.1988),
    "park2": (-0.1566, 0.2243),
    "f1": (0.5066, 0.3717),
    "f2": (0.5066, 0.3717),
    "f3": (0.7958, 0.3954),
    "ackley": (5.691, 0.834),
    "rosenbrock": (1823.0, 1330.0),
    "sphere": (6.667, 2.667),
}


def __getattr__(name: str) -> "DistortedRun":
    base, distortion, simulator = parts if len(parts := name.split("__")) == 3 else ("", "", "")
    if distortion not in DISTORTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return DistortedRun(base, distortion, simulator)


@dataclass(frozen=True)
class DistortedRun:
    """One simulator of a base problem, distorted below full fidelity; called as a study calls it."""

    base: str
    distortion: str
    simulator: str

    def __call__(self, z: float, **design: float) -> dict[str, float]:
        problem = base_benchmark(self.base).problem
        if z == 1.0:
            return _base_run(problem, self.simulator, design, z)
        u, distort = problem.space.encode(design), DISTORTIONS[self.distortion]
        names = [output.name for output in problem.simulator(self.simulator).outputs]
        return {name: distort(self._output(name), u, z) for name in names}

    def _output(self, name: str) -> Output:
        problem = base_benchmark(self.base).problem

        def values(u: Array, z: float) -> float:
            return _base_run(problem, self.simulator, problem.space.decode(u), z)[name]

        return Output(name, values, *CENTRES_AND_SPREADS[name])


def _base_run(problem: Problem, simulator: str, design: Mapping[str, object], z: float) -> dict[str, float]:
    described = problem.simulator(simulator)
    if not isinstance(described.run, FunctionType):
        raise ProblemError(f"The base's simulator {simulator!r} is no function.", hint="Take a base that is in Python.")
    returned = described.run(**design, z=z)
    return returned if isinstance(returned, dict) else {described.outputs[0].name: returned}
