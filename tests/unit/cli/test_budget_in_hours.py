"""A budget of simulator time on the command line: what it needs, what it shows."""

from pathlib import Path

import pytest
from command_line import CommandLine

STUDY = """
[study]
method = "random"
budget = "2h"
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.solver]
function = "timed:solve"
outputs = { f = "minimize" }
fidelity = { low = 0.0, high = 1.0 }
cost = "measured"
"""
SOLVER = "def solve(x, z):\n    return x, 1800.0\n"  # half an hour, whatever the clock says


@pytest.fixture
def timed(folder: Path) -> Path:
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "timed.py").write_text(SOLVER, encoding="utf-8")
    return folder


def test_spent_is_shown_in_the_unit_of_the_budget(imoca: CommandLine, timed: Path) -> None:
    assert "2 h of simulator time" in imoca("check").out
    answer = imoca("run")
    assert answer.code == 0, answer.err
    assert "spent 0.50 of 2 h of simulator time" in answer.err  # after the first trial
    assert "4 trials, 2.00 of 2 h of simulator time spent." in answer.err
    status = imoca("status")
    assert "2.00 of 2 h of simulator time" in status.out
    content = imoca("status", "--json").json
    assert (content["budget"], content["simulator_seconds"]) == ("2h", 7200.0)
    assert content["next"]["command"] == "imoca run --budget 3h"
    assert (content["next"]["price"], content["next"]["unit"]) == (3600.0, "seconds of simulator time")
    assert "let the search go on, for about 60 min of simulator time" in " ".join(status.out.split())
    assert "Nothing was run: 2.00 of 2 h of simulator time were spent already." in imoca("run").err
    assert "5 trials, 2.50 of 2.25 h of simulator time spent." in imoca("run", "--budget", "135m").err
    assert "of 100 full-fidelity runs spent" in imoca("run", "--budget", "100", "--time", "1s").err


def test_what_verifying_cost_is_told_in_the_unit_of_the_budget(imoca: CommandLine, timed: Path) -> None:
    assert imoca("run").code == 0
    answer = imoca("verify", "--best", "1")
    assert answer.code == 0, answer.err
    assert "1 design was verified at full accuracy for 30 min of simulator time, a cost of 1." in answer.err
    (point,) = [each for each in imoca("front", "--json").json["points"] if each["verified"]]
    content = imoca("verify", point["id"], "--json").json
    assert (content["simulator_seconds"], content["cost"]) == (1800.0, pytest.approx(1.0))
    assert imoca("report", "-o", "report.html").code == 0
    page = (timed / "report.html").read_text(encoding="utf-8")
    assert "1 design was verified at full accuracy for 30 min of simulator time, a cost of 1." in page


def test_where_a_budget_of_full_runs_is_given_verifying_is_told_in_them(imoca: CommandLine, timed: Path) -> None:
    assert imoca("run").code == 0
    answer = imoca("verify", "--budget", "5.5")
    assert answer.code == 0, answer.err
    assert "at full accuracy for a cost of 1." in answer.err


@pytest.mark.parametrize("budget", ["40x", "0h", "-3h", "0", "nan"])
def test_what_is_no_budget_is_refused_and_nothing_is_made(imoca: CommandLine, timed: Path, budget: str) -> None:
    answer = imoca("run", "--budget", budget)
    assert answer.code == 2
    assert "The budget is" in answer.err
    assert "40h" in answer.err
    assert not (timed / "study.db").exists()


def test_where_costs_are_declared_it_is_said_what_to_declare(imoca: CommandLine, timed: Path) -> None:
    text = STUDY.replace('cost = "measured"', 'cost = "1 + z"')
    (timed / "study.toml").write_text(text, encoding="utf-8")
    for words in (["check"], ["run"]):
        answer = imoca(*words)
        assert answer.code == 3, answer.err
        assert "study.budget: The budget is simulator time, but how long 'solver' runs is not measured." in answer.err
        assert 'Declare cost = "measured"' in answer.err
    (timed / "study.toml").write_text(text.replace('budget = "2h"', ""), encoding="utf-8")
    answer = imoca("run", "--budget", "2h")
    assert answer.code == 2
    assert 'Declare cost = "measured"' in answer.err
    assert not (timed / "study.db").exists()


def test_the_report_shows_the_same_unit(imoca: CommandLine, timed: Path) -> None:
    assert imoca("run").code == 0
    assert imoca("report", "-o", "report.html").code == 0
    page = (timed / "report.html").read_text(encoding="utf-8")
    assert "2 of 2 h of simulator time spent" in page
    assert "let the search go on, for about 60 min of simulator time" in page
    assert "imoca run --budget 3h" in page
