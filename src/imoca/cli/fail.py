"""``imoca fail``: no simulator of a trial gave an answer."""

from __future__ import annotations

from typing import Annotated

import typer

from imoca.cli.opening import open_to_write, split_study, trial_number
from imoca.cli.output import say
from imoca.cli.tell import Costs, named_numbers

Words = Annotated[
    list[str],
    typer.Argument(metavar="[STUDY] NUMBER REASON", help="The trial, and what went wrong.", show_default=False),
]


def fail(words: Words, cost: Costs = None) -> None:
    """Tell that a trial failed.

    For example: imoca fail 3 "mesh exploded"
    """
    given, rest = split_study(words)
    number = trial_number(rest)
    reason = " ".join(rest[1:]).strip()
    if not reason:
        raise typer.BadParameter(f'Say what went wrong: imoca fail {number} "mesh exploded".')
    with open_to_write(given) as opened:
        simulators = [simulator.name for simulator in opened.study.problem.simulators]
        opened.study.fail(number, reason, cost=named_numbers(cost or [], simulators, "simulator"))
        say(f"Trial {number} is stored as failed in {opened.database}.")
