"""What every storage must do."""

from __future__ import annotations

import dataclasses
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from imoca.errors import LostStudyError, StorageError, TrialError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.storage.base import Storage
from imoca.storage.definition import Definition
from imoca.storage.owner import Owner, this_process
from imoca.trials import Answer, Candidate, Promise, Run, RunState, Trial, TrialState

T = TypeVar("T")

CANDIDATE = Candidate(
    {"a": 0.1 + 0.2, "c": 'q"\n<b>'},
    {"s": 0.5},
    {"f": (0.1, 1 / 3)},
    {"s": (0.7, 1 / 7)},
    {"f": Promise(1 / 3, 5e-324, 1e300)},
    "w\n<b>",
    1 / 3,
)
IN_PARTS = Candidate({"a": 0.5}, {"s": 0.5, "t": None})
ANSWER = Answer({"f": 5e-324}, {"s": 1e300}, {}, {"s": 2.0}, errors={"f": 1 / 3})
PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Integer("n", 0, 3), Choice("c", ['q"\n<b>', "plain"])],
    [Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z")],
)
DEFINITION = Definition(PROBLEM, "imoca-p", 7, {"n_fronts": 3}, "0.1")
OTHER_DEFINITION = Definition(Problem(PROBLEM.parameters[:1], PROBLEM.simulators), "random", 8)
N_THREADS = 8
N_ASKED = 50  # by each thread


