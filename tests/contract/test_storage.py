"""What every storage must do. A new storage is added to the fixture."""

import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from imoca.errors import StorageError, TrialError
from imoca.storage.base import Storage
from imoca.storage.memory import MemoryStorage
from imoca.storage.owner import this_process
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Answer, Candidate, Run, RunState, Trial, TrialState

CANDIDATE = Candidate({"a": 0.25}, {"s": 0.5}, {"f": (0.1, 1 / 3)})
ANSWER = Answer({"f": 1.5}, {"s": 2.0}, {})


MAKERS: dict[str, Callable[[Path], Storage]] = {
    "memory": lambda folder: MemoryStorage(),
    "sqlite": lambda folder: SQLiteStorage(folder / "study.db"),
}


@pytest.fixture(params=list(MAKERS))
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return MAKERS[request.param](tmp_path)


def ask(storage: Storage) -> Trial:
    trial = storage.append(len(storage.trials()), CANDIDATE, False)
    assert trial is not None
    return trial


def test_trials_are_numbered_from_zero_and_start_running(storage: Storage) -> None:
    first, second = ask(storage), ask(storage)
    assert (first.number, second.number) == (0, 1)
    assert first.state is TrialState.RUNNING
    assert storage.trials() == (first, second)
    assert storage.trials()[0].fitted == {"f": (0.1, 1 / 3)}


def test_a_finished_trial_holds_its_answer(storage: Storage) -> None:
    ask(storage)
    finished = storage.finish(0, ANSWER)
    assert storage.trials() == (finished,)
    assert finished.values == {"f": 1.5}
    assert finished.state is TrialState.COMPLETE


def test_an_answer_without_values_is_a_failure(storage: Storage) -> None:
    ask(storage)
    assert storage.finish(0, Answer(failures={"s": "exploded"})).state is TrialState.FAILED


def test_a_trial_may_be_added_with_its_answer(storage: Storage) -> None:
    assert storage.add(CANDIDATE, ANSWER).state is TrialState.COMPLETE


def test_the_same_answer_twice_changes_nothing(storage: Storage) -> None:
    ask(storage)
    assert storage.finish(0, ANSWER) == storage.finish(0, ANSWER)


def test_another_answer_is_refused_and_the_first_kept(storage: Storage) -> None:
    ask(storage)
    storage.finish(0, ANSWER)
    with pytest.raises(TrialError, match="Trial 0"):
        storage.finish(0, Answer({"f": 9.0}))
    assert storage.trials()[0].answer == ANSWER


@pytest.mark.parametrize("number", [-1, 1, 99])
def test_an_unknown_trial_is_refused(storage: Storage, number: int) -> None:
    ask(storage)
    with pytest.raises(TrialError, match=str(number)):
        storage.finish(number, ANSWER)


def test_a_snapshot_is_not_changed_by_later_calls(storage: Storage) -> None:
    ask(storage)
    snapshot = storage.trials()
    storage.finish(0, ANSWER)
    ask(storage)
    assert len(snapshot) == 1
    assert snapshot[0].state is TrialState.RUNNING


def test_concurrent_adds_lose_nothing_and_number_each_trial_once(storage: Storage) -> None:
    def add_many() -> None:
        for i in range(50):
            while (trial := storage.append(len(storage.trials()), CANDIDATE, False)) is None:
                pass
            storage.finish(trial.number, ANSWER)
            if i % 2:
                storage.add(CANDIDATE, ANSWER)

    threads = [threading.Thread(target=add_many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [trial.number for trial in storage.trials()] == list(range(600))
    assert all(trial.answer == ANSWER for trial in storage.trials())


@pytest.mark.parametrize("number", [0, 2])
def test_a_question_under_a_number_that_is_not_the_next_is_not_stored(storage: Storage, number: int) -> None:
    ask(storage)
    assert storage.append(number, CANDIDATE, False) is None
    assert len(storage.trials()) == 1


def test_a_trial_remembers_whether_the_study_itself_runs_it(storage: Storage) -> None:
    storage.append(0, CANDIDATE, True)
    assert storage.finish(0, ANSWER).is_launched
    assert storage.trials()[0].is_launched
    assert not ask(storage).is_launched


def test_the_journal_holds_every_run_and_what_became_of_it(storage: Storage) -> None:
    ask(storage)
    first = Run(0, "s", 1, 10.0, "runs/one")
    second = Run(0, "s", 2, 20.0)
    storage.record(first)
    storage.record(second)
    assert [run.state for run in storage.runs()] == [RunState.RUNNING, RunState.RUNNING]
    ended = Run(0, "s", 1, 10.0, "runs/one", 15.0, Answer(failures={"s": "no"}))
    storage.record(ended)
    storage.record(Run(0, "s", 2, 20.0, None, 21.0))
    assert sorted(storage.runs(), key=lambda run: run.attempt)[0] == ended
    assert {run.attempt: run.state for run in storage.runs()} == {1: RunState.FAILED, 2: RunState.LOST}


def test_one_driver_at_a_time(storage: Storage) -> None:
    first, second = this_process(), this_process()
    assert storage.claim(first) is None
    with pytest.raises(StorageError, match=f"process {first.pid} on {first.host} since"):
        storage.claim(second)
    storage.release(first)
    assert storage.owner() is None
    assert storage.claim(second) is None


def test_a_dead_driver_is_replaced_and_named(storage: Storage) -> None:
    dead = dataclasses.replace(this_process(), born="another time")
    storage.claim(dead)
    assert storage.claim(this_process()) == dead


def test_a_silent_driver_on_another_machine_counts_as_dead(storage: Storage) -> None:
    away = dataclasses.replace(this_process(), host="elsewhere")
    storage.claim(away)
    with pytest.raises(StorageError, match="elsewhere"):
        storage.claim(this_process())
    storage.release(away)
    storage.claim(dataclasses.replace(away, seen=time.time() - 1000.0))
    assert storage.claim(this_process()) is not None


def test_a_heartbeat_moves_the_time_at_which_the_driver_was_seen(storage: Storage) -> None:
    owner = dataclasses.replace(this_process(), seen=5.0)
    storage.claim(owner)
    storage.beat(owner)
    seen = storage.owner()
    assert seen is not None
    assert seen.seen > 1e9
