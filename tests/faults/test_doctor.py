"""What `imoca doctor` says of a damaged database and saves of it: never the database's own file is changed."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.errors import StorageError
from imoca.storage.owner import this_process
from imoca.storage.sqlite.doctor import Diagnosis, examine, mend
from imoca.storage.sqlite.rows import checksum
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Answer, Run, Trial

N_TRIALS = 30
PAGE = 4096
OLD = Path(__file__).parent.parent / "data" / "version-2" / "qv.db"


@pytest.fixture
def imoca(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def make_problem() -> Problem:
    simulator = Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(1, 10), cost="z")
    return Problem([Real("a", 0.0, 1.0)], [simulator])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose driver died, with answers, runs and an open question."""
    path = tmp_path_factory.mktemp("whole") / "study.db"
    with closing(SQLiteStorage(path)) as storage:
        study = Study(make_problem(), method="random", storage=storage)
        for i in range(N_TRIALS):
            storage.record(Run(i, "s", 1, 100.0 + i, f"runs/{i}", 101.5 + i, Answer({"f": i / 7}, errors={"f": i / 9})))
            study.tell(study.ask(), {"f": i / 7}, errors={"f": i / 9})
        study.ask()
        storage.claim(this_process())
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "study.db"))


def trials_of(path: Path) -> tuple[Trial, ...]:
    with Study.load(path) as study:
        return study.trials


def content(trial: Trial) -> str:
    return repr((trial.parameters, trial.fidelities, trial.answer))


def diagnosis_of_mended(path: Path, new: Path) -> Diagnosis | None:
    """None if nothing could be saved, which is said in words."""
    try:
        diagnosis = examine(path)
        mend(path, new)
    except StorageError:
        return None
    return diagnosis


def spoil(path: Path, old: str, new: str) -> None:
    """Change text inside the file, as a bad disk does: the same length, no checksum."""
    sound = path.read_bytes()
    assert sound.count(old.encode()) >= 1
    path.write_bytes(sound.replace(old.encode(), new.encode()))


def test_a_sound_study_is_called_sound_and_nothing_is_written(copy: Path, imoca: CommandLine) -> None:
    new = copy.with_name("new.db")
    said = imoca("doctor", str(copy), "-o", str(new))
    assert said.code == 0
    assert "study.db is sound" in said.err
    assert f"{N_TRIALS} acknowledged, {N_TRIALS} here" in said.out
    assert "wrong" not in said.out
    assert not new.exists()


def test_what_a_damaged_log_lost_is_saved_from_the_second_place(tmp_path: Path, imoca: CommandLine) -> None:
    path = tmp_path / "study.db"
    with Study(make_problem(), method="random", storage=path) as study:
        study.tell(study.ask(), {"f": 0.0})
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM trials").fetchall()  # while it reads on, nothing leaves the log
            for i in range(1, 10):
                study.tell(study.ask(), {"f": i / 7}, errors={"f": i / 9})
            original = study.trials
            crashed = {file: file.read_bytes() for file in tmp_path.iterdir() if file.suffix != ".db-shm"}
    for file, sound in crashed.items():
        file.write_bytes(sound)
    log = tmp_path / "study.db-wal"
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    assert imoca("status", str(path)).code == 5
    said = imoca("doctor", str(path))
    assert said.code == 5
    assert "10 results were acknowledged" in said.out
    assert "is not in the database, but noted beside it" in said.out
    before = {file: file.read_bytes() for file in (path, log, tmp_path / "study.db-told")}
    said = imoca("doctor", str(path), "-o", str(tmp_path / "mended.db"))
    assert said.code == 0
    assert "mended.db holds 10 trials, 10 of them answered" in said.err
    assert {file: file.read_bytes() for file in before} == before
    assert trials_of(tmp_path / "mended.db") == original


