"""``imoca dashboard``: studies live in a browser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from imoca.cli.opening import DEFAULT_STUDY_FILE, is_study_file
from imoca.cli.output import say

DEFAULT_PORT = 8765
SHORTEST_TOKEN = 16  # characters
NEEDED = ("starlette", "uvicorn", "plotly")

Studies = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[STUDY]...",
        help="Databases, study files, or folders of databases; this folder unless given.",
        show_default=False,
    ),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")]
Host = Annotated[str, typer.Option(help="The address to listen on; needs a token if others can reach it.")]
Token = Annotated[
    str | None,
    typer.Option(help="What a browser must know to see a study.", envvar="IMOCA_DASHBOARD_TOKEN", show_default=False),
]


def dashboard(
    studies: Studies = None, port: Port = DEFAULT_PORT, host: Host = "127.0.0.1", token: Token = None
) -> None:
    """Watch studies live in a browser.

    The page is read-only: it changes no file and starts no simulator.
    """
    check_installed("The dashboard", NEEDED)
    # Read when NumPy is imported: models are no faster on several cores, and the study needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from imoca.dashboard.serve import serve
    from imoca.web.listening import listen, url_of
    from imoca.web.security import LOOPBACK, Access

    if host not in LOOPBACK and token is None:
        raise typer.BadParameter(f"With --host {host} others could read your studies: give a --token too.")
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise typer.BadParameter(f"The token has {len(token)} characters; give {SHORTEST_TOKEN} or more.")
    places, budgets = _places(studies or [Path()])
    listening = listen(host, port)
    secret = "" if token is None else "#token=..."
    say(f"Open {url_of(host, listening)}/{secret} in a browser; Ctrl-C ends it.")
    serve(places, Access(host, token), listening, budgets)


def check_installed(what: str, needed: Sequence[str]) -> None:
    from imoca.errors import MissingPackageError

    if missing := [name for name in needed if find_spec(name) is None]:
        raise MissingPackageError(
            f"{what} needs {', '.join(missing)}, not installed here.", hint="pip install 'imoca[dashboard]'"
        )


def _places(given: list[Path]) -> tuple[list[Path], dict[Path, float | str]]:
    """Databases and folders of them, and the budgets that study files tell, also one that lies in a folder."""
    from imoca.errors import ImocaError
    from imoca.studyfile.file import load_study_file

    places, budgets = [], {}
    for path in given:
        is_named = is_study_file(path)
        file_path = path if is_named else path / DEFAULT_STUDY_FILE
        file = None
        if is_named or file_path.is_file():
            try:
                file = load_study_file(file_path)
            except ImocaError:
                if is_named:
                    raise
        if file is not None and file.settings.budget is not None:
            budgets[file.database] = file.settings.budget
        places.append(file.database if is_named and file is not None else path)
    return places, budgets
