"""The command line as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

IMOCA = Path(sys.executable).with_name("imoca")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([IMOCA, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_demo_prints_a_front_and_what_it_cost_and_writes_a_report(tmp_path: Path) -> None:
    answer = run("demo", "--budget", "1", "--method", "random", "-o", str(tmp_path / "rocket.html"))
    assert answer.returncode == 0
    assert "rocket.html" in answer.stdout
    report = (tmp_path / "rocket.html").read_text(encoding="utf-8")
    assert "A rocket that flies long" in report
    assert "imoca demo --budget 1 --method random --seed 0" in report
    assert "Pareto front at full accuracy" in answer.stdout
    assert "flight_time" in answer.stdout
    assert "Cost in full-accuracy flights: search 1." in answer.stdout
    assert ", verification " in answer.stdout
    assert "verified" in answer.stdout
    assert "\x1b[" not in answer.stdout  # no colours and no live display into a pipe


@pytest.mark.slow
def test_without_plotly_the_demo_still_prints_the_front(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['plotly'] = None; from imoca.cli import main; main()"
    words = ["demo", "--budget", "1", "--method", "random", "-o", str(tmp_path / "r.html")]
    answer = subprocess.run([sys.executable, "-c", hidden, *words], capture_output=True, text=True, check=False)
    assert answer.returncode == 0
    assert "Pareto front at full accuracy" in answer.stdout
    assert "pip install 'imoca[report]'" in " ".join(answer.stdout.split())
    assert not (tmp_path / "r.html").exists()


def test_an_unknown_method_is_a_message_and_not_a_traceback() -> None:
    answer = run("demo", "--method", "imoca-x")
    assert answer.returncode == 2
    assert "imoca-x" in answer.stderr
    assert "imoca-p" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_help_lists_the_verbs() -> None:
    answer = run("--help")
    assert answer.returncode == 0
    assert "demo" in answer.stdout


def test_bench_lists_the_problems_and_shows_what_fidelities_are_worth() -> None:
    assert "rocket" in run("bench", "problems").stdout
    rows = json.loads(run("bench", "problem", "branin_currin", "--designs", "4", "--json").stdout)
    assert rows[0]["cost_ratio"] == pytest.approx(0.05 / 1.05)
    table = run("bench", "problem", "branin_currin", "--designs", "4").stdout.splitlines()
    assert table[1].split() == [
        "simulator",
        "output",
        "fidelity",
        "cost",
        "ratio",
        "rank",
        "corr.",
        "rel.",
        "error",
        "failed",
    ]
