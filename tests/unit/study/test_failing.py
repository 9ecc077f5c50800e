"""When a study stops for a simulator that fails, and what is said of failures before."""

import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.errors import SimulatorError
from imoca.runners.base import Finished
from imoca.runners.inline import InlineRunner
from imoca.study import study as study_module
from imoca.study.failing import stop_if_failing
from imoca.trials.trial import TrialState

OK, NO = None, "no mesh."


@pytest.mark.parametrize(
    "reasons",
    [
        [],
        [NO] * 4,
        [OK, *[NO] * 18],  # of fewer than 20 runs, only the first five are judged
        [NO] * 4 + [OK],
        [NO] * 4 + [OK] + [NO] * 14,
        [OK] * 10 + [NO] * 10,  # half is not most
        [OK] * 90 + [NO] * 10,
        [NO, OK] * 40,
        [OK, *[NO] * 18, *[OK] * 10],
    ],
)
def test_a_study_goes_on(reasons: list[str | None]) -> None:
    stop_if_failing("s", reasons)


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        (["no licence"] * 4 + [NO], "in all of its first 5 runs"),
        ([NO] * 5 + [OK], "in all of its first 5 runs"),  # several may end at once
        ([OK, *[NO] * 19], "in 19 of its last 20 runs"),
        ([OK] * 9 + [NO] * 11, "in 11 of its last 20 runs"),
        ([OK] * 1000 + [NO] * 11, "in 11 of its last 20 runs"),
    ],
)
def test_a_study_stops(reasons: list[str | None], words: str) -> None:
    with pytest.raises(SimulatorError) as caught:
        stop_if_failing("cfd", reasons)
    assert caught.value.message == f"Simulator 'cfd' failed {words}, the last time with no mesh."
    assert "Mend the simulator" in caught.value.hint


def make_study(run: Callable[..., float], retries: int = 0) -> Study:
    """One simulator that always answers, and another."""
    simulators = [
        Simulator("steady", [Objective("f", "minimize")], lambda x: x),
        Simulator("shaky", [Objective("g", "minimize")], run, retries=retries),
    ]
    return Study(Problem([Real("x", 0.0, 1.0)], simulators), method="random")


def broken(x: float) -> float:
    raise OSError("licence server is down")


def test_a_simulator_that_never_worked_stops_the_study_though_the_others_answer() -> None:
    study = make_study(broken)
    with pytest.raises(SimulatorError, match=r"'shaky' failed in all of its first 5 runs.*licence server is down"):
        study.optimize(50.0)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 5
    assert all(trial.values.keys() == {"f"} for trial in study.trials)


def test_a_simulator_that_ceases_to_work_stops_the_study() -> None:
    calls = iter(range(1000))

    def tiring(x: float) -> float:
        return x if next(calls) < 30 else broken(x)

    study = make_study(tiring)
    with pytest.raises(SimulatorError, match="'shaky' failed in 11 of its last 20 runs"):
        study.optimize(500.0)
    assert len(study.trials) == 41


def test_a_run_that_answers_when_tried_again_has_not_failed() -> None:
    calls = iter(range(1000))

    def moody(x: float) -> float:
        return x if next(calls) % 3 == 2 else broken(x)

    study = make_study(moody, retries=2)
    study.optimize(trials=25)
    assert not any(trial.failures for trial in study.trials)


def test_a_mended_simulator_is_judged_anew() -> None:
    is_mended = False

    def mendable(x: float) -> float:
        return x if is_mended else broken(x)

    study = make_study(mendable)
    with pytest.raises(SimulatorError):
        study.optimize(50.0)
    is_mended = True
    study.optimize(trials=12)
    assert [bool(trial.failures) for trial in study.trials] == [True] * 5 + [False] * 7


class BatchRunner(InlineRunner):
    """Many runs at a time, which all end together."""

    def n_slots(self) -> int:
        return 24

    def collect(self, timeout: float) -> list[Finished]:
        ended = []
        while each := super().collect(timeout):
            ended += each
        return ended


def test_answers_that_come_together_with_the_last_failure_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "make_runner", lambda *_: BatchRunner())
    study = make_study(broken)
    with pytest.raises(SimulatorError):
        study.optimize(50.0)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 12


def test_the_first_failure_of_each_simulator_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    study = make_study(broken)
    with caplog.at_level(logging.INFO, logger="imoca"):
        study.optimize(trials=3)
    told = [(record.levelname, record.getMessage()) for record in caplog.records if "failed" in record.getMessage()]
    words = "Trial {}: simulator 'shaky' failed: OSError: licence server is down"
    assert told == [("WARNING", words.format(0)), ("INFO", words.format(1)), ("INFO", words.format(2))]


SCRIPT = """
from imoca import Objective, Problem, Real, Simulator, Study

def fragile(x):
    raise ValueError("the mesh has a hole")

simulators = [
    Simulator("fine", [Objective("f", "minimize")], lambda x: x),
    Simulator("fragile", [Objective("g", "minimize")], fragile),
]
with Study(Problem([Real("x", 0, 1)], simulators), method="random") as study:
    study.optimize(trials=2{options})
"""


def stderr_of(options: str, tmp_path: Path) -> str:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("{options}", options), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    return done.stderr


def test_a_script_says_on_stderr_that_a_simulator_failed(tmp_path: Path) -> None:
    assert stderr_of("", tmp_path) == "Trial 0: simulator 'fragile' failed: ValueError: the mesh has a hole\n"


def test_a_display_that_shows_every_failure_is_warning_enough(tmp_path: Path) -> None:
    lines = [line for line in stderr_of(", progress=True", tmp_path).splitlines() if "hole" in line]
    reason = "fragile failed (attempt 1): ValueError: the mesh has a hole"
    assert lines == [f"trial 0: {reason}", f"trial 1: {reason}"]
