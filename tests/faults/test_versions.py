"""F19: a database written by an older version is migrated after a backup; by a newer one it is refused."""

import json
import resource
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.errors import StorageError
from imoca.storage.definition import Definition
from imoca.storage.sqlite.keeping import read_keeping, write_keeping
from imoca.storage.sqlite.rows import answer_text, checksum, definition_text, question_text, read_answer, to_json
from imoca.storage.sqlite.schema import APPLICATION_ID, STEPS, VERSION, create
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Answer, Trial

TRIALS = tuple(
    Trial(i, {"a": i / 7}, {"s": 5.0}, {"f": (1 / 3, 0.5, 0.0, -9.0)}, Answer({"f": i / 3}, {"s": 2.0}, {}, {}))
    for i in range(40)
)
OPEN_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
from imoca import Study
from imoca.errors import StorageError
try:
    Study.load(sys.argv[1])
except StorageError as error:
    print(error)
    sys.exit(5)
"""


def make_problem() -> Problem:
    simulator = Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(1, 10), cost="z")
    return Problem([Real("a", 0.0, 10.0)], [simulator])


def write_version_1(path: Path) -> None:
    """As the first version of the tables would have held it: neither a journal of runs nor an owner."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in STEPS[0]:
            connection.execute(statement)
        connection.execute("PRAGMA user_version = 1")
        definition = definition_text(Definition(make_problem(), "imoca-p", 3))
        connection.execute("INSERT INTO study VALUES (1, ?, 0.0, ?)", (definition, checksum(definition)))
        for trial in TRIALS:
            content = json.loads(question_text(trial))
            del content["promised"]  # later versions have it
            question, answer = to_json(content), answer_text(trial.answer)
            row = (trial.number, question, answer, 0.0, 1.0, trial.number + 1)
            summed = checksum(trial.number, question, answer)
            connection.execute("INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, summed))


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return [str(version), *connection.iterdump()]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    write_version_1(path)
    return path


def test_an_older_database_is_migrated_after_a_backup_and_nothing_is_lost(old: Path, until_the_end: ExitStack) -> None:
    before = dump(old)
    study = until_the_end.enter_context(Study.load(old))
    assert study.trials == TRIALS
    assert study.problem == make_problem()
    assert study.seed == 3
    backup = old.with_name("study.db.version-1.backup")
    assert dump(backup) == before
    assert dump(old)[0] == str(VERSION)
    trial = study.tell(study.ask(), {"f": 1.0})  # and it goes on
    assert until_the_end.enter_context(closing(SQLiteStorage(old, read_only=True))).trials() == (*TRIALS, trial)


def test_answers_of_a_version_without_standard_errors_have_none(tmp_path: Path, until_the_end: ExitStack) -> None:
    """In the database, and in what a version 5 noted of them in the second place."""
    told = TRIALS[3].answer
    assert told is not None
    before = json.loads(answer_text(told) or "")
    assert before.pop("errors") == {}
    assert read_answer(to_json(before)) == told
    with pytest.raises(sqlite3.DatabaseError, match=r"errors is 0\.5"):
        read_answer(to_json(before | {"errors": 0.5}))
    with pytest.raises(sqlite3.DatabaseError, match="'wide' stands there"):
        read_answer(to_json(before | {"errors": {"f": "wide"}}))
    path = tmp_path / "study.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        create(connection, version=5)
        definition = definition_text(Definition(make_problem(), "imoca-p", 3))
        connection.execute("INSERT INTO study VALUES (1, ?, 0.0, ?)", (definition, checksum(definition)))
        question, answer = question_text(TRIALS[0]), to_json(before)
        row = (0, question, answer, 0.0, 1.0, 1, checksum(0, question, answer))
        connection.execute("INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        write_keeping(connection, replace(read_keeping(connection), n_answers=1))
    (trial,) = until_the_end.enter_context(Study.load(path)).trials
    assert trial.answer == told
    assert dump(path)[0] == str(VERSION)
    assert dump(path.with_name("study.db.version-5.backup"))[0] == "5"


def test_a_migrated_database_is_not_migrated_again(old: Path, until_the_end: ExitStack) -> None:
    Study.load(old).close()
    backup = old.with_name("study.db.version-1.backup")
    backup.unlink()
    assert until_the_end.enter_context(Study.load(old)).trials == TRIALS
    assert not backup.exists()


def test_viewing_an_older_database_changes_no_file(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(StorageError, match=r"older database version 1 "):
        Study.load(old, read_only=True)
    assert old.read_bytes() == before
    assert [path.name for path in old.parent.iterdir()] == ["study.db"]


@pytest.mark.slow
def test_a_migration_that_fails_midway_leaves_the_old_database_as_it_was(old: Path, until_the_end: ExitStack) -> None:
    before, size = dump(old), old.stat().st_size
    assert size > resource.getpagesize()
    # Files may not become larger than this one is: the backup has room, the new tables have not.
    child = subprocess.run(
        [sys.executable, "-c", OPEN_LIMITED, old, str(size)], capture_output=True, text=True, timeout=60, check=False
    )
    assert child.returncode == 5, child.stderr
    assert str(old) in child.stdout
    assert "Free some space" in child.stdout
    assert dump(old) == before
    assert dump(old.with_name("study.db.version-1.backup")) == before
    assert until_the_end.enter_context(Study.load(old)).trials == TRIALS  # and with room it succeeds


def test_a_step_that_fails_undoes_the_steps_before_it(
    old: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    before = dump(old)
    broken = (*STEPS, ("CREATE TABLE half (x)", "INSERT INTO nowhere VALUES (1)"))
    monkeypatch.setattr("imoca.storage.sqlite.schema.STEPS", broken)
    monkeypatch.setattr("imoca.storage.sqlite.schema.VERSION", len(broken))
    with pytest.raises(StorageError, match="nowhere"):
        Study.load(old)
    monkeypatch.undo()
    assert dump(old) == before
    assert until_the_end.enter_context(Study.load(old)).trials == TRIALS


def test_a_newer_database_is_refused_with_both_versions_and_left_alone(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    path = tmp_path / "study.db"
    until_the_end.enter_context(Study(make_problem(), storage=path)).ask()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 7}")
    before = dump(path)
    for read_only in (True, False):
        with pytest.raises(StorageError, match=f"database version {VERSION + 7}.* up to version {VERSION}") as raised:
            Study.load(path, read_only=read_only)
        assert "Update imoca" in raised.value.hint
    assert dump(path) == before
    assert not list(tmp_path.glob("*.backup"))
