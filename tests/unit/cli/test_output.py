import io

import pytest

from imoca.cli.output import Column, print_pairs, print_table

COLUMNS = [
    Column("[red]name[/red]"),
    *(Column(f"parameter{i}", is_number=True, is_optional=True) for i in range(9)),
    Column("drag", is_number=True),
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
def test_a_table_fits_the_terminal_and_says_what_was_left_out(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = shown_on_a_terminal(monkeypatch, COLUMNS=str(width), NO_COLOR="1")
    assert all(len(line) <= width for line in shown.splitlines())
    assert "1.25" in shown  # what is not optional stays
    message = capsys.readouterr().err
    hidden = [f"parameter{i}" for i in range(9) if f"parameter{i}" not in shown]
    assert all(name in message for name in hidden)
    assert bool(hidden) == (width < 200)


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


def test_pairs_are_aligned_and_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs([("a", "1"), ("b\x1b", "2\n3")])
    assert capsys.readouterr().out == "a      1\nb\\x1b  2\\n3\n"
