"""F5: garbage written into the database, a database cut short: refused with a remedy or read whole, never in part."""

import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.cli import main
from imoca.errors import StorageError
from imoca.storage.owner import this_process
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Answer, Run

N_TRIALS = 30
N_PLACES = 150  # per kind of garbage
PAGE = 4096


@dataclass(frozen=True)
class Content:
    """Everything that a study's database tells."""

    definition: object
    trials: object
    runs: object
    owner: object


def make_problem() -> Problem:
    fidelity = Fidelity.continuous(1, 10)
    return Problem(
        [Real("a", 0.0, 1.0)],
        [Simulator(name, [Objective(f"f_{name}", "minimize")], fidelity=fidelity, cost="z") for name in ("s", "t")],
    )


def fill(path: Path) -> None:
    """A study whose driver died, with answers, failures, runs and an open question."""
    storage = SQLiteStorage(path)
    study = Study(make_problem(), method="random", storage=storage)
    for i in range(N_TRIALS):
        trial = study.ask()
        storage.record(Run(i, "s", 1, 100.0 + i, f"runs/{i}", 101.5 + i, Answer({"f_s": i / 7}, {"s": 1.5})))
        storage.record(Run(i, "t", 1, 100.0 + i, None, 101.5 + i if i % 2 else None))
        study.tell(trial, {"f_s": i / 7}, {"s": 1.5}, {"t": f"mesh {i} exploded"})
    study.ask()
    storage.claim(this_process())
    storage.close()


def read(path: Path, read_only: bool) -> Content:
    storage = SQLiteStorage(path, read_only=read_only)
    try:
        return Content(storage.definition(), storage.trials(), storage.runs(), storage.owner())
    finally:
        storage.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "study.db"
    fill(path)
    assert not path.with_name("study.db-wal").exists()  # everything is in the one file that is damaged below
    assert path.stat().st_size > 8 * PAGE
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "study.db"))


def open_or_error(path: Path, read_only: bool = False) -> SQLiteStorage | StorageError:
    try:
        return SQLiteStorage(path, read_only=read_only)
    except StorageError as error:
        return error


def is_refused(path: Path, original: Content, read_only: bool) -> bool:
    """Refused when opened, with a remedy; or all that is read equals the original. Anything else fails the test."""
    before = path.read_bytes()
    storage = open_or_error(path, read_only)
    if isinstance(storage, StorageError):
        assert str(path) in storage.message
        assert len(storage.hint) > 20
        assert path.read_bytes() == before  # what a rescue would start from
        return True
    found = Content(storage.definition(), storage.trials(), storage.runs(), storage.owner())
    storage.close()
    assert found == original
    return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one bit", "one byte", "sixteen bytes", "a page"])
def test_garbage_anywhere_is_refused_or_does_no_harm(kind: str, whole: Path, copy: Path) -> None:
    original = read(whole, read_only=True)
    sound = whole.read_bytes()
    rng = np.random.default_rng([20201, len(kind)])
    n_refused = 0
    for _ in range(N_PLACES):
        damaged = bytearray(sound)
        if kind == "one bit":
            damaged[rng.integers(len(sound))] ^= 1 << int(rng.integers(8))
        elif kind == "a page":
            start = PAGE * int(rng.integers(len(sound) // PAGE))
            damaged[start : start + PAGE] = rng.bytes(PAGE)
        else:
            n = 1 if kind == "one byte" else 16
            start = int(rng.integers(len(sound) - n))
            damaged[start : start + n] = rng.bytes(n)
        copy.write_bytes(damaged)
        n_refused += is_refused(copy, original, read_only=bool(rng.integers(2)))
    # Most of so small a file is unused room, where a byte does no harm; a page is never all unused.
    assert n_refused > (0.95 if kind == "a page" else 0.15) * N_PLACES


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9, 0.999])
def test_a_database_cut_short_is_refused_with_a_remedy(share: float, whole: Path, copy: Path) -> None:
    sound = whole.read_bytes()
    copy.write_bytes(sound[: int(share * len(sound))])
    for read_only in (True, False):
        with pytest.raises(StorageError, match=r"study\.db is damaged") as raised:
            SQLiteStorage(copy, read_only=read_only)
        assert "backup" in raised.value.hint
        assert "imoca doctor" in raised.value.hint


