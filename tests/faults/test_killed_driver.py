"""F1: the driver is killed at any moment, again and again; the same command continues."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from imoca import Study
from imoca.trials.trial import RunState, TrialState

N_KILLS = 50
IMOCA = Path(sys.executable).with_name("imoca")

# A driver as a user writes it; it notes every trial that the study acknowledged, in a file of its own.
DRIVER = """
import os
from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.trials.trial import Trial

def bowl(x, y, z):
    return (x - 0.3) ** 2 + y + 0.1 * (1 - z)

def slope(x, y, z):
    return {"slope": x - y, "steep": x * z}

def problem():
    fidelity = Fidelity.continuous()
    return Problem(
        [Real("x", 0, 1), Real("y", 0, 1)],
        [
            Simulator("bowl", [Objective("bowl", "minimize")], bowl, fidelity=fidelity, cost="0.1 + z"),
            Simulator(
                "slope", [Objective("slope", "minimize"), Objective("steep", "maximize")], slope,
                fidelity=fidelity, cost="0.1 + z",
            ),
        ],
    )

def drive(path, budget):
    with open(path + ".acknowledged", "a") as notes:
        def note(trial: Trial):
            notes.write(f"{trial.number} {trial.values['bowl']!r}\\n")
            notes.flush()
            os.fsync(notes.fileno())
        Study(problem(), method="random", seed=3, storage=path).optimize(budget, on_trial=note)
"""

# Starting Python fifty times would take minutes, so one process with everything imported forks the drivers.
KILLER = """
import os, random, signal, sys, time
import driver
import imoca.studyfile.problem
path, n_kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
moments = random.Random(seed)
notes = path + ".acknowledged"

def n_notes():
    return open(notes).read().count("\\n") if os.path.exists(notes) else 0

n_awaited = 1
for _ in range(n_kills):
    child = os.fork()
    if child == 0:
        driver.drive(path, 1e6)
        os._exit(0)
    # A trial that dies with three drivers in a row has failed: of two drivers one gets as far as a trial.
    n_awaited = moments.randrange(4) if n_awaited else moments.randrange(1, 4)
    enough = n_notes() + n_awaited
    while n_notes() < enough:
        time.sleep(0.001)
    time.sleep(moments.uniform(0.0, 0.05))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), status
print(n_kills)
"""


@pytest.mark.slow
def test_fifty_kills_lose_nothing_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    (tmp_path / "driver.py").write_text(DRIVER, encoding="utf-8")
    (tmp_path / "killer.py").write_text(KILLER, encoding="utf-8")
    path = str(tmp_path / "study.db")
    killer = [sys.executable, "killer.py", path, str(N_KILLS), "1"]
    done = subprocess.run(killer, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(N_KILLS), done.stderr

    monkeypatch.syspath_prepend(str(tmp_path))
    import driver  # type: ignore[import-not-found]

    study = until_the_end.enter_context(Study(driver.problem(), method="random", seed=3, storage=path))
    n_trials = len(study.trials)
    study.optimize(study.cost_spent + 2.0)

    acknowledged = [line.split() for line in Path(path + ".acknowledged").read_text(encoding="utf-8").splitlines()]
    assert len(acknowledged) > N_KILLS
    assert [int(number) for number, _ in acknowledged] == sorted({int(number) for number, _ in acknowledged})
    for number, value in acknowledged:
        assert study.trials[int(number)].values["bowl"] == float(value)
    assert all(trial.state is TrialState.COMPLETE for trial in study.trials)
    assert len(study.trials) >= n_trials

    undisturbed = Study(driver.problem(), method="random", seed=3)
    with pytest.raises(_EnoughError):
        undisturbed.optimize(1e6, on_trial=_stop_after(len(study.trials)))
    assert [(t.parameters, t.fidelities, t.values) for t in study.trials] == [
        (t.parameters, t.fidelities, t.values) for t in undisturbed.trials
    ]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_lost_run_is_charged_and_run_again_once(tmp_path: Path, until_the_end: ExitStack) -> None:
    path = tmp_path / "study.db"
    (tmp_path / "driver.py").write_text(DRIVER, encoding="utf-8")
    slow = (
        "import os, time, driver\n"
        "def hang(x, y, z):\n    open('started', 'w').close(); time.sleep(60)\n"
        "driver.bowl = hang\n"
        f"driver.drive({str(path)!r}, 2.0)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", slow], cwd=tmp_path)
    _await((tmp_path / "started").exists)
    process.send_signal(signal.SIGKILL)
    process.wait()

    quick = "import driver\ndriver.drive(" + repr(str(path)) + ", 2.0)\n"
    subprocess.run([sys.executable, "-c", quick], cwd=tmp_path, check=True)
    study = until_the_end.enter_context(Study.load(path, read_only=True))
    first = [run for run in study.runs if run.trial == 0 and run.simulator == "bowl"]
    assert [run.state for run in first] == [RunState.LOST, RunState.ANSWERED]
    z = study.trials[0].fidelities["bowl"]
    assert isinstance(z, float)
    assert study.trials[0].wasted == {"bowl": pytest.approx(0.1 + z)}  # what the lost run would have cost
    finished = [trial for trial in study.trials if trial.answer is not None]
    asked: list[Any] = [t.fidelities[s] for t in finished for s in ("bowl", "slope")]
    paid = sum((0.1 + float(each)) / 1.1 for each in asked)
    assert study.cost_spent == pytest.approx(paid + (0.1 + z) / 1.1)


@pytest.mark.slow
def test_the_command_line_driver_with_workers_survives_kills_and_leaves_no_program_running(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    subprocess.run([IMOCA, "init", "demo"], cwd=tmp_path, check=True, capture_output=True)
    folder = tmp_path / "demo"
    command: list[str | Path] = [IMOCA, "run", "study.toml", "--workers", "2"]
    moments = random.Random(5)  # noqa: S311
    for _ in range(4):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(1.5, 3.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    _await(lambda: not _processes_in(folder))
    final = subprocess.run([*command, "--budget", "1"], cwd=folder, capture_output=True, text=True, check=False)
    assert final.returncode == 0, final.stderr
    status = json.loads(subprocess.run([IMOCA, "status", "--json"], cwd=folder, capture_output=True, check=True).stdout)
    assert status["cost_spent"] >= 1.0
    assert all(
        t.state is not TrialState.RUNNING
        for t in until_the_end.enter_context(Study.load(folder / "study.db", read_only=True)).trials
    )


def _stop_after(n: int) -> Callable[[object], None]:
    """on_trial that ends the study after n trials, as a user would: with an interrupt."""
    seen: list[int] = []

    def stop(trial: object) -> None:
        seen.append(1)
        if len(seen) == n:
            raise _EnoughError

    return stop


class _EnoughError(Exception):
    pass


def _await(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _processes_in(folder: Path) -> list[int]:
    """Processes that work below a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                place = str((entry / "cwd").readlink())
            except OSError:
                continue
            if place.startswith(str(folder / "study.runs")):
                found.append(int(entry.name))
    return found
