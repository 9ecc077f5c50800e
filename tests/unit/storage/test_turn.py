"""One after the other."""

import threading
import time
from pathlib import Path

from imoca.storage.turn import forget_turns, turn


def test_one_is_in_there_at_a_time(tmp_path: Path) -> None:
    n_inside, most = 0, 0
    lock = threading.Lock()

    def enter_and_leave() -> None:
        nonlocal n_inside, most
        for _ in range(20):
            with turn(tmp_path / "turns", 60.0):
                with lock:
                    n_inside += 1
                    most = max(most, n_inside)
                time.sleep(0.001)
                with lock:
                    n_inside -= 1

    threads = [threading.Thread(target=enter_and_leave) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_the_file_is_removed_unless_somebody_is_in_there(tmp_path: Path) -> None:
    path = tmp_path / "turns"
    with turn(path, 10.0):
        forget_turns(path)
        assert path.exists()
    forget_turns(path)
    assert not path.exists()
    forget_turns(path)


def test_who_waits_for_a_file_that_is_removed_goes_by_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "turns"
    order = []
    is_waiting = threading.Event()

    def second() -> None:
        is_waiting.set()
        with turn(path, 60.0):
            order.append("second")

    thread = threading.Thread(target=second)
    with turn(path, 10.0):
        thread.start()
        is_waiting.wait()
        path.unlink()
        path.touch()
    thread.join()
    with turn(path, 10.0):
        order.append("third")
    assert order == ["second", "third"]


def test_where_nothing_can_be_locked_nobody_waits(tmp_path: Path) -> None:
    with turn(tmp_path / "nowhere" / "turns", 60.0), turn(tmp_path / "nowhere" / "turns", 60.0):
        pass
