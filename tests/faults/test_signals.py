"""F15, F31: Ctrl-C once, Ctrl-C twice, SIGTERM, SIGHUP."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from imoca import Objective, Simulator, Study
from imoca.problem.simulator import Command
from imoca.runners.base import Job
from imoca.runners.execution import run_job
from imoca.trials.trial import RunState, TrialState

IMOCA = Path(sys.executable).with_name("imoca")
PATIENCE = 120.0  # seconds after which a process counts as hanging
STUDY = """
[study]
method = "random"
budget = 50.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.cfd]
command = ["sh", "-c", "touch started; {wait}; echo '{\\"drag\\": 1}' > result.json"]
outputs = { drag = "minimize" }
"""


@pytest.fixture(autouse=True)
def hangups_are_heard() -> Iterator[None]:
    """Whoever runs the tests under nohup hands on that hangups are ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def start(folder: Path, wait: str, *options: str, command: Sequence[str | Path] = (IMOCA,)) -> subprocess.Popen[str]:
    """A run whose first simulator has started, and does what the shell is told in order to wait."""
    (folder / "study.toml").write_text(STUDY.replace("{wait}", wait), encoding="utf-8")
    process = subprocess.Popen([*command, "run", *options], cwd=folder, stderr=subprocess.PIPE, text=True)
    until_started(folder, lambda: process.poll() is None)
    return process


def until_started(folder: Path, while_waiting: Callable[[], object]) -> None:
    """Wait for the first simulator; what is done meanwhile may tell that it will never come."""
    deadline = time.monotonic() + PATIENCE
    while not list(folder.glob("study.runs/*/*/*/started")):
        assert time.monotonic() < deadline
        assert while_waiting() is not False
        time.sleep(0.05)


def said_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stderr is not None
    said = ""
    while words not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    return said


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["here", "workers"])
def test_one_interrupt_lets_running_simulators_finish(
    tmp_path: Path, options: tuple[str, ...], until_the_end: ExitStack
) -> None:
    process = start(tmp_path, "until [ -e ../../../../go ]; do sleep 0.05; done", *options)
    process.send_signal(signal.SIGINT)
    (tmp_path / "go").touch()
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "imoca run" in errors  # how to resume
    assert "Traceback" not in errors
    trials = until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True)).trials
    assert 1 <= len(trials) <= 2  # two workers may have begun two
    assert all(trial.state is TrialState.COMPLETE for trial in trials)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["here", "workers"])
@pytest.mark.parametrize(
    "signals", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM,), (signal.SIGHUP,)], ids=["twice", "term", "hup"]
)
def test_a_second_interrupt_or_a_termination_ends_simulators(
    tmp_path: Path, signals: tuple[signal.Signals, ...], options: tuple[str, ...], until_the_end: ExitStack
) -> None:
    wait = f"600.{zlib.crc32(str(tmp_path).encode())}"  # known by its length: other tests sleep at the same time
    process = start(tmp_path, f"sleep {wait}", *options)
    said = ""
    for number in signals:
        process.send_signal(number)
        if number == signal.SIGINT and not said:
            said = said_until(process, "Ctrl-C again ends them")  # two at once would count as one
    _, errors = process.communicate(timeout=PATIENCE)
    errors = said + errors
    assert process.returncode == 130
    assert "Traceback" not in errors
    left = subprocess.run(["pgrep", "-f", f"sleep {wait}"], capture_output=True, text=True, check=False)
    assert left.stdout == ""
    study = until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True))
    assert {run.state for run in study.runs} == {RunState.LOST}
    assert study.owner is None


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["here", "workers"])
def test_a_terminal_that_is_closed_ends_simulators_and_leaves_a_study_to_resume(
    tmp_path: Path, options: tuple[str, ...], until_the_end: ExitStack
) -> None:
    wait = f"601.{zlib.crc32(str(tmp_path).encode())}"
    (tmp_path / "study.toml").write_text(STUDY.replace("{wait}", f"sleep {wait}"), encoding="utf-8")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(IMOCA, [str(IMOCA), "run", *options])  # noqa: S606
    until_started(tmp_path, lambda: select.select([terminal], [], [], 0.05)[0] and os.read(terminal, 65536))
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    left = subprocess.run(["pgrep", "-f", f"sleep {wait}"], capture_output=True, text=True, check=False)
    assert left.stdout == ""
    study = until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True))
    assert {run.state for run in study.runs} == {RunState.LOST}
    assert study.owner is None


@pytest.mark.slow
def test_under_nohup_a_hangup_stops_nothing(tmp_path: Path) -> None:
    process = start(tmp_path, "until [ -e ../../../../go ]; do sleep 0.05; done", command=["nohup", str(IMOCA)])
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    (tmp_path / "go").touch()
    assert "Stopping when the running simulators are done" in process.communicate(timeout=PATIENCE)[1]
    with Study.load(tmp_path / "study.db", read_only=True) as study:
        assert study.trials[0].state is TrialState.COMPLETE


def test_a_stop_while_a_simulator_is_being_started_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class StoppedAtTheStart(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)
            raise KeyboardInterrupt

    simulator = Simulator("s", [Objective("f", "minimize")], Command(("sleep", "60")))
    job = Job(0, simulator, {"a": 2.0}, None, 1, tmp_path, tmp_path / "run")
    monkeypatch.setattr(subprocess, "Popen", StoppedAtTheStart)
    with pytest.raises(KeyboardInterrupt):
        run_job(job)
    with started[0] as process:
        assert process.wait(timeout=PATIENCE) == -signal.SIGTERM
