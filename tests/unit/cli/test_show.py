from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca import Objective, Problem, Real, Simulator
from imoca.storage.owner import this_process
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.study.study import Study
from imoca.trials.trial import Run


def test_a_trial_in_json_is_that_of_the_study_with_its_runs(
    imoca: CommandLine, toy: Path, until_the_end: ExitStack
) -> None:
    imoca("run", "--budget", "1")
    trial = until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True)).trials[0]
    content = imoca("show", "0", "--json").json
    assert content["values"] == trial.values
    assert content["parameters"] == trial.parameters
    assert content["costs"] == trial.costs
    assert [run["simulator"] for run in content["runs"]] == ["cfd", "scale"]
    assert all(run["state"] == "answered" and run["ended"] >= run["started"] for run in content["runs"])
    assert "answered" in imoca("show", "0").out


def test_a_trial_in_words_shows_failures_as_text(imoca: CommandLine, toy_with_results: Path) -> None:
    answer = imoca("show", "study.toml", "1")
    assert "Trial 1 is complete." in answer.out
    assert "  drag  3.5" in answer.out
    assert "Failure of scale\n  \\x1b[31mno <script>\n  balance\n" in answer.out


@pytest.mark.parametrize(
    ("words", "culprit"),
    [(["9"], "trials 0 to 3"), (["toy.db"], "number"), (["1", "2"], "'2'"), (["toy.db", "x"], "x"), (["foo"], "'foo'")],
)
def test_a_trial_that_is_not_there_is_refused(
    imoca: CommandLine, toy_with_results: Path, words: list[str], culprit: str
) -> None:
    answer = imoca("show", *words)
    assert answer.code == 2
    assert culprit in answer.err


def test_a_run_is_running_only_while_a_process_drives_the_study(
    imoca: CommandLine, toy_with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SQLiteStorage(toy_with_results / "toy.db")) as storage:
        storage.record(Run(3, "cfd", 1, 1e9))
    shown = imoca("show", "3").out
    assert "Trial 3 is without an answer yet." in shown
    assert "Without an answer yet\n  cfd, scale\n" in shown
    assert "lost" in shown
    assert "running" not in shown.lower()
    assert [run["state"] for run in imoca("show", "3", "--json").json["runs"]] == ["lost"]
    assert imoca("status", "--json").json["running"] == []
    monkeypatch.setattr(Study, "owner", this_process())
    shown = imoca("show", "3").out
    assert "Trial 3 is running." in shown
    assert "\nRunning\n  cfd\n" in shown
    assert "Without an answer yet\n  scale\n" in shown
    assert [run["state"] for run in imoca("show", "3", "--json").json["runs"]] == ["running"]


def test_an_answer_that_the_models_do_without_is_said_to_be_set_aside(imoca: CommandLine, toy: Path) -> None:
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize"), Objective("g", "maximize")])])
    with Study(problem, storage=toy / "absurd.db") as study:
        for i in range(20):
            study.add({"x": i / 19}, {}, {"f": 1e6 if i == 7 else (i / 19 - 0.3) ** 2, "g": i / 19})
    shown = " ".join(imoca("show", "absurd.db", "7").out.split())
    assert "Set aside f: impossible beside all other answers" in shown
    assert imoca("show", "absurd.db", "7", "--json").json["set_aside"] == ["f"]
    assert "Set aside" not in imoca("show", "absurd.db", "8").out
    assert imoca("show", "absurd.db", "8", "--json").json["set_aside"] == []
