"""The cell of examples/battery; skipped where PyBaMM is not installed."""

import importlib
import math
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # those of PyBaMM and of what it uses are its own
]
FOLDER = Path(__file__).parents[2] / "examples" / "battery"
DESIGN = {
    **{"negative_thickness": 85.2, "negative_porosity": 0.25, "negative_radius": 5.86},
    **{"positive_thickness": 75.6, "positive_porosity": 0.335, "positive_radius": 5.22},
}


@pytest.fixture(scope="module")
def cell() -> Any:
    pytest.importorskip("pybamm", reason="PyBaMM is not installed (pip install -r examples/battery/requirements.txt)")
    return importlib.import_module("examples.battery.cell")


def test_nothing_is_told_to_anybody(cell: Any) -> None:
    assert os.environ["PYBAMM_DISABLE_TELEMETRY"] == "true"


def test_mass_by_hand(cell: Any) -> None:
    negative = 85.2e-6 * (1657.0 + 1200.0 * 0.25)  # m, kg/m3: the solid of Chen2020, and electrolyte in its pores
    positive = 75.6e-6 * (3262.0 + 1200.0 * 0.335)
    rest = 12e-6 * 8960.0 + 12e-6 * 397.0 + 16e-6 * 2700.0  # copper, separator, aluminium
    assert cell.mass(cell.parameters(DESIGN)) == pytest.approx((negative + positive + rest) * 0.065 * 1.58)


def test_the_rated_capacity_is_that_of_the_smaller_electrode(cell: Any) -> None:
    thin = cell.parameters(DESIGN | {"positive_thickness": 50.0})["Nominal cell capacity [A.h]"]
    assert thin == pytest.approx(5.0 * 50.0 / 75.6 * (0.97 - 0.335) / 0.665)
    assert cell.parameters(DESIGN)["Nominal cell capacity [A.h]"] == pytest.approx(5.0 * (0.97 - 0.335) / 0.665)


def test_energy_is_charge_times_a_voltage_within_the_limits(cell: Any) -> None:
    values = cell.parameters(DESIGN)
    solution = cell.discharge("SPM", values, 1.0)
    hours = solution.t[-1] / 3600.0
    assert 0.8 < hours < 1.2
    volts = cell.energy("SPM", **DESIGN) * cell.mass(values) / (values["Nominal cell capacity [A.h]"] * hours)
    assert 3.2 < volts < 4.2


def test_a_fast_discharge_is_warmer_than_a_slow_one(cell: Any) -> None:
    slow = cell.discharge("DFN-5", cell.parameters(DESIGN), 1.0)["Volume-averaged cell temperature [K]"].entries
    assert slow[0] == pytest.approx(298.15)
    assert 25.0 < slow.max() - 273.15 < cell.heat("DFN-5", **DESIGN) < 120.0


def test_a_discharge_that_does_not_end_by_the_voltage_is_a_failure(cell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell, "LONGEST", 0.1)
    with pytest.raises(RuntimeError, match="final time"):
        cell.energy("SPM", **DESIGN)


def test_the_study_runs_as_it_stands(
    cell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cell.py", "study.toml"):
        shutil.copy(FOLDER / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    imoca = CommandLine(capsys, monkeypatch)
    assert imoca("run", "--budget", "2").code == 0
    trials = imoca("export", "--json").json
    answered = [trial for trial in trials if trial["state"] == "complete"]
    assert answered
    assert all(math.isfinite(trial["values"]["energy"]) for trial in answered)


def test_a_dense_thick_cell_stays_cool_because_its_electrolyte_runs_dry(cell: Any) -> None:
    """What docs/gallery/battery.md says of the best cells, and that the cheap models do not know it."""
    thickness = {"negative_thickness": 110.0, "positive_thickness": 65.7}
    design = DESIGN | thickness | {"negative_porosity": 0.2, "positive_porosity": 0.2, "positive_radius": 2.0}
    solution = cell.discharge("DFN-40", cell.parameters(design), 3.0)
    assert solution["Electrolyte concentration [mol.m-3]"].entries.min() < 1.0  # it begins with 1000
    assert solution.t[-1] < 120.0  # of 1200 s that the rated capacity would take
    temperatures = {z: cell.heat(z, **design) for z in ("SPM", "SPMe", "DFN-5", "DFN-20", "DFN-40")}
    assert temperatures["DFN-40"] < 40.0
    assert temperatures["DFN-20"] == pytest.approx(temperatures["DFN-40"], abs=1.0)
    assert temperatures["SPM"] > temperatures["DFN-40"] + 5.0
    assert max(temperatures["SPMe"], temperatures["DFN-5"]) < temperatures["DFN-40"] - 5.0
