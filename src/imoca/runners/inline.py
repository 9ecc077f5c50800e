"""Run a trial's simulators here and now, one after the other."""

from __future__ import annotations

import logging
import time
from typing import Any

from imoca.answers import check_cost, check_values
from imoca.errors import ProblemError, TrialError
from imoca.problem.cost import MeasuredCost
from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Command, Simulator
from imoca.trials import Answer, Trial

logger = logging.getLogger(__name__)


def run_inline(problem: Problem, trial: Trial) -> Answer:
    """The answers of all simulators; one that raises, or returns what is no answer, fails alone."""
    values: dict[str, float] = {}
    costs: dict[str, float] = {}
    failures: dict[str, str] = {}
    for simulator in problem.simulators:
        started = time.perf_counter()
        try:
            returned = _call(simulator, trial)
            outputs, cost = _read(simulator, returned)
            values |= outputs
        except ProblemError:
            raise
        except Exception as error:  # a simulator may fail in any way
            logger.warning("Trial %d: simulator %r failed: %s", trial.number, simulator.name, error)
            failures[simulator.name] = f"{type(error).__name__}: {error}"
            cost = None
        if cost is None and isinstance(simulator.cost, MeasuredCost):
            cost = time.perf_counter() - started
        if cost is not None:
            costs[simulator.name] = cost
    return Answer(values, costs, failures)


def _call(simulator: Simulator, trial: Trial) -> Any:
    function = simulator.run
    if isinstance(function, FunctionReference):
        function = function.resolve()
    if function is None or isinstance(function, Command):
        raise ProblemError(
            f"Simulator {simulator.name!r} has no Python function to run.",
            hint="Give Simulator(..., run=function), or use ask and tell and run it yourself.",
        )
    if simulator.fidelity.kind == "none":
        return function(**trial.parameters)
    return function(**trial.parameters, z=trial.fidelities[simulator.name])


def _read(simulator: Simulator, returned: Any) -> tuple[dict[str, float], float | None]:
    """A number, a dict of outputs, or (either, cost)."""
    cost = None
    if isinstance(returned, tuple):
        if len(returned) != 2:
            raise TrialError(
                f"Simulator {simulator.name!r} returned a tuple of {len(returned)}.",
                hint="Return a number, a dict of outputs, or (outputs, cost).",
            )
        returned, cost = returned
        cost = check_cost(simulator.name, cost)
    if not isinstance(returned, dict):
        if len(simulator.outputs) != 1:
            raise TrialError(
                f"Simulator {simulator.name!r} returned {returned!r}, but has {len(simulator.outputs)} outputs.",
                hint=f"Return a dict with {[output.name for output in simulator.outputs]}.",
            )
        returned = {simulator.outputs[0].name: returned}
    return check_values(simulator, returned), cost
