"""The live display, rendered to text."""

import io

from rich.console import Console

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.study.progress import Progress
from imoca.trials import TrialState


def make_study() -> Study:
    simulator = Simulator(
        "[bold]cfd", [Objective("drag", "minimize")], lambda x, z: x, fidelity=Fidelity.continuous(), cost="0.1 + z"
    )
    return Study(Problem([Real("x", 0.0, 1.0)], [simulator]))


def rendered(progress: Progress) -> str:
    console = Console(file=io.StringIO(), width=110, force_terminal=False)
    console.print(progress._render())
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_it_shows_the_cost_the_fidelities_and_what_is_running() -> None:
    study = make_study()
    progress = Progress(study, budget=2.0)
    assert "choosing the first design" in rendered(progress)
    trial = study.ask()
    progress.started(trial)
    assert "trial 0 is running" in rendered(progress)
    progress.finished(study.tell(trial, {"drag": 1.25}))
    text = rendered(progress)
    assert "0.73 of 2 full-fidelity runs" in text  # (0.1 + 0.7) / 1.1
    assert "drag 1.25" in text
    assert "1 trials" in text
    assert "[bold]cfd" in text  # a name is text, never markup


def test_failures_are_counted() -> None:
    study = make_study()
    progress = Progress(study, budget=2.0)
    trial = study.fail(study.ask(), "no")
    progress.finished(trial)
    assert trial.state is TrialState.FAILED
    assert "1 with failures" in rendered(progress)
