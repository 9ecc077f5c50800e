import csv
import io
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import CommandLine

from imoca.cli.front import front_csv, say_what_is_doubted, spread, verified_first
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot.recommendation import ParetoPoint
from imoca.study.from_file import open_study
from imoca.study.study import Study
from imoca.studyfile import load_study_file


@pytest.fixture
def toy_with_front(imoca: CommandLine, toy: Path) -> Path:
    answer = imoca("run", "--budget", "6")
    assert answer.code == 0, answer.err
    return toy


@pytest.mark.slow
def test_the_front_is_that_of_the_study_in_every_form(
    imoca: CommandLine, toy_with_front: Path, until_the_end: ExitStack
) -> None:
    front = until_the_end.enter_context(Study.load(toy_with_front / "toy.db", read_only=True)).pareto_front()
    content = imoca("front", "--json").json
    assert content["objectives"] == {"drag": "minimize", "lift": "maximize", "mass": "minimize"}
    assert [point["parameters"] for point in content["points"]] == [dict(point.parameters) for point in front]
    assert [point["predicted"] for point in content["points"]] == [dict(point.predicted) for point in front]
    assert [point["verified"] for point in content["points"]] == [point.verified for point in front]
    rows = list(csv.DictReader(io.StringIO(imoca("front", "--csv").out)))
    assert [float(row["x"]) for row in rows] == [point.parameters["x"] for point in front]
    assert [float(row["uncertainty.drag"]) for row in rows] == [point.uncertainty["drag"] for point in front]
    assert [point["id"] for point in imoca("front", "--json", "--top", "2").json["points"]] == [
        point.id for point in verified_first(front, 2)
    ]
    assert imoca("front", "--all", "--top", "2").code == 2
    table = imoca("front")
    assert len(table.out.splitlines()) == len(front) + 1
    assert f"{len(front)} designs" in table.err


def test_without_results_there_is_no_front_and_no_error(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("front")
    assert (answer.code, answer.out) == (0, "")
    assert "imoca run" in answer.err
    assert imoca("front", "--json").json["points"] == []
    assert imoca("front", "--csv").out.startswith("id,x,n,skin,predicted.drag")
    assert imoca("front", "--csv", "--json").code == 2


def test_a_long_front_is_thinned_from_end_to_end() -> None:
    assert spread(list(range(200)), 5) == [0, 50, 100, 149, 199]
    assert spread([1, 2], 5) == [1, 2]
    assert spread([1, 2, 3], 1) == [1]
    assert spread([1, 2, 3], 0) == []


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (1, "1 more was recommended before and is not surely worse (earlier)."),
        (2, "2 more were recommended before and are not surely worse (earlier)."),
    ],
)
def test_earlier_designs_are_counted_in_words(n: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    earlier = ParetoPoint({"x": 0}, {"f": 0.0}, {"f": 1.0}, None, is_earlier=True)
    snapshot: Any = SimpleNamespace(front=[earlier] * n, set_aside_words=())
    say_what_is_doubted(snapshot)
    assert said in capsys.readouterr().err


def test_verified_designs_come_first_then_predicted_ones_from_end_to_end_then_earlier_ones() -> None:
    def point(i: int, is_verified: bool = False, is_earlier: bool = False) -> ParetoPoint:
        return ParetoPoint({"x": i}, {"f": 0.0}, {"f": 1.0}, {"f": 0.0} if is_verified else None, is_earlier=is_earlier)

    points = [*(point(i, is_verified=i in (4, 7)) for i in range(10)), point(10, is_earlier=True)]
    assert [p.parameters["x"] for p in verified_first(points, 5)] == [4, 7, 0, 5, 9]
    assert [p.parameters["x"] for p in verified_first(points, 1)] == [4]
    assert [p.parameters["x"] for p in verified_first(points, 99)] == [4, 7, 0, 1, 2, 3, 5, 6, 8, 9, 10]


@pytest.fixture
def toy_with_a_limit(imoca: CommandLine, toy: Path) -> Path:
    """Lift is no objective any more, but must be at least 1."""
    path = toy / "study.toml"
    text = path.read_text(encoding="utf-8").replace(', lift = "maximize"', "")
    path.write_text(f'{text}\n[constraints]\nlift = {{ simulator = "cfd", lower = 1.0 }}\n', encoding="utf-8")
    answer = imoca("run", "--budget", "8")
    assert answer.code == 0, answer.err
    return toy


@pytest.mark.slow
def test_constraints_are_shown_with_their_bounds_and_the_probability_that_they_hold(
    imoca: CommandLine, toy_with_a_limit: Path
) -> None:
    content = imoca("front", "--json").json
    assert content["constraints"] == {"lift": {"lower": 1.0, "upper": None}}
    assert content["points"]
    for point in content["points"]:
        assert 0.0 <= point["feasibility"] <= 1.0
        assert point["parameters"]["n"] - point["parameters"]["x"] >= 0.9  # which is the lift
        assert not point["verified"] or (point["feasibility"] == 1.0 and point["measured"]["lift"] >= 1.0)
    rows = list(csv.DictReader(io.StringIO(imoca("front", "--csv").out)))
    assert [float(row["feasibility"]) for row in rows] == [point["feasibility"] for point in content["points"]]
    assert [float(row["predicted.lift"]) for row in rows] == [point["predicted"]["lift"] for point in content["points"]]
    title = imoca("front").out.splitlines()[0]
    assert "lift (at least 1)" in title
    assert "feasible" in title
    assert imoca("report", "-o", "report.html").code == 0
    page = (toy_with_a_limit / "report.html").read_text(encoding="utf-8")
    assert "lift (at least 1)" in page
    assert "feasible with probability" in page
    assert "such that lift is at least 1" in page
    assert "drag" in imoca("export").out.splitlines()[0]
    assert "lift" in imoca("export").out.splitlines()[0]


@pytest.mark.slow
def test_without_a_feasible_design_the_front_is_empty_and_says_why(imoca: CommandLine, toy: Path) -> None:
    path = toy / "study.toml"
    text = path.read_text(encoding="utf-8").replace(', lift = "maximize"', "")
    path.write_text(f'{text}\n[constraints]\nlift = {{ simulator = "cfd", lower = 99.0 }}\n', encoding="utf-8")
    assert imoca("run", "--budget", "8").code == 0
    answer = imoca("front")
    assert (answer.code, answer.out) == (0, "")
    assert "no design is likely to satisfy all constraints" in answer.err
    assert imoca("report", "-o", "report.html").code == 0


def test_a_parameter_called_id_does_not_hide_the_ids_of_designs() -> None:
    problem = Problem([Real("id", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])
    point = ParetoPoint({"id": 0.25}, {"f": 1.0}, {"f": 0.5}, None)
    row = next(csv.DictReader(io.StringIO(front_csv(problem, [point]))))
    assert (row["design.id"], row["id"]) == (point.id, "0.25")


def test_where_all_runs_failed_the_front_says_what_is_to_be_mended(imoca: CommandLine, toy: Path) -> None:
    file = load_study_file(toy / "study.toml")
    with open_study(file, storage=file.database) as study:
        for _ in range(5):
            study.fail(study.ask(), "mesh exploded")
    answer = imoca("front")
    assert "holds no results" in answer.err
    assert "mend simulator 'cfd', which failed in all of its first 5 runs: imoca show 4" in answer.err
    assert "mend simulator 'cfd'" in imoca("status").out
