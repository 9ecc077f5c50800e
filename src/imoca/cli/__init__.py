"""The command line, one file a verb; each imports what it needs when it runs."""

from __future__ import annotations

import sys

import typer

from imoca.cli.bench import app as bench_app
from imoca.cli.demo import demo
from imoca.errors import ImocaError

app = typer.Typer(
    help="Find the Pareto front of expensive simulators that each have their own accuracy knob and cost.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


app.command()(demo)
app.add_typer(bench_app, name="bench")


def main() -> None:
    """Entry point: an error we raise on purpose is a message, not a traceback."""
    try:
        app()
    except ImocaError as error:
        print(f"Error: {error.message}\n  {error.hint}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(130) from None
