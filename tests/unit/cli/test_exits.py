"""Exit codes and the wording of errors, through the front door."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.cli import main
from imoca.cli.exits import exit_code
from imoca.errors import (
    ImocaError,
    ProblemError,
    RunnerError,
    SimulatorError,
    StorageError,
    StudyFileError,
    StudyMismatchError,
    TrialError,
)

IMOCA = Path(sys.executable).with_name("imoca")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (RunnerError, 1),
        (TrialError, 2),
        (StudyFileError, 3),
        (StudyMismatchError, 3),
        (ProblemError, 3),
        (SimulatorError, 4),
        (StorageError, 5),
    ],
)
def test_every_kind_of_error_has_its_exit_code(kind: type[ImocaError], code: int) -> None:
    assert exit_code(kind("What came.", hint="What to do.")) == code


@pytest.mark.parametrize("words", [["run", "--no-such-option"], ["no-such-verb"], ["show", "three", "x"], ["run"]])
def test_a_wrong_line_is_a_usage_error(imoca: CommandLine, words: list[str]) -> None:
    assert imoca(*words).code == 2


def test_a_study_is_asked_for_where_there_are_several(imoca: CommandLine, folder: Path) -> None:
    assert "no study here" in imoca("status").err
    for name in ("a.db", "b.db"):
        (folder / name).touch()
    answer = imoca("status")
    assert answer.code == 2
    assert "a.db, b.db" in answer.err


def test_the_only_database_here_is_taken(imoca: CommandLine, toy_with_results: Path) -> None:
    (toy_with_results / "study.toml").unlink()
    assert imoca("status", "--json").json["trials"]["total"] == 4


def test_a_missing_database_is_a_storage_error_and_nothing_is_made(imoca: CommandLine, folder: Path) -> None:
    for verb in ("status", "run", "ask"):
        answer = imoca(verb, "gone.db")
        assert answer.code == 5
        assert "gone.db" in answer.err
    assert not list(folder.iterdir())


def test_what_is_no_database_is_refused(imoca: CommandLine, folder: Path) -> None:
    (folder / "notes.db").write_bytes(b"not a database" * 1000)
    answer = imoca("status")
    assert answer.code == 5
    assert "notes.db" in answer.err


def test_an_unexpected_error_is_short_and_asks_for_debug(
    imoca: CommandLine, toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(path: Path) -> None:
        raise RuntimeError("\x1b[31mboom")

    monkeypatch.setattr("imoca.studyfile.file.load_study_file", explode)
    answer = imoca("check")
    assert answer.code == 1
    assert answer.err == (
        "Error: RuntimeError: \\x1b[31mboom\n  This was not expected; run it with --debug to see where.\n"
    )
    for words in (["--debug", "check"], ["check", "--debug"]):
        with pytest.raises(RuntimeError, match="boom"):
            main(words)


def test_debug_shows_where_an_error_on_purpose_came_from(toy: Path) -> None:
    (toy / "study.toml").write_text("[", encoding="utf-8")
    with pytest.raises(StudyFileError):
        main(["check", "--debug"])


@pytest.mark.slow
def test_the_installed_command_prints_no_traceback_and_answers_with_the_code(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("[study]\nbudgt = 3\n", encoding="utf-8")
    answer = subprocess.run([IMOCA, "check"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert answer.returncode == 3
    assert "study.toml" in answer.stderr
    assert "study.budgt is not a known key" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.slow
def test_the_shell_completes_the_verbs() -> None:
    environment = os.environ | {"_IMOCA_COMPLETE": "complete_bash", "COMP_WORDS": "imoca sta", "COMP_CWORD": "1"}
    answer = subprocess.run([IMOCA], capture_output=True, text=True, check=False, env=environment)
    assert answer.stdout.split() == ["status"]


@pytest.mark.slow
def test_help_takes_little_time() -> None:
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([IMOCA, "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < 0.5  # at rest 0.3
