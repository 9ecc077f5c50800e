"""The wing of examples/wing; skipped where OpenAeroStruct is not installed."""

import importlib
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # those of OpenMDAO and of what it uses are its own
]
FOLDER = Path(__file__).parents[2] / "examples" / "wing"
DESIGN = {
    **{"taper": 0.5, "sweep": 10.0, "root_twist": 4.0, "tip_twist": 0.0},
    **{"root_thickness": 30.0, "tip_thickness": 10.0, "alpha": 4.0},
}


@pytest.fixture(scope="module")
def wing() -> Any:
    reason = "OpenAeroStruct is not installed (pip install -r examples/wing/requirements.txt)"
    pytest.importorskip("openaerostruct", reason=reason)
    return importlib.import_module("examples.wing.wing")


def test_the_mass_of_a_straight_tube_by_hand(wing: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    straight = DESIGN | {"taper": 1.0, "sweep": 0.0, "root_thickness": 20.0, "tip_thickness": 20.0}
    radius, thickness = 0.12 * 3.0 / 2.0, 0.02
    area = math.pi * (radius**2 - (radius - thickness) ** 2)
    by_hand = 2.0 * 3000.0 * area * 20.0  # twice the spar, for what hangs on it
    for nodes in ((2, 5), (4, 21)):
        assert wing.wing(*nodes, **straight)["mass"] == pytest.approx(
            by_hand, rel=1e-4
        )  # twist bends its axis a little


def test_few_nodes_call_an_unsafe_wing_safe(wing: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = [wing.wing(*nodes, **DESIGN)["failure"] for nodes in ((2, 5), (2, 21), (4, 41))]
    assert found[0] < 0.0 < min(found[1:])


def test_a_thicker_spar_is_safer_and_costs_fuel(wing: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    thin, thick = (wing.wing(2, 15, **DESIGN | {"root_thickness": each}) for each in (20.0, 40.0))
    assert thick["failure"] < thin["failure"]
    assert thick["mass"] > thin["mass"]
    assert thick["fuel_burn"] > thin["fuel_burn"]


def test_the_study_runs_as_it_stands(
    wing: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("wing.py", "study.toml"):
        shutil.copy(FOLDER / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    imoca = CommandLine(capsys, monkeypatch)
    assert imoca("run", "--budget", "1.5").code == 0
    trials = imoca("export", "--json").json
    assert trials
    assert all(trial["state"] == "complete" and math.isfinite(trial["values"]["failure"]) for trial in trials)
