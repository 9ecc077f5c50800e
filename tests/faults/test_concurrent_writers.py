"""F3, F13, F14, F33: many processes on one database, some of them killed, others only reading."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.methods.registry import get_method
from imoca.storage import base
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Candidate

IMOCA = Path(sys.executable).with_name("imoca")


def ask_and_tell(path: Path, notes: Path) -> None:
    with Study(make_problem(), method="random", storage=path) as study, notes.open("w", encoding="utf-8") as file:
        for _ in range(50):
            trial = study.ask()
            study.tell(trial, {"f": float(trial.parameters["x"])})
            file.write(f"{trial.number} {trial.parameters['x']!r}\n")


def fork(function: Callable[..., None], *arguments: Path) -> int:
    """Run a function in a process of its own, without the seconds that Python takes to start."""
    pid = os.fork()
    if pid:
        return pid
    try:
        function(*arguments)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


@pytest.mark.slow
def test_eight_processes_ask_and_tell_four_hundred_trials(tmp_path: Path, until_the_end: ExitStack) -> None:
    path = tmp_path / "study.db"
    notes = [tmp_path / f"notes-{i}" for i in range(8)]
    pids = [fork(ask_and_tell, path, each) for each in notes]
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 8
    told = dict(line.split() for each in notes for line in each.read_text(encoding="utf-8").splitlines())
    assert len(told) == 400  # no number was given twice
    trials = until_the_end.enter_context(closing(SQLiteStorage(path, read_only=True))).trials()
    assert [trial.number for trial in trials] == list(range(400))
    assert all(trial.values == {"f": float(told[str(trial.number)])} for trial in trials)
    assert len({trial.parameters["x"] for trial in trials}) == 400  # and no question was asked twice


class SlowMethod:
    """Random search that takes its time, and counts how often it was asked."""

    def __init__(self) -> None:
        self.n_suggested = 0

    def is_start(self, table: TrialTable, seed: int) -> bool:
        return False

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        self.n_suggested += 1
        time.sleep(0.05)
        return get_method("random").suggest(table, seed)


def ask_slowly(path: Path, notes: Path) -> None:
    with Study.load(path) as study:
        method = SlowMethod()
        study._method = method
        study.ask(5)
        notes.write_text(f"{method.n_suggested}", encoding="utf-8")


def test_nobody_who_asks_at_the_same_time_as_others_chooses_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    Study(make_problem(), method="random", storage=path).close()
    notes = [tmp_path / f"notes-{i}" for i in range(4)]
    pids = [fork(ask_slowly, path, each) for each in notes]
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 4
    assert [each.read_text(encoding="utf-8") for each in notes] == ["5"] * 4
    with Study.load(path, read_only=True) as study:
        assert len(study.trials) == 20


def ask_by_name(path: Path, notes: Path) -> None:
    with Study.load(path) as study, patient_turns(0.0):
        study._method = SlowMethod()
        notes.write_text(f"{study.ask(worker='node-1').number} {study.ask(worker=notes.name).number}", encoding="utf-8")


@contextmanager
def patient_turns(seconds: float) -> Iterator[None]:
    """How long whoever asks waits for its turn: not at all, and only the numbers of trials keep order."""
    patience, base.ASKING_SECONDS = base.ASKING_SECONDS, seconds
    yield
    base.ASKING_SECONDS = patience


def test_processes_that_ask_under_one_name_at_once_are_given_one_question(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    Study(make_problem(), method="random", storage=path).close()
    notes = [tmp_path / f"notes-{i}" for i in range(4)]
    pids = [fork(ask_by_name, path, each) for each in notes]
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 4
    given = [each.read_text(encoding="utf-8").split() for each in notes]
    assert len({shared for shared, _ in given}) == 1
    assert len({own for _, own in given}) == 4
    with Study.load(path) as study:
        assert sorted(trial.worker for trial in study.trials) == ["node-1", *(each.name for each in notes)]
        assert study.ask(worker="node-1").number == int(given[0][0])  # also later


def ask_and_stop(path: Path, notes: Path) -> None:
    with Study.load(path) as study, study._storage.asking():
        notes.touch()
        os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.parametrize("end", [signal.SIGKILL, None], ids=["killed", "suspended"])
def test_whoever_dies_or_is_suspended_while_asking_holds_up_nobody_for_good(
    end: signal.Signals | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, notes = tmp_path / "study.db", tmp_path / "notes"
    with Study(make_problem(), method="random", storage=path) as study:
        pid = fork(ask_and_stop, path, notes)
        os.waitpid(pid, os.WUNTRACED)
        if end is None:
            monkeypatch.setattr("imoca.storage.base.ASKING_SECONDS", 0.1)
        else:
            os.kill(pid, end)
            os.waitpid(pid, 0)
        began = time.monotonic()
        assert study.ask().number == 0
        assert time.monotonic() - began < 30.0  # half of the patience
        if end is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def make_problem() -> Problem:
    return Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])


def write_for_ever(path: Path, notes: Path) -> None:
    storage = SQLiteStorage(path)
    with notes.open("a", encoding="utf-8") as file:
        while True:
            trial = storage.add(Candidate({"x": random.random()}, {"s": None}), Answer({"f": 1.0}))  # noqa: S311
            file.write(f"{trial.number} {trial.parameters['x']!r}\n")
            file.flush()


@pytest.mark.slow
def test_writers_killed_inside_commits_leave_whole_transactions_or_none(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    path, notes = tmp_path / "study.db", tmp_path / "acknowledged"
    SQLiteStorage(path).close()
    moments = random.Random(11)  # noqa: S311
    for _ in range(8):
        writers = []
        for _ in range(3):
            writers.append(fork(write_for_ever, path, notes))
        time.sleep(moments.uniform(0.02, 0.25))
        for pid in writers:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    stored = until_the_end.enter_context(closing(SQLiteStorage(path))).trials()
    acknowledged = [line.split() for line in notes.read_text(encoding="utf-8").splitlines()]
    assert len(acknowledged) > 24
    assert [trial.number for trial in stored] == list(range(len(stored)))
    assert all(stored[int(number)].parameters["x"] == float(x) for number, x in acknowledged)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_reader_in_the_middle_of_reading_does_not_hold_up_the_writer(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    path = tmp_path / "study.db"
    storage = until_the_end.enter_context(closing(SQLiteStorage(path)))
    for _ in range(100):
        storage.add(Candidate({"x": 1.0}, {"s": None}), Answer({"f": 1.0}))
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = reader.execute("SELECT * FROM trials")
    rows.fetchone()  # and the rest not yet
    storage.add(Candidate({"x": 1.0}, {"s": None}), Answer({"f": 1.0}))  # a blocked writer would give up with an error
    assert len(rows.fetchall()) == 99  # what was there when it began
    reader.close()


@pytest.mark.slow
def test_status_and_export_during_a_run_agree_and_change_nothing(tmp_path: Path, until_the_end: ExitStack) -> None:
    path = tmp_path / "study.db"
    writer = fork(ask_and_tell, path, tmp_path / "notes")
    while not path.exists():
        time.sleep(0.05)
    for verb in ("status", "export"):
        done = subprocess.run([IMOCA, verb, str(path), "--json"], capture_output=True, text=True, check=False)
        assert done.returncode == 0 or "holds no study yet" in done.stderr, done.stderr
    assert os.waitpid(writer, 0)[1] == 0
    assert len(until_the_end.enter_context(closing(SQLiteStorage(path, read_only=True))).trials()) == 50
