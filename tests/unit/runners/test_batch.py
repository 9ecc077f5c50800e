"""A run as a batch job: what travels there and back."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from imoca import Command, Fidelity, Objective, Resources, Simulator
from imoca.errors import StorageError
from imoca.runners import batch
from imoca.runners.base import Job
from imoca.runners.execution import run_job

SOLVER = """
import json, sys
question = json.load(open("params.json"))
json.dump({"f": question["parameters"]["x"], "cores": sys.argv[1], "cost": 2.5}, open("result.json", "w"))
"""


def make_job(folder: Path, high: float | None = None, cost: str = "measured") -> Job:
    (folder / "solver.py").write_text(SOLVER, encoding="utf-8")
    simulator = Simulator(
        "s",
        [Objective("f", "minimize", high=high)],
        Command(["{python}", "-S", "solver.py", "{cores}"]),
        fidelity=Fidelity.levels(["coarse", "fine"]),
        cost=cost if cost == "measured" else [1, 2],
        resources=Resources(cores=[1, 4]),
    )
    return Job(7, simulator, {"x": 0.1 + 0.2, "metal": "ti"}, "fine", 2, folder, folder / "run")


def sent(job: Job, place: Path) -> None:
    batch.write_job(job, place)
    assert batch.main([str(place)]) == 0


def test_the_answer_is_that_of_a_run_here(tmp_path: Path) -> None:
    job, place = make_job(tmp_path), tmp_path / "job"
    assert batch.read_answer(place, job) is None
    sent(job, place)
    finished = batch.read_answer(place, job)
    assert finished is not None
    assert finished.job == job
    assert finished.answer.values == {"f": 0.1 + 0.2}  # to the last bit
    assert finished.answer.costs == {"s": 2.5}  # as the program told it
    asked = json.loads((tmp_path / "run" / "params.json").read_text(encoding="utf-8"))
    assert (asked["fidelity"], asked["parameters"]) == ("fine", {"x": 0.1 + 0.2, "metal": "ti"})
    assert json.loads((tmp_path / "run" / "result.json").read_text(encoding="utf-8"))["cores"] == "4"


def test_a_standard_error_travels_too_and_is_checked_here(tmp_path: Path) -> None:
    job, place = make_job(tmp_path), tmp_path / "job"
    answers = [{"f": [1.5, 0.1]}, {"f": [1.5, -0.1]}]
    for i, (outputs, told) in enumerate(zip(answers, [{"f": 0.1}, {}], strict=True)):
        solver = f"import json; json.dump({json.dumps(outputs)}, open('result.json', 'w'))"
        (tmp_path / "solver.py").write_text(solver, encoding="utf-8")
        sent(job, place.with_name(f"job-{i}"))
        finished = batch.read_answer(place.with_name(f"job-{i}"), job)
        assert finished is not None
        assert finished.answer.errors == told
        assert bool(finished.answer.failures) == (not told)
    content = json.loads((tmp_path / "job-0" / batch.ANSWER).read_text(encoding="utf-8"))
    (tmp_path / "job-0" / batch.ANSWER).write_text(json.dumps(content | {"errors": {"f": -1.0}}), encoding="utf-8")
    spoilt = batch.read_answer(tmp_path / "job-0", job)
    assert spoilt is not None
    assert "The standard error of output 'f' came as -1.0" in spoilt.answer.failures["s"]
    del content["errors"]  # of a node that has an older version
    (tmp_path / "job-0" / batch.ANSWER).write_text(json.dumps(content), encoding="utf-8")
    older = batch.read_answer(tmp_path / "job-0", job)
    assert older is not None
    assert (older.answer.values, older.answer.errors) == ({"f": 1.5}, {})


def test_a_run_that_was_begun_before_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    job, place = make_job(tmp_path), tmp_path / "job"
    job.folder.mkdir()
    sent(job, place)
    finished = batch.read_answer(place, job)
    assert finished is not None
    assert finished.job.folder == tmp_path / "run-rerun-2"


def test_what_is_declared_impossible_is_a_failure_there_too(tmp_path: Path) -> None:
    job = make_job(tmp_path, high=0.2)
    sent(job, tmp_path / "job")
    finished = batch.read_answer(tmp_path / "job", job)
    assert finished is not None
    assert "above its declared high" in finished.answer.failures["s"]
    assert str(finished.answer.failures) == str(run_job(make_job(tmp_path / "job", high=0.2)).failures)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00"])
def test_an_answer_that_cannot_be_read_is_a_failure(tmp_path: Path, text: str) -> None:
    (tmp_path / batch.ANSWER).write_text(text, encoding="utf-8")
    finished = batch.read_answer(tmp_path, make_job(tmp_path))
    assert finished is not None
    assert "cannot be read" in finished.answer.failures["s"]


@pytest.fixture
def restored_handler() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


@pytest.mark.usefixtures("restored_handler")
@pytest.mark.parametrize("is_job_ended", [True, False])
def test_a_program_that_goes_first_when_its_job_is_ended_has_not_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_job_ended: bool
) -> None:
    job, place = make_job(tmp_path), tmp_path / "job"
    (tmp_path / "solver.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", encoding="utf-8")
    batch.write_job(job, place)

    def wait(seconds: float) -> None:
        if is_job_ended:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("imoca.runners.batch.time.sleep", wait)
    if is_job_ended:
        with pytest.raises(SystemExit, match=str(batch.ENDED)):
            batch.main([str(place)])
        assert batch.read_answer(place, job) is None
    else:
        assert batch.main([str(place)]) == 0
        finished = batch.read_answer(place, job)
        assert finished is not None
        assert "signal 9" in finished.answer.failures["s"]


def test_a_node_without_room_is_not_the_simulators_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job, place = make_job(tmp_path), tmp_path / "job"
    batch.write_job(job, place)

    def no_room(job: Job) -> None:
        raise StorageError("No space left on device.", hint="Make room.")

    monkeypatch.setattr(batch, "run_job", no_room)
    assert batch.main([str(place)]) == 1
    with pytest.raises(StorageError, match="No space left"):
        batch.read_answer(place, job)
