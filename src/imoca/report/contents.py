"""Everything a report shows, taken from a study at one moment."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

import imoca
from imoca.errors import ImocaError
from imoca.problem.problem import Problem
from imoca.problem.storable import storable_problem
from imoca.report.data import (
    FrontRecord,
    SummaryRecord,
    convergence_record,
    correlation_records,
    cost_records,
    fidelity_records,
    front_record,
    summary_record,
    trust_records,
)
from imoca.report.figure_names import FigureName
from imoca.report.parallel import parallel_record
from imoca.report.readings import (
    convergence_reading,
    correlation_reading,
    cost_reading,
    fidelities_reading,
    front_reading,
    parallel_reading,
    trust_reading,
)
from imoca.study.recommendation import ParetoPoint
from imoca.study.study import Study

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
    highlights: tuple[Highlight, ...]
    records: Mapping[FigureName, Any]  # in the order of reading
    readings: Mapping[FigureName, str]
    versions: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]


def collect(study: Study, introduction: Introduction) -> Contents:
    front = front_record(study)
    parallel, convergence = parallel_record(study, front), convergence_record(study)
    fidelities, costs = fidelity_records(study), cost_records(study)
    trust, correlation = trust_records(study), correlation_records(study)
    return Contents(
        introduction,
        study.problem,
        _problem_text(study.problem),
        study.method,
        study.seed,
        summary_record(study, front),
        front,
        highlights(front),
        {
            "front": front,
            "parallel": parallel,
            "fidelities": fidelities,
            "cost": costs,
            "convergence": convergence,
            "correlation": correlation,
            "trust": trust,
        },
        {
            "front": front_reading(front),
            "parallel": parallel_reading(parallel),
            "fidelities": fidelities_reading(fidelities),
            "cost": cost_reading(costs),
            "convergence": convergence_reading(convergence),
            "correlation": correlation_reading(correlation),
            "trust": trust_reading(trust),
        },
        _versions(),
        _times(study),
    )


def highlights(front: FrontRecord) -> tuple[Highlight, ...]:
    """The best design in every objective, and the one nearest to being the best in all."""
    if not front.points:
        return ()
    signs = [1.0 if objective.goal == "maximize" else -1.0 for objective in front.objectives]
    names = [objective.name for objective in front.objectives]
    values = np.array([[(point.measured or point.predicted)[name] for name in names] for point in front.points]) * signs
    best = values.max(axis=0)
    found: dict[int, list[str]] = {}
    for j, name in enumerate(names):
        found.setdefault(int(np.argmax(values[:, j])), []).append(f"best {name}")
    if len(names) > 1:
        spread = np.where(np.ptp(values, axis=0) > 0.0, np.ptp(values, axis=0), 1.0)
        nearest = int(np.argmin((((best - values) / spread) ** 2).sum(axis=1)))
        found.setdefault(nearest, []).append("a balance of all")
    return tuple(Highlight(", ".join(reasons), front.points[i]) for i, reasons in found.items())


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


def _times(study: Study) -> tuple[tuple[str, str], ...]:
    runs = study.runs
    ends = [run.ended for run in runs if run.ended is not None]
    told = [("first run started", min(run.started for run in runs))] if runs else []
    told += [("last run ended", max(ends))] if ends else []
    told.append(("report written", datetime.now(UTC).timestamp()))
    return tuple((what, f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M} UTC") for what, when in told)
