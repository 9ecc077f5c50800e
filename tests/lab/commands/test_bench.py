"""The verb that shows the benchmark problems."""

import json

import pytest
from typer.testing import CliRunner

from imoca.errors import ProblemError
from imoca_lab import DESCRIPTIONS
from imoca_lab.commands.bench import app


def answer(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_every_problem_is_listed() -> None:
    assert json.loads(answer("problems", "--json")) == DESCRIPTIONS
    assert [line.split()[0] for line in answer("problems").splitlines()] == list(DESCRIPTIONS)


def test_the_table_shows_the_fidelities_asked_for_and_the_full_one() -> None:
    rows = json.loads(answer("problem", "momf_park", "--designs", "8", "--z", "0.5", "--json"))
    assert [(row["output"], row["fidelity"]) for row in rows] == [
        ("park1", 0.5),
        ("park2", 0.5),
        ("park1", 1.0),
        ("park2", 1.0),
    ]
    assert rows[0]["cost_ratio"] == pytest.approx(2.718281828**-2.4)
    printed = answer("problem", "momf_park", "--designs", "8", "--z", "0.5").splitlines()
    assert len(printed) == 2 + len(rows)


def test_random_designs_reach_a_growing_share() -> None:
    shares = json.loads(answer("random", "network_on_chip", "--designs", "5", "--designs", "50", "--json"))
    assert list(shares) == ["5", "50"]
    assert 0.5 < shares["5"] < shares["50"] < 1.0
    printed = answer("random", "network_on_chip", "--designs", "5", "--designs", "50").splitlines()
    assert printed[0].split()[-1] == f"{shares['5']:.1%}"


def test_an_option_the_problem_does_not_have_is_refused() -> None:
    with pytest.raises(ProblemError, match="cost"):
        answer("problem", "trap", "--cost", "wall")
