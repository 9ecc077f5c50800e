"""Studies of simulators with several knobs, and with sources without order, from the study file to the report."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from imoca.cli import app
from imoca.errors import MethodError, StudyFileError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.report.problem_words import fidelity_words
from imoca.report.records import cost_records, fidelity_records
from imoca.study.study import Study
from imoca.studyfile import load_study_file, problem_to_toml

STUDY = """
[study]
name = "wing"
budget = 6.0
seed = 1
n_fronts = 2

[parameters]
x = { type = "real", low = 0.0, high = 1.0 }

[simulators.wing]
command = ["{python}", "wing.py", "{params}", "--mesh={panels}", "--steps={steps}"]
fidelity = { knobs = { panels = [2, 3, 7], steps = { levels = [10, 100], unit = "1/s" } } }
cost = "panels * steps"
outputs = { fuel = "minimize" }

[simulators.cell]
command = ["{python}", "cell.py", "{params}", "{fidelity}"]
fidelity = { sources = ["SPM", "SPMe", "DFN"] }
cost = [1, 3, 8]
outputs = { heat = "minimize" }
"""
WING = """
import json, sys
question = json.load(open(sys.argv[1]))
knobs = question["fidelity"]
assert sys.argv[2:] == [f"--mesh={knobs['panels']}", f"--steps={knobs['steps']}"], sys.argv
x = question["parameters"]["x"]
json.dump({"fuel": (x - 0.3) ** 2 + 1 / knobs["panels"] + x / knobs["steps"]}, open("result.json", "w"))
"""
CELL = """
import json, math, sys
x = json.load(open(sys.argv[1]))["parameters"]["x"]
heat = {"SPM": 1 - x, "SPMe": math.sin(40 * x), "DFN": (x - 0.7) ** 2}[sys.argv[2]]
json.dump({"heat": heat}, open("result.json", "w"))
"""


def wing(x: float, panels: int, steps: int) -> float:
    return (x - 0.3) ** 2 + 1 / panels + x / steps


def cell(x: float, z: str) -> float:
    return {"SPM": 1.0 - x, "SPMe": float(np.sin(40.0 * x)), "DFN": (x - 0.7) ** 2}[z]


PROBLEM = Problem(
    [Real("x", 0, 1)],
    [
        Simulator(
            "wing",
            [Objective("fuel", "minimize")],
            wing,
            fidelity=Fidelity.knobs(panels=[2, 3, 7], steps=[10, 100]),
            cost="panels * steps",
        ),
        Simulator(
            "cell",
            [Objective("heat", "minimize")],
            cell,
            fidelity=Fidelity.sources(["SPM", "SPMe", "DFN"]),
            cost=[1, 3, 8],
        ),
    ],
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("study.toml", STUDY), ("wing.py", WING), ("cell.py", CELL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imoca(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_programs_are_run_asked_about_exported_and_added_again(folder: Path) -> None:
    imoca("check")
    imoca("run", "--budget", "3")
    trials = json.loads(imoca("export", "--json"))
    assert {type(trial["fidelities"]["wing"]) for trial in trials} == {dict}
    asked = [(trial["fidelities"]["wing"]["panels"], trial["fidelities"]["cell"]) for trial in trials]
    assert {"SPM", "SPMe"} <= {source for _, source in asked}
    assert "wing.panels" in imoca("show", "0")
    imoca("export", "-o", "trials.csv")
    with (folder / "trials.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["fidelity.wing.panels"]) for row in rows] == [panels for panels, _ in asked]
    assert rows[0].keys() >= {"fidelity.wing.steps", "fidelity.cell"}
    (folder / "again.toml").write_text(STUDY.replace('name = "wing"', 'name = "again"'), encoding="utf-8")
    imoca("add", "again.toml", "trials.csv")
    again = json.loads(imoca("export", "again.toml", "--json"))
    assert [trial["fidelities"] for trial in again] == [trial["fidelities"] for trial in trials]
    imoca("add", "again.toml", "trials.csv")  # what is there already is left out
    assert len(json.loads(imoca("export", "again.toml", "--json"))) == len(trials)


def test_a_problem_comes_back_from_its_file(folder: Path) -> None:
    problem = load_study_file(folder / "study.toml").problem
    (folder / "again.toml").write_text(f'[study]\nname = "again"\n{problem_to_toml(problem)}', encoding="utf-8")
    again = load_study_file(folder / "again.toml").problem
    assert [each.fidelity for each in again.simulators] == [each.fidelity for each in problem.simulators]
    assert fidelity_words(again.simulators[0].fidelity) == (
        "panels 2, 3, 7; steps 10, 100 1/s; full accuracy is the last of each"
    )
    assert fidelity_words(again.simulators[1].fidelity) == "SPM, SPMe, DFN, without order; the last is full accuracy"


@pytest.mark.parametrize(
    ("fidelity", "words"),
    [
        ('{ knobs = { mesh = [1, 2] }, levels = ["a", "b"] }', "either both low and high, or levels, or sources"),
        ("{ knobs = { mesh = [1, 2] } }", "two or more with different names"),
        ('{ knobs = { mesh = [1, 2], steps = { levels = [1, 2], units = "s" } } }', "known ones here are levels, unit"),
        ('{ sources = ["a", "b"], unit = "mm" }', "sources have none"),
        ('{ sources = ["a"] }', "two or more different"),
    ],
)
def test_slips_in_a_study_file(folder: Path, fidelity: str, words: str) -> None:
    text = STUDY.replace('{ sources = ["SPM", "SPMe", "DFN"] }', fidelity)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyFileError) as caught:
        load_study_file(folder / "study.toml")
    assert words in str(caught.value)


def test_a_command_may_name_the_knobs_only(folder: Path) -> None:
    (folder / "study.toml").write_text(STUDY.replace("--mesh={panels}", "--mesh={fidelity}"), encoding="utf-8")
    result = CliRunner().invoke(app, ["check"])
    assert "{fidelity}, which nothing fills in. There are {x}, {python}, {params}, {workdir}, {panels}" in str(
        result.exception
    )


def test_a_study_finds_out_which_source_is_of_use_and_recommends_by_full_accuracy() -> None:
    with Study(PROBLEM, seed=0, n_fronts=2) as study:
        study.optimize(14.0, progress=False)  # of which three designs at full accuracy
        beliefs = study.snapshot().beliefs
        assert beliefs is not None
        gaps = beliefs.modelled[1].kernel.information_gap(np.array([0.0, 0.5, 1.0]))
        front = study.pareto_front()
    assert gaps[2] == 0.0
    assert all(gaps[:2] > 0.0)
    assert front
    for point in front:  # between the best designs of the truth, x = 0.3 and x = 0.7, not where the sources are best
        assert 0.2 < float(point.parameters["x"]) < 0.8


def test_records_of_runs_name_their_settings() -> None:
    study = Study(PROBLEM)
    for x, panels, steps, source in ((0.1, 2, 10, "SPM"), (0.4, 7, 100, "DFN"), (0.6, 3, 100, "SPMe")):
        setting: dict[str, Any] = {"wing": {"panels": panels, "steps": steps}, "cell": source}
        study.add({"x": x}, setting, {"fuel": wing(x, panels, steps), "heat": cell(x, source)})
    of_wing, of_cell = cost_records(study.snapshot())
    assert of_wing.bands == ("2 / 10", "3 / 10", "2 / 100", "7 / 10", "3 / 100", "full")
    assert of_wing.n_runs == (1, 0, 0, 0, 1, 1)
    assert (of_cell.bands, of_cell.n_runs) == (("SPM", "SPMe", "DFN"), (1, 1, 1))
    assert fidelity_records(study.snapshot())[0].settings[0] == {"panels": 2, "steps": 10}


@pytest.mark.parametrize("settings", [{"method": "mf-osemo-tg"}, {"model": "product"}])
def test_what_needs_an_order_says_so(settings: dict[str, Any]) -> None:
    with pytest.raises(MethodError, match="needs fidelities in order, but simulator 'wing'"):
        Study(PROBLEM, **settings)


@pytest.mark.parametrize("method", ["imoca-e", "imoca-t", "naive-cfmo", "smsego", "random"])
def test_other_methods_ask_too(method: str) -> None:
    settings: dict[str, Any] = {} if method in ("smsego", "random") else {"n_fronts": 2}
    with Study(PROBLEM, method=method, seed=0, **settings) as study:
        study.optimize(trials=16, progress=False)
        assert len(study.trials) == 16
        assert study.pareto_front()
