"""The adversarial suite: problems named BASE-DISTORTION whose truth is the base's and whose cheap runs mislead.

At z = 1 a run is the base's own, so reference point, front and hypervolume are the base's too. One problem per base
is left honest: a method that never trusts a cheap run wins nothing there.
"""

from functools import cache

from imoca.errors import ProblemError
from imoca.problem import Fidelity, FunctionReference, Problem, Simulator
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems.ackley_rosenbrock_sphere import ackley_rosenbrock_sphere
from imoca_lab.problems.adversarial.distortions import DISTORTIONS
from imoca_lab.problems.branin_currin import branin_currin
from imoca_lab.problems.dtlz2 import dtlz2
from imoca_lab.problems.momf_park import momf_park

# Every distortion where a run is quickest, those that hurt most on two more, and a few in five parameters.
SUITE: dict[str, tuple[str, ...]] = {
    "branin_currin": tuple(DISTORTIONS),
    "momf_park": ("honest", "negated", "noise", "shifted", "half_right", "stuck", "outliers", "failing"),
    "dtlz2": ("honest", "negated", "wave", "shifted", "wrong_order", "late_jump", "outliers"),
    "ackley_rosenbrock_sphere": ("honest", "negated", "wave", "stuck"),
}
ADVERSARIAL_NAMES = tuple(f"{base}-{distortion}" for base, chosen in SUITE.items() for distortion in chosen)
DEFAULT = "branin_currin-negated"
WRONG_ORDER_LEVELS = (0.0, 0.5, 1.0)  # numbers, so that the base's cost holds for them


def adversarial(variant: str = DEFAULT) -> Benchmark:
    """The base's parameters, costs, reference point and front, with misleading cheap runs."""
    if variant not in ADVERSARIAL_NAMES:
        raise ProblemError(
            f"The benchmark 'adversarial' knows no variant {variant!r}.",
            hint=f"Its variants are {', '.join(ADVERSARIAL_NAMES)}.",
        )
    name, distortion = variant.split("-")
    base = base_benchmark(name)
    problem = Problem(
        parameters=base.problem.parameters,
        simulators=[_distorted(simulator, name, distortion) for simulator in base.problem.simulators],
    )
    return Benchmark(
        f"adversarial-{variant}",
        problem,
        base.reference_point.copy(),
        base.true_values,
        base.reference_front.copy(),
        base.hypervolume,
    )


@cache
def base_benchmark(name: str) -> Benchmark:
    """The problem that is distorted, of the smallest size there is."""
    match name:
        case "branin_currin":
            return branin_currin()
        case "momf_park":
            return momf_park()
        case "dtlz2":
            return dtlz2("k3")
        case "ackley_rosenbrock_sphere":
            return ackley_rosenbrock_sphere()
        case _:
            raise ProblemError(f"There is no base {name!r}.", hint=f"The bases are {', '.join(SUITE)}.")


def _distorted(simulator: Simulator, base: str, distortion: str) -> Simulator:
    address = f"imoca_lab.problems.adversarial.runs:{base}__{distortion}__{simulator.name}"
    return Simulator(
        simulator.name,
        simulator.outputs,
        FunctionReference(address),
        fidelity=Fidelity.levels(WRONG_ORDER_LEVELS) if distortion == "wrong_order" else simulator.fidelity,
        cost=simulator.cost,
    )
