"""F28: a study on a disk that cannot be written, or in a folder of somebody else, is viewed."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.dashboard.view import StudyView
from imoca.errors import StorageError
from imoca.storage.sqlite.storage import SQLiteStorage

IMOCA = Path(sys.executable).with_name("imoca")
N_TRIALS = 5


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, with a study on it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "tmpfs", folder], check=False).returncode:
        pytest.skip("a disk cannot be mounted here")
    with make_study(folder / "study.db"):
        pass
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def make_study(path: Path) -> Study:
    problem = Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])
    study = Study(problem, method="random", storage=path)
    for i in range(N_TRIALS):
        study.tell(study.ask(), {"f": i / 7})
    return study


def freeze(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)


def leave_in_the_log(path: Path) -> None:
    """What a killed process leaves when a reader was in its way."""
    with Study.load(path) as study, closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM trials").fetchall()
        study.tell(study.ask(), {"f": 1.0})
        for name in ("study.db", "study.db-wal", "study.db-told"):
            shutil.copy(path.with_name(name), path.with_name(f"{name}.killed"))
    for name in ("study.db", "study.db-wal", "study.db-told"):
        path.with_name(f"{name}.killed").rename(path.with_name(name))


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["status", "front", "export", "backup"])
def test_a_study_on_a_read_only_disk_is_viewed(verb: str, disk: Path, tmp_path: Path) -> None:
    freeze(disk)
    words = [str(tmp_path / "copy.db")] if verb == "backup" else []
    done = subprocess.run([IMOCA, verb, disk / "study.db", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (done.stdout or done.stderr).strip()


def test_it_is_read_whole_and_cannot_be_written(disk: Path) -> None:
    freeze(disk)
    with Study.load(disk / "study.db", read_only=True) as study:
        assert [trial.values for trial in study.trials] == [{"f": i / 7} for i in range(N_TRIALS)]
    with pytest.raises(StorageError, match="cannot be opened for writing"):
        Study.load(disk / "study.db").ask()


def test_results_in_a_log_that_cannot_be_read_here_are_not_left_out(disk: Path) -> None:
    leave_in_the_log(disk / "study.db")
    freeze(disk)
    with pytest.raises(StorageError, match=r"some of its results are in study\.db-wal") as raised:
        Study.load(disk / "study.db", read_only=True)
    assert "imoca backup" in raised.value.hint
    assert "copy both files" in raised.value.hint


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o777], ids=["readable", "closed", "shared"])
@pytest.mark.parametrize("is_used", [False, True], ids=["at rest", "in use"])
def test_another_users_study_is_viewed_or_refused_in_words(mode: int, is_used: bool, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    with ExitStack() as stack:
        study = stack.enter_context(make_study(folder / "study.db"))
        (folder / "study.db").chmod(0o644)
        if not is_used:
            study.close()
        folder.chmod(mode)
        said = as_nobody(folder / "study.db")
        folder.chmod(0o755)
    if mode == 0o700:
        assert "theirs/study.db cannot be used: Permission denied" in said
    else:
        assert said == str(N_TRIALS)


def test_a_file_that_others_may_not_read_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(0o755)
    make_study(folder / "study.db").close()
    (folder / "study.db").chmod(0o600)
    assert "study.db cannot be read: permission denied" in as_nobody(folder / "study.db")


def as_nobody(path: Path) -> str:
    """How many trials a user without any rights sees, or what is said instead."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for parent in path.parents[1:]:  # pytest keeps its folders to its user
        if parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(parent.stat().st_mode | 0o055)
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            try:
                with closing(SQLiteStorage(path, read_only=True)) as storage:
                    answer = str(len(storage.trials()))
            except StorageError as error:
                answer = str(error)
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            os.write(theirs, answer.encode())
        finally:
            os._exit(0)
    os.close(theirs)
    os.waitpid(pid, 0)
    with os.fdopen(ours, encoding="utf-8") as file:
        return file.read()


def test_a_frozen_study_that_is_changed_after_all_is_read_anew(disk: Path, until_the_end: ExitStack) -> None:
    path = disk / "study.db"
    freeze(disk)
    view = until_the_end.enter_context(closing(StudyView(path)))
    study = until_the_end.enter_context(Study.load(path, read_only=True))
    view.refresh()
    assert view.overview()["n_trials"] == len(study.trials) == N_TRIALS
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    with Study.load(path) as writer:
        writer.tell(writer.ask(), {"f": 1.0})
    with pytest.raises(StorageError, match="is being changed"):
        study.trials  # noqa: B018
    view._read_at = float("-inf")
    view.refresh()
    assert "is being changed" in view.overview()["fault"]
    view._read_at = float("-inf")
    view.refresh()
    assert view.overview()["n_trials"] == N_TRIALS + 1
