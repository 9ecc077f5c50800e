"""``imoca backup``: a copy of a study, also while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from imoca.cli.opening import database_of
from imoca.cli.output import say

Words = Annotated[
    list[str],
    typer.Argument(metavar="[STUDY] FILE", help="The study, and the file that the copy becomes.", show_default=False),
]


def backup(words: Words) -> None:
    """Copy a study's database, at any time.

    For example: imoca backup study.toml monday.db. Copying the file by other means may miss what was told last.
    """
    if len(words) > 2:
        raise typer.BadParameter("Give the study, if it is not found by itself, and the file that the copy becomes.")
    from imoca.storage.sqlite.backup import back_up

    database = database_of(Path(words[0]) if len(words) == 2 else None)
    copy = Path(words[-1])
    n_answers = back_up(database, copy)
    say(f"{copy} holds a copy of {database}, with {n_answers} answered trials.")
