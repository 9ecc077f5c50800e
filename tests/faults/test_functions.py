"""F24: functions that end the process that runs them, or cannot say what went wrong. F27: failures told at length."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.runners.execution import WHOLE_REASON
from imoca.trials.trial import Answer, Run, RunState, TrialState
from imoca.wording import LONGEST_REASON

LONG = 50_000_000  # characters
MOST_MEMORY = 450  # MB, of a process that holds numpy, scipy and the message itself


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def leave(x: float) -> float:
    sys.exit("the licence is gone")


def leave_as_a_generator(x: float) -> float:
    raise GeneratorExit


def speechless(x: float) -> float:
    raise SpeechlessError


def talk(x: float) -> float:
    raise ValueError("begins here" + "blah " * 10_000 + "ends here")


def as_wished(x: float) -> float:
    """Ends its process at once while the file that the environment names is there, as a library may that aborts."""
    if Path(os.environ["IMOCA_TEST_ABORT"]).exists():
        os.abort()
    return x


def make_problem(run: Callable[..., float], cost: str | None = None) -> Problem:
    return Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], run, cost=cost)])


def make_study(folder: Path, run: Callable[..., float], cost: str | None = None) -> Study:
    return Study(make_problem(run, cost), method="random", storage=folder / "study.db")


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (leave, "SystemExit: the licence is gone"),
        (leave_as_a_generator, "GeneratorExit: "),
        (speechless, "SpeechlessError: (it cannot say what went wrong: ValueError)"),
    ],
)
@pytest.mark.parametrize("workers", [None, pytest.param(1, marks=pytest.mark.slow)])
def test_a_function_that_would_take_its_process_along_has_failed_with_its_reason(
    run: Callable[..., float], words: str, workers: int | None, tmp_path: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(make_study(tmp_path, run))
    study.optimize(trials=2, workers=workers)
    assert [trial.failures for trial in study.trials] == [{"s": words}] * 2


def test_ctrl_c_is_no_failure_of_a_function(tmp_path: Path, until_the_end: ExitStack) -> None:
    def interrupted(x: float) -> float:
        raise KeyboardInterrupt

    study = until_the_end.enter_context(make_study(tmp_path, interrupted))
    with pytest.raises(KeyboardInterrupt):
        study.optimize(trials=2)
    assert [run.state for run in study.runs] == [RunState.LOST]


DRIVER = """
import sys
sys.path.insert(0, sys.argv[1])
from test_functions import as_wished, make_study
from pathlib import Path
with make_study(Path(sys.argv[2]), as_wished, "measured") as study:
    study.optimize(trials=3)
"""


def drive(folder: Path) -> int:
    command = [sys.executable, "-c", DRIVER, str(Path(__file__).parent), str(folder)]
    environment = os.environ | {"IMOCA_TEST_ABORT": str(folder / "abort")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode


@pytest.mark.slow
def test_a_trial_that_ends_its_driver_three_times_in_a_row_has_failed_and_the_study_goes_on(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    (tmp_path / "abort").touch()
    assert [drive(tmp_path) for _ in range(3)] == [-6] * 3
    (tmp_path / "abort").unlink()
    assert drive(tmp_path) == 0
    study = until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True))
    assert [trial.state for trial in study.trials] == [TrialState.FAILED, TrialState.COMPLETE, TrialState.COMPLETE]
    assert "died 3 times in a row" in study.trials[0].failures["s"]
    assert [run.state for run in study.runs] == [
        *(RunState.LOST, RunState.LOST, RunState.FAILED),
        *(RunState.ANSWERED, RunState.ANSWERED),
    ]
    assert study.trials[0].costs["s"] > 0.0
    assert "s" in study.trials[0].wasted


@pytest.mark.slow
def test_two_deaths_of_a_driver_are_forgiven(tmp_path: Path, until_the_end: ExitStack) -> None:
    (tmp_path / "abort").touch()
    assert [drive(tmp_path) for _ in range(2)] == [-6] * 2
    (tmp_path / "abort").unlink()
    assert drive(tmp_path) == 0
    study = until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True))
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 3


def test_a_run_that_was_ended_on_purpose_again_and_again_is_run_again(tmp_path: Path, until_the_end: ExitStack) -> None:
    moods = iter([KeyboardInterrupt] * 5)

    def interrupted(x: float) -> float:
        if mood := next(moods, None):
            raise mood
        return x

    study = until_the_end.enter_context(make_study(tmp_path, interrupted))
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            study.optimize(trials=1)
    study.optimize(trials=1)
    assert [run.state for run in study.runs] == [RunState.LOST] * 5 + [RunState.ANSWERED]
    assert not any(run.is_lost_with_driver for run in study.runs)  # which would be held against the trial
    assert study.trials[0].state is TrialState.COMPLETE


def test_a_long_reason_is_stored_in_short_and_kept_whole_in_the_folder_of_the_run(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(make_study(tmp_path, talk))
    study.optimize(trials=1)
    (run,) = study.runs
    reason = study.trials[0].failures["s"]
    assert len(reason) <= LONGEST_REASON
    assert reason.startswith("ValueError: begins here")
    assert "ends here" in reason
    whole = Path(run.folder or "") / WHOLE_REASON
    assert str(whole) in reason
    assert whole.read_text(encoding="utf-8") == "begins here" + "blah " * 10_000 + "ends here"


def test_a_reason_is_short_whoever_tells_it(tmp_path: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(make_study(tmp_path, talk))
    told = study.fail(study.ask(), "why " * 10_000)
    assert len(told.failures["s"]) <= LONGEST_REASON
    assert study.tell(0, {}, failures={"s": "why " * 10_000}) == told  # the same again is the same
    assert Run(0, "s", 1, 0.0, None, 1.0, Answer(failures={"s": "x" * LONGEST_REASON})).state is RunState.FAILED


MEMORY = f"""
import sys
sys.path.insert(0, sys.argv[1])
from test_functions import make_study
from pathlib import Path

def shout(x):
    raise ValueError("x" * {LONG})

with make_study(Path(sys.argv[2]), shout) as study:
    study.optimize(trials=2)
    study.snapshot().bill
lines = Path("/proc/self/status").read_text().splitlines()  # getrusage counts the memory of whoever started it too
print(int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024)
"""


@pytest.mark.slow
def test_a_message_of_fifty_megabytes_neither_fills_the_memory_nor_the_database(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MEMORY, str(Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MOST_MEMORY
    assert sum(file.stat().st_size for file in tmp_path.glob("study.db*")) < 10**6
    assert all(file.stat().st_size == LONG for file in tmp_path.rglob(WHOLE_REASON))
