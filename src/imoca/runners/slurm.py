"""Run every job as a batch job of Slurm, with the cores, memory and wall time that its simulator declares."""

from __future__ import annotations

import hashlib
import logging
import math
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from imoca.errors import RunnerError
from imoca.problem.resources import Needs
from imoca.problem.simulator import Simulator
from imoca.runners.base import Finished, Job
from imoca.runners.batch import address_of, read_answer, write_job
from imoca.wording import printable

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2  # between two looks for answers
ASK_SECONDS = 2.0  # between two questions to Slurm: its controller serves everybody
PATIENCE = 60.0  # seconds for a command of Slurm
LATE_LOOKS = 2  # questions to Slurm for which the answer of a job that ended may be on its way from another node
MOST_STARTS = 3  # of a job that Slurm lost through no fault of its own
MEBIBYTE = 2**20
TAIL = 500  # characters of a job's output
ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "DEADLINE", "OUT_OF_MEMORY", "REVOKED")
LOST = ("NODE_FAIL", "PREEMPTED", "BOOT_FAIL")  # not the simulator's fault: started again
FORGOTTEN = "FORGOTTEN"  # Slurm knows it no more
REASONS = {
    "TIMEOUT": "TimeoutError: Slurm ended it at its wall time",
    "OUT_OF_MEMORY": "MemoryError: Slurm ended it, for it took more memory than it was given",
    "CANCELLED": "it was cancelled",
}
OUTPUT = "output.txt"


@dataclass
class _Submitted:
    job: Job
    place: Path  # of the batch job, beside the folder of the run
    number: str
    n_starts: int = 1
    n_looks: int = 0  # since it ended without an answer


class SlurmRunner:
    """At most ``n_jobs`` in Slurm's hands at a time, those that wait in its queue included."""

    runs_here = False

    def __init__(self, options: str, n_jobs: int | None, simulators: Sequence[Simulator], runs_folder: Path) -> None:
        if n_jobs is None:
            raise RunnerError(
                "How many batch jobs may there be at a time?",
                hint="Give workers, such as imoca run --slurm '' --workers 20",
            )
        for simulator in simulators:
            address_of(simulator)
        self._options = tuple(shlex.split(options))
        self._n_jobs = n_jobs
        self._name = f"imoca-{hashlib.sha256(str(runs_folder.absolute()).encode()).hexdigest()[:12]}"  # of this study
        self._submitted: list[_Submitted] = []
        self._has_begun = False
        self._asked_at = -math.inf

    def n_slots(self) -> int:
        return self._n_jobs

    def submit(self, job: Job) -> None:
        if not self._has_begun:  # what a driver that died left in the queue is run again, so it is ended first
            self._has_begun = True
            _slurm("scancel", f"--name={self._name}", "--quiet")
        place = _beside(job.folder)
        write_job(job, place)
        self._submitted.append(_Submitted(job, place, self._start(job, place)))

    def collect(self, timeout: float) -> list[Finished]:
        deadline = time.monotonic() + timeout
        while True:
            if finished := self._answered() or self._ended():
                return finished
            if time.monotonic() >= deadline:
                return []
            time.sleep(min(LOOK_SECONDS, max(0.0, deadline - time.monotonic())))

    def cancel(self) -> None:
        if self._submitted:
            _slurm("scancel", "--quiet", *(each.number for each in self._submitted))
        self._submitted.clear()

    def close(self) -> None:
        """Nothing runs any more."""

    def _start(self, job: Job, place: Path) -> str:
        script = place / "job.sh"
        command = [sys.executable, "-m", "imoca.runners.batch", str(place.absolute())]
        script.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n", encoding="utf-8")
        return _slurm(
            "sbatch",
            "--parsable",
            f"--job-name={self._name}",
            f"--output={_escaped(place.absolute() / OUTPUT)}",
            "--open-mode=append",
            "--requeue",
            *_requested(job.needs),
            *self._options,
            str(script),
        ).partition(";")[0]

    def _answered(self) -> list[Finished]:
        return self._taken({each.number: read_answer(each.place, each.job) for each in self._submitted})

    def _ended(self) -> list[Finished]:
        """Jobs that ended without an answer, so that there is none to wait for."""
        if not self._submitted or time.monotonic() < self._asked_at + ASK_SECONDS:
            return []
        self._asked_at = time.monotonic()
        try:
            listed = _slurm("squeue", "--noheader", "--states=all", f"--name={self._name}", "--format=%i %T")
        except RunnerError as error:  # a controller that is away for a while has not lost the jobs
            logger.warning("%s", error.message)
            return []
        states = dict(line.split()[:2] for line in listed.splitlines())
        found: dict[str, Finished | None] = {}
        for each in self._submitted:
            state = states.get(each.number, FORGOTTEN)
            if state in (*ENDED, *LOST, FORGOTTEN):
                each.n_looks += 1
                if each.n_looks > LATE_LOOKS:
                    found[each.number] = self._given_up(each, state)
        return self._taken(found)

    def _given_up(self, each: _Submitted, state: str) -> Finished | None:
        """Started again if Slurm lost it, else failed."""
        if state in LOST and each.n_starts < MOST_STARTS:
            logger.warning("Slurm lost job %s of trial %d (%s); it starts again.", each.number, each.job.trial, state)
            each.n_starts, each.n_looks = each.n_starts + 1, 0
            each.number = self._start(each.job, each.place)
            return None
        reason = REASONS.get(state, f"Slurm says {state}, and there is no answer")
        return Finished(each.job, each.job.failed(f"Slurm job {each.number}: {reason}.{_last_words(each.place)}"))

    def _taken(self, found: dict[str, Finished | None]) -> list[Finished]:
        finished = [each for each in found.values() if each is not None]
        self._submitted = [each for each in self._submitted if found.get(each.number) is None]
        return finished


def _requested(needs: Needs) -> list[str]:
    """As options of sbatch; wall times are whole minutes there."""
    return [
        *([] if needs.cores is None else [f"--cpus-per-task={needs.cores}"]),
        *([] if needs.memory is None else [f"--mem={math.ceil(needs.memory / MEBIBYTE)}M"]),
        *([] if needs.walltime is None else [f"--time={math.ceil(needs.walltime / 60)}"]),
    ]


def _beside(folder: Path) -> Path:
    n_jobs, place = 1, folder.with_name(f"{folder.name}-job")
    while place.exists():
        n_jobs += 1
        place = folder.with_name(f"{folder.name}-job-{n_jobs}")
    return place


def _escaped(path: Path) -> str:
    """Slurm fills in what follows a per cent sign in the name of an output file."""
    return str(path).replace("%", "%%")


def _last_words(place: Path) -> str:
    try:
        text = (place / OUTPUT).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    return f" Its output ends with: {text[-TAIL:]}" if text else ""


def _slurm(*arguments: str) -> str:
    """What a command of Slurm prints."""
    try:
        done = subprocess.run(  # noqa: S603
            arguments, capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise RunnerError(f"{arguments[0]} is not there.", hint="Run it on a machine that submits to Slurm.") from error
    except subprocess.TimeoutExpired as error:
        raise RunnerError(
            f"{arguments[0]} does not answer.", hint="Run the same command again when Slurm does."
        ) from error
    if done.returncode != 0:
        raise RunnerError(
            f"{arguments[0]} failed: {printable(done.stderr.strip())}.",
            hint="Mend that and run the same command again; nothing acknowledged is lost.",
        )
    return done.stdout.strip()
