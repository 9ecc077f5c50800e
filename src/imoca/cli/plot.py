"""``imoca plot``: one figure, as a page or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from imoca.cli.opening import StudyArgument, open_to_read
from imoca.cli.output import say

NAMES = (
    "front, parallel, slices, importance, convergence, fidelities, cost, trust, correlation, error, timeline, replay"
)


def plot(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {NAMES}.")],
    study: StudyArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="An .html page, or a .png, .pdf or .svg picture; <study>-<name>.html unless given.",
            show_default=False,
        ),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option("--design", metavar="ID", help="Of slices: an id of the front; the balanced design unless given."),
    ] = None,
) -> None:
    """Draw one figure of a study into a file.

    A page (.html) can be explored and needs no network; pictures (.png, .pdf, .svg) are for papers.
    """
    from imoca.files import write_whole
    from imoca.report.figures import backend_for, check_figure_name, figure_file

    figure_name = check_figure_name(name, design)
    if output is not None:
        backend_for(output)
    with open_to_read(study) as opened:
        path = output or Path(f"{opened.name}-{name}.html")
        write_whole(path, figure_file(opened.study.snapshot(), figure_name, path, design))
        say(f"The figure is in {path}.")
