"""Verbs that other packages add."""

import logging
from importlib.metadata import EntryPoint

import pytest
import typer

from imoca import cli

group = typer.Typer()


@group.command()
def inner() -> None:
    """One of a group."""
    print("from a group")


@group.command()
def other() -> None:
    """Another of it."""


def lonely() -> None:
    """A verb alone."""
    print("alone")


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "app", typer.Typer())
    monkeypatch.setattr(cli, "complete_app", lambda: cli.app)
    addresses = {"broken": "no_such_package:verb", "lonely": f"{__name__}:lonely", "group": f"{__name__}:group"}
    cli.add_verbs(EntryPoint(name, address, cli.ENTRY_POINTS) for name, address in addresses.items())


@pytest.mark.parametrize(("words", "printed"), [(["lonely"], "alone"), (["group", "inner"], "from a group")])
@pytest.mark.usefixtures("added")
def test_a_function_is_a_verb_and_an_app_a_group(
    words: list[str], printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip() == printed


def test_a_broken_one_is_named_in_the_log_and_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cli, "app", typer.Typer())
    with caplog.at_level(logging.WARNING):
        cli.add_verbs([EntryPoint("broken", "no_such_package:verb", cli.ENTRY_POINTS)])
    assert "no_such_package" in caplog.text


def test_a_verb_of_our_own_cannot_be_taken(caplog: pytest.LogCaptureFixture) -> None:
    n_before = len(cli.app.registered_commands)
    with caplog.at_level(logging.WARNING):
        cli.add_verbs([EntryPoint("front", f"{__name__}:lonely", cli.ENTRY_POINTS)])
    assert len(cli.app.registered_commands) == n_before
    assert "there is one already" in caplog.text


def test_the_laboratory_adds_its_verbs() -> None:
    app = cli.complete_app()
    names = {each.name for each in app.registered_commands} | {each.name for each in app.registered_groups}
    assert {"demo", "bench"} <= names
