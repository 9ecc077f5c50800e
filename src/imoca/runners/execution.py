"""Run one job in this process, whatever process that is."""

from __future__ import annotations

import time
from pathlib import Path
from shutil import which
from typing import Any

from imoca.errors import ProblemError, StorageError, TrialError
from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Command, Simulator
from imoca.runners.base import Job
from imoca.runners.program import found_program, run_program
from imoca.trials.checks import check_cost, check_values
from imoca.trials.trial import Answer


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


def check_runnable(problem: Problem, study_folder: Path) -> None:
    """An error before anything is asked if some simulator cannot be run on this machine."""
    for simulator in problem.simulators:
        run = simulator.run
        if run is None:
            raise ProblemError(
                f"Simulator {simulator.name!r} has nothing to run.",
                hint="Give Simulator(..., run=function) or a command, or use ask and tell and run it yourself.",
            )
        if isinstance(run, FunctionReference):
            run.resolve()
        elif isinstance(run, Command):
            program = found_program(run.arguments[0], study_folder)
            if which(program) is None:
                raise ProblemError(
                    f"Simulator {simulator.name!r}: the program {program!r} is not there or may not be executed.",
                    hint=f"Give a program on the PATH or a path from {study_folder}; chmod +x makes it executable.",
                )


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
    return check_values(simulator, returned), cost
