"""Run one job in this process, whatever process that is."""

from __future__ import annotations

import logging
import time
from functools import cache
from typing import Any

from imoca.errors import ProblemError, StorageError, TrialError
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Command, Simulator
from imoca.runners.base import Job
from imoca.runners.program import run_program
from imoca.trials.checks import check_cost, check_values
from imoca.trials.trial import Answer

logger = logging.getLogger(__name__)


def run_job(job: Job) -> Answer:
    """The simulator's answer; one that raises, or returns what is no answer, has failed."""
    simulator = job.simulator
    started = time.perf_counter()
    try:
        values, cost = _read(simulator, _call(job))
        failures = {}
    except StorageError:  # no room for the run: not the simulator's fault, nor the design's
        raise
    except Exception as error:  # a simulator may fail in any way
        values, cost, failures = {}, None, {simulator.name: _reason(error)}
    if cost is None and simulator.is_cost_measured:
        cost = time.perf_counter() - started
    return Answer(values, {} if cost is None else {simulator.name: cost}, failures)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _call(job: Job) -> Any:
    run = job.simulator.run
    if isinstance(run, Command):
        return run_program(job, run)
    function = run.resolve() if isinstance(run, FunctionReference) else run
    if function is None:
        raise ProblemError(
            f"Simulator {job.simulator.name!r} has nothing to run.", hint="Give Simulator(..., run=function)."
        )
    if job.simulator.fidelity.has_knob:
        return function(**job.parameters, z=job.fidelity)
    return function(**job.parameters)


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
    return check_values(simulator, _without_extras(simulator, returned)), cost


def _without_extras(simulator: Simulator, returned: dict[Any, Any]) -> dict[Any, Any]:
    """What a simulator tells beyond its outputs is no fault, unless an output is missing: then it may be a slip."""
    names = [output.name for output in simulator.outputs]
    extras = [str(name) for name in returned if name not in names]
    if not extras or not all(name in returned for name in names):
        return returned
    _warn_of_extras(simulator.name, tuple(extras))
    return {name: returned[name] for name in names}


@cache
def _warn_of_extras(simulator: str, extras: tuple[str, ...]) -> None:
    """Once."""
    logger.warning(
        "Simulator %r answers with %s, which are no outputs of it; they are ignored.", simulator, list(extras)
    )
