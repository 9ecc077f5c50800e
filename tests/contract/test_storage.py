"""What every storage must do. A new storage is added to the fixture."""

import threading
from collections.abc import Callable

import pytest

from imoca.errors import TrialError
from imoca.storage.base import Storage
from imoca.storage.memory import MemoryStorage
from imoca.trials import Answer, Candidate, TrialState

CANDIDATE = Candidate({"a": 0.25}, {"s": 0.5}, {"f": (0.1, 1 / 3)})
ANSWER = Answer({"f": 1.5}, {"s": 2.0}, {})


@pytest.fixture(params=[MemoryStorage])
def storage(request: pytest.FixtureRequest) -> Storage:
    make: Callable[[], Storage] = request.param
    return make()


def test_trials_are_numbered_from_zero_and_start_running(storage: Storage) -> None:
    first, second = storage.add(CANDIDATE), storage.add(CANDIDATE)
    assert (first.number, second.number) == (0, 1)
    assert first.state is TrialState.RUNNING
    assert storage.trials() == (first, second)
    assert storage.trials()[0].fitted == {"f": (0.1, 1 / 3)}


def test_a_finished_trial_holds_its_answer(storage: Storage) -> None:
    storage.add(CANDIDATE)
    finished = storage.finish(0, ANSWER)
    assert storage.trials() == (finished,)
    assert finished.values == {"f": 1.5}
    assert finished.state is TrialState.COMPLETE


def test_an_answer_without_values_is_a_failure(storage: Storage) -> None:
    storage.add(CANDIDATE)
    assert storage.finish(0, Answer(failures={"s": "exploded"})).state is TrialState.FAILED


def test_a_trial_may_be_added_with_its_answer(storage: Storage) -> None:
    assert storage.add(CANDIDATE, ANSWER).state is TrialState.COMPLETE


def test_the_same_answer_twice_changes_nothing(storage: Storage) -> None:
    storage.add(CANDIDATE)
    assert storage.finish(0, ANSWER) == storage.finish(0, ANSWER)


def test_another_answer_is_refused_and_the_first_kept(storage: Storage) -> None:
    storage.add(CANDIDATE)
    storage.finish(0, ANSWER)
    with pytest.raises(TrialError, match="Trial 0"):
        storage.finish(0, Answer({"f": 9.0}))
    assert storage.trials()[0].answer == ANSWER


@pytest.mark.parametrize("number", [-1, 1, 99])
def test_an_unknown_trial_is_refused(storage: Storage, number: int) -> None:
    storage.add(CANDIDATE)
    with pytest.raises(TrialError, match=str(number)):
        storage.finish(number, ANSWER)


def test_a_snapshot_is_not_changed_by_later_calls(storage: Storage) -> None:
    storage.add(CANDIDATE)
    snapshot = storage.trials()
    storage.finish(0, ANSWER)
    storage.add(CANDIDATE)
    assert len(snapshot) == 1
    assert snapshot[0].state is TrialState.RUNNING


def test_concurrent_adds_lose_nothing_and_number_each_trial_once(storage: Storage) -> None:
    def add_many() -> None:
        for _ in range(50):
            storage.finish(storage.add(CANDIDATE).number, ANSWER)

    threads = [threading.Thread(target=add_many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [trial.number for trial in storage.trials()] == list(range(400))
    assert all(trial.answer == ANSWER for trial in storage.trials())
