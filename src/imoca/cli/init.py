"""``imoca init``: a study to start from."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from imoca.cli.output import say
from imoca.cli.text import printable

NAMES = ("study.toml", "simulator.py")


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; made if missing.")] = Path(),
) -> None:
    """Write a study file and a toy simulator that run as is."""
    present = [name for name in NAMES if (folder / name).exists()]
    if present:
        where = "here" if folder == Path() else f"in {printable(str(folder))}"
        raise typer.BadParameter(f"There is a {' and a '.join(present)} {where} already; choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            text = files("imoca.cli").joinpath("template", name).read_text(encoding="utf-8")
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise typer.BadParameter(f"{printable(str(folder))} cannot be written: {error.strerror}.") from None
    say(f"Wrote {' and '.join(str(folder / name) for name in NAMES)}. Next:")
    enter = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    say(f"  {enter}imoca run\n  imoca front")
