"""A study file: the problem, how the study is run, and where its results are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from imoca.errors import MethodError, StudyFileError
from imoca.methods.registry import added_method_names, get_method, method_names
from imoca.methods.settings import Evaluate, InitialDesign, MethodSettings
from imoca.problem.allowance import Allowance
from imoca.problem.problem import Problem
from imoca.studyfile.entries import seconds
from imoca.studyfile.problem import attempt, build_problem
from imoca.studyfile.tables import SettingsTable, StudyTables, faults_error, read_tables
from imoca.wording import shown

N_LISTED = 10  # study files named when the one asked for is missing


@dataclass(frozen=True)
class StudySettings:
    """How a study is run; None leaves a setting at its default."""

    name: str
    method: str = "imoca-p"
    seed: int = 0
    budget: float | str | None = None  # as written: full-fidelity runs, or simulator time such as 40h
    time: float | None = None  # seconds
    workers: int | None = None
    of_method: MethodSettings = field(default_factory=MethodSettings)
    stop: Literal["settled"] | None = None

    def __post_init__(self) -> None:
        get_method(self.method, self.of_method)
        if self.time is not None and self.time <= 0.0:
            raise MethodError(
                f"time is {shown(self.time)}, but must be more than nothing.", hint='Write such as "48h".'
            )


@dataclass(frozen=True)
class StudyFile:
    """A study file that was read and found free of faults."""

    path: Path
    problem: Problem
    settings: StudySettings

    @property
    def database(self) -> Path:
        return self.path.parent / f"{self.settings.name}.db"


def load_study_file(path: str | Path) -> StudyFile:
    """The study file, or one StudyFileError that names the file and every key at fault."""
    path = Path(path)
    try:
        return _read(path, _text(path))
    except StudyFileError as error:
        raise StudyFileError(f"{path}: {error.message}", hint=error.hint) from error


def study_file_schema() -> dict[str, Any]:
    """The JSON Schema of a study file."""
    schema = StudyTables.model_json_schema()
    settings = schema["$defs"][SettingsTable.__name__]["properties"]
    settings["method"]["enum"] = [*method_names(), *added_method_names()]
    settings["initial_design"]["enum"] = [*get_args(InitialDesign), None]
    settings["evaluate"]["enum"] = [*get_args(Evaluate), None]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "iMOCA study file"} | schema


def _read(path: Path, text: str) -> StudyFile:
    tables = read_tables(text)
    faults: list[str] = []
    problem = build_problem(tables, faults)
    budget = tables.study.budget
    if problem is not None and budget is not None:
        attempt("study.budget", faults, partial(Allowance.read(budget).check_suits, problem))
    settings = attempt("study", faults, lambda: _settings(tables.study, path))
    if problem is None or settings is None or faults:
        raise faults_error(faults)
    return StudyFile(path, problem, settings)


def _settings(table: SettingsTable, path: Path) -> StudySettings:
    return StudySettings(
        name=table.name or path.stem,
        method=table.method,
        seed=table.seed,
        budget=table.budget,
        time=seconds(table.time),
        workers=table.workers,
        stop=table.stop,
        of_method=table.method_settings(),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StudyFileError("There is no such file.", hint=_others(path)) from None
    except UnicodeDecodeError as error:
        raise StudyFileError(f"The study file is not UTF-8 text: {error}.", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise StudyFileError(f"The study file cannot be read: {error.strerror}.", hint="Name a study file.") from error


def _others(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.parent.glob("*.toml"))
    except OSError:
        names = []
    if not names:
        return "There are no study files there; imoca init writes one."
    listed = ", ".join(names[:N_LISTED]) + (", ..." if len(names) > N_LISTED else "")
    return f"The study files there are {listed}."
