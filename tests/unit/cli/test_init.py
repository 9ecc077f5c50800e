"""A study to start from must run as it stands."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine


def run_simulator(folder: Path, fidelity: float) -> dict[str, float]:
    parameters = {"length": 80.0, "thickness": 2.0, "taper": 0.5, "metal": "aluminium"}
    question = {"parameters": parameters, "fidelity": fidelity, "simulator": "fin", "trial": 0}
    (folder / "params.json").write_text(json.dumps(question), encoding="utf-8")
    subprocess.run([sys.executable, "simulator.py", "params.json"], check=True, cwd=folder)
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))


def test_init_writes_a_study_that_is_in_order_and_says_what_to_do_next(imoca: CommandLine, folder: Path) -> None:
    answer = imoca("init", "new/demo")
    assert answer.code == 0
    assert sorted(path.name for path in (folder / "new/demo").iterdir()) == ["simulator.py", "study.toml"]
    assert "cd new/demo && imoca run" in answer.err
    assert "imoca front" in answer.err
    checked = imoca("check", "new/demo/study.toml", "--json")
    assert checked.code == 0
    assert checked.json["warnings"] == []


def test_init_never_overwrites(imoca: CommandLine, folder: Path) -> None:
    (folder / "study.toml").write_text("mine", encoding="utf-8")
    answer = imoca("init")
    assert answer.code == 2
    assert "study.toml" in answer.err
    assert [path.name for path in folder.iterdir()] == ["study.toml"]
    assert (folder / "study.toml").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_made_is_named(imoca: CommandLine, folder: Path) -> None:
    (folder / "file").touch()
    answer = imoca("init", "file/demo")
    assert answer.code == 2
    assert "file/demo" in answer.err


@pytest.mark.slow
def test_the_toy_simulator_gets_more_accurate_with_its_knob(imoca: CommandLine, folder: Path) -> None:
    imoca("init")
    heats = [run_simulator(folder, fidelity)["heat"] for fidelity in (4.0, 100.0, 1000.0)]
    errors = [abs(heat - heats[-1]) for heat in heats[:-1]]
    assert errors[0] > 10 * errors[1] > 0  # first order: 25 times as many cells
    # By hand: a straight fin of the average thickness gives off sqrt(2 h k t) theta tanh(L sqrt(2 h / (k t))) per
    # metre, with h = 10.5 W/(m2 K), between the film coefficients 11.0 at the base and 10.1 where it is 20 K colder.
    h, k, t, theta = 10.5, 200.0, 0.0015, 80.0
    by_hand = math.sqrt(2 * h * k * t) * theta * math.tanh(math.sqrt(2 * h / (k * t)) * 0.08)
    assert heats[-1] == pytest.approx(by_hand, rel=0.04)


@pytest.mark.slow
def test_the_study_of_init_runs_as_it_stands(imoca: CommandLine, folder: Path) -> None:
    imoca("init")
    answer = imoca("run", "--budget", "0.5")
    assert answer.code == 0, answer.err
    assert "imoca front" in answer.err
    content = imoca("status", "--json").json
    assert content["trials"]["complete"] == content["trials"]["total"] > 5
    assert content["cost_spent"] >= 0.5
