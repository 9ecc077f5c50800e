"""A view follows its file through everything that can happen to it."""

from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from imoca import Study
from imoca.dashboard import view as view_module
from imoca.dashboard.view import Mark, StudyView
from imoca.storage.sqlite.storage import SQLiteStorage


@pytest.fixture(autouse=True)
def _always_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_module, "FRESH", 0.0)
    monkeypatch.setattr(view_module, "RETRY", 0.0)


def test_trials_answered_out_of_order_are_told_once_each(database: Path, until_the_end: ExitStack) -> None:
    study, view = (
        until_the_end.enter_context(Study.load(database)),
        until_the_end.enter_context(closing(StudyView(database))),
    )
    first, second = study.ask(), study.ask()
    view.refresh()
    mark = view.moment()[0]
    study.fail(second, "b")
    view.refresh()
    assert [trial.number for trial in view.changes(mark).trials] == [second.number]
    study.fail(first, "a")
    view.refresh()
    assert {trial.number for trial in view.changes(mark).trials} == {first.number, second.number}
    assert view.changes(view.moment()[0]).trials == ()


def test_a_large_table_is_told_in_pieces_and_what_changes_meanwhile_is_not_missed(
    database: Path, until_the_end: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_module, "MOST_ROWS", 3)
    study = until_the_end.enter_context(Study.load(database))
    view = until_the_end.enter_context(closing(StudyView(database)))
    asked = study.ask(8)
    view.refresh()
    changes, told = view.changes(Mark()), list[int]()
    assert changes.is_reset
    while True:
        assert len(changes.trials) <= 3
        told += [trial.number for trial in changes.trials]
        if changes.is_all:
            break
        if told.count(asked[0].number) == 1:
            study.fail(asked[0], "it has been told already, others of its kind have not")
        view.refresh()
        changes = view.changes(Mark.read(str(changes.mark)))
        assert not changes.is_reset
    assert told == [*range(len(study.trials)), asked[0].number]  # again, with its answer
    assert view.changes(changes.mark).trials == ()
    assert changes.mark == view.moment()[0]


def test_a_study_begun_anew_under_the_same_name_is_read_anew(database: Path, until_the_end: ExitStack) -> None:
    view = until_the_end.enter_context(closing(StudyView(database)))
    view.refresh()
    mark = view.moment()[0]
    problem = until_the_end.enter_context(Study.load(database, read_only=True)).problem
    for path in database.parent.iterdir():
        path.unlink()
    view.refresh()
    assert "There is no study" in view.overview()["fault"]
    until_the_end.enter_context(Study(problem, method="random", seed=1, storage=database)).ask()
    view.refresh()
    changes = view.changes(mark)
    assert changes.is_reset
    assert len(changes.trials) == 1
    assert view.overview()["seed"] == 1
    assert view.overview()["fault"] is None


def test_the_driver_is_shown_while_it_lives(database: Path, until_the_end: ExitStack) -> None:
    from imoca.storage.owner import this_process

    study, view = (
        until_the_end.enter_context(Study.load(database)),
        until_the_end.enter_context(closing(StudyView(database))),
    )
    owner = this_process()
    study._storage.claim(owner)
    view.refresh()
    assert view.overview()["driver"]["pid"] == owner.pid
    study._storage.release(owner)
    view.refresh()
    assert view.overview()["driver"] is None


def test_whatever_goes_wrong_in_reading_is_told_in_words(
    database: Path, monkeypatch: pytest.MonkeyPatch, until_the_end: ExitStack
) -> None:
    def broken(*arguments: object, **settings: object) -> None:
        raise KeyError("fitted")

    view = until_the_end.enter_context(closing(StudyView(database)))
    monkeypatch.setattr(Study, "load", broken)
    view.refresh()
    assert "KeyError" in view.overview()["fault"]
    assert view.table(Mark())["rows"] == []
    assert view.trial(0) is None


def test_a_reader_in_the_middle_of_a_write_neither_waits_nor_blocks(database: Path, until_the_end: ExitStack) -> None:
    study, view = (
        until_the_end.enter_context(Study.load(database)),
        until_the_end.enter_context(closing(StudyView(database))),
    )
    view.refresh()
    assert isinstance(study._storage, SQLiteStorage)
    with study._storage._database.transaction() as connection:
        connection.execute("UPDATE trials SET finished = 1.0")
        view.refresh()
        assert view.overview()["fault"] is None
        assert view.overview()["n_trials"] == 9