def test_a_single_digit_changed_inside_an_answer_is_noticed(whole: Path, copy: Path) -> None:
    sound = whole.read_bytes()
    digits = b'"f_s":1.7142857142857142'  # 12 / 7
    assert sound.count(digits) == 2  # in the trial and in its run
    copy.write_bytes(sound.replace(digits, b'"f_s":1.8142857142857142', 1))
    with pytest.raises(StorageError, match="does not match its checksum"):
        Study.load(copy)
    with closing(sqlite3.connect(copy)) as connection:  # SQLite alone sees nothing wrong
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_text_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    path.write_text("number,state,x\n0,complete,0.5\n" * 500, encoding="utf-8")
    with pytest.raises(StorageError, match=r"study\.db is damaged"):
        Study.load(path)


@pytest.mark.parametrize(
    ("statement", "words"),
    [("DROP TABLE runs", "missing or altered: .*runs"), ("DELETE FROM trials WHERE number = 3", "1 of 31 trials")],
)
def test_what_was_deleted_is_noticed_when_the_study_is_opened(statement: str, words: str, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(StorageError, match=rf"study\.db is damaged: {words}"):
        SQLiteStorage(copy)


@pytest.mark.slow
def test_a_damaged_write_ahead_log_never_passes_for_a_shorter_history(tmp_path: Path) -> None:
    """F26: SQLite reads the log up to the damage and sees nothing wrong."""
    path, log, told = (tmp_path / name for name in ("study.db", "study.db-wal", "study.db-told"))
    writer = SQLiteStorage(path)
    study = Study(make_problem(), method="random", storage=writer)
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM trials").fetchall()  # while it reads on, nothing leaves the log
    for i in range(10):
        study.tell(study.ask(), {"f_s": i / 7, "f_t": 0.0})
    whole = study.trials
    crashed = {file: file.read_bytes() for file in (path, log, told)}  # as a crash leaves them
    reader.close()
    writer.close()
    rng = np.random.default_rng(5)
    refusals = []
    for _ in range(60):
        for file, content in crashed.items():
            file.write_bytes(content)
        path.with_name("study.db-shm").unlink(missing_ok=True)
        damaged = bytearray(crashed[log])
        start = int(rng.integers(len(damaged)))
        damaged[start : start + 16] = rng.bytes(len(damaged[start : start + 16]))
        log.write_bytes(damaged)
        storage = open_or_error(path)
        if isinstance(storage, StorageError):
            assert str(path) in storage.message
            refusals.append(storage.message)
            continue
        assert storage.trials() == whole  # the damage was in what nobody needs
        storage.close()
    assert len(refusals) > 30
    counted = [
        re.search(r"10 results were acknowledged, (\d) are here\. Missing: trial ([\d, ]+)\.$", m) for m in refusals
    ]
    assert any(counted)
    for found in filter(None, counted):
        assert found[2] == ", ".join(map(str, range(int(found[1]), 10)))


def test_an_answer_that_was_taken_away_is_missed(whole: Path, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DELETE FROM trials WHERE number >= ?", (N_TRIALS - 1,))  # the last ones: no gap is left
    with pytest.raises(StorageError, match=f"{N_TRIALS} results were acknowledged, {N_TRIALS - 1} are here"):
        SQLiteStorage(copy)


@pytest.mark.parametrize("verb", ["status", "run", "export"])
def test_the_command_ends_with_5_and_prints_nothing_of_a_damaged_study(
    verb: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = copy.read_bytes()
    copy.write_bytes(sound[: len(sound) // 2])
    with pytest.raises(SystemExit) as raised:
        main([verb, str(copy)])
    said = capsys.readouterr()
    assert raised.value.code == 5
    assert said.out == ""
    assert f"Error: {copy} is damaged" in said.err
    assert "restore a backup" in said.err
