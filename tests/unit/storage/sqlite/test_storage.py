"""What is special about the SQLite storage: the file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from imoca.errors import StorageError
from imoca.storage.sqlite.file import journal_mode
from imoca.storage.sqlite.schema import VERSION
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.testing.storage import DEFINITION
from imoca.trials import Answer, Candidate, Run

CANDIDATE = Candidate({"a": 0.1 + 0.2, "c": 'q"\n<b>\ud83d'}, {"s": "coarse"}, {"f": (1 / 3,)})
ANSWER = Answer({"f": 5e-324}, {"s": 1e300}, {}, {"s": 2.0})


def test_everything_is_read_back_exactly_by_another_connection(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with closing(SQLiteStorage(path)) as first:
        first.append(0, CANDIDATE, True)
        finished = first.finish(0, ANSWER)
        run = Run(0, "s", 1, 1.5, "here", 2.5, ANSWER)
        first.record(run)
        first.define(DEFINITION)
        with closing(SQLiteStorage(path, read_only=True)) as second:
            assert second.trials() == (finished,)
            assert second.runs() == (run,)
            assert second.definition() == DEFINITION


def test_a_reader_sees_what_a_writer_adds_later(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with closing(SQLiteStorage(path)) as writer, closing(SQLiteStorage(path, read_only=True)) as reader:
        assert reader.trials() == ()
        writer.append(0, CANDIDATE, False)
        assert reader.trials() == writer.trials()
        writer.finish(0, ANSWER)
        writer.add(CANDIDATE, ANSWER)
        assert reader.trials() == writer.trials()
        assert len(reader.trials()) == 2


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    SQLiteStorage(path).close()
    with (
        closing(SQLiteStorage(path, read_only=True)) as reader,
        pytest.raises(StorageError, match="cannot be opened for writing"),
    ):
        reader.append(0, CANDIDATE, False)


def test_runs_lie_beside_the_file_and_are_called_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(SQLiteStorage("wing.db")) as storage:
        assert (storage.folder, storage.name, storage.place) == (tmp_path, "wing", "wing.db")


def test_a_file_that_is_closed_can_be_moved_and_opened_elsewhere(tmp_path: Path) -> None:
    with closing(SQLiteStorage(tmp_path / "study.db")) as storage:
        trial = storage.add(CANDIDATE, ANSWER)
    assert [path.name for path in tmp_path.iterdir()] == ["study.db"]
    with closing(SQLiteStorage((tmp_path / "study.db").rename(tmp_path / "moved.db"))) as moved:
        assert moved.trials() == (trial,)


def test_reading_a_study_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"There is no study at .*missing\.db"):
        SQLiteStorage(tmp_path / "missing.db", read_only=True)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"nowhere.study\.db"):
        SQLiteStorage(tmp_path / "nowhere" / "study.db")


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE trials (x)")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="not an iMOCA study"):
        SQLiteStorage(path)
    assert path.read_bytes() == before


def test_it_is_durable_and_lets_readers_in_while_it_writes(tmp_path: Path) -> None:
    with closing(SQLiteStorage(tmp_path / "study.db")) as storage:
        settings = {
            name: storage._database._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "user_version")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "user_version": VERSION}


def test_on_a_network_file_system_there_is_no_write_ahead_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert journal_mode(tmp_path / "study.db") == "WAL"
    monkeypatch.setattr("imoca.storage.sqlite.file._file_system", lambda path: "nfs4")
    assert journal_mode(tmp_path / "study.db") == "DELETE"
