import io

import pytest

from imoca.cli.output import print_pairs, say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pairs_are_aligned_and_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs([("a", "1"), ("b\x1b", "2\n3")])
    assert capsys.readouterr().out == "a      1\nb\\x1b  2\\n3\n"


def test_on_a_terminal_pairs_and_messages_are_wrapped_at_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out, err = Terminal(), Terminal()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        print_pairs([("settled", "no: the front has moved by a third of itself"), ("key", "1")])
        say("A message that needs more than forty columns.\n  imoca run a-file-with-a-long-name.toml --budget 30")
    assert out.getvalue() == ("settled  no: the front has moved by a\n         third of itself\nkey      1\n")
    assert err.getvalue() == (
        "A message that needs more than forty\ncolumns.\n  imoca run a-file-with-a-long-name.toml --budget 30\n"
    )


def test_a_command_at_the_end_of_a_line_stays_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "46")
    out = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", out)
        print_pairs(
            [("next", "run 3 designs at full accuracy: imoca verify beam.db --best 3"), ("then", "stop: imoca run")]
        )
    assert out.getvalue() == (
        "next  run 3 designs at full accuracy:\n      imoca verify beam.db --best 3\nthen  stop: imoca run\n"
    )
