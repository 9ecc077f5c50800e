"""Real processes, really killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from imoca_lab.harness.campaign import Outcome, run_all
from imoca_lab.harness.config import read_runs
from imoca_lab.harness.display import Clock
from imoca_lab.harness.results import ResultFolder, read_results, without_times
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec, as_json
from imoca_lab.harness.single_run import ORPHANED

TINY = """
checkpoints = 3
[[groups]]
problems = ["branin_currin"]
methods = ["imoca-p", "random"]
seeds = 1
budget = 12
trials = 15
"""
N_BEFORE_KILL = 12  # trials of imoca-p: the initial design has 11
WAIT = 120.0  # seconds; far more than needed

pytestmark = pytest.mark.slow


def bench(folder: Path, *arguments: str) -> list[str]:
    main = "from imoca.cli import main; main()"
    options = ("--processes", "1", *arguments)
    return [sys.executable, "-c", main, "bench", "run", str(folder / "tiny.toml"), *options]


def prepared(folder: Path) -> Path:
    folder.mkdir()
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = prepared(tmp_path_factory.mktemp("harness") / "undisturbed")
    done = subprocess.run(bench(folder), capture_output=True, text=True, check=True)
    assert "2 runs, 0 with results" in done.stderr
    assert "2/2 branin_currin/random/seed-0 done" in done.stderr
    return folder


def wait_until(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def n_lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0


def test_a_small_comparison_runs_to_its_end(undisturbed: Path) -> None:
    ours, random = read_results([undisturbed / "results" / "tiny"])
    assert (ours.spec.method.name, random.spec.method.name) == ("imoca-p", "random")
    assert ours.spec in read_runs(undisturbed / "tiny.toml")
    assert len(ours.costs) == len(ours.seconds) == len(ours.fidelities["branin"]) == 15
    assert ours.n_initial == 11
    assert (ours.scores[0].n_trials, ours.scores[-1].n_trials) == (11, 15)
    assert all(seconds > 0.0 for seconds in ours.seconds)
    assert random.costs == (2.0, 4.0, 6.0, 8.0, 10.0, 12.0)
    assert set(random.fidelities["currin"]) == {1.0}


def test_what_has_a_result_is_not_run_again_even_without_its_database(undisturbed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        bench(undisturbed, "--runs", str(tmp_path / "fresh")), capture_output=True, text=True, check=True
    )
    assert "2 runs, 2 with results" in done.stderr
    assert not (tmp_path / "fresh").exists()


def test_a_killed_harness_continues_to_the_same_results(undisturbed: Path, tmp_path: Path) -> None:
    folder = prepared(tmp_path / "killed")
    run = folder / "runs" / "branin_currin" / "imoca-p" / "seed-0"
    harness = subprocess.Popen(bench(folder), stderr=subprocess.DEVNULL)
    wait_until(lambda: n_lines(run / "suggestions.jsonl") >= N_BEFORE_KILL)
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()
    assert not (run / "result.json").exists()
    assert not (folder / "results").exists()
    subprocess.run(bench(folder), capture_output=True, check=True)
    found, expected = (read_results([path / "results" / "tiny"]) for path in (folder, undisturbed))
    assert [without_times(result) for result in found] == [without_times(result) for result in expected]


def test_a_run_ends_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    spec = RunSpec(ProblemChoice("branin_currin"), MethodChoice("random"), 0, budget=1e6)
    line = json.dumps({"run": as_json(spec), "command": "by hand"}).encode() + b"\n"
    command = [sys.executable, "-m", "imoca_lab.harness.single_run", str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.flush()
    wait_until(lambda: n_lines(tmp_path / "suggestions.jsonl") > 2)
    process.stdin.close()
    assert process.wait(WAIT) == ORPHANED


class Silent:
    def started(self, spec: RunSpec) -> None:
        pass

    def ended(self, outcome: Outcome) -> None:
        pass


def test_a_run_that_fails_stops_no_other_and_says_why(tmp_path: Path) -> None:
    good = RunSpec(ProblemChoice("branin_currin"), MethodChoice("random"), 0, budget=4.0, checkpoints=2)
    bad = RunSpec(ProblemChoice("branin_currin"), MethodChoice("nothing"), 0, budget=4.0)
    results = ResultFolder(tmp_path / "results")
    outcomes = run_all([bad, good], results, tmp_path / "runs", "by hand", 2, Silent())
    failures = {outcome.spec: outcome.failure for outcome in outcomes}
    assert failures[good] is None
    assert "Unknown method 'nothing'" in str(failures[bad])
    assert results.holds(good)
    assert not results.holds(bad)


def test_the_time_left_comes_from_runs_of_the_same_kind() -> None:
    specs = [
        RunSpec(ProblemChoice("trap"), MethodChoice(method), seed, 1.0) for method in ("a", "b") for seed in range(3)
    ]
    clock = Clock(specs, n_processes=2)
    assert clock.seconds_left() is None
    clock.end(Outcome(specs[0], 10.0))
    assert clock.seconds_left() == pytest.approx(25.0)  # five more of 10 s, two at a time
    clock.end(Outcome(specs[3], 100.0))
    assert clock.seconds_left() == pytest.approx((2 * 10.0 + 2 * 100.0) / 2)
