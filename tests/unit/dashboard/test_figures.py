"""Figures are made in the background and handed out as strict JSON."""

import json
import shlex
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from imoca import Study
from imoca.dashboard import figures
from imoca.dashboard.figures import RECORDS, Gallery, draw
from imoca.dashboard.view import StudyView
from imoca.errors import FigureError
from imoca.report.records import FrontRecord, ObjectiveRecord, VerifiedRecord
from imoca.snapshot.recommendation import ParetoPoint
from imoca.snapshot.snapshot import Snapshot


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDS)
def test_every_figure_of_a_hostile_study_is_strict_json(database: Path, name: Any, until_the_end: ExitStack) -> None:
    content = strict(draw(name, until_the_end.enter_context(Study.load(database, read_only=True)).snapshot()))
    assert content["data"] or name == "timeline"  # its answers were told: they have no time
    assert content["reading"]
    assert "<script" not in json.dumps([content["data"], content["layout"]])


def test_verified_points_of_the_front_are_told_with_their_trials(
    database: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    goals = (ObjectiveRecord("a", "minimize"), ObjectiveRecord("b", "minimize"))
    zero, there = {"a": 0.0, "b": 0.0}, {"a": 1.0, "b": 2.0}
    likely = {"a": (-1.0, 1.0), "b": (-1.0, 1.0)}
    points = (ParetoPoint({"x": 0.1}, zero, zero, None, likely), ParetoPoint({"x": 0.2}, zero, zero, there, likely))
    verified = (VerifiedRecord(3, {"x": 0.3}, there), VerifiedRecord(7, {"x": 0.2}, there | {"extra": 5.0}))
    monkeypatch.setitem(figures.RECORDS, "front", lambda snapshot: FrontRecord(goals, points, verified))
    told = strict(draw("front", until_the_end.enter_context(Study.load(database, read_only=True)).snapshot()))["points"]
    assert [point["trial"] for point in told] == [None, 7]


def wait_for(gallery: Gallery, view: StudyView, name: str) -> str:
    deadline = time.monotonic() + 120.0
    while name not in gallery.stamps(view):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    made = gallery.figure(view, name)
    assert made is not None
    return made


@pytest.mark.slow
def test_a_figure_is_there_soon_after_it_was_wanted_and_bears_the_mark_of_its_study(
    database: Path, until_the_end: ExitStack
) -> None:
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    assert gallery.figure(view, "cost") is None
    assert strict(wait_for(gallery, view, "cost"))["data"]
    assert gallery.stamps(view)["cost"] == str(view.moment()[0])
    assert gallery.figure(view, "absent") is None


def test_models_of_very_many_trials_are_left_out_with_words(
    database: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    monkeypatch.setattr(figures, "MOST_FITTED", 3)
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    fault = strict(wait_for(gallery, view, "front"))["fault"]
    assert "a model of 8 trials" in fault
    assert "imoca report" in fault


def test_a_study_that_cannot_be_read_has_no_figures(tmp_path: Path, until_the_end: ExitStack) -> None:
    (tmp_path / "noise.db").write_bytes(b"noise" * 1000)
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(tmp_path / "noise.db")))
    view.refresh()
    assert gallery.stamps(view) == {}


@pytest.mark.slow
def test_studies_are_compared_once_their_histories_are_made(database: Path, until_the_end: ExitStack) -> None:
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    first = strict(gallery.comparison([view]))
    assert first["pending"] == [view.name]
    assert first["figure"] is None
    deadline = time.monotonic() + 120.0
    while (content := strict(gallery.comparison([view])))["pending"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert len(content["figure"]["data"]) == 1
    assert content["faults"] == content["left_out"] == []


@pytest.mark.slow
def test_all_figures_of_a_mark_are_made_of_one_snapshot(
    database: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    used: list[Snapshot] = []

    def noting(make: Callable[[Snapshot], Any]) -> Callable[[Snapshot], Any]:
        def note(snapshot: Snapshot) -> Any:
            used.append(snapshot)
            return make(snapshot)

        return note

    for name, make in dict(RECORDS).items():
        monkeypatch.setitem(figures.RECORDS, name, noting(make))
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    for name in RECORDS:
        wait_for(gallery, view, name)
    assert len(used) == len(RECORDS)
    assert {id(snapshot) for snapshot in used} == {id(view.moment()[1])}


def test_a_comparison_of_nothing_is_empty() -> None:
    assert strict(Gallery().comparison([])) == {"pending": [], "left_out": [], "faults": [], "figure": None}


@pytest.mark.slow
def test_the_navigator_and_the_verdict_are_made_with_the_budget_of_the_study_file(
    database: Path, until_the_end: ExitStack
) -> None:
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database, 30.0)))
    view.refresh()
    verdict = strict(wait_for(gallery, view, "verdict"))
    assert verdict["budget"]["total"] == 30.0
    assert verdict["budget"]["spent"] == until_the_end.enter_context(Study.load(database, read_only=True)).cost_spent
    told = strict(wait_for(gallery, view, "navigator"))
    assert told["verdict"] == verdict["verdict"]
    assert told["designs"]
    assert told["verify"]["before"] == f"imoca verify {shlex.quote(str(database))} "


def test_the_slowest_figures_wait_until_all_others_are_there(
    database: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    begun, going = threading.Event(), threading.Event()

    def held(snapshot: Snapshot) -> Any:
        begun.set()
        going.wait(120.0)
        raise FigureError("held", hint="")

    def at_once(snapshot: Snapshot) -> Any:
        raise FigureError("nothing", hint="")

    for name in RECORDS:
        monkeypatch.setitem(figures.RECORDS, name, held if name == "trust" else at_once)
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    gallery.stamps(view)
    assert begun.wait(120.0)
    assert "convergence" not in gallery.stamps(view)
    going.set()
    wait_for(gallery, view, "convergence")


def test_todays_front_is_there_before_what_was_recommended_before_and_made_for_the_first_look_alone(
    database: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    made: list[str] = []

    def noting(name: str) -> Callable[[StudyView, Snapshot], str]:
        def note(view: StudyView, snapshot: Snapshot) -> str:
            made.append(name)
            return "{}"

        return note

    def nothing(snapshot: Snapshot) -> Any:
        raise FigureError("nothing", hint="")

    for name in ("today", "navigator"):
        monkeypatch.setattr(figures, f"{name}_json", noting(name))
    for record in RECORDS:
        monkeypatch.setitem(figures.RECORDS, record, nothing)
    gallery, view = Gallery(), until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    wait_for(gallery, view, "navigator")
    first = gallery.stamps(view)["navigator"]
    assert made == ["today", "navigator"]
    with Study.load(database) as study:
        study.fail(study.ask(), "mesh exploded")
    deadline = time.monotonic() + 120.0
    while gallery.stamps(view)["navigator"] == first:
        view.refresh()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert made == ["today", "navigator", "navigator"]
