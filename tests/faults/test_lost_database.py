"""F22: the database is deleted, replaced or made read-only while somebody writes to it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeVar

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.errors import LostStudyError
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.testing.storage import ANSWER, CANDIDATE

T = TypeVar("T")

IMOCA = Path(sys.executable).with_name("imoca")
PATIENCE = 120.0  # seconds after which a process counts as hanging
STUDY = """
[study]
method = "random"
budget = 50.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.cfd]
command = ["sh", "-c", "echo $$ > pid; sleep 600"]
outputs = { drag = "minimize" }
"""


def delete(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    SQLiteStorage(path.with_name("other.db")).close()
    path.with_name("other.db").replace(path)


def make_read_only(path: Path) -> None:
    path.chmod(0o444)


FAULTS = [
    pytest.param(delete, "is gone", id="deleted"),
    pytest.param(replace, "is another file now", id="replaced"),
    pytest.param(make_read_only, "is marked read-only", id="read-only"),
]


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--workers", "1")], ids=["here", "worker"])
@pytest.mark.parametrize(("harm", "words"), FAULTS)
def test_a_run_notices_while_its_simulator_runs_and_ends_both(
    harm: Callable[[Path], None], words: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    process = subprocess.Popen([IMOCA, "run", *options], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    pid = program_pid(tmp_path)
    harm(tmp_path / "study.db")
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5, said
    assert f"study.db {words}" in said
    assert "Nothing more was stored" in said
    assert "results are in" not in said
    assert "Traceback" not in said
    wait_for(lambda: not Path(f"/proc/{pid}").exists())


@pytest.mark.parametrize(("harm", "words"), FAULTS)
@pytest.mark.parametrize("call", ["ask", "tell", "add", "check"])
def test_nothing_is_acknowledged_into_a_file_without_a_name(
    call: str, harm: Callable[[Path], None], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "study.db"
    with Study(make_problem(), method="random", storage=path) as study:
        trial = study.ask()
        calls: dict[str, Callable[[], object]] = {
            "ask": study.ask,
            "tell": lambda: study.tell(trial, {"f": 1.0}),
            "add": lambda: study.add({"x": 0.5}, {}, {"f": 1.0}),
            "check": study.check_kept,
        }
        harm(path)
        with pytest.raises(LostStudyError, match=rf"study\.db {words}"):
            calls[call]()
        assert study.trials == (trial,)  # nor is it stored


def test_what_is_deleted_during_a_transaction_is_not_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with (
        closing(SQLiteStorage(path)) as storage,
        pytest.raises(LostStudyError, match="is gone"),
        storage._database.transaction(),
    ):
        path.unlink()


def test_a_study_is_not_lost_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(SQLiteStorage("study.db")) as storage:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert storage.add(CANDIDATE, ANSWER).number == 0
    assert not list((tmp_path / "elsewhere").iterdir())


def test_whoever_lost_a_study_leaves_the_log_of_the_new_one_alone(tmp_path: Path, until_the_end: ExitStack) -> None:
    path, log = tmp_path / "study.db", tmp_path / "study.db-wal"
    old = SQLiteStorage(path)
    old.add(CANDIDATE, ANSWER)
    for file in tmp_path.iterdir():
        file.unlink()
    new = until_the_end.enter_context(closing(SQLiteStorage(path)))
    new.add(CANDIDATE, ANSWER)
    reader = until_the_end.enter_context(closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)))
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM trials").fetchall()  # so that what comes next stays in the log
    trial = new.add(CANDIDATE, ANSWER)
    inode = log.stat().st_ino
    with pytest.raises(LostStudyError, match="another file now"):
        old.add(CANDIDATE, ANSWER)
    old.close()
    assert log.stat().st_ino == inode
    with closing(SQLiteStorage(path, read_only=True)) as viewer:
        assert viewer.trials()[1] == trial
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        *("study.db", "study.db-shm", "study.db-told", "study.db-wal")
    ]


@pytest.mark.slow
def test_a_log_without_its_database_is_not_read_into_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    process = subprocess.Popen([IMOCA, "run"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    pid = program_pid(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.killpg(pid, signal.SIGKILL)
    (tmp_path / "study.db").unlink()
    again = subprocess.run([IMOCA, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 5
    assert "its write-ahead log study.db-wal is still there" in again.stderr
    assert not (tmp_path / "study.db").exists()


def program_pid(folder: Path) -> int:
    """Of the simulator, once it has started."""
    files = folder.glob
    return int(wait_for(lambda: [f.read_text() for f in files("study.runs/*/*/*/pid") if f.read_text()])[0])


def make_problem() -> Problem:
    return Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])


def wait_for(found: Callable[[], T]) -> T:
    deadline = time.monotonic() + PATIENCE
    while not (answer := found()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer
