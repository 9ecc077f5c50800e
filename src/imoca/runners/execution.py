"""Run one job in this process, whatever process that is."""

from __future__ import annotations

import dataclasses
import logging
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from imoca.errors import ProblemError, StorageError, TrialError
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Command, Simulator
from imoca.runners.base import Job
from imoca.runners.program import run_program
from imoca.trials.checks import check_cost, check_errors, check_values, values_and_errors
from imoca.trials.trial import Answer
from imoca.wording import LONGEST_REASON, middle_left_out, shown

WHOLE_REASON = "failure.txt"  # in the folder of a run whose reason is too long to be stored
CHUNK = 2**20  # characters written at a time, that a long text is not encoded as a whole

logger = logging.getLogger(__name__)


def run_job(job: Job) -> Answer:
    """The simulator's answer; one that raises, or returns what is no answer, has failed."""
    simulator = job.simulator
    started = time.perf_counter()
    try:
        answer = _read(simulator, _call(job))
    except StorageError:  # no room for the run: not the simulator's fault, nor the design's
        raise
    except KeyboardInterrupt:  # the user's, not the simulator's
        raise
    except BaseException as error:  # a simulator may fail in any way, be it by sys.exit
        answer = job.failed(_reason(error, job.folder))
    if not answer.costs and simulator.is_cost_measured:
        return dataclasses.replace(answer, costs={simulator.name: time.perf_counter() - started})
    return answer


def free_folder(folder: Path) -> Path:
    """The folder of a run, or another one beside it if it was begun before, for whoever had it may still be at work."""
    n_runs, found = 1, folder
    while found.exists():
        n_runs += 1
        found = folder.with_name(f"{folder.name}-rerun-{n_runs}")
    return found


def _reason(error: BaseException, folder: Path) -> str:
    """What went wrong, in few words; if there are many, all of them are kept in the folder of the run."""
    try:
        message = str(error)
    except Exception as fault:
        message = f"(it cannot say what went wrong: {type(fault).__name__})"
    if len(message) <= LONGEST_REASON:
        return f"{type(error).__name__}: {message}"
    where = f" All of it: {folder / WHOLE_REASON}" if _is_kept(message, folder) else ""
    return f"{type(error).__name__}: {middle_left_out(message, LONGEST_REASON - 200)}{where}"


def _is_kept(message: str, folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / WHOLE_REASON).open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(message[i : i + CHUNK] for i in range(0, len(message), CHUNK))
        return True
    return False


def _call(job: Job) -> Any:
    run = job.simulator.run
    if isinstance(run, Command):
        return run_program(job, run)
    function = run.resolve() if isinstance(run, FunctionReference) else run
    if function is None:
        raise ProblemError(
            f"Simulator {job.simulator.name!r} has nothing to run.", hint="Give Simulator(..., run=function)."
        )
    return function(**job.parameters, **job.simulator.fidelity.named(job.fidelity))


def _read(simulator: Simulator, returned: Any) -> Answer:
    """A number, a dict of outputs, or (either, cost); in a dict an output may be a pair with its standard error."""
    _check_several_are_named(simulator, returned)
    costs: dict[str, float] = {}
    if isinstance(returned, tuple):
        if len(returned) != 2:
            raise TrialError(
                f"Simulator {simulator.name!r} returned a tuple of {len(returned)}.",
                hint="Return a number, a dict of outputs, or (outputs, cost).",
            )
        returned, cost = returned
        costs = {simulator.name: check_cost(simulator.name, cost)}
    if not isinstance(returned, dict):
        return Answer(check_values(simulator, {simulator.outputs[0].name: returned}), costs)
    outputs, errors = values_and_errors(_without_extras(simulator, returned))
    values = check_values(simulator, outputs)
    return Answer(values, costs, errors=check_errors(errors, values))


def _check_several_are_named(simulator: Simulator, returned: Any) -> None:
    """Several outputs come in a dict: of a tuple of two the second would be taken for the cost of the run."""
    outputs = returned[0] if isinstance(returned, tuple) and len(returned) == 2 else returned
    if len(simulator.outputs) > 1 and not isinstance(outputs, dict):
        raise TrialError(
            f"Simulator {simulator.name!r} returned {shown(returned)}, but has the outputs"
            f" {[output.name for output in simulator.outputs]}.",
            hint="Return a dict with them, or (that dict, what the run cost).",
        )


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