def test_the_last_part_of_an_answer_is_missed_and_saved(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    outputs = {"s": "f", "t": "g"}
    problem = Problem(
        [Real("a", 0, 1)], [Simulator(name, [Objective(output, "minimize")]) for name, output in outputs.items()]
    )
    with Study(problem, method="random", storage=path) as study:
        trial = study.ask()
        study.tell(trial, {"f": 1.0})
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM trials").fetchall()
            whole = study.tell(trial, {"g": 2.0}, errors={"g": 0.5})
            crashed = {file: file.read_bytes() for file in tmp_path.iterdir() if file.suffix != ".db-shm"}
    for file, sound in crashed.items():
        file.write_bytes(sound)
    (tmp_path / "study.db-wal").write_bytes(b"")
    with pytest.raises(StorageError, match=r"1 results were acknowledged, 0 are here\. Missing: trial 0\."):
        Study.load(path)
    assert mend(path, tmp_path / "new.db").n_missing == 0
    assert trials_of(tmp_path / "new.db") == (whole,)


def test_a_trial_that_cannot_be_trusted_is_left_out_and_the_gap_closed(copy: Path, imoca: CommandLine) -> None:
    original = trials_of(copy)
    spoil(copy, '"f":1.7142857142857142', '"f":1.8142857142857142')  # 12 / 7, in the trial and in its run
    assert imoca("status", str(copy)).code == 5
    said = imoca("doctor", str(copy), "-o", str(copy.with_name("new.db")))
    assert said.code == 5  # for a result is lost
    assert "1 row of table trials cannot be trusted" in said.out
    assert "1 row of table runs cannot be trusted" in said.out
    assert "the question of trial 12 cannot be read" in said.out
    assert f"{N_TRIALS} results were acknowledged, {N_TRIALS - 1} are here" in said.out
    assert "1 results that were acknowledged are lost" in said.err
    assert "trial 13 became trial 12" in said.err
    with Study.load(copy.with_name("new.db")) as study:
        assert [content(trial) for trial in study.trials] == [content(t) for t in original if t.number != 12]
        assert [(run.trial, run.folder) for run in study.runs] == [
            (i, f"runs/{i if i < 12 else i + 1}") for i in range(N_TRIALS - 1)
        ]
        assert study.owner is None
        study.tell(study.ask(), {"f": 1.0})  # and it goes on


def test_a_row_that_is_not_ours_is_left_out_though_its_checksum_fits(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        (question,) = connection.execute("SELECT question FROM trials WHERE number = 7").fetchone()
        answer = '{"values": 5}'
        connection.execute(
            "UPDATE trials SET answer = ?, checksum = ? WHERE number = 7", (answer, checksum(7, question, answer))
        )
    with pytest.raises(StorageError, match="cannot be read"), Study.load(copy) as study:
        study.trials  # noqa: B018
    assert "1 row of table trials cannot be trusted" in examine(copy).faults[0]
    assert mend(copy, copy.with_name("new.db")).n_missing == 1
    assert len(trials_of(copy.with_name("new.db"))) == N_TRIALS


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sixteen bytes", "a page", "cut short"])
def test_whatever_is_damaged_what_is_saved_was_once_told(kind: str, whole: Path, copy: Path) -> None:
    original = {content(trial) for trial in trials_of(whole)}
    sound = whole.read_bytes()
    rng = np.random.default_rng([20201, len(kind)])
    n_saved = []
    for i in range(40):
        damaged = bytearray(sound)
        start = int(rng.integers(len(sound) - 16))
        if kind == "a page":
            start -= start % PAGE
            damaged[start : start + PAGE] = rng.bytes(PAGE)
        elif kind == "cut short":
            del damaged[start:]
        else:
            damaged[start : start + 16] = rng.bytes(16)
        copy.write_bytes(damaged)
        new = copy.with_name(f"new-{i}.db")
        diagnosis = diagnosis_of_mended(copy, new)
        if diagnosis is None:
            assert not new.exists()
        else:
            saved = trials_of(new)
            assert {content(trial) for trial in saved} <= original
            assert sum(trial.answer is not None for trial in saved) == diagnosis.n_saved
            n_saved.append(diagnosis.n_saved)
            if diagnosis.n_saved < N_TRIALS:
                assert diagnosis.faults
        assert copy.read_bytes() == damaged
    assert n_saved
    assert kind == "cut short" or max(n_saved) == N_TRIALS


def test_an_older_database_is_mended_into_one_of_today(tmp_path: Path, imoca: CommandLine) -> None:
    path = Path(shutil.copy(OLD, tmp_path / "study.db"))
    original = trials_of(Path(shutil.copy(OLD, tmp_path / "migrated.db")))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE trials SET answer = NULL WHERE number = 1")
    said = imoca("doctor", str(path), "-o", str(tmp_path / "new.db"))
    assert "it has version 2" in said.out
    assert [content(t) for t in trials_of(tmp_path / "new.db")] == [content(t) for t in original if t.number != 1]


@pytest.mark.parametrize("damage", [b"", b"number,x\n" * 1000], ids=["empty", "text"])
def test_what_is_no_database_any_more_is_said_to_be_lost(damage: bytes, copy: Path, imoca: CommandLine) -> None:
    copy.write_bytes(damage)
    said = imoca("doctor", str(copy))
    assert said.code == 5
    assert "nothing of it can be read" in said.out
    said = imoca("doctor", str(copy), "-o", str(copy.with_name("new.db")))
    assert said.code == 5
    assert not copy.with_name("new.db").exists()


def test_somebody_elses_database_is_none_of_ours(tmp_path: Path, imoca: CommandLine) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE trials (x)")
    said = imoca("doctor", str(tmp_path / "other.db"))
    assert said.code == 5
    assert "not an iMOCA study" in said.err


def test_nothing_is_replaced_by_what_is_mended(copy: Path, imoca: CommandLine) -> None:
    spoil(copy, '"f":1.7142857142857142', '"f":1.8142857142857142')
    before = copy.read_bytes()
    said = imoca("doctor", str(copy), "-o", str(copy))
    assert said.code == 5
    assert "is there already" in said.err
    assert copy.read_bytes() == before


def test_all_of_it_is_there_as_json(copy: Path, imoca: CommandLine) -> None:
    spoil(copy, '"f":1.7142857142857142', '"f":1.8142857142857142')
    told = json.loads(imoca("doctor", str(copy), "--json", "-o", str(copy.with_name("new.db"))).out)
    assert (told["n_acknowledged"], told["n_present"], told["n_saved"]) == (N_TRIALS, N_TRIALS - 1, N_TRIALS - 1)
    assert len(told["faults"]) == 4
    assert told["mended"]["n_missing"] == 1
    assert told["mended"]["renumbered"]["13"] == 12
