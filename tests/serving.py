"""A small study behind its server, without a network, names that try to break out, and a real server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from imoca import Choice, Fidelity, Integer, Objective, Problem, Real, Simulator

HOSTILE = "<script>\"'\n\x1b[31m../${x}{{y}} \u202e"
TOKEN = "correct horse battery"  # noqa: S105
MASS = f"mass {HOSTILE}"


def make_problem() -> Problem:
    levels = Fidelity.levels([f"beam {HOSTILE}", "solid"])
    return Problem(
        [Real(f"x {HOSTILE}", 0.0, 1.0, unit="mm"), Integer("n", 1, 4), Choice("skin", ["al", "cfrp"])],
        [
            Simulator(
                "cfd",
                [Objective("drag", "minimize"), Objective("lift", "maximize")],
                fidelity=Fidelity.continuous(0.1, 1.0),
                cost="0.1 + z",
            ),
            Simulator("scale", [Objective(MASS, "minimize")], fidelity=levels, cost="measured"),
        ],
    )


class Client(TestClient):
    """Reads answers, and sees to it that they are the expected ones."""

    def post_json(self, path: str, content: Any, status: int = 200) -> Any:
        response = self.post(path, json=content)
        assert response.status_code == status, response.text
        return response.json()

    def ask(self, worker: str = "node-1") -> Any:
        return self.post_json("/ask", {"worker": worker})


@contextmanager
def served(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """``imoca serve`` in a folder that holds a study file, once it listens; killed in the end if it still runs."""
    code = "from imoca.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", "--port", "0"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline()
            assert " is served at http://127.0.0.1:" in first, first + process.stderr.read()
            yield process
        finally:
            process.kill()
