"""The command line, one file a verb; each imports what it needs when it runs. Other packages may add verbs."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated

import typer

from imoca import __version__
from imoca.cli.add import add
from imoca.cli.ask import ask
from imoca.cli.backup import backup
from imoca.cli.calibrate import calibrate
from imoca.cli.check import check
from imoca.cli.dashboard import dashboard
from imoca.cli.doctor import doctor
from imoca.cli.exits import errors_in_words, log_shown, printing_everywhere
from imoca.cli.export import export
from imoca.cli.fail import fail
from imoca.cli.front import front
from imoca.cli.init import init
from imoca.cli.plot import plot
from imoca.cli.report import report
from imoca.cli.run import run
from imoca.cli.schema import schema
from imoca.cli.serve import serve
from imoca.cli.show import show
from imoca.cli.status import status
from imoca.cli.tell import tell
from imoca.cli.verify import verify

logger = logging.getLogger(__name__)

DEBUG = "--debug"
ENTRY_POINTS = "imoca.commands"  # under which another package adds a verb

app = typer.Typer(
    help="Find the Pareto front of expensive simulators that each have their own accuracy knob and cost.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

for verb in (
    init,
    check,
    calibrate,
    run,
    status,
    front,
    verify,
    show,
    plot,
    report,
    export,
    backup,
    doctor,
    ask,
    tell,
    fail,
    add,
    schema,
    dashboard,
    serve,
):
    app.command()(verb)


def add_verbs(points: Iterable[EntryPoint]) -> None:
    """Verbs of other packages: a function is one verb, a Typer app a group of them; a broken one stops no other."""
    taken = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    for point in points:
        if point.name in taken:
            logger.warning("The verb %r of %s is left out: there is one already.", point.name, point.value)
            continue
        try:
            verb = point.load()
        except Exception as error:
            logger.warning("The verb %r of %s cannot be loaded: %s", point.name, point.value, error)
            continue
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=point.name)
        else:
            app.command(point.name)(verb)


@cache
def complete_app() -> typer.Typer:
    """With the verbs of other packages, which are looked for when a command is given."""
    add_verbs(entry_points(group=ENTRY_POINTS))
    return app


def print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"imoca {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=print_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show where an error came from, and all that is logged.")] = False,
) -> None:
    """Described here for the help; `main` takes it from anywhere on the line."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: an error we raise on purpose is a message, not a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    end = words.index("--") if "--" in words else len(words)
    is_debugging = DEBUG in words[:end]
    kept = [word for i, word in enumerate(words) if word != DEBUG or i > end]
    printing_everywhere()
    with log_shown(is_debugging), errors_in_words(is_debugging):
        complete_app()(args=kept, prog_name="imoca")
