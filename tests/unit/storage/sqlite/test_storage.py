"""What is special about the SQLite storage: the file."""

import sqlite3
from pathlib import Path

import pytest

from imoca.errors import StorageError
from imoca.storage.definition import Definition
from imoca.storage.sqlite.file import journal_mode
from imoca.storage.sqlite.schema import VERSION
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Answer, Candidate, Run

CANDIDATE = Candidate({"a": 0.1 + 0.2, "c": 'q"\n<b>\ud83d'}, {"s": "coarse"}, {"f": (1 / 3,)})
ANSWER = Answer({"f": 5e-324}, {"s": 1e300}, {}, {"s": 2.0})


def test_everything_is_read_back_exactly_by_another_connection(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    first = SQLiteStorage(path)
    trial = first.append(0, CANDIDATE, True)
    finished = first.finish(0, ANSWER)
    first.record(Run(0, "s", 1, 1.5, "here", 2.5, ANSWER))
    first.define(Definition("toml", "imoca-p", 7, {"n_fronts": 3}, "0.1"))
    second = SQLiteStorage(path, read_only=True)
    assert trial is not None
    assert second.trials() == (finished,)
    assert second.runs() == first.runs()
    assert second.definition() == Definition("toml", "imoca-p", 7, {"n_fronts": 3}, "0.1")


def test_a_reader_sees_what_a_writer_adds_later(tmp_path: Path) -> None:
    writer = SQLiteStorage(tmp_path / "study.db")
    reader = SQLiteStorage(tmp_path / "study.db", read_only=True)
    assert reader.trials() == ()
    writer.append(0, CANDIDATE, False)
    assert reader.trials() == writer.trials()
    writer.finish(0, ANSWER)
    writer.add(CANDIDATE, ANSWER)
    assert reader.trials() == writer.trials()
    assert len(reader.trials()) == 2


def test_the_first_definition_stays_until_it_is_replaced(tmp_path: Path) -> None:
    storage = SQLiteStorage(tmp_path / "study.db")
    first, second = Definition("a", "imoca-p", 0), Definition("b", "imoca-p", 0)
    assert storage.define(first) == first
    assert storage.define(second) == first
    storage.redefine(second)
    assert storage.definition() == second


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    SQLiteStorage(tmp_path / "study.db")
    with pytest.raises(StorageError, match="cannot be opened for writing"):
        SQLiteStorage(tmp_path / "study.db", read_only=True).append(0, CANDIDATE, False)


def test_reading_a_study_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"There is no study at .*missing\.db"):
        SQLiteStorage(tmp_path / "missing.db", read_only=True)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"nowhere.study\.db"):
        SQLiteStorage(tmp_path / "nowhere" / "study.db")


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trials (x)")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="not an iMOCA study"):
        SQLiteStorage(path)
    assert path.read_bytes() == before


def test_it_is_durable_and_lets_readers_in_while_it_writes(tmp_path: Path) -> None:
    storage = SQLiteStorage(tmp_path / "study.db")
    settings = {
        name: storage._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "user_version")
    }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "user_version": VERSION}


def test_on_a_network_file_system_there_is_no_write_ahead_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert journal_mode(tmp_path / "study.db") == "WAL"
    monkeypatch.setattr("imoca.storage.sqlite.file._file_system", lambda path: "nfs4")
    assert journal_mode(tmp_path / "study.db") == "DELETE"
