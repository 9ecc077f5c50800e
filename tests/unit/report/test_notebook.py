"""A study shows itself in a notebook, and obeys no name in it."""

import html

import pytest

from imoca import Study
from imoca.report import notebook
from imoca.report.notebook import study_html


def test_a_study_shows_what_print_says_and_designs_of_its_front(hostile_study: Study, hostile: str) -> None:
    shown = hostile_study._repr_html_()
    for line in repr(hostile_study).splitlines():
        assert html.escape(line, quote=True) in shown
    front = hostile_study.pareto_front(n=10)
    assert front
    assert all(point.id in shown for point in front)
    assert shown.count("<tr>") == 1 + len(front)
    assert f"{len(front)} of " in shown
    verified = next(point for point in front if point.measured is not None)
    assert all(f"{value:.4g}" in shown for value in (verified.measured or {}).values())
    assert "<b onclick" not in shown
    assert "<script" not in shown
    assert html.escape(f"drag{hostile}", quote=True) in shown


def test_a_study_without_answers_shows_what_print_says(empty_study: Study) -> None:
    shown = empty_study._repr_html_()
    assert "no trials yet" in shown
    assert "<table" not in shown


def test_a_large_study_makes_nobody_wait(hostile_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = hostile_study.snapshot()
    n_finished = len(snapshot.finished)
    monkeypatch.setattr(notebook, "MOST_FITTED", n_finished - 1)
    shown = study_html("words", snapshot)
    assert f"The front of {n_finished} trials takes a while" in shown
    assert "beliefs" not in vars(snapshot)  # nothing was fitted


def test_a_closed_study_says_so(empty_study: Study) -> None:
    empty_study.close()
    assert "closed" in empty_study._repr_html_()
