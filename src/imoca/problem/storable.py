"""A problem as text that another process can read."""

from __future__ import annotations

import dataclasses

from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference, reference_to
from imoca.problem.simulator import Command, Simulator


def storable_problem(problem: Problem) -> str:
    """The problem as TOML. A function that no other process could import is left out: it is given anew each time.

    A cost that is such a function is a ProblemError: without it another process would count wrongly.
    """
    return Problem(problem.parameters, [_storable(simulator) for simulator in problem.simulators]).to_toml()


def _storable(simulator: Simulator) -> Simulator:
    run = simulator.run
    is_storable = run is None or isinstance(run, Command | FunctionReference) or reference_to(run) is not None
    return simulator if is_storable else dataclasses.replace(simulator, run=None, timeout=None, retries=0)
