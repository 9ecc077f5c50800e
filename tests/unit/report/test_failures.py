"""A report says why runs failed, each reason once, and what was set aside."""

import re

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.page.contents import Introduction, collect
from imoca.report.page.sections import contents_list, failures_section
from imoca.report.records.failures import LONGEST, MOST_REASONS, FailureReason, failure_reasons, told_shortly


@pytest.fixture
def study() -> Study:
    """Ten trials of two simulators; one of them fails for two reasons."""
    simulators = [
        Simulator("mesh", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
        Simulator("sound", [Objective("g", "minimize")]),
    ]
    study = Study(Problem([Real("x", 0.0, 1.0)], simulators), method="random")
    for i in range(10):
        trial = study.ask()
        study.tell(trial, {"g": 0.1 * i})
        if i in (2, 5, 7):
            study.fail(trial, "The program ended with exit code 3.\nnegative volume\n" if i != 5 else "no <licence>")
        else:
            study.tell(trial, {"f": (i - 3.0) ** 2})
    return study


def test_every_reason_stands_once_with_its_trials(study: Study) -> None:
    assert failure_reasons(study.snapshot()) == (
        FailureReason("mesh", "negative volume", 2, 7, n_failed=3, n_ended=10),
        FailureReason("mesh", "no <licence>", 1, 5, n_failed=3, n_ended=10),
    )


def test_the_report_tells_them_as_text(study: Study) -> None:
    contents = collect(study.snapshot(), Introduction("Wing"))
    section = failures_section(contents)
    assert "3 of 10 runs of mesh failed." in section
    assert "<td>no &lt;licence&gt;</td>" in section
    rows = re.findall(r"<tr>.*?</tr>", section)[1:]
    assert [re.sub(r"<[^>]*>", "|", row).strip("|").split("||") for row in rows] == [
        ["mesh", "negative volume", "2", "7"],
        ["mesh", "no &lt;licence&gt;", "1", "5"],
    ]
    assert 'href="#failures"' in contents_list(contents)


def test_where_nothing_failed_there_is_no_such_section() -> None:
    study = Study(Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")])]), method="random")
    for i in range(4):
        study.tell(study.ask(), {"f": float(i)})
    contents = collect(study.snapshot(), Introduction("Wing"))
    assert failures_section(contents) == ""
    assert "#failures" not in contents_list(contents)


def test_of_many_reasons_the_most_frequent_are_told() -> None:
    study = Study(Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")])]), method="random")
    for i in range(9):
        study.fail(study.ask(), f"code {chr(97 + i)}" if i < 7 else "code g")
    told = failure_reasons(study.snapshot())
    assert len(told) == MOST_REASONS
    assert (told[0].reason, told[0].n_trials, told[0].last_trial) == ("code g", 3, 8)


def test_reasons_that_differ_in_numbers_alone_are_one() -> None:
    study = Study(Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")])]), method="random")
    for stress in ("331", "7.5e+02", "1e3", "12.25"):
        study.fail(study.ask(), f"{stress} MPa at the root")
    study.fail(study.ask(), "331 MPa at the tip")
    told = [(each.reason, each.n_trials) for each in failure_reasons(study.snapshot())]
    assert told == [("12.25 MPa at the root", 4), ("331 MPa at the tip", 1)]


@pytest.mark.parametrize(("reason", "line"), [("", ""), ("a\n b \n\n", "b"), ("x" * LONGEST, "x" * LONGEST)])
def test_a_reason_is_its_last_line(reason: str, line: str) -> None:
    assert told_shortly(reason) == line


def test_a_reason_is_no_longer_than_a_cell_holds() -> None:
    told = told_shortly("x" * (LONGEST + 1) + "the end")
    assert len(told) == LONGEST
    assert (told[0], told[-7:]) == ("x", "the end")
