import sys
from pathlib import Path

import pytest
from command_line import CommandLine


def test_the_report_is_named_after_the_study_and_says_how_to_go_on(imoca: CommandLine, toy_with_results: Path) -> None:
    answer = imoca("report")
    assert (answer.code, answer.out) == (0, "")
    assert "toy-report.html" in answer.err
    text = (toy_with_results / "toy-report.html").read_text(encoding="utf-8")
    assert "<h1>toy</h1>" in text
    assert "Let the search go on:" in text  # within its budget
    assert "<script src" not in text


def test_a_study_named_by_its_database_is_named_so_in_the_commands(imoca: CommandLine, toy_with_results: Path) -> None:
    assert imoca("report", "toy.db", "-o", "r.html").code == 0
    assert "imoca report toy.db" in (toy_with_results / "r.html").read_text(encoding="utf-8")


def test_without_plotly_the_remedy_is_named(
    imoca: CommandLine, toy_with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith(("plotly", "imoca.report.plotly"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    answer = imoca("report")
    assert answer.code == 2
    assert "pip install 'imoca[report]'" in answer.err
    assert not (toy_with_results / "toy-report.html").exists()


def test_a_place_that_cannot_be_written_is_named(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("report", "-o", "no/such/r.html")
    assert answer.code == 5
    assert "no/such/r.html" in answer.err
