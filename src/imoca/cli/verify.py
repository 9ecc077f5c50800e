"""``imoca verify``: run designs of the front at full accuracy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.exits import INTERRUPTED
from imoca.cli.opening import AsJson, open_to_write
from imoca.cli.output import print_json, say
from imoca.cli.run import Budget, Dask, Slurm, Workers, checked_budget
from imoca.cli.tables import Column, print_table
from imoca.content.records import verification_record

if TYPE_CHECKING:
    from imoca.snapshot.verification import Verification

__all__ = ["print_verification", "verify"]

SUFFIXES = (".toml", ".db")

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[STUDY] [ID]...", help="Which designs, as imoca front calls them.", show_default=False),
]
Best = Annotated[
    int | None, typer.Option(min=1, help="Choose so many designs that are most worth it.", show_default=False)
]
Again = Annotated[bool, typer.Option("--again", help="Run them once more, to combine what scatters.")]


def verify(
    words: Words = None,
    best: Best = None,
    budget: Budget = None,
    again: Again = False,
    workers: Workers = None,
    dask: Dask = None,
    slurm: Slurm = None,
    as_json: AsJson = False,
) -> None:
    """Run designs of the front at full accuracy, and compare with what was predicted.

    For example: imoca verify F3A0 F17C, or imoca verify --best 4, or imoca verify --budget 30: as many as that pays
    for, what was spent before included. What was run there before is not run again, unless --again says so.
    """
    from imoca.problem.allowance import Allowance
    from imoca.snapshot.verification import in_simulator_time

    given, ids = _split(words or [])
    if sum((bool(ids), best is not None, budget is not None)) != 1:
        raise typer.BadParameter("Name designs of the front, such as F3A0, or give --best 4, or --budget 30.")
    if again and not ids:
        raise typer.BadParameter("Name the designs that are to be run again, such as F3A0.")
    to_spend = None if budget is None else checked_budget(budget, given)
    with open_to_write(given) as opened:
        if workers is None and opened.settings is not None:
            workers = opened.settings.workers
        sys.path.insert(0, str(opened.path.resolve().parent))  # a function beside the study file is found
        try:
            found = opened.study.verify(
                ids or None,
                n=best,
                budget=to_spend,
                again=again,
                workers=workers,
                dask=dask,
                slurm=slurm,
                progress=True,
            )
        except KeyboardInterrupt:
            say("Interrupted. What was begun and not finished is taken up by the next imoca verify or imoca run.")
            raise typer.Exit(INTERRUPTED) from None
        written = to_spend if to_spend is not None or opened.settings is None else opened.settings.budget
        if written is not None and Allowance.read(written).is_time:
            found = in_simulator_time(found, opened.study.table())
        if as_json:
            print_json(verification_record(found))
            return
        print_verification(found)
        say(found.summary)


def print_verification(found: Verification) -> None:
    from imoca.snapshot.verification import TITLES

    if found.designs:
        print_table(
            [Column(title, is_number=title in ("trial", "predicted", "measured")) for title in TITLES], found.rows
        )


def _split(words: list[str]) -> tuple[Path | None, list[str]]:
    """The study, if the first word names a file, and the ids after it."""
    if words and (Path(words[0]).suffix.lower() in SUFFIXES or Path(words[0]).exists()):
        return Path(words[0]), words[1:]
    return None, words
