import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imoca.cli.output import csv_text
from imoca.cli.text import from_spreadsheet_cell, precise_duration, printable, printable_lines, spreadsheet_cell


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\r", "a\\nb\\r"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp", "\\u202egnp"),
        ("<script>$(rm) {x} [red]ü", "<script>$(rm) {x} [red]ü"),
    ],
)
def test_control_characters_are_shown_and_not_obeyed(hostile: str, shown: str) -> None:
    assert printable(hostile) == shown


def test_lines_stay_lines_where_they_are_wanted() -> None:
    assert printable_lines("a\x07\nb") == "a\\x07\nb"


@pytest.mark.slow
@given(st.text(max_size=20))
def test_no_cell_is_a_formula_or_moves_the_cursor(text: str) -> None:
    cell = spreadsheet_cell(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert "\x1b" not in cell


@pytest.mark.slow
@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20).filter(lambda text: text[:1] != "'"))
def test_text_survives_the_spreadsheet(text: str) -> None:
    assert from_spreadsheet_cell(spreadsheet_cell(text)) == text


def test_csv_keeps_negative_numbers_as_numbers_and_text_as_text() -> None:
    text = csv_text(["=x", 'a"b'], [[-1.5, "-1.5"], [None, "two\nlines"], [True, "@SUM(A1)"]])
    assert list(csv.reader(io.StringIO(text))) == [
        ["'=x", 'a"b'],
        ["-1.5", "'-1.5"],
        ["", "two\nlines"],
        ["True", "'@SUM(A1)"],
    ]


def test_short_times_are_precise() -> None:
    assert precise_duration(0.08634) == "0.0863 s"
    assert precise_duration(600.0) == "10 min"
