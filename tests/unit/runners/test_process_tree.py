"""Which processes are ended: those of dead starters, and no others."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from imoca.runners import process_tree
from imoca.runners.process_tree import MARK, STARTER, end_orphans, end_processes, starter
from imoca.testing.runner import is_running

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
DEAD = "1 not its birth"  # a number that is used again, by another process


class Sleepers:
    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, folder: str, started_by: str) -> int:
        environment = os.environ | {MARK: folder, STARTER: started_by}
        self.processes.append(subprocess.Popen(SLEEP, env=environment))
        return self.processes[-1].pid


@pytest.fixture
def sleepers() -> Iterator[Sleepers]:
    made = Sleepers()
    yield made
    for process in made.processes:
        process.kill()
        process.wait()


def test_of_the_marked_processes_those_of_a_dead_starter_are_ended(sleepers: Sleepers, tmp_path: Path) -> None:
    orphan = sleepers.start(f"{tmp_path}/runs/1", DEAD)
    cared_for = sleepers.start(f"{tmp_path}/runs/2", starter())
    elsewhere = sleepers.start(f"{tmp_path}-other/runs/1", DEAD)
    nameless = sleepers.start(f"{tmp_path}/runs/3", "")
    end_orphans(str(tmp_path))
    assert not is_running(orphan)
    assert all(is_running(pid) for pid in (cared_for, elsewhere, nameless))


def test_a_process_that_does_not_show_its_environment_yet_is_waited_for(
    sleepers: Sleepers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux says that a program has begun before its environment can be read."""
    pid = sleepers.start(str(tmp_path), starter())
    read, looks = process_tree._environment, []

    def late(each: int) -> dict[str, str]:
        looks.append(each)
        return {} if each == pid and looks.count(pid) < 3 else read(each)

    monkeypatch.setattr(process_tree, "_environment", late)
    end_processes(None, str(tmp_path))
    assert not is_running(pid)
