from contextlib import ExitStack
from pathlib import Path

from command_line import CommandLine

from imoca.study.study import Study
from imoca.trials.trial import TrialState


def test_a_failed_trial_keeps_its_reason_and_its_cost(imoca: CommandLine, toy: Path, until_the_end: ExitStack) -> None:
    imoca("ask")
    answer = imoca("fail", "0", "mesh", "exploded", "--cost", "scale=2")
    assert answer.code == 0, answer.err
    trial = until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True)).trials[0]
    assert trial.state is TrialState.FAILED
    assert trial.failures == {"cfd": "mesh exploded", "scale": "mesh exploded"}
    assert trial.costs == {"scale": 2.0}


def test_a_reason_is_needed(imoca: CommandLine, toy: Path) -> None:
    imoca("ask")
    answer = imoca("fail", "study.toml", "0")
    assert answer.code == 2
    assert "mesh exploded" in answer.err


def test_an_unknown_trial_is_named(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("fail", "12", "gone")
    assert answer.code == 2
    assert "12" in answer.err
