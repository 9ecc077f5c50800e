"""Which databases are found."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from imoca.dashboard.library import Library
from imoca.errors import StorageError


def test_a_folder_shows_its_studies_but_not_the_databases_of_other_programs(database: Path) -> None:
    folder = database.parent
    with closing(sqlite3.connect(folder / "foreign.db")) as connection:
        connection.execute("CREATE TABLE t (x)")
    (folder / "garbage.db").write_bytes(b"garbage")
    (folder / "folder.db").mkdir()
    assert [view.name for view in Library([folder]).views()] == ["garbage", database.stem]


def test_a_file_that_is_named_is_shown_even_if_it_is_not_there_yet(tmp_path: Path) -> None:
    (view,) = Library([tmp_path / "later.db"]).views()
    view.refresh()
    assert "There is no study" in view.overview()["fault"]


def test_a_study_named_twice_is_shown_once_and_keeps_its_view(database: Path) -> None:
    library = Library([database, database.parent])
    (view,) = library.views()
    assert library.views() == [view]
    assert library.view(view.id) is view
    assert library.view("absent") is None


def test_a_study_that_vanishes_is_closed_and_one_that_comes_back_keeps_its_view(database: Path) -> None:
    folder, away = database.parent, database.with_suffix(".away")
    with closing(Library([folder])) as library:
        (view,) = library.views()
        view.refresh()
        study = view.study
        assert study is not None
        database.rename(away)
        assert library.views() == []
        assert view.study is None
        with pytest.raises(StorageError, match="was closed"):
            study.trials  # noqa: B018
        away.rename(database)
        assert library.views() == [view]
        view.refresh()
        assert view.overview()["n_trials"] == 9
