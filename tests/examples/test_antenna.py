"""The antenna of examples/antenna; what runs nec2c is skipped where it is not installed."""

import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import CommandLine

from examples.antenna import yagi

FOLDER = Path(yagi.__file__).parent
DESIGN = {
    **{"reflector": 0.49, "driven": 0.47},
    **{"director_1": 0.44, "director_2": 0.43, "director_3": 0.43, "director_4": 0.42},
    **{"gap_1": 0.2, "gap_2": 0.2, "gap_3": 0.25, "gap_4": 0.3, "gap_5": 0.35},
}
needs_nec2c = pytest.mark.skipif(shutil.which("nec2c") is None, reason="nec2c is not installed (apt-get install nec2c)")


@needs_nec2c
def test_elements_that_are_tiny_and_far_leave_a_half_wave_dipole_with_its_known_gain(tmp_path: Path) -> None:
    alone = dict.fromkeys(yagi.ELEMENTS, 0.001) | dict.fromkeys(yagi.GAPS, 50.0) | {"driven": 0.48}
    found = yagi.antenna(alone, 21, 3, tmp_path)
    assert found["gain"] == pytest.approx(2.15, abs=0.05)  # dBi: 10 log10 of 1.64
    assert found["front_to_back"] == pytest.approx(0.0, abs=0.02)


@needs_nec2c
def test_the_worst_of_the_band_is_the_worst_of_its_frequencies_computed_one_by_one(tmp_path: Path) -> None:
    found = yagi.antenna(DESIGN, 9, 3, tmp_path)
    single = []
    for frequency in (143.0, 145.0, 147.0):
        text = yagi.cards(DESIGN, 9, 1).replace("FR 0 1 0 0 145.0", f"FR 0 1 0 0 {frequency}")
        (tmp_path / "one.nec").write_text(text)
        subprocess.run(["nec2c", "-i", "one.nec", "-o", "one.out"], cwd=tmp_path, check=True)
        single.append(yagi.gains((tmp_path / "one.out").read_text(), 1))
    assert len({ahead[0] for ahead, _ in single}) == 3
    assert found["gain"] == min(ahead[0] for ahead, _ in single)
    assert found["front_to_back"] == min(ahead[0] - behind[0] for ahead, behind in single)


@needs_nec2c
def test_a_yagi_radiates_ahead_and_backwards_when_it_is_turned_round(tmp_path: Path) -> None:
    ahead = yagi.antenna(DESIGN, 21, 1, tmp_path)
    assert ahead["gain"] > 10.0
    assert ahead["front_to_back"] > 10.0
    turned = DESIGN | {"reflector": 0.40, "director_1": 0.52, "gap_1": 0.2, "gap_2": 0.2}
    turned |= dict.fromkeys(("director_2", "director_3", "director_4"), 0.001)
    assert yagi.antenna(turned, 21, 1, tmp_path)["front_to_back"] < -3.0


def test_the_boom_reaches_from_the_first_wire_to_the_last() -> None:
    wires = [line.split() for line in yagi.cards(DESIGN, 9, 3).splitlines() if line.startswith("GW")]
    assert [wire[1] for wire in wires] == ["1", "2", "3", "4", "5", "6"]
    assert float(wires[-1][3]) / yagi.WAVELENGTH == pytest.approx(yagi.boom(**DESIGN), abs=1e-5)
    assert [float(wire[7]) - float(wire[4]) for wire in wires] == pytest.approx(
        [DESIGN[element] * yagi.WAVELENGTH for element in yagi.ELEMENTS], abs=1e-5
    )


def test_an_output_without_all_frequencies_is_a_failure() -> None:
    row = "   90.00      {}   -999.99     2.13     2.13      0.0000    -90.00 LINEAR  0.0  0.0  0.7  -107.3\n"
    block = "---- RADIATION PATTERNS ----\n" + row.format("0.00") + row.format("180.00")
    assert yagi.gains(block, 1) == ([2.13], [2.13])
    with pytest.raises(ValueError, match="1 of 3 frequencies"):
        yagi.gains(block, 3)


@needs_nec2c
@pytest.mark.slow
def test_the_study_runs_as_it_stands_and_keeps_the_files_of_nec2c(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("yagi.py", "study.toml"):
        shutil.copy(FOLDER / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    imoca = CommandLine(capsys, monkeypatch)
    assert imoca("run", "--budget", "1").code == 0
    trials = imoca("export", "--json").json
    assert trials
    assert all(trial["state"] == "complete" for trial in trials)
    assert list(tmp_path.glob("antenna.runs/*/*antenna*/**/antenna.nec"))
