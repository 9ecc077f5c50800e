"""F25: looking at a study imports nothing that its database names. F32: costs of any size are shown as numbers."""

import importlib
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from starlette.testclient import TestClient

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.dashboard.app import make_app
from imoca.errors import FigureError, ProblemError
from imoca.problem.simulator import FunctionReference
from imoca.report.figure_names import FIGURE_NAMES
from imoca.storage.sqlite.rows import checksum
from imoca.web.security import Access

MODULE = """
def cost(z, x):
    return 1.0 + z + x

def simulate(x, z):
    return {"f": x * z, "g": -x}
"""
TRAP = "import pathlib\npathlib.Path(__file__).with_name('INTRUDER').touch()\nraise SystemExit(9)\n"
N_TRIALS = 6


def make_problem(cost: Any) -> Problem:
    return Problem(
        [Real("x", 0.0, 1.0)],
        [
            Simulator(
                "s",
                [Objective("f", "minimize"), Objective("g", "minimize")],
                FunctionReference("foreign:simulate"),
                fidelity=Fidelity.continuous(0.5, 2.0),
                cost=cost,
            )
        ],
    )


def rewrite(database: Path, change: Callable[[str], str]) -> None:
    """Change the texts of the database as its author could: with sums that fit."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for (text,) in connection.execute("SELECT definition FROM study").fetchall():
            connection.execute("UPDATE study SET definition = ?, checksum = ?", (change(text), checksum(change(text))))
        for number, question, answer in connection.execute("SELECT number, question, answer FROM trials").fetchall():
            connection.execute(
                "UPDATE trials SET question = ?, checksum = ? WHERE number = ?",
                (change(question), checksum(number, change(question), answer), number),
            )


def without_stored_costs(text: str) -> str:
    content = json.loads(text)
    if "declared" in content:
        content["declared"] = {}
    return json.dumps(content)


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study by a cost function, whose module has become a trap since; it is where Python finds it."""
    (tmp_path / "foreign.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    database = tmp_path / "study.db"
    with Study(make_problem(importlib.import_module("foreign").cost), method="random", storage=database) as study:
        study.optimize(trials=N_TRIALS)
        study.tell(study.ask(), {"f": 0.5, "g": 0.5}, {"s": 7.0})
        study.add({"x": 0.5}, {"s": 2.0}, {"f": 1.0, "g": -0.5})
        (tmp_path / "spent").write_text(repr(study.cost_spent), encoding="utf-8")
    del sys.modules["foreign"]
    (tmp_path / "foreign.py").write_text(TRAP, encoding="utf-8")
    return database


@pytest.fixture
def imoca(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys, monkeypatch)


def view_all(imoca: CommandLine, database: Path) -> dict[str, Any]:
    """What every verb that looks shows; none of them fails."""
    name, shown = str(database), {}
    for words in (("status",), ("status", "--json"), ("front", "--json"), ("show", "0"), ("export",), ("check",)):
        verb, *options = words
        numbers = [word for word in options if word.isdecimal()]
        answer = imoca(verb, name, *numbers, *(word for word in options if word not in numbers))
        assert answer.code == 0, answer.err
        shown[" ".join(words)] = answer.out
    report = imoca("report", name, "-o", "report.html")
    assert report.code == 0, report.err
    shown["report"] = Path("report.html").read_text(encoding="utf-8")
    return shown


def test_a_study_whose_cost_function_is_not_here_is_viewed_with_the_costs_that_were_stored(
    imoca: CommandLine, foreign: Path, tmp_path: Path, until_the_end: ExitStack
) -> None:
    shown = view_all(imoca, foreign)
    spent = float((tmp_path / "spent").read_text(encoding="utf-8"))
    assert json.loads(shown["status --json"])["cost_spent"] == spent
    assert f"{spent:.4g} full-fidelity runs" in shown["status"]
    assert f"{spent:.3g}" in shown["report"]
    study = until_the_end.enter_context(Study.load(foreign, read_only=True))
    assert study.cost_spent == spent
    with pytest.raises(ProblemError, match="is not imported, for the study is only looked at"):
        study.ask()
    assert not (tmp_path / "INTRUDER").exists()
    assert "foreign" not in sys.modules


def test_by_hand_the_stored_costs_are_those_of_the_function(foreign: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(Study.load(foreign, read_only=True))
    unit = 3.0 + study.problem.spread_designs[:, 0].mean()  # a mean full run
    for trial in study.trials:
        x, z = float(trial.parameters["x"]), trial.fidelities["s"]
        assert isinstance(z, float)
        assert trial.declared["s"] == pytest.approx(((1.0 + z + x) / unit, unit))
    told, added = study.trials[N_TRIALS], study.trials[N_TRIALS + 1]
    spent = study.snapshot().bill.spent[:, 0]
    assert spent[told.number] == pytest.approx(7.0 / unit)
    assert spent[added.number] == pytest.approx(3.5 / unit)  # at full accuracy


def test_costs_that_were_not_stored_are_unknown_and_everything_else_is_shown(
    imoca: CommandLine, foreign: Path, tmp_path: Path, until_the_end: ExitStack
) -> None:
    rewrite(foreign, without_stored_costs)
    shown = view_all(imoca, foreign)
    assert json.loads(shown["status --json"])["cost_spent"] is None
    assert "unknown: a function tells what runs cost" in shown["status"]
    assert "What 8 of 8 trials cost is unknown here" in shown["report"]
    assert 'id="plot-front"' in shown["report"]
    assert 'id="plot-cost"' not in shown["report"]
    assert json.loads(shown["front --json"])["points"]
    study = until_the_end.enter_context(Study.load(foreign, read_only=True))
    for name in FIGURE_NAMES:
        is_about_cost = name in ("convergence", "cost", "correlation", "error", "replay")
        with pytest.raises(FigureError, match="unknown here") if is_about_cost else nullcontext():
            getattr(study.plot, name)()
    assert not (tmp_path / "INTRUDER").exists()


@pytest.mark.parametrize("is_stored", [True, False])
def test_the_page_imports_nothing_either(is_stored: bool, foreign: Path, tmp_path: Path) -> None:
    if not is_stored:
        rewrite(foreign, without_stored_costs)
    with TestClient(make_app([foreign], Access()), base_url="http://127.0.0.1") as page:
        (overview,) = page.get("/api/studies").json()["studies"]
        assert overview["fault"] is None
        assert (overview["cost_spent"] is not None) is is_stored
        place = f"/api/studies/{overview['id']}"
        for name in ("cost", "correlation", "convergence"):
            content = await_figure(page, place, name)
            assert ("unknown here" in content.get("fault", "")) is (not is_stored or name == "correlation")
    assert not (tmp_path / "INTRUDER").exists()


def await_figure(page: TestClient, place: str, name: str) -> Any:
    deadline = time.monotonic() + 120.0
    while (answer := page.get(f"{place}/figures/{name}")).status_code == 404:
        assert time.monotonic() < deadline
        page.get(place)
        time.sleep(0.05)
    return answer.json()


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["status", "front", "export", "check"])
def test_a_database_that_names_a_deadly_function_does_not_end_who_looks_at_it(verb: str, foreign: Path) -> None:
    rewrite(foreign, lambda text: without_stored_costs(text).replace("foreign:cost", "os:abort"))
    command = [sys.executable, "-c", "from imoca.cli import main; main()", verb, str(foreign)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_whoever_writes_to_a_study_may_call_its_cost_function(
    foreign: Path, tmp_path: Path, until_the_end: ExitStack
) -> None:
    rewrite(foreign, without_stored_costs)
    (tmp_path / "foreign.py").write_text(MODULE, encoding="utf-8")
    study = until_the_end.enter_context(Study.load(foreign))
    assert study.cost_spent == float((tmp_path / "spent").read_text(encoding="utf-8"))
    del sys.modules["foreign"]


# --- F32 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cost", ["z", "measured"])
@pytest.mark.parametrize("told", [(1e300, 1e-300), (1e308, 1e308), (1e-300, 1e-308), (1.0, 1e300)], ids=str)
def test_told_costs_of_any_size_are_shown_as_finite_numbers(
    told: tuple[float, float], cost: str, imoca: CommandLine, tmp_path: Path
) -> None:
    database = tmp_path / "study.db"
    with Study(make_problem(cost), method="random", storage=database) as study:
        for i in range(N_TRIALS):
            trial = study.ask()
            study.tell(trial, {"f": 0.1 * i, "g": -0.1 * i}, {"s": told[i % 2]})
        study.ask()
    shown = view_all(imoca, database)
    content = json.loads(shown["status --json"], parse_constant=pytest.fail)
    assert content["cost_spent"] >= 0.0
    assert content["simulators"]["s"]["cost"] > 0.0
    assert "Infinity" not in shown["report"].split('id="figure-data"')[1].split("</script>")[0]
    for name in FIGURE_NAMES:
        assert imoca("plot", name, str(database), "-o", "figure.png").code == 0
