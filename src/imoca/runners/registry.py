"""Which runner serves which wish."""

from __future__ import annotations

from imoca.errors import RunnerError
from imoca.problem.names import MOST_WORKERS, is_integer
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command
from imoca.runners.base import Runner
from imoca.runners.inline import InlineRunner
from imoca.wording import shown


def make_runner(problem: Problem, workers: int | None, dask: str | None) -> Runner:
    """In this process unless workers or a Dask scheduler are named."""
    if workers is not None and (not is_integer(workers) or not 1 <= workers <= MOST_WORKERS):
        raise RunnerError(
            f"workers is {shown(workers)}.", hint=f"Give the number of simulators at a time, from 1 to {MOST_WORKERS}."
        )
    if workers is not None and dask is None:
        from imoca.runners.workers import WorkerRunner

        return WorkerRunner(int(workers), problem.simulators)
    for simulator in problem.simulators:
        if simulator.timeout is not None and not isinstance(simulator.run, Command):
            raise RunnerError(
                f"Simulator {simulator.name!r} has a timeout, but a function can be ended only with its own process.",
                hint="Run it in worker processes of this machine, such as workers=1, or make it a program.",
            )
    if dask is not None:
        from imoca.runners.dask import DaskRunner

        return DaskRunner(dask, None if workers is None else int(workers))
    return InlineRunner()
