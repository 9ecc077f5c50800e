"""What every case needs: the command line, a study to spoil, and what counts as a finding."""

from __future__ import annotations

import contextlib
import io
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from imoca import Choice, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.cli import main

UNEXPECTED = 1  # exit code of an error that nobody put into words
STUDY = """[study]
name = "toy"
method = "random"
seed = 3
budget = 3.0
time = "2h"
workers = 2
[parameters]
x = { type = "real", low = 0.1, high = 10.0, log = true }
n = { type = "integer", low = 1, high = 4 }
skin = { type = "choice", values = ["al", "cfrp", " =1"] }
[simulators.cfd]
command = ["./cfd.sh", "{params}", "--mesh", "{fidelity}"]
outputs = { drag = "minimize", lift = { goal = "maximize", low = -100.0 } }
fidelity = { low = 0.1, high = 1.0 }
cost = "0.1 + z**2 + 0.01 * x"
timeout = "15m"
retries = 1
[simulators.scale]
outputs = { mass = "minimize" }
fidelity = { levels = ["beam", "solid"] }
cost = [1.0, 4.0]
full_cost = 0.1
"""


class FindingError(Exception):
    """What is wrong, in a line."""


def expect(is_right: bool, what: str) -> None:
    if not is_right:
        raise FindingError(what)


def run_imoca(*words: str, stdin: str = "") -> tuple[int, str]:
    """Exit code and output of the command line; one that was not expected is a finding."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(stdin):
        try:
            main(words)
        except SystemExit as stopped:
            code = stopped.code or 0
    expect(code != UNEXPECTED, f"imoca {' '.join(words)} was surprised: {err.getvalue()[:300]}")
    expect(isinstance(code, int), f"imoca {' '.join(words)} ended with {code!r}")
    return int(str(code)), out.getvalue()


@contextlib.contextmanager
def _stdin(text: str) -> Iterator[None]:
    with mock.patch.object(sys, "stdin", io.StringIO(text)):
        yield


def toy_problem() -> Problem:
    return Problem(
        [Real("x", 0.1, 10.0, log=True), Integer("n", 1, 4), Choice("skin", ["al", "cfrp", " =1"])],
        [
            Simulator(
                "cfd",
                [Objective("drag", "minimize"), Objective("lift", "maximize")],
                fidelity=Fidelity.continuous(0.1, 1.0),
                cost="0.1 + z**2",
            ),
            Simulator("scale", [Objective("mass", "minimize")], cost="measured"),
        ],
    )


def fill(study: Study, n: int) -> None:
    """Answers of every kind."""
    for i in range(n):
        trial = study.ask()
        match i % 4:
            case 0 | 1:
                values = {"drag": math.sin(i), "lift": 1.0 / (1 + i), "mass": float(i)}
                study.tell(trial, values, {"scale": 0.5 + i})
            case 2:
                study.tell(trial, {"mass": float(i)}, {"scale": 2.0}, {"cfd": "the mesh exploded"})
            case 3:
                study.fail(trial, "the licence is gone")


def make_database(folder: Path, n: int = 8) -> Path:
    path = folder / "toy.db"
    with Study(toy_problem(), method="random", storage=path) as study:
        fill(study, n)
    return path
