"""The study that a study file describes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from imoca.runners.checks import check_simulators
from imoca.storage.definition import Definition
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.study.redefinition import check_answers_fit, check_same
from imoca.study.study import Study
from imoca.studyfile.file import StudyFile


def open_study(file: StudyFile, storage: Path | None) -> Study:
    """The study in a database, which is made if there is none; in memory for None."""
    settings = file.settings
    return Study(file.problem, method=settings.method, seed=settings.seed, storage=storage, **settings.of_method.given)


def check_simulators_of(file: StudyFile, *, is_here: bool) -> None:
    """An error if some simulator cannot be run: on this machine, or as far as can be told from here."""
    check_simulators(file.problem, file.database.parent, is_here=is_here)


def n_stored_trials(file: StudyFile) -> int:
    """Trials in the file's database; a StudyMismatchError shows how the file differs from what is stored there."""
    if not file.database.exists():
        return 0
    with closing(SQLiteStorage(file.database, read_only=True)) as storage:
        stored = storage.definition()
        if stored is None:
            return 0
        settings = file.settings
        given = Definition(file.problem, settings.method, settings.seed, dict(settings.of_method.given))
        if not check_same(stored, given, storage.place):
            check_answers_fit(file.problem, storage.runs(), storage.trials(), storage.place)
        return len(storage.trials())
