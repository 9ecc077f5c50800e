"""A folder with a small study in it, and the command line to meet it with."""

import sys
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.problem.parameters import Value
from imoca.study.from_file import open_study

STUDY = """
[study]
name = "toy"
method = "random"
budget = 3.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
n = { type = "integer", low = 1, high = 4 }
skin = { type = "choice", values = ["al", "cfrp"] }
[simulators.cfd]
function = "toy_simulators:cfd"
outputs = { drag = "minimize", lift = "maximize" }
fidelity = { low = 0.1, high = 1.0 }
cost = "z"
[simulators.scale]
function = "toy_simulators:scale"
outputs = { mass = "minimize" }
cost = "measured"
full_cost = 0.1
"""
SIMULATORS = """
def cfd(x, n, skin, z):
    return {"drag": x * z + n, "lift": n - x}


def scale(x, n, skin):
    return {"mass": n * (2.0 if skin == "al" else 1.0)}, 5.0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory; what a verb does to the path of modules is undone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    sys.modules.pop("toy_simulators", None)
    return tmp_path


@pytest.fixture
def imoca(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def toy(folder: Path) -> Path:
    """A folder with a study that was not started."""
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "toy_simulators.py").write_text(SIMULATORS, encoding="utf-8")
    return folder


@pytest.fixture
def toy_with_results(toy: Path) -> Path:
    """One complete trial at half fidelity, one at full fidelity with a failure, one failed, one without an answer."""
    from imoca.studyfile.file import load_study_file

    file = load_study_file(toy / "study.toml")
    first: dict[str, Value] = {"x": 0.25, "n": 2, "skin": "al"}
    why = "\x1b[31mno <script>\nbalance"
    with open_study(file, storage=file.database) as study:
        study.add(first, {"cfd": 0.5}, {"drag": 2.25, "lift": 1.75, "mass": 4.0}, cost={"scale": 5.0})
        for _ in range(3):
            study.ask()
        study.tell(1, {"drag": 3.5, "lift": 1.0}, failures={"scale": why}, cost={"scale": 2.0})
        study.fail(2, "mesh exploded", cost={"scale": 1.0})
    return toy
