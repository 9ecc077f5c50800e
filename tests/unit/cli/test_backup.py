"""imoca backup."""

from pathlib import Path

import pytest
from command_line import CommandLine

from imoca import Study


@pytest.mark.parametrize("words", [[], ["study.toml"], ["toy.db"]], ids=["found", "study file", "database"])
def test_the_study_is_named_in_any_way_and_copied_whole(
    words: list[str], toy_with_results: Path, imoca: CommandLine
) -> None:
    said = imoca("backup", *words, "monday.db")
    assert said.code == 0
    assert said.err == "monday.db holds a copy of toy.db, with 3 answered trials.\n"
    with Study.load("toy.db", read_only=True) as study, Study.load("monday.db", read_only=True) as copy:
        assert copy.trials == study.trials
        assert len(copy.trials) == 4


def test_a_file_that_is_there_is_kept(toy_with_results: Path, imoca: CommandLine) -> None:
    (toy_with_results / "monday.db").write_text("mine", encoding="utf-8")
    said = imoca("backup", "monday.db")
    assert said.code == 5
    assert "monday.db is there already" in said.err
    assert (toy_with_results / "monday.db").read_text(encoding="utf-8") == "mine"


def test_a_study_that_was_not_started_cannot_be_copied(toy: Path, imoca: CommandLine) -> None:
    said = imoca("backup", "monday.db")
    assert said.code == 5
    assert "There is no study at toy.db" in said.err
    assert not (toy / "monday.db").exists()


def test_too_many_words_are_refused(toy_with_results: Path, imoca: CommandLine) -> None:
    assert imoca("backup", "toy.db", "monday.db", "tuesday.db").code == 2
    assert not (toy_with_results / "monday.db").exists()
