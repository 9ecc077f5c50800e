"""A study with names that try to break out, and the page that shows it, without a network."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.dashboard.app import make_app
from imoca.problem.fidelity import Levels
from imoca.web.security import Access

HOSTILE = "<script>alert(1)</script>\"'&amp;\n\x1b[31m../../etc/passwd ${x} {{y}} =1+1 \u202e"


def hostile_problem() -> Problem:
    left = [Objective(f"l {HOSTILE}", "minimize")]
    levels = Fidelity.levels([f"low {HOSTILE}", "high"])
    return Problem(
        [Real(f"x {HOSTILE}", 0, 1), Real("y", 0, 1)],
        [
            Simulator(f"left {HOSTILE}", left, None, fidelity=Fidelity.continuous(), cost="0.1 + z"),
            Simulator("right", [Objective("r", "maximize")], None, fidelity=levels, cost=[1, 4]),
        ],
    )


def fill(study: Study, n: int) -> None:
    """Trials complete, half failed, failed and running, in turn."""
    left, right = study.problem.simulators
    x, y = study.problem.space.names
    levels = right.fidelity
    assert isinstance(levels, Levels)
    for i in range(n):
        share = (i + 1) / (n + 1)
        fidelities = {left.name: share, right.name: levels.values[i % 2]}
        study.add({x: share, y: 1 - share}, fidelities, {left.outputs[0].name: share**2, "r": 1.0 - share})
    asked = study.ask()
    study.tell(asked, {"r": 0.5}, failures={left.name: f"mesh exploded {HOSTILE}"})
    study.fail(study.ask(), HOSTILE)
    study.ask()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "hostile <b>'.db"
    with Study(hostile_problem(), method="random", storage=path) as study:
        fill(study, 6)
    return path


@pytest.fixture
def open_page(until_the_end: ExitStack) -> Callable[..., TestClient]:
    """A browser's view of databases; errors of the server become its answer 500."""

    def opened(places: Sequence[Path], access: Access | None = None) -> TestClient:
        app = make_app(places, access or Access(), is_closing=lambda: True)
        client = TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False)
        return until_the_end.enter_context(client)

    return opened


@pytest.fixture
def page(open_page: Callable[..., TestClient], database: Path) -> TestClient:
    return open_page([database])


@pytest.fixture
def study_path(page: TestClient) -> str:
    studies: list[dict[str, Any]] = page.get("/api/studies").json()["studies"]
    return f"/api/studies/{studies[0]['id']}"
