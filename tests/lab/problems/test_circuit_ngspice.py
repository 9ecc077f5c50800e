"""The runner, on circuits with a closed solution and on programs that misbehave."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import Study
from imoca.errors import MissingProgramError, ProgramError, SimulatorError
from imoca_lab.problems.circuit.ngspice import is_installed, run_ngspice
from imoca_lab.problems.circuit.problem import SPACE, circuit, regulator

needs_ngspice = pytest.mark.skipif(not is_installed(), reason="the program ngspice is not installed")
DESIGN: dict[str, Any] = SPACE.decode(np.full(33, 0.5))


@needs_ngspice
def test_the_runner_measures_the_charging_of_a_low_pass_filter() -> None:
    text = (
        "* RC low-pass\nVs in 0 1\nR1 in out 1k\nC1 out 0 1n ic=0\n.options reltol=1e-6\n"
        ".tran 1n 2u 0 1n uic\n.save v(out)\n"
        ".measure tran mean_out AVG v(out) from=0 to=1u\n.measure tran swing_out PP v(out) from=1u to=2u\n.end\n"
    )
    found = run_ngspice(text, ["mean_out", "swing_out"], timeout=20.0)
    assert found["mean_out"] == pytest.approx(np.exp(-1.0), rel=2e-3)  # mean of 1 - exp(-t / RC) over one RC
    assert found["swing_out"] == pytest.approx(np.exp(-1.0) - np.exp(-2.0), rel=2e-3)


@needs_ngspice
def test_a_measure_that_the_netlist_does_not_make_is_an_error() -> None:
    with pytest.raises(ProgramError, match="absent"):
        run_ngspice(
            "* load\nVs in 0 1\nR1 in 0 1k\n.tran 1n 1u\n.save v(in)\n.measure tran top MAX v(in)\n.end\n",
            ["absent"],
            timeout=20.0,
        )


def put_on_the_path(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program that only calls itself ngspice."""
    program = folder / "ngspice"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120.0
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see whether a process lives")
@pytest.mark.parametrize("leader", ["wait", "exit 0"])
def test_a_program_that_hangs_is_killed_with_everything_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leader: str
) -> None:
    put_on_the_path(tmp_path, monkeypatch, f"sleep 600 &\necho $! > {tmp_path}/pid\n{leader}")
    pid_file = tmp_path / "pid"

    class TimedWhenReady(subprocess.Popen[str]):
        """Its time begins when it has started the other one, however slow the machine."""

        def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
            if timeout is not None:
                wait_until(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"))
            return super().communicate(input, timeout)

    monkeypatch.setattr(subprocess, "Popen", TimedWhenReady)
    with pytest.raises(ProgramError, match=r"0\.1 s"):
        run_ngspice("*\n", ["x"], timeout=0.1)
    wait_until(lambda: not is_running(int(pid_file.read_text())))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no convergence; exit 3", "code 3.*no convergence"),
        ("echo hello", "no measure.*hello"),
        ("echo 'x = failed'", "no measure"),
        ("echo 'x = nan'", "no measure"),
    ],
)
def test_a_program_that_fails_or_answers_no_number_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    put_on_the_path(tmp_path, monkeypatch, script)
    with pytest.raises(ProgramError, match=said):
        run_ngspice("*\n", ["x"], timeout=10.0)


def test_the_program_runs_in_an_empty_folder_of_its_own_without_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_the_path(
        tmp_path, monkeypatch, f"pwd > {tmp_path}/where; cat; ls > {tmp_path}/there; echo 'x = 2.5 from= 0'"
    )
    assert run_ngspice("*\n", ["x"], timeout=10.0) == {"x": 2.5}
    assert (tmp_path / "there").read_text() == "circuit.cir\n"
    assert not Path((tmp_path / "where").read_text().strip()).exists()


def test_without_the_program_the_error_tells_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgramError, match="apt-get install ngspice"):
        circuit()
    with pytest.raises(MissingProgramError, match="pwl"):
        regulator(z=0.0, **DESIGN)
    assert circuit(backend="pwl").name == "circuit_pwl"


def test_a_study_records_failed_runs_and_stops_when_most_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_on_the_path(tmp_path, monkeypatch, "exit 1")
    study = Study(circuit().problem, method="random", seed=0)
    with pytest.raises(SimulatorError, match="code 1"):
        study.optimize(budget=20, progress=False)
    assert all("ProgramError" in trial.failures["regulator"] for trial in study.trials)
