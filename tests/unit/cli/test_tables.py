import io

import pytest
from rich.cells import cell_len

from imoca.cli.tables import Column, print_table, table_lines

COLUMNS = [
    Column("[red]name[/red]"),
    *(Column(f"parameter{i}", is_number=True) for i in range(9)),
    Column("drag", "min", is_number=True),
]
ROWS = [["\x1b[31m$(x)\n", *(f"{i}.5" for i in range(9)), "1.25"], ["[bold]b", *("7" * 9), "-3"]]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    file = Terminal()
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "300", **environment}.items():
        monkeypatch.setenv(name, value)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", file)
        print_table(COLUMNS, ROWS)
    return file.getvalue()


@pytest.mark.parametrize("width", [80, 120, 200])
def test_a_table_fits_the_terminal_whole(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_a_terminal(monkeypatch, COLUMNS=str(width), NO_COLOR="1")
    assert all(len(line) <= width for line in shown.splitlines())
    assert all(f"parameter{i}" in shown for i in range(9))
    assert all(f"{i}.5" in shown for i in range(9))
    assert ("drag (min)" in shown) == (width < 200)  # turned, a note stands beside its title and not below it


def test_side_by_side_columns_have_their_notes_below_their_titles() -> None:
    columns = [Column("design"), Column("mass [kg]", "min", is_number=True), Column("stress", "at most 240")]
    lines = list(table_lines(columns, [["F1", "1.25", "200"]], 40))
    assert [line.text for line in lines] == [
        "design  mass [kg]  stress",
        "              min  at most 240",
        "F1           1.25  200",
    ]
    assert [line.is_heading for line in lines] == [True, True, False]


def test_a_table_that_is_too_wide_is_turned_in_blocks() -> None:
    columns = [Column("design"), Column("mass", "min", is_number=True), Column("skin"), Column("taper")]
    rows = [["F1", "1.25", "al", "0.1"], ["F2", "13.5", "cfrp", "0.2"], ["F3", "2", "steel", "1"]]
    assert [line.text for line in table_lines(columns, rows, 22)] == [
        "design        F1    F2",
        "mass (min)  1.25  13.5",
        "skin          al  cfrp",
        "taper        0.1   0.2",
        "",
        "design         F3",
        "mass (min)      2",
        "skin        steel",
        "taper           1",
    ]


@pytest.mark.parametrize("width", [30, 40, 80])
def test_wide_letters_and_long_texts_stay_within_the_width(width: int) -> None:
    columns = [Column("揚力" * 30), Column("x" * 50, "at most 3"), Column("y")]
    lines = list(table_lines(columns, [["抗力" * 40, "1", "text " * 40], ["b", "2", "c"]], width))
    assert max(cell_len(line.text) for line in lines) <= max(width, 8 + 2 + 32)
    assert len(lines) == 7 if width < 80 else 3


def test_names_and_values_are_text_on_a_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_a_terminal(monkeypatch)
    assert "[red]name[/red]" in shown
    assert "[bold]b" in shown
    assert "\\x1b[31m$(x)\\n" in shown
    assert "\x1b[31m" not in shown
    assert "\x1b[" in shown  # our own, for the header


def test_no_colour_means_no_escape_codes_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in shown_on_a_terminal(monkeypatch, NO_COLOR="1")


def test_a_pipe_gets_all_columns_aligned_and_plain(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_table([Column("名"), Column("x", is_number=True)], [["ab", "1.5"], ["longer", "-20"]])
    assert capsys.readouterr().out == "名        x\nab      1.5\nlonger  -20\n"
