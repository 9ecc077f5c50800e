"""What tests of benchmarks share: a simulator's function, called by hand as a study calls it."""

from collections.abc import Callable
from typing import Any

from imoca.problem.simulator import Simulator


def function_of(simulator: Simulator) -> Callable[..., Any]:
    assert callable(simulator.run)
    return simulator.run
