"""Which study a verb means, and how it is opened."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.text import printable

if TYPE_CHECKING:
    from imoca.study.study import Study
    from imoca.studyfile.file import StudySettings

DEFAULT_STUDY_FILE = Path("study.toml")
MOST_DIGITS = 18  # of the number of a trial: SQLite counts no further
STUDY_HELP = "A study file (.toml) or a database (.db); ./study.toml unless given, else the only .db here."

StudyArgument = Annotated[Path | None, typer.Argument(metavar="STUDY", help=STUDY_HELP, show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True)
class Opened:
    """A study, and by which file it was named."""

    study: Study
    path: Path
    database: Path
    settings: StudySettings | None  # None if it was named by its database
    is_started: bool = True

    @property
    def name(self) -> str:
        return self.database.stem

    @property
    def command_argument(self) -> str:
        """What a user types to name it again: nothing where it is found by itself."""
        import shlex

        return "" if self.path == DEFAULT_STUDY_FILE else f" {shlex.quote(str(self.path))}"


@contextmanager
def open_to_read(given: Path | None) -> Iterator[Opened]:
    """The study as it is stored; one that was not started yet has no trials."""
    opened = _to_read(given)
    with opened.study:
        yield opened


@contextmanager
def open_to_write(given: Path | None) -> Iterator[Opened]:
    """The study, started if it was not yet."""
    opened = _to_write(given)
    with opened.study:
        yield opened


def find_functions_beside(opened: Opened) -> None:
    """Let Python find the functions that lie beside the study; never for one that is only looked at."""
    sys.path.insert(0, str(opened.path.resolve().parent))


def _to_read(given: Path | None) -> Opened:
    from imoca.study.study import Study

    path = locate(given)
    if not is_study_file(path):
        return Opened(Study.load(path, read_only=True), path, path, None)
    from imoca.study.from_file import open_study
    from imoca.studyfile.file import load_study_file

    file = load_study_file(path)
    if file.database.exists():
        return Opened(Study.load(file.database, read_only=True), path, file.database, file.settings)
    return Opened(open_study(file, storage=None), path, file.database, file.settings, is_started=False)


def _to_write(given: Path | None) -> Opened:
    from imoca.study.study import Study

    path = locate(given)
    if not is_study_file(path):
        return Opened(Study.load(path), path, path, None)
    from imoca.study.from_file import open_study
    from imoca.studyfile.file import load_study_file

    file = load_study_file(path)
    return Opened(open_study(file, storage=file.database), path, file.database, file.settings)


def database_of(given: Path | None) -> Path:
    """Where the study is kept, whether or not it can be opened."""
    path = locate(given)
    if not is_study_file(path):
        return path
    from imoca.studyfile.file import load_study_file

    return load_study_file(path).database


def is_study_file(path: Path) -> bool:
    return path.suffix.lower() == ".toml"


def locate(given: Path | None) -> Path:
    if given is not None:
        return given
    if DEFAULT_STUDY_FILE.exists():
        return DEFAULT_STUDY_FILE
    databases = sorted(Path().glob("*.db"))
    if len(databases) == 1:
        return databases[0]
    if not databases:
        raise typer.BadParameter("There is no study here. Name a study file or a database; imoca init writes one.")
    names = ", ".join(printable(str(path)) for path in databases)
    raise typer.BadParameter(f"There are several studies here: {names}. Name one of them.")


def split_study(words: list[str]) -> tuple[Path | None, list[str]]:
    """The study, if the first word is not a trial number, and the words after it."""
    if words and not words[0].isdecimal():
        if not words[1:] and not Path(words[0]).exists():
            raise typer.BadParameter(f"{printable(words[0])!r} is neither a study here nor the number of a trial.")
        return Path(words[0]), words[1:]
    return None, words


def trial_number(words: list[str]) -> int:
    if not words or not words[0].isdecimal():
        came = f"{printable(words[0])!r} came" if words else "Nothing came"
        raise typer.BadParameter(f"{came} where the number of a trial belongs, such as 3.")
    if len(words[0]) > MOST_DIGITS:
        raise typer.BadParameter(f"A number of {len(words[0])} digits came where the number of a trial belongs.")
    return int(words[0])
