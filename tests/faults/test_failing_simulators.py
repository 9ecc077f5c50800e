"""F11: a region of designs always fails, or everything does."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.trials.trial import TrialState

IMOCA = Path(sys.executable).with_name("imoca")


@pytest.mark.slow
def test_designs_that_failed_are_not_asked_again_and_the_rest_is_explored() -> None:
    def bowl(x: float, y: float, z: float) -> float:
        if x < 0.4:
            raise ValueError("no mesh")
        return (x - 0.2) ** 2 + y**2 + 0.1 * (1 - z)  # better towards the region that fails

    def slope(x: float, y: float, z: float) -> float:
        return x - y

    fidelity = Fidelity.continuous()
    problem = Problem(
        [Real("x", 0, 1), Real("y", 0, 1)],
        [
            Simulator("bowl", [Objective("bowl", "minimize")], bowl, fidelity=fidelity, cost="0.1 + z"),
            Simulator("slope", [Objective("slope", "maximize")], slope, fidelity=fidelity, cost="0.1 + z"),
        ],
    )
    study = Study(problem, n_fronts=2)
    study.optimize(8.0)
    failed = [t for t in study.trials if t.failures]
    designs = [(t.parameters["x"], t.parameters["y"], t.fidelities["bowl"]) for t in failed]
    assert failed
    assert len(set(designs)) == len(designs)  # none of them twice
    assert len(failed) < len(study.trials) / 2


STUDY = """
[study]
method = "random"
budget = 30.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.cfd]
command = ["sh", "-c", "echo 'licence server is down' >&2; exit 7"]
outputs = { drag = "minimize" }
"""


@pytest.mark.slow
def test_a_run_whose_first_trials_all_fail_stops_and_shows_the_last_error(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    done = subprocess.run([IMOCA, "run", "study.toml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "Simulator 'cfd' failed in all of its first 5 runs" in done.stderr
    assert "exit code 7" in done.stderr
    assert "licence server is down" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True)).trials) == 5

    # Once the simulator is mended the same study goes on, though most of its trials have failed.
    mended = STUDY.replace("echo 'licence server is down' >&2; exit 7", "echo '{\\\"drag\\\": 1}' > result.json")
    assert mended != STUDY
    (tmp_path / "study.toml").write_text(mended, encoding="utf-8")
    done = subprocess.run([IMOCA, "run", "--budget", "12"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    states = [
        trial.state for trial in until_the_end.enter_context(Study.load(tmp_path / "study.db", read_only=True)).trials
    ]
    assert states == [TrialState.FAILED] * 5 + [TrialState.COMPLETE] * 7
