"""The second place for answers."""

from pathlib import Path

from imoca.storage.sqlite.beside import told_path
from imoca.storage.sqlite.told import Told, note, noted


def make(number: int, change: int = 1) -> Told:
    return Told(number, '{"parameters":{"a":"\ud83d\\n"}}', f'{{"values":{{"f":{number}}}}}', change)


def test_what_was_noted_is_read_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    for number in (3, 1, 2):
        note(path, "mine", make(number))
    assert noted(path, "mine") == {number: make(number) for number in (1, 2, 3)}


def test_the_last_answer_to_a_trial_counts_in_whichever_order_they_came(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    for change in (4, 9, 6):
        note(path, "mine", make(0, change))
    assert noted(path, "mine") == {0: make(0, 9)}


def test_lines_of_another_study_and_damaged_ones_are_none(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    note(path, "mine", make(0))
    note(path, "another", make(1))
    note(path, "mine", make(2))
    text = told_path(path).read_text(encoding="utf-8")
    told_path(path).write_text(text.replace(r"\"f\":2", r"\"f\":5"), encoding="utf-8")
    assert list(noted(path, "mine")) == [0]


def test_a_line_that_was_cut_short_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    note(path, "mine", make(0))
    with told_path(path).open("r+b") as file:
        file.truncate(file.seek(0, 2) - 20)
    note(path, "mine", make(1))
    assert list(noted(path, "mine")) == [1]


def test_garbage_is_nothing_and_ends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    assert noted(path, "mine") == {}
    told_path(path).write_bytes(b'\xff\x00{"a": 1}\n[1, 2\n5\n[]\nnull\n"text"\n' + b"[" * 100_000)
    assert noted(path, "mine") == {}


def test_a_note_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    note(tmp_path / "nowhere" / "study.db", "mine", make(0))
    assert not list(tmp_path.iterdir())