class StorageContract(ABC):
    """Inherit it in a class named ``Test...``."""

    @abstractmethod
    def open_storage(self, folder: Path) -> Storage:
        """A storage that holds nothing yet; its files, if it has any, belong into the folder, which is empty."""

    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        storage = self.open_storage(tmp_path)
        yield storage
        storage.close()

    def test_the_first_definition_stays_until_it_is_replaced(self, storage: Storage) -> None:
        assert storage.definition() is None
        assert storage.define(DEFINITION) == DEFINITION
        assert storage.define(OTHER_DEFINITION) == DEFINITION
        assert storage.definition() == DEFINITION
        storage.redefine(OTHER_DEFINITION)
        assert storage.definition() == OTHER_DEFINITION

    def test_of_many_definitions_at_once_all_are_answered_with_the_one_that_is_stored(self, storage: Storage) -> None:
        given = [dataclasses.replace(DEFINITION, seed=seed) for seed in range(N_THREADS)]
        assert set(_at_once([lambda d=d: storage.define(d).seed for d in given])) == {storage.define(given[0]).seed}  # type: ignore[misc]

    def test_a_check_of_what_is_well_says_nothing_and_changes_nothing(self, storage: Storage) -> None:
        ask(storage)
        before = storage.trials()
        storage.check()
        assert storage.trials() == before

    def test_trials_are_numbered_from_zero_and_start_running(self, storage: Storage) -> None:
        first, second = ask(storage), ask(storage)
        assert (first.number, second.number) == (0, 1)
        assert first.state is TrialState.RUNNING
        assert storage.trials() == (first, second)

    def test_a_question_is_kept_to_the_last_digit(self, storage: Storage) -> None:
        ask(storage)
        (kept,) = storage.trials()
        assert kept == Trial.asked(0, CANDIDATE, None, kept.is_launched)
        assert isinstance(kept.promised["f"], Promise)

    def test_a_finished_trial_holds_its_answer(self, storage: Storage) -> None:
        ask(storage)
        finished = storage.finish(0, ANSWER)
        assert storage.trials() == (finished,)
        assert finished.answer == ANSWER
        assert finished.state is TrialState.COMPLETE

    def test_an_answer_without_values_is_a_failure(self, storage: Storage) -> None:
        ask(storage)
        assert storage.finish(0, Answer(failures={"s": "exploded"})).state is TrialState.FAILED

    def test_a_trial_may_be_added_with_its_answer(self, storage: Storage) -> None:
        ask(storage)
        added = storage.add(CANDIDATE, ANSWER)
        assert (added.number, added.state) == (1, TrialState.COMPLETE)
        assert storage.trials()[1] == added

    def test_the_same_answer_twice_changes_nothing(self, storage: Storage) -> None:
        ask(storage)
        assert storage.finish(0, ANSWER) == storage.finish(0, ANSWER)

    def test_another_answer_is_refused_and_the_first_kept(self, storage: Storage) -> None:
        ask(storage)
        storage.finish(0, ANSWER)
        with pytest.raises(TrialError, match="Trial 0"):
            storage.finish(0, Answer({"f": 9.0}))
        assert storage.trials()[0].answer == ANSWER

    def test_an_answer_may_come_in_parts(self, storage: Storage) -> None:
        storage.append(0, IN_PARTS, False)
        half = storage.finish(0, Answer({"f": 1.0}, {"s": 2.0}, pending=("t",), errors={"f": 0.1}))
        assert (half.state, storage.trials()) == (TrialState.RUNNING, (half,))
        assert storage.finish(0, Answer({"f": 1.0}, {"s": 2.0}, pending=("t",), errors={"f": 0.1})) == half
        others = [
            Answer({"f": 2.0}, {"s": 2.0}, pending=("t",), errors={"f": 0.1}),
            Answer({"f": 1.0}, {"s": 2.0}, pending=("t",), errors={"f": 0.2}),
            Answer({"f": 1.0}, {"s": 2.0}, pending=("t",)),  # without its error
            Answer({"g": 1.0}, failures={"s": "no"}),
        ]
        for other in others:
            with pytest.raises(TrialError, match="another answer of s"):
                storage.finish(0, other)
        assert storage.trials() == (half,)
        whole = storage.finish(0, Answer(failures={"t": "exploded"}, wasted={"t": 1.0}, pending=("s",)))
        assert whole.answer == Answer({"f": 1.0}, {"s": 2.0}, {"t": "exploded"}, {"t": 1.0}, errors={"f": 0.1})
        assert (whole.state, storage.trials()) == (TrialState.COMPLETE, (whole,))

    @pytest.mark.parametrize("number", [-1, 1, 99])
    def test_an_unknown_trial_is_refused(self, storage: Storage, number: int) -> None:
        ask(storage)
        with pytest.raises(TrialError, match=str(number)):
            storage.finish(number, ANSWER)

    def test_a_snapshot_is_not_changed_by_later_calls(self, storage: Storage) -> None:
        ask(storage)
        snapshot = storage.trials()
        storage.finish(0, ANSWER)
        ask(storage)
        assert len(snapshot) == 1
        assert snapshot[0].state is TrialState.RUNNING

    @pytest.mark.parametrize("number", [0, 2])
    def test_a_question_under_a_number_that_is_not_the_next_is_not_stored(self, storage: Storage, number: int) -> None:
        ask(storage)
        assert storage.append(number, CANDIDATE, False) is None
        assert len(storage.trials()) == 1

    def test_whoever_wants_to_ask_waits_for_who_is_asking(self, storage: Storage) -> None:
        order = []

        def ask_second() -> None:
            with storage.asking():
                order.append("second")

        with storage.asking():
            second = threading.Thread(target=ask_second)
            second.start()
            second.join(0.2)
            order.append("first")
        second.join()
        assert order == ["first", "second"]

    def test_who_waits_to_ask_goes_on_when_the_patience_is_over(
        self, storage: Storage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("imoca.storage.base.ASKING_SECONDS", 0.05)
        is_asking = threading.Event()

        def ask_second() -> None:
            with storage.asking():
                is_asking.set()

        second = threading.Thread(target=ask_second)
        with storage.asking():
            second.start()
            assert is_asking.wait(30.0)
        second.join()

    def test_a_trial_remembers_whether_the_study_itself_runs_it(self, storage: Storage) -> None:
        storage.append(0, CANDIDATE, True)
        assert storage.finish(0, ANSWER).is_launched
        assert storage.trials()[0].is_launched
        assert not ask(storage).is_launched

    def test_many_threads_lose_nothing_and_number_each_trial_once(self, storage: Storage) -> None:
        def ask_and_add() -> None:
            for i in range(N_ASKED):
                while (trial := storage.append(_Hesitant(len(storage.trials())), CANDIDATE, False)) is None:
                    pass
                storage.finish(trial.number, ANSWER)
                if i % 2:
                    storage.add(CANDIDATE, ANSWER)

        _at_once([ask_and_add] * N_THREADS)
        assert [trial.number for trial in storage.trials()] == list(range(N_THREADS * (N_ASKED + N_ASKED // 2)))
        assert all(trial.answer == ANSWER for trial in storage.trials())

    def test_of_many_answers_at_once_one_is_kept_and_the_others_are_refused(self, storage: Storage) -> None:
        ask(storage)

        def finish(value: float) -> float | None:
            try:
                return storage.finish(0, Answer({"f": value})).values["f"]
            except TrialError:
                return None

        told = _at_once([lambda value=value: finish(float(value)) for value in range(N_THREADS)])  # type: ignore[misc]
        assert [value for value in told if value is not None] == [storage.trials()[0].values["f"]]

    def test_the_journal_holds_every_run_and_what_became_of_it(self, storage: Storage) -> None:
        ask(storage)
        storage.record(Run(0, "s", 1, 10.0, "runs/one"))
        storage.record(Run(0, "s", 2, 20.0))
        assert [run.state for run in storage.runs()] == [RunState.RUNNING, RunState.RUNNING]
        ended = Run(0, "s", 1, 10.0, "runs/one", 15.0, Answer(failures={"s": "no"}))
        answered = Run(0, "s", 3, 30.0, None, 31.0, ANSWER)
        storage.record(ended)
        storage.record(Run(0, "s", 2, 20.0, None, 21.0))
        storage.record(answered)
        assert (storage.runs()[0], storage.runs()[2]) == (ended, answered)
        states = {1: RunState.FAILED, 2: RunState.LOST, 3: RunState.ANSWERED}
        assert {run.attempt: run.state for run in storage.runs()} == states

    def test_the_journal_is_in_the_order_in_which_the_runs_started(self, storage: Storage) -> None:
        ask(storage)
        for attempt, started in ((1, 30.0), (2, 10.0), (3, 20.0)):
            storage.record(Run(0, "s", attempt, started))
        storage.record(Run(0, "s", 2, 10.0, None, 40.0))
        assert [run.attempt for run in storage.runs()] == [2, 3, 1]

    def test_one_driver_at_a_time(self, storage: Storage) -> None:
        first, second = this_process(), this_process()
        assert storage.claim(first) is None
        with pytest.raises(StorageError, match=f"process {first.pid} on {first.host} since"):
            storage.claim(second)
        assert storage.owner() == first
        storage.release(first)
        assert storage.owner() is None
        assert storage.claim(second) is None

    def test_of_many_claims_at_once_one_is_granted(self, storage: Storage) -> None:
        def is_granted(owner: Owner) -> bool:
            try:
                return storage.claim(owner) is None
            except StorageError:
                return False

        owners = [this_process() for _ in range(N_THREADS)]
        granted = _at_once([lambda owner=owner: is_granted(owner) for owner in owners])  # type: ignore[misc]
        assert [owner for owner, is_its in zip(owners, granted, strict=True) if is_its] == [storage.owner()]

    def test_a_dead_driver_is_replaced_and_named(self, storage: Storage) -> None:
        dead, alive = _dead(), this_process()
        storage.claim(dead)
        assert storage.claim(alive) == dead
        assert storage.owner() == alive

    def test_a_silent_driver_on_another_machine_counts_as_dead(self, storage: Storage) -> None:
        away = dataclasses.replace(this_process(), host="elsewhere")
        storage.claim(away)
        with pytest.raises(StorageError, match="elsewhere"):
            storage.claim(this_process())
        storage.release(away)
        storage.claim(dataclasses.replace(away, seen=time.time() - 1000.0))
        assert storage.claim(this_process()) is not None

    def test_a_heartbeat_moves_the_time_at_which_the_driver_was_seen(self, storage: Storage) -> None:
        owner = dataclasses.replace(this_process(), seen=5.0)
        storage.claim(owner)
        storage.beat(owner, 7.5)
        seen = storage.owner()
        assert seen is not None
        assert seen.seen > 1e9
        assert dataclasses.replace(seen, seen=5.0) == dataclasses.replace(owner, lasted=7.5)

    def test_a_driver_that_was_replaced_neither_beats_nor_releases(self, storage: Storage) -> None:
        replaced, driver = _dead(), this_process()
        storage.claim(replaced)
        storage.claim(driver)
        with pytest.raises(LostStudyError, match="driven by another process"):
            storage.beat(replaced, 1.0)
        assert storage.owner() == driver
        storage.release(replaced)
        assert storage.owner() == driver

    def test_a_heartbeat_after_the_release_claims_nothing(self, storage: Storage) -> None:
        owner = this_process()
        storage.claim(owner)
        storage.release(owner)
        with pytest.raises(LostStudyError):
            storage.beat(owner, 1.0)
        assert storage.owner() is None

    def test_it_says_where_it_is_and_where_files_are_found(self, storage: Storage, tmp_path: Path) -> None:
        assert storage.place
        assert storage.folder.is_absolute()
        assert storage.folder.is_dir()
        assert storage.name == Path(storage.name).name == storage.name.strip()
        assert storage.name
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        other = self.open_storage(elsewhere)
        assert (other.folder, other.name) != (storage.folder, storage.name)
        other.close()

    @pytest.mark.parametrize(
        "use",
        [
            lambda storage: storage.definition(),
            lambda storage: storage.trials(),
            lambda storage: storage.runs(),
            lambda storage: storage.owner(),
            lambda storage: storage.define(DEFINITION),
            lambda storage: storage.redefine(DEFINITION),
            lambda storage: storage.asking().__enter__(),
            lambda storage: storage.append(1, CANDIDATE, False),
            lambda storage: storage.add(CANDIDATE, ANSWER),
            lambda storage: storage.finish(0, ANSWER),
            lambda storage: storage.record(Run(0, "s", 1, 10.0)),
            lambda storage: storage.claim(this_process()),
            lambda storage: storage.beat(this_process(), 1.0),
            lambda storage: storage.release(this_process()),
            lambda storage: storage.check(),
        ],
    )
    def test_a_closed_storage_says_so_whatever_is_asked(self, use: Callable[[Storage], object], tmp_path: Path) -> None:
        storage = self.open_storage(tmp_path)
        ask(storage)
        storage.close()
        storage.close()
        with pytest.raises(StorageError, match="was closed"):
            use(storage)


def ask(storage: Storage) -> Trial:
    trial = storage.append(len(storage.trials()), CANDIDATE, False)
    assert trial is not None
    return trial


class _Hesitant(int):
    """A number that lets other threads go first when it is compared, which is when a storage must not let them."""

    def __eq__(self, other: object) -> bool:
        time.sleep(0.0)
        return int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


def _dead() -> Owner:
    """A process that had our number, but started at another time."""
    return dataclasses.replace(this_process(), born="another time")


def _at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Each in a thread of its own, all let go at the same moment."""
    answers: dict[int, T] = {}
    start = threading.Barrier(len(calls))

    def answer(number: int) -> None:
        start.wait()
        answers[number] = calls[number]()

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers[number] for number in range(len(calls))]
