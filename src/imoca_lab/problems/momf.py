"""What the test problems of [Irshad2021] share: one run gives two objectives and costs exp(4.8 z)."""

from collections.abc import Callable

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Runnable, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

REFERENCE_POINT = np.zeros(2)
COST = "exp(4.8 * z)"


def shared_fidelity_benchmark(
    name: str,
    n_parameters: int,  # in the unit cube
    simulator: str,
    objectives: tuple[str, str],
    run: Runnable,
    true_values: Callable[[Array], Array],  # (n, d) -> (n, 2)
) -> Benchmark:
    """Two objectives, both maximised, from one simulator with one continuous fidelity."""
    outputs = [Objective(objective, "maximize") for objective in objectives]
    problem = Problem(
        parameters=[Real(f"x{i + 1}", 0.0, 1.0) for i in range(n_parameters)],
        simulators=[Simulator(simulator, outputs, run, fidelity=Fidelity.continuous(), cost=COST)],
    )
    return with_stored_front(name, problem, REFERENCE_POINT, true_values)
