"""Which runner serves which wish."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from imoca.errors import RunnerError
from imoca.problem.names import MOST_WORKERS, is_integer
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command
from imoca.runners.base import Runner
from imoca.runners.inline import InlineRunner
from imoca.wording import shown


@dataclass(frozen=True)
class Where:
    """Where simulators run: in this process unless something is named."""

    workers: int | None = None  # processes here, or simulators at a time on a cluster
    dask: str | None = None  # address of a scheduler
    slurm: str | None = None  # options of sbatch

    @property
    def is_here(self) -> bool:
        return self.dask is None and self.slurm is None


def make_runner(problem: Problem, where: Where, runs_folder: Path) -> Runner:
    workers, dask, slurm = where.workers, where.dask, where.slurm
    if dask is not None and slurm is not None:
        raise RunnerError("Simulators run on Dask or on Slurm, not on both.", hint="Leave out dask or slurm.")
    if workers is not None and (not is_integer(workers) or not 1 <= workers <= MOST_WORKERS):
        raise RunnerError(
            f"workers is {shown(workers)}.", hint=f"Give the number of simulators at a time, from 1 to {MOST_WORKERS}."
        )
    if workers is not None and where.is_here:
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
    if slurm is not None:
        from imoca.runners.slurm import SlurmRunner

        return SlurmRunner(slurm, None if workers is None else int(workers), problem.simulators, runs_folder)
    return InlineRunner()
