"""The displays, rendered to text."""

import io
import time

import pytest
from rich.console import Console

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.study.progress import LivePanel, PlainLines, progress_display
from imoca.trials.trial import Answer, Run

HOSTILE = "[bold]cfd\x1b[2J"


def make_study() -> Study:
    simulator = Simulator(
        HOSTILE, [Objective("drag", "minimize")], lambda x, z: x, fidelity=Fidelity.continuous(), cost="0.1 + z"
    )
    return Study(Problem([Real("x", 0.0, 1.0)], [simulator]))


def rendered(panel: LivePanel) -> str:
    console = Console(file=io.StringIO(), width=110, force_terminal=False)
    console.print(panel.render())
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_panel_shows_the_cost_the_fidelities_and_what_runs_since_when() -> None:
    study = make_study()
    panel = LivePanel(study, budget=2.0)
    assert "choosing the next design" in rendered(panel)
    trial = study.ask()
    run = Run(trial.number, HOSTILE, 1, time.time() - 65.0)
    panel.run_started(run)
    assert "running 65 s: trial 0, [bold]cfd" in rendered(panel)
    panel.run_ended(run)
    panel.trial_finished(study.tell(trial, {"drag": 1.25}))
    text = rendered(panel)
    assert "running" not in text
    assert "0.73 of 2 full-fidelity runs" in text  # (0.1 + 0.7) / 1.1
    assert "drag 1.25" in text
    assert "iMOCA · 1 trials" in text
    assert "front: " in text
    assert "hypervolume 0.000" in text  # one value seen: no box yet
    assert "[bold]cfd" in text  # a name is text, never markup
    assert "\x1b" not in text  # and no command to the terminal


def test_the_panel_counts_failures() -> None:
    study = make_study()
    panel = LivePanel(study, budget=2.0)
    panel.trial_finished(study.fail(study.ask(), "no"))
    assert "1 with failures" in rendered(panel)


def test_plain_lines_tell_of_failed_runs_and_finished_trials(capsys: pytest.CaptureFixture[str]) -> None:
    study = make_study()
    lines = PlainLines(study, budget=2.0)
    trial = study.ask()
    lines.run_ended(Run(0, HOSTILE, 1, 0.0, None, 1.0, Answer(failures={HOSTILE: "mesh\nexploded"})))
    lines.trial_finished(study.tell(trial, {"drag": 1.25}))
    failed, finished = capsys.readouterr().err.splitlines()
    assert failed.endswith("failed (attempt 1): mesh\\nexploded")
    assert finished == "trial 0 complete: drag 1.25 | at [bold]cfd\\x1b[2J 0.7 | cost 0.73 of 2"


def test_without_a_terminal_lines_are_printed_only_if_they_are_wanted() -> None:
    study = make_study()
    assert progress_display(study, 2.0, None) is None
    assert progress_display(study, 2.0, False) is None
    assert isinstance(progress_display(study, 2.0, True), PlainLines)
