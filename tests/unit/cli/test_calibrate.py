"""``imoca calibrate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from imoca.cli import app
from imoca.studyfile import load_study_file

STUDY = """
[study]
name = "wing"
budget = 6.0

[parameters]
x = { type = "real", low = 0.0, high = 1.0 }

[simulators.wing]
function = "models:wing"
fidelity = { low = 10, high = 1000, log = true }
cost = "z"
outputs = { drag = "minimize", mass = "minimize" }
"""
MODELS = """
import math
def wing(x, z):
    return {"drag": x + (3 * math.sin(37 * x) if z < 80 else 0), "mass": 1 - x + 1 / z}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "models.py").write_text(MODELS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_says_what_to_write_and_that_can_be_read(folder: Path) -> None:
    result = CliRunner().invoke(app, ["calibrate"], catch_exceptions=False)
    assert result.exit_code == 0
    (line,) = [line.strip() for line in result.output.splitlines() if line.strip().startswith("fidelity = ")]
    (folder / "again.toml").write_text(
        STUDY.replace("fidelity = { low = 10, high = 1000, log = true }", line), encoding="utf-8"
    )
    fidelity = load_study_file(folder / "again.toml").problem.simulators[0].fidelity
    assert fidelity.target == 1000.0
    assert isinstance(fidelity.cheapest, float)
    assert fidelity.cheapest > 80.0


def test_as_json(folder: Path) -> None:
    result = CliRunner().invoke(app, ["calibrate", "--json"], catch_exceptions=False)
    (knob,) = json.loads(result.output)
    assert knob["simulator"] == "wing"
    assert knob["settings"][0]["outputs"]["drag"]["told"] < 0.5
    assert knob["suggested"].startswith("fidelity = {")
