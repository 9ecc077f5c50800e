"""Everything a report shows, taken from a study at one moment."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import imoca
from imoca.errors import FigureError, ImocaError
from imoca.problem.problem import Problem
from imoca.report.figure_names import FigureName
from imoca.report.figures import RECORDS
from imoca.report.page.decision import Budget, Highlight, highlights, written_budget
from imoca.report.page.navigator import Commands, navigator_content
from imoca.report.page.order import in_order
from imoca.report.page.readings import READINGS
from imoca.report.records import FrontRecord, SummaryRecord, summary_record
from imoca.report.records.failures import FailureReason, failure_reasons
from imoca.snapshot.snapshot import Snapshot
from imoca.snapshot.verdict import Verdict
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
    study: str | None = None  # how the command line is told which study, a blank before; None if it cannot be
    budget: float | str | None = None  # full-fidelity runs, or simulator time such as 40h


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
    failures: tuple[FailureReason, ...]
    verdict: Verdict
    budget: Budget
    highlights: tuple[Highlight, ...]
    navigator: Mapping[str, Any]  # for JSON
    records: Mapping[FigureName, Any]  # those that can be drawn
    readings: Mapping[FigureName, str]  # of all figures in the order of reading, or why there is none
    versions: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]


def collect(snapshot: Snapshot, introduction: Introduction) -> Contents:
    records, readings = {}, {}
    for name in in_order(READINGS):
        try:
            records[name] = RECORDS[name](snapshot)
            readings[name] = READINGS[name](records[name])
        except FigureError as error:
            readings[name] = error.message
    budget = written_budget(snapshot, introduction.budget)
    verdict = snapshot.verdict_for(introduction.budget, snapshot.front)
    return Contents(
        introduction,
        snapshot.problem,
        _problem_text(snapshot.problem),
        snapshot.method,
        snapshot.seed,
        summary_record(snapshot),
        records["front"],
        snapshot.verification_for(introduction.budget),
        failure_reasons(snapshot),
        verdict,
        budget,
        highlights(snapshot.problem, snapshot.front),
        navigator_content(snapshot.problem, snapshot.front, verdict, budget, Commands(introduction.study)),
        records,
        readings,
        _versions(),
        _times(snapshot.runs),
    )


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
