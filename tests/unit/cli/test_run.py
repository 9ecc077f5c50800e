from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.study.study import Study


def test_a_study_is_run_until_its_budget_and_says_where_its_results_are(
    imoca: CommandLine, toy: Path, until_the_end: ExitStack
) -> None:
    answer = imoca("run")
    assert answer.code == 0, answer.err
    assert answer.out == ""
    study = until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True))
    assert study.cost_spent >= 3.0
    assert all(set(trial.values) == {"drag", "lift", "mass"} for trial in study.trials)
    assert f"{len(study.trials)} trials" in answer.err
    for verb in ("front", "report", "export"):
        assert f"imoca {verb}" in answer.err


def test_a_larger_budget_continues_and_the_same_one_does_nothing(
    imoca: CommandLine, toy: Path, until_the_end: ExitStack
) -> None:
    imoca("run")
    before = until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True)).trials
    again = imoca("run", "study.toml")
    assert again.code == 0
    assert "Nothing was run" in again.err
    assert until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True)).trials == before
    assert imoca("run", "--budget", "5").code == 0
    after = until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True))
    assert after.cost_spent >= 5.0
    assert after.trials[: len(before)] == before


def test_a_database_alone_can_be_continued(imoca: CommandLine, toy: Path, until_the_end: ExitStack) -> None:
    imoca("run", "--budget", "1")
    answer = imoca("run", "toy.db")
    assert answer.code == 2
    assert "--budget" in answer.err
    answer = imoca("run", "toy.db", "--budget", "2")
    assert answer.code == 0, answer.err
    assert "imoca front toy.db" in answer.err
    assert until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True)).cost_spent >= 2.0


def test_a_time_is_a_limit_too(imoca: CommandLine, toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def optimize(self: Study, budget: float | None, **limits: object) -> None:
        asked.update(limits, budget=budget)

    monkeypatch.setattr(Study, "optimize", optimize)
    imoca("run", "--time", "1.5m", "--workers", "3", "--dask", "tcp://127.0.0.1:1", "--stop", "settled")
    wanted = {"budget": 3.0, "time": 90.0, "workers": 3, "dask": "tcp://127.0.0.1:1", "progress": True}
    assert asked == wanted | {"stop": "settled", "slurm": None}
    imoca("run", "--time", "5")
    assert asked["time"] == 5.0
    for wrong in ("soon", "0s", "-3s", "-5", "nan"):
        answer = imoca("run", f"--time={wrong}")
        assert answer.code == 2
        assert wrong in answer.err


def test_an_interrupted_run_says_how_to_resume(imoca: CommandLine, toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Study, budget: float | None, **limits: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "optimize", interrupt)
    (toy / "my study.toml").write_text((toy / "study.toml").read_text(encoding="utf-8"), encoding="utf-8")
    answer = imoca("run", "my study.toml", "--budget", "5")
    assert answer.code == 130
    assert "Resume with: imoca run 'my study.toml' --budget 5" in answer.err
    assert "toy.db" in answer.err


def test_simulators_that_mostly_fail_end_the_run(imoca: CommandLine, toy: Path) -> None:
    (toy / "toy_simulators.py").write_text(
        "def cfd(**design):\n    raise ValueError('\\x1b[2Jmesh exploded')\n\nscale = cfd\n", encoding="utf-8"
    )
    answer = imoca("run", "--budget", "20")
    assert answer.code == 4
    assert "mesh exploded" in answer.err
    assert "imoca show" in answer.err
    assert "\x1b" not in answer.err


def test_a_program_whose_result_is_declared_impossible_has_failed(imoca: CommandLine, toy: Path) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8")
    text = text.replace('function = "toy_simulators:scale"', 'command = ["{python}", "-S", "scale.py"]')
    text = text.replace('mass = "minimize"', 'mass = { goal = "minimize", low = 0, high = 3 }')
    (toy / "study.toml").write_text(text, encoding="utf-8")
    (toy / "scale.py").write_text('open("result.json", "w").write(\'{"mass": 3.5, "cost": 2}\')', encoding="utf-8")
    answer = imoca("run", "--budget", "1")
    assert answer.code == 0, answer.err
    reason = "TrialError: Output 'mass' came as 3.5, which lies above its declared high = 3.0."
    assert f"trial 0: scale failed (attempt 1): {reason}" in answer.err
    shown = imoca("show", "0", "--json").json
    assert set(shown["values"]) == {"drag", "lift"}
    assert shown["failures"]["scale"].startswith(reason)


def test_a_function_that_is_not_there_is_a_fault_of_the_study_file(imoca: CommandLine, toy: Path) -> None:
    (toy / "toy_simulators.py").write_text("", encoding="utf-8")
    answer = imoca("run")
    assert answer.code == 3
    assert "toy_simulators:cfd" in answer.err


def test_an_edited_study_file_is_refused_with_the_difference(imoca: CommandLine, toy_with_results: Path) -> None:
    text = (toy_with_results / "study.toml").read_text(encoding="utf-8")
    (toy_with_results / "study.toml").write_text(text.replace("high = 1.0 }\nn", "high = 2.0 }\nn"), encoding="utf-8")
    answer = imoca("run")
    assert answer.code == 3
    assert "parameters.x.high: was 1.0, now is 2.0" in answer.err


def test_a_run_stops_when_the_front_has_settled_and_says_so(imoca: CommandLine, toy: Path) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8")
    text = text.replace('method = "random"', 'method = "imoca-p"\nn_fronts = 2').replace(
        "budget = 3.0", "budget = 40.0"
    )
    (toy / "study.toml").write_text(text, encoding="utf-8")
    answer = imoca("run", "--stop", "settled")
    assert answer.code == 0, answer.err
    assert "The front has settled: the front moved by" in answer.err
    status = imoca("status", "--json").json
    assert status["settled"]["is_settled"]
    assert status["cost_spent"] < 40.0
    assert status["verified"]["at_full_fidelity"] >= 1
    assert [each["output"] for each in status["cheap_runs"]] == ["drag", "lift"]
    shown = imoca("status").out
    assert "yes: the front moved by" in shown
    assert "cheap drag" in shown
    again = imoca("run", "--stop", "settled")
    assert "The front has settled" in again.err
    assert imoca("status", "--json").json["trials"] == status["trials"]


def test_a_rule_to_stop_that_cannot_be_is_refused(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("run", "--stop", "soon")
    assert answer.code == 2
    assert "there is only one rule: settled" in " ".join(answer.err.replace("│", " ").split())
    answer = imoca("run", "--stop", "settled")  # by the method random
    assert answer.code == 2
    assert "remember no model" in answer.err
    assert imoca("status", "--json").json["trials"]["total"] == 0
