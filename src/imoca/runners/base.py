"""What a study needs of a runner, and what travels to it and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from imoca.problem.accuracy import FidelityValue
from imoca.problem.parameters import Value
from imoca.problem.resources import Needs
from imoca.problem.simulator import Simulator
from imoca.trials.trial import Answer


@dataclass(frozen=True)
class Job:
    """One attempt to run one simulator of a trial; travels to other processes and machines."""

    trial: int
    simulator: Simulator
    parameters: Mapping[str, Value]
    fidelity: FidelityValue
    attempt: int
    study_folder: Path  # where the files that a command names are found
    folder: Path  # where a program works; unique to this attempt

    @property
    def needs(self) -> Needs:
        """What the run takes of a cluster."""
        return self.simulator.resources.needed(self.parameters, self.simulator.fidelity, self.fidelity)

    def failed(self, reason: str) -> Answer:
        return Answer(failures={self.simulator.name: reason})


@dataclass(frozen=True)
class Finished:
    """A job and what came of it: the answer of its simulator alone, be it a failure.

    The job names the folder in which it was run, which may be another than the one it was submitted with.
    """

    job: Job
    answer: Answer


class Runner(Protocol):
    """Runs jobs, several at a time. Nothing is stored here: what it has not returned is run again."""

    runs_here: bool  # collect runs a job in this very thread and returns when it is done

    def n_slots(self) -> int:
        """How many jobs may run at a time, now."""

    def submit(self, job: Job) -> None:
        """Start a job; there is a free slot."""

    def collect(self, timeout: float) -> list[Finished]:
        """What has finished; waits for the first one at most ``timeout`` seconds."""

    def cancel(self) -> None:
        """End everything that runs, with all processes it started."""

    def close(self) -> None:
        """Let go of workers; nothing runs any more."""
