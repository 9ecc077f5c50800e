"""The displays, rendered to text."""

import io
import time

import pytest
from rich.color import Color
from rich.console import Console

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.problem.allowance import Allowance
from imoca.study.progress import ALL_SPENT, LEFT, SPENT, LivePanel, PlainLines, progress_display
from imoca.study.screens import TerminalScreen
from imoca.trials.trial import Answer, Run

HOSTILE = "[bold]cfd\x1b[2J"
FIDELITY = Fidelity.continuous(unit="cells")


def make_study() -> Study:
    simulator = Simulator(
        HOSTILE, [Objective("drag", "minimize", unit="N")], lambda x, z: x, fidelity=FIDELITY, cost="0.1 + z"
    )
    return Study(Problem([Real("x", 0.0, 1.0)], [simulator]))


def panel_of(study: Study, budget: float) -> LivePanel:
    return LivePanel(study, Allowance(budget), TerminalScreen(Console(stderr=True)))


def rendered(panel: LivePanel) -> str:
    console = Console(file=io.StringIO(), width=110, force_terminal=False)
    console.print(panel.render())
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_panel_shows_the_cost_the_fidelities_and_what_runs_since_when() -> None:
    study = make_study()
    panel = panel_of(study, 2.0)
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
    assert "drag 1.25 N" in text
    assert "iMOCA · 1 trial " in text
    assert "front: 1 design, 0 verified at full accuracy" in text
    assert "[bold]cfd" in text  # a name is text, never markup
    assert "\x1b" not in text  # and no command to the terminal


def test_the_bar_is_seen_on_black_and_on_white() -> None:
    """A contrast of three at least, as the guidelines for accessible content ask of what is no text."""

    def luminance(colour: str) -> float:
        shares = [part / 255 for part in Color.parse(colour).get_truecolor()]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in (LEFT, SPENT, ALL_SPENT):
        assert (luminance(colour) + 0.05) / 0.05 > 3.0
        assert 1.05 / (luminance(colour) + 0.05) > 3.0


def test_the_last_picture_tells_of_the_front_at_the_end() -> None:
    """While a run goes on the front is computed now and then only."""
    study = make_study()
    panel = panel_of(study, 9.0)
    with panel:
        for x in (0.1, 0.9):
            panel.trial_finished(study.add({"x": x}, {HOSTILE: 1.0}, {"drag": 1.0 - x}))
            panel._next_front = float("inf")  # as if it had taken for ever
        assert "1 design, 1 verified" in rendered(panel)
        study.add({"x": 0.8}, {HOSTILE: 0.5}, {"drag": 0.15})
        panel.trial_finished(study.add({"x": 0.7}, {HOSTILE: 0.5}, {"drag": 0.3}))
    n_on_front = study.snapshot().n_on_front
    assert n_on_front > 1
    assert f"front: {n_on_front} designs" in rendered(panel)


def test_who_interrupts_does_not_wait_for_a_front_and_is_shown_no_old_one() -> None:
    study = make_study()
    panel = panel_of(study, 9.0)
    panel.__enter__()
    for x in (0.1, 0.9):
        panel.trial_finished(study.add({"x": x}, {HOSTILE: 1.0}, {"drag": 1.0 - x}))
        panel._next_front = float("inf")
    panel.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert "front" not in rendered(panel)


def test_the_panel_counts_failures() -> None:
    study = make_study()
    panel = panel_of(study, 2.0)
    panel.trial_finished(study.fail(study.ask(), "no"))
    assert "1 with failures" in rendered(panel)


def test_plain_lines_tell_of_failed_runs_and_finished_trials(capsys: pytest.CaptureFixture[str]) -> None:
    study = make_study()
    lines = PlainLines(study, Allowance(2.0))
    trial = study.ask()
    lines.run_ended(Run(0, HOSTILE, 1, 0.0, None, 1.0, Answer(failures={HOSTILE: "mesh\nexploded"})))
    lines.trial_finished(study.tell(trial, {"drag": 1.25}))
    failed, finished = capsys.readouterr().err.splitlines()
    assert failed.endswith("failed (attempt 1): mesh\\nexploded")
    assert finished == "trial 0 complete: drag 1.25 N | at [bold]cfd\\x1b[2J 0.7 cells | cost 0.73 of 2"


def test_without_a_terminal_lines_are_printed_only_if_they_are_wanted() -> None:
    study = make_study()
    assert progress_display(study, Allowance(2.0), None) is None
    assert progress_display(study, Allowance(2.0), False) is None
    assert isinstance(progress_display(study, Allowance(2.0), True), PlainLines)
