"""Everything a report shows, taken from a study at one moment."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

import imoca
from imoca.errors import FigureError, ImocaError
from imoca.problem.problem import Problem
from imoca.report.figure_names import FigureName
from imoca.report.figures import RECORDS
from imoca.report.page.readings import READINGS
from imoca.report.records import FrontRecord, SummaryRecord, summary_record
from imoca.snapshot.recommendation import ParetoPoint, front_values
from imoca.snapshot.snapshot import Snapshot
from imoca.snapshot.verification import Verification
from imoca.studyfile.problem import storable_problem
from imoca.trials.trial import Run

PACKAGES = ("numpy", "scipy", "moocore", "plotly")  # whose versions a result depends on


@dataclass(frozen=True)
class Introduction:
    """What the study itself does not know: its name, what it is about, and how it was started."""

    title: str
    about: str = ""
    commands: tuple[tuple[str, str], ...] = ()  # what for, and what to type


@dataclass(frozen=True)
class Highlight:
    """A design to begin with."""

    reason: str
    point: ParetoPoint


@dataclass(frozen=True)
class Contents:
    introduction: Introduction
    problem: Problem
    problem_text: str  # as a study file; empty if it cannot be written as one
    method: str
    seed: int
    summary: SummaryRecord
    front: FrontRecord
    verification: Verification
    highlights: tuple[Highlight, ...]
    records: Mapping[FigureName, Any]  # those that can be drawn
    readings: Mapping[FigureName, str]  # of all figures in the order of reading, or why there is none
    versions: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]


def collect(snapshot: Snapshot, introduction: Introduction) -> Contents:
    records, readings = {}, {}
    for name, reading in READINGS.items():
        try:
            records[name] = RECORDS[name](snapshot)
            readings[name] = reading(records[name])
        except FigureError as error:
            readings[name] = error.message
    return Contents(
        introduction,
        snapshot.problem,
        _problem_text(snapshot.problem),
        snapshot.method,
        snapshot.seed,
        summary_record(snapshot),
        records["front"],
        snapshot.verification,
        highlights(snapshot.problem, snapshot.front),
        records,
        readings,
        _versions(),
        _times(snapshot.runs),
    )


def highlights(problem: Problem, front: Sequence[ParetoPoint]) -> tuple[Highlight, ...]:
    """The best design in every objective, and the one nearest to being the best in all; if vouched for."""
    front = [point for point in front if point.is_vouched_for]
    if not front:
        return ()
    names = [objective.name for objective in problem.objectives]
    values = front_values(problem, front)
    best = values.max(axis=0)
    found: dict[int, list[str]] = {}
    for j, name in enumerate(names):
        found.setdefault(int(np.argmax(values[:, j])), []).append(f"best {name}")
    if len(names) > 1:
        spread = np.where(np.ptp(values, axis=0) > 0.0, np.ptp(values, axis=0), 1.0)
        nearest = int(np.argmin((((best - values) / spread) ** 2).sum(axis=1)))
        found.setdefault(nearest, []).append("a balance of all")
    return tuple(Highlight(", ".join(reasons), front[i]) for i, reasons in found.items())


def _problem_text(problem: Problem) -> str:
    try:
        return storable_problem(problem)
    except ImocaError:  # a cost that is a local function has no address to write down
        return ""


def _versions() -> tuple[tuple[str, str], ...]:
    return (
        ("imoca", imoca.__version__),
        ("Python", platform.python_version()),
        *((package, version(package)) for package in PACKAGES),
        ("system", f"{platform.system()} {platform.machine()}"),
    )


def _times(runs: Sequence[Run]) -> tuple[tuple[str, str], ...]:
    ends = [run.ended for run in runs if run.ended is not None]
    told = [("first run started", min(run.started for run in runs))] if runs else []
    told += [("last run ended", max(ends))] if ends else []
    told.append(("report written", datetime.now(UTC).timestamp()))
    return tuple((what, f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M} UTC") for what, when in told)
