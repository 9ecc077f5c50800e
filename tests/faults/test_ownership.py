"""F12, F30: a study is run twice at the same time."""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from imoca import Study
from imoca.errors import LostStudyError
from imoca.storage.owner import this_process
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.testing.storage import ANSWER, CANDIDATE, DEFINITION
from imoca.trials.trial import Run

IMOCA = Path(sys.executable).with_name("imoca")
STUDY = """
[study]
method = "random"
budget = 3.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.cfd]
command = ["sh", "-c", "sleep {wait}; echo '{\\"drag\\": 1}' > result.json"]
outputs = { drag = "minimize" }
"""


def write_study(folder: Path, wait: str) -> None:
    (folder / "study.toml").write_text(STUDY.replace("{wait}", wait), encoding="utf-8")


def until_running(folder: Path) -> None:
    deadline = time.monotonic() + 120.0
    while not list(folder.glob("study.runs/*/*/*/params.json")):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_the_second_run_is_refused_and_names_the_first_and_a_dead_one_is_replaced(tmp_path: Path) -> None:
    write_study(tmp_path, wait="60")
    first = subprocess.Popen([IMOCA, "run"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until_running(tmp_path)
    second = subprocess.run([IMOCA, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert second.returncode == 5
    assert f"process {first.pid} on" in second.stderr
    assert "since" in second.stderr

    first.send_signal(signal.SIGKILL)
    first.wait()
    write_study(tmp_path, wait="0")
    third = subprocess.run([IMOCA, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert third.returncode == 0, third.stderr


# A driver that is stopped for so long that it counts as dead: two seconds are enough here.
IMPATIENT = "import sys, imoca.storage.owner as o; o.SILENCE = 2.0; from imoca.cli import main; main(['run'])"


@pytest.fixture
def in_a_container() -> list[str]:
    """How a command is run among processes of its own, under the same host name, as in a container."""
    command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*command, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("processes cannot be put into a namespace of their own here")
    return command


@pytest.mark.slow
def test_a_driver_in_another_container_is_seen_and_ends_once_it_was_replaced(
    tmp_path: Path, in_a_container: list[str]
) -> None:
    """F30: its number means nothing here, so it counts as alive while its heart beats."""
    write_study(tmp_path, wait="60")
    with subprocess.Popen(
        [*in_a_container, IMOCA, "run"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as container:
        until_running(tmp_path)
        second = subprocess.run([IMOCA, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert second.returncode == 5
        assert "is already being run" in second.stderr

        driver = child_of(container.pid)
        os.kill(driver, signal.SIGSTOP)
        time.sleep(3.0)  # by then it has been silent for more than two seconds
        write_study(tmp_path, wait="0")
        third = subprocess.run(
            [sys.executable, "-c", IMPATIENT], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert third.returncode == 0, third.stderr
        with Study.load(tmp_path / "study.db", read_only=True) as study:
            trials, runs = study.trials, study.runs
        os.kill(driver, signal.SIGCONT)
        _, said = container.communicate(timeout=120.0)
        assert container.returncode == 5, said
        assert "is driven by another process now" in said
        with Study.load(tmp_path / "study.db", read_only=True) as study:
            assert (study.trials, study.runs) == (trials, runs)


def child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])


@pytest.mark.parametrize("call", ["append", "finish", "add", "record", "beat", "redefine"])
def test_every_write_of_a_driver_that_was_replaced_is_refused(
    call: str, tmp_path: Path, until_the_end: ExitStack
) -> None:
    old, new = (until_the_end.enter_context(closing(SQLiteStorage(tmp_path / "study.db"))) for _ in range(2))
    silent = dataclasses.replace(this_process(), host="elsewhere", seen=time.time() - 1000.0)
    old.claim(silent)
    old.append(0, CANDIDATE, True)
    driver = this_process()
    assert new.claim(driver) == silent
    before = (new.trials(), new.runs(), new.owner(), new.definition())
    writes: dict[str, Callable[[], object]] = {
        "append": lambda: old.append(1, CANDIDATE, True),
        "finish": lambda: old.finish(0, ANSWER),
        "add": lambda: old.add(CANDIDATE, ANSWER),
        "record": lambda: old.record(Run(0, "s", 1, 10.0)),
        "beat": lambda: old.beat(silent, 1.0),
        "redefine": lambda: old.redefine(DEFINITION),
    }
    with pytest.raises(LostStudyError, match="driven by another process"):
        writes[call]()
    assert (new.trials(), new.runs(), new.owner(), new.definition()) == before
    new.release(driver)
    with pytest.raises(LostStudyError):  # also when the other one is done
        old.record(Run(0, "s", 1, 10.0))
    old.release(silent)
    assert old.finish(0, ANSWER).answer == ANSWER  # somebody who tells need not drive
