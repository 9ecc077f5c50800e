"""F23: a study is copied: by `imoca backup`, or by other means and without what lies beside it."""

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.errors import StorageError
from imoca.storage.owner import this_process
from imoca.storage.sqlite.backup import back_up
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import TrialState

IMOCA = Path(sys.executable).with_name("imoca")
WARNING = "was copied while it was in use"
TELL_AND_DIE = """
import os, signal, sys
from imoca import Study
study = Study.load(sys.argv[1])
for i in range(15):
    study.tell(study.ask(), {"f": i / 7})
os.kill(os.getpid(), signal.SIGKILL)
"""
STUDY = """
[study]
method = "random"
budget = 1000.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.cfd]
command = ["sh", "-c", "echo '{\\"drag\\": 1}' > result.json"]
outputs = { drag = "minimize" }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    problem = Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])
    Study(problem, method="random", storage=path).close()
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere" / "copy.db"


def answers(path: Path) -> list[float]:
    with Study.load(path, read_only=True) as study:
        return [trial.values["f"] for trial in study.trials if trial.values]


@contextmanager
def reader(path: Path) -> Iterator[None]:
    """Somebody who is in the middle of reading, so that what is written meanwhile stays in the log."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM trials").fetchall()
        yield


@pytest.mark.slow
def test_the_file_alone_holds_what_a_killed_process_told_and_says_how_it_was_copied(
    path: Path, copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    killed = subprocess.run([sys.executable, "-c", TELL_AND_DIE, path], check=False)
    assert killed.returncode == -signal.SIGKILL
    shutil.copy(path, copy)
    assert answers(copy) == [i / 7 for i in range(15)]
    assert WARNING in caplog.text
    caplog.clear()
    assert answers(path) == [i / 7 for i in range(15)]
    assert caplog.text == ""  # where its log lies beside it nothing is amiss


def test_the_file_alone_is_enough_when_whoever_wrote_let_go_although_somebody_looks(
    path: Path, copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(SQLiteStorage(path, read_only=True)) as looking:
        with Study.load(path) as study:
            for i in range(15):
                study.tell(study.ask(), {"f": i / 7})
        shutil.copy(path, copy)
        assert len(looking.trials()) == 15
    assert answers(copy) == [i / 7 for i in range(15)]
    assert caplog.text == ""


@pytest.mark.parametrize("is_killed", [True, False], ids=["while it is used", "when it was let go"])
def test_a_copy_that_lacks_what_was_in_the_log_says_so(
    path: Path, copy: Path, is_killed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as stack:
        study = stack.enter_context(Study.load(path))
        study.tell(study.ask(), {"f": 1.0})
        stack.enter_context(reader(path))
        study.tell(study.ask(), {"f": 2.0})
        if not is_killed:
            study.close()  # in vain: the reader is in the way
        shutil.copy(path, copy)
    assert answers(copy) == [1.0]
    assert f"{copy} {WARNING}, without copy.db-wal" in caplog.text


@pytest.mark.slow
def test_a_backup_during_a_run_is_a_whole_study_that_nobody_drives(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    said = tmp_path / "said"
    with said.open("w", encoding="utf-8") as file:
        process = subprocess.Popen([IMOCA, "run"], cwd=tmp_path, stderr=file)
    deadline = time.monotonic() + 120.0
    while len(said.read_text(encoding="utf-8").splitlines()) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    n_answers = []
    for i in range(3):
        done = subprocess.run(
            [IMOCA, "backup", f"backup-{i}.db"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found = re.search(r"with (\d+) answered trials", done.stderr)
        assert found is not None
        n_answers.append(int(found[1]))
    process.kill()
    process.wait()
    assert 5 <= n_answers[0] <= n_answers[1] <= n_answers[2]
    with Study.load(tmp_path / "study.db") as original:
        for i, n in enumerate(n_answers):
            with Study.load(tmp_path / f"backup-{i}.db") as study:
                assert sum(trial.answer is not None for trial in study.trials) == n
                assert study.owner is None
                assert study.trials[:n] == original.trials[:n]
                study.optimize(trials=len(study.trials) + 1)  # and it goes on
                assert all(trial.state is TrialState.COMPLETE for trial in study.trials)


def test_nobody_drives_a_copy_and_what_its_driver_had_running_is_charged(
    path: Path, copy: Path, until_the_end: ExitStack
) -> None:
    storage = until_the_end.enter_context(closing(SQLiteStorage(path)))
    driver = this_process()
    storage.claim(driver)
    storage.beat(driver, 4.0)
    back_up(path, copy)
    copied = until_the_end.enter_context(closing(SQLiteStorage(copy)))
    previous = copied.claim(this_process())
    assert previous is not None
    assert not previous.is_alive()
    assert (previous.since, previous.lasted) == (driver.since, 4.0)


def test_a_backup_holds_what_is_in_the_log(path: Path, copy: Path, until_the_end: ExitStack) -> None:
    until_the_end.enter_context(reader(path))
    with Study.load(path) as study:
        told = study.tell(study.ask(), {"f": 1.0}, errors={"f": 0.25})
        assert back_up(path, copy) == 1
    assert list(copy.parent.iterdir()) == [copy]
    assert until_the_end.enter_context(closing(SQLiteStorage(copy, read_only=True))).trials() == (told,)


def test_a_backup_replaces_nothing_and_leaves_nothing_half_done(path: Path, copy: Path) -> None:
    copy.write_text("mine", encoding="utf-8")
    with pytest.raises(StorageError, match=r"copy\.db is there already"):
        back_up(path, copy)
    assert copy.read_text(encoding="utf-8") == "mine"
    with pytest.raises(StorageError, match=r"nowhere.copy\.db cannot be used"):
        back_up(path, copy.parent / "nowhere" / "copy.db")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(StorageError, match=r"study\.db is damaged"):
        back_up(path, copy.parent / "other.db")
    assert list(copy.parent.iterdir()) == [copy]
