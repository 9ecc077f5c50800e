"""All runs of a comparison, several at a time, each in a process of its own; the same call continues."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from imoca_lab.harness.results import ResultFolder, from_line
from imoca_lab.harness.run_spec import RunSpec, as_json
from imoca_lab.harness.single_run import RESULT

POLL_SECONDS = 0.1
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
LOG = "log.txt"  # in the folder of a run: what its process wrote to stderr


@dataclass(frozen=True)
class Outcome:
    """How a run ended; ``failure`` in words, None if it has a result."""

    spec: RunSpec
    seconds: float  # of wall time, in this call
    failure: str | None = None


class Display(Protocol):
    """Shows how a comparison gets on."""

    def started(self, spec: RunSpec) -> None: ...

    def ended(self, outcome: Outcome) -> None: ...


@dataclass(frozen=True)
class _Running:
    spec: RunSpec
    folder: Path
    process: subprocess.Popen[bytes]
    since: float


def remaining(specs: Sequence[RunSpec], results: ResultFolder, runs_folder: Path) -> list[RunSpec]:
    """What has no result yet; results that a killed call left behind are taken in first."""
    waiting = []
    for spec in specs:
        if not results.holds(spec) and not _take_in(spec, runs_folder / spec.id, results):
            waiting.append(spec)
    return waiting


def run_all(
    specs: Sequence[RunSpec],  # in the order in which they are started
    results: ResultFolder,
    runs_folder: Path,
    command: str,
    n_processes: int,
    display: Display,
) -> list[Outcome]:
    """One outcome per run that was started here. A run that fails stops no other, and is tried again next time."""
    waiting = deque(specs)
    running: list[_Running] = []
    outcomes: list[Outcome] = []
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                running.append(_start(waiting.popleft(), runs_folder, command))
                display.started(running[-1].spec)
            time.sleep(POLL_SECONDS)
            for each in [each for each in running if each.process.poll() is not None]:
                running.remove(each)
                outcomes.append(_outcome(each, results))
                display.ended(outcomes[-1])
    finally:
        for each in running:  # their stdin ends, and so do they
            each.process.communicate()
    return outcomes


def _start(spec: RunSpec, runs_folder: Path, command: str) -> _Running:
    folder = runs_folder / spec.id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULT).unlink(missing_ok=True)  # of another budget
    with (folder / LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", "imoca_lab.harness.single_run", str(folder)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # Ctrl-C is ours to answer
        )
    if process.stdin is not None:
        process.stdin.write(json.dumps({"run": as_json(spec), "command": command}).encode() + b"\n")
        process.stdin.flush()
    return _Running(spec, folder, process, time.monotonic())


def _outcome(ended: _Running, results: ResultFolder) -> Outcome:
    ended.process.communicate()
    took = time.monotonic() - ended.since
    if ended.process.returncode == 0 and _take_in(ended.spec, ended.folder, results):
        return Outcome(ended.spec, took)
    lines = (ended.folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    reason = lines[-1] if lines else f"its process ended with code {ended.process.returncode}"
    return Outcome(ended.spec, took, f"{reason} (see {ended.folder / LOG})")


def _take_in(spec: RunSpec, folder: Path, results: ResultFolder) -> bool:
    path = folder / RESULT
    if not path.exists():
        return False
    result = from_line(path.read_text(encoding="utf-8"))
    if result.spec != spec:
        return False
    results.add(result)
    return True
