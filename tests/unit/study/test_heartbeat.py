"""The driver's heart."""

import threading
import time

import pytest

from imoca.errors import LostStudyError, StorageError
from imoca.storage.memory import MemoryStorage
from imoca.storage.owner import Owner, this_process
from imoca.study import heartbeat
from imoca.study.heartbeat import Heartbeat
from imoca.study.steady_clock import SteadyClock


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "SECONDS", 0.01)


def test_it_tells_how_long_it_has_lasted_by_a_clock_that_nobody_can_set(monkeypatch: pytest.MonkeyPatch) -> None:
    storage, owner = MemoryStorage(), this_process()
    storage.claim(owner)
    began = time.monotonic()
    with Heartbeat(storage, owner, SteadyClock(owner.since), lambda: None):
        monkeypatch.setattr(time, "time", lambda: 1e12)
        while (seen := storage.owner()) is None or seen.lasted < 0.05:
            time.sleep(0.01)
    assert seen.lasted <= time.monotonic() - began
    assert seen.seen == 1e12


def test_it_says_once_that_the_study_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    storage, owner = MemoryStorage(), this_process()
    storage.claim(owner)
    said = threading.Semaphore(0)
    with Heartbeat(storage, owner, SteadyClock(owner.since), said.release) as heart:
        assert heart.fault is None
        storage.release(owner)
        assert said.acquire(timeout=30.0)
        assert not said.acquire(timeout=0.1)
    assert isinstance(heart.fault, LostStudyError)


def test_a_beat_that_fails_for_another_reason_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    storage, owner = MemoryStorage(), this_process()
    storage.claim(owner)
    beats = []

    def beat(owner: Owner, lasted: float) -> None:
        beats.append(lasted)
        raise StorageError("The disk is full.", hint="Make room.")

    monkeypatch.setattr(storage, "beat", beat)
    with Heartbeat(storage, owner, SteadyClock(owner.since), lambda: None) as heart:
        while len(beats) < 3:
            time.sleep(0.01)
    assert heart.fault is None


def test_the_steady_clock_begins_where_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = SteadyClock(1e9)
    assert (clock.now(), clock.lasted()) == (1e9, 0.0)
    now[0] = 102.5
    assert (clock.now(), clock.lasted()) == (1e9 + 2.5, 2.5)
