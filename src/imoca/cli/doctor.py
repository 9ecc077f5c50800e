"""``imoca doctor``: what is wrong with a database, and what can be saved of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imoca.cli.exits import STORAGE
from imoca.cli.opening import AsJson, StudyArgument, database_of
from imoca.cli.output import print_json, print_pairs, say

if TYPE_CHECKING:
    from imoca.storage.sqlite.doctor import Diagnosis, Mended

New = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="NEW", help="Save what can be saved into this file.", show_default=False),
]


def doctor(study: StudyArgument = None, output: New = None, as_json: AsJson = False) -> None:
    """Say what is wrong with a study's database, and save what can be saved.

    The database itself is never changed.
    """
    from imoca.storage.sqlite.doctor import examine, mend

    database = database_of(study)
    diagnosis = examine(database)
    mended = mend(database, output) if output is not None and diagnosis.faults else None
    if as_json:
        print_json(_content(database, diagnosis, mended))
    else:
        print_pairs(_lines(database, diagnosis))
    if mended is not None and output is not None:
        _say_what_was_saved(output, mended)
    elif not diagnosis.faults:
        say(f"{database} is sound." + (f" {output} was not written." if output is not None else ""))
    elif diagnosis.n_saved:
        say(f"With -o NEW.db, {diagnosis.n_saved} results are saved into a new file.")
    if diagnosis.faults and (mended is None or mended.n_missing):
        raise typer.Exit(STORAGE)


def _lines(database: Path, diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [
        ("database", str(database)),
        ("results", f"{diagnosis.n_acknowledged} acknowledged, {diagnosis.n_present} here"),
        *(("wrong", fault) for fault in diagnosis.faults),
        *(("note", remark) for remark in diagnosis.remarks),
    ]


def _say_what_was_saved(new: Path, mended: Mended) -> None:
    say(f"{new} holds {mended.n_trials} trials, {mended.n_answers} of them answered.")
    if mended.n_missing:
        say(f"{mended.n_missing} results that were acknowledged are lost.")
    if mended.renumbered:
        old, new_number = next(iter(mended.renumbered.items()))
        say(f"{len(mended.renumbered)} trials have another number: trial {old} became trial {new_number}, and so on.")


def _content(database: Path, diagnosis: Diagnosis, mended: Mended | None) -> dict[str, Any]:
    return {
        "database": str(database),
        **asdict(diagnosis),
        "mended": None if mended is None else asdict(mended),
    }
