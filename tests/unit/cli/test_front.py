import csv
import io
from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.cli.front import spread
from imoca.study.study import Study


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
