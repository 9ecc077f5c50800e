"""``imoca report``: the whole study in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.opening import StudyArgument, open_to_read
from imoca.cli.output import say

if TYPE_CHECKING:
    from imoca.cli.opening import Opened
    from imoca.report.page.contents import Introduction
    from imoca.snapshot.snapshot import Snapshot


def report(
    study: StudyArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write to this file; <study>-report.html unless given.", show_default=False
        ),
    ] = None,
) -> None:
    """Write one HTML file with the figures, the table of the front, and how to reproduce the study.

    It opens without a network and asks no other host for anything.
    """
    from imoca.files import write_whole
    from imoca.report.page.page import report_page

    with open_to_read(study) as opened:
        path = output or Path(f"{opened.name}-report.html")
        snapshot = opened.study.snapshot()
        write_whole(path, report_page(snapshot, introduction(opened, snapshot)))
        say(f"The report on {len(snapshot.trials)} trials is in {path}; open it in any browser.")


def introduction(opened: Opened, snapshot: Snapshot) -> Introduction:
    from imoca.report.page.contents import Introduction

    name, budget = opened.command_argument, None if opened.settings is None else opened.settings.budget
    commands = (
        ("Let the search go on:", f"imoca run{name} {snapshot.purse_for(budget).to_go_on()[0]}".rstrip()),
        ("See the front and how far it is:", f"imoca front{name}\nimoca status{name}"),
        ("Take every trial elsewhere:", f"imoca export{name} -o trials.csv"),
        ("Write this report anew:", f"imoca report{name}"),
    )
    return Introduction(opened.name, commands=commands, study=name, budget=budget)
