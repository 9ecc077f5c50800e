"""A study file: the problem, how the study is run, and where its results are kept."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from imoca.errors import MethodError, StudyFileError
from imoca.methods.initial_design import InitialDesign
from imoca.methods.registry import get_method, method_names
from imoca.problem.problem import Problem
from imoca.problem.studyfile import attempt, build_problem
from imoca.problem.studyfile_tables import SettingsTable, StudyTables, faults_error, read_tables, seconds
from imoca.storage.definition import Definition
from imoca.storage.sqlite import SQLiteStorage
from imoca.study.definition import check_same
from imoca.study.study import Study

N_LISTED = 10  # study files named when the one asked for is missing


@dataclass(frozen=True)
class StudySettings:
    """How a study is run; None leaves a setting at its default."""

    name: str
    method: str = "imoca-p"
    seed: int = 0
    budget: float | None = None  # full-fidelity runs
    time: float | None = None  # seconds
    workers: int | None = None
    n_fronts: int | None = None
    initial_design: InitialDesign | None = None
    fidelity_reduction: bool | None = None

    def __post_init__(self) -> None:
        get_method(
            self.method,
            n_fronts=self.n_fronts,
            initial_design=self.initial_design,
            fidelity_reduction=self.fidelity_reduction,
        )
        if self.time is not None and self.time <= 0.0:
            raise MethodError(f"time is {self.time!r}, but must be more than nothing.", hint='Write such as "48h".')

    def given(self) -> dict[str, str | int | bool]:
        """The method's settings that differ from its defaults."""
        settings: dict[str, str | int | bool | None] = {
            "n_fronts": self.n_fronts,
            "initial_design": self.initial_design,
            "fidelity_reduction": self.fidelity_reduction,
        }
        return {name: value for name, value in settings.items() if value is not None}


@dataclass(frozen=True)
class StudyFile:
    """A study file that was read and found free of faults."""

    path: Path
    problem: Problem
    settings: StudySettings

    @property
    def database(self) -> Path:
        return self.path.parent / f"{self.settings.name}.db"

    def open(self, *, storage: Path | None) -> Study:
        """The study in a database, which is made if there is none; in memory for None."""
        return Study(
            self.problem,
            method=self.settings.method,  # type: ignore[arg-type]  # checked by the settings
            seed=self.settings.seed,
            storage=storage,
            n_fronts=self.settings.n_fronts,
            initial_design=self.settings.initial_design,
            fidelity_reduction=self.settings.fidelity_reduction,
        )

    def n_stored_trials(self) -> int:
        """Trials in the database; a StudyMismatchError shows how this file differs from what is stored there."""
        if not self.database.exists():
            return 0
        with closing(SQLiteStorage(self.database, read_only=True)) as storage:
            stored = storage.definition()
            if stored is None:
                return 0
            given = Definition(self.problem, self.settings.method, self.settings.seed, self.settings.given())
            check_same(stored, given, storage.place)
            return len(storage.trials())


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
    settings["method"]["enum"] = list(method_names())
    settings["initial_design"]["enum"] = [*get_args(InitialDesign), None]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "iMOCA study file"} | schema


def _read(path: Path, text: str) -> StudyFile:
    tables = read_tables(text)
    faults: list[str] = []
    problem = build_problem(tables, faults)
    settings = attempt("study", faults, lambda: _settings(tables.study, path))
    if problem is None or settings is None:
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
        n_fronts=table.n_fronts,
        initial_design=table.initial_design,  # type: ignore[arg-type]  # checked by the settings
        fidelity_reduction=table.fidelity_reduction,
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
