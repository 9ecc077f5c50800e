import json
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.study.study import Study


@pytest.fixture
def front(imoca: CommandLine, toy: Path) -> list[str]:
    """Ids of designs that were not run at full accuracy."""
    assert imoca("run").code == 0
    points = imoca("front", "--json").json["points"]
    return [point["id"] for point in points if not point["verified"] and not point["earlier"]]


def test_designs_are_run_and_shown_beside_what_was_predicted(imoca: CommandLine, front: list[str]) -> None:
    answer = imoca("verify", front[0])
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].split()[:4] == ["design", "trial", "output", "predicted"]
    assert [line.split()[0] for line in lines[1:]] == [front[0]] * 3
    assert "1 design was verified at full accuracy for a cost of" in answer.err
    content = imoca("verify", "study.toml", front[0], "--json").json  # nothing is run again
    (design,) = content["designs"]
    assert (design["id"], set(design["outputs"])) == (front[0], {"drag", "lift", "mass"})
    drag = design["outputs"]["drag"]
    assert drag["within"] == (drag["interval"][0] <= drag["measured"] <= drag["interval"][1])
    again = imoca("verify", front[0], "--again", "--json").json
    assert [each["trial"] for each in again["designs"]] == [design["trial"] + 1]
    assert again["known"] == []
    content = imoca("verify", front[0], "--json").json
    assert ([each["trial"] for each in content["designs"]], content["known"]) == (
        [design["trial"], design["trial"] + 1],
        [front[0]],
    )
    status = imoca("status", "--json").json
    assert status["cost_of_verification"] == pytest.approx(content["cost"])
    assert "of it to verify designs" in imoca("status").out
    shown = imoca("show", str(design["trial"]))
    assert "Predicted before it was run, and the 90 % interval" in shown.out
    assert json.loads(imoca("show", str(design["trial"]), "--json").out)["promised"]["drag"][0] == drag["predicted"]


def test_the_best_are_chosen_in_a_database_too(imoca: CommandLine, front: list[str], toy: Path) -> None:
    answer = imoca("verify", "toy.db", "--best", "2", "--json")
    assert len(answer.json["designs"]) == 2
    with Study.load(toy / "toy.db", read_only=True) as study:
        assert [trial.is_verification for trial in study.trials][-2:] == [True, True]


def test_as_many_are_chosen_as_the_budget_pays_for(imoca: CommandLine, front: list[str], toy: Path) -> None:
    with Study.load(toy / "toy.db", read_only=True) as study:
        spent, one = study.cost_spent, sum(each.full_cost for each in study.problem.simulators)
    answer = imoca("verify", "--budget", str(spent + 2.5 * one))
    assert answer.code == 0, answer.err
    assert "2 designs were verified" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name designs of the front"),
        (("--best", "2", "--budget", "30"), "or --budget 30"),
        (("--budget", "a lot"), "The budget is 'a lot'"),
        (("--budget", "0.1"), "does not pay for one more design"),
        (("study.toml",), "Name designs of the front"),
        (("F0000", "--best", "2"), "Name designs of the front"),
        (("--best", "2", "--again"), "Name the designs that are to be run again"),
        (("--best", "0"), "--best"),
        (("F3",), "There is no design 'F3' on the front"),
        (("nowhere.toml", "F3"), "There is no such file"),
    ],
)
def test_wrong_use_is_a_message_and_nothing_changes(
    imoca: CommandLine, front: list[str], toy: Path, words: tuple[str, ...], said: str
) -> None:
    before = imoca("export").out
    answer = imoca("verify", *words)
    assert answer.code in (2, 3)
    assert said in " ".join(answer.err.replace("│", " ").split())
    assert imoca("export").out == before


def test_before_anything_is_known_there_is_nothing_to_verify(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("verify", "--best", "2")
    assert answer.code == 2
    assert "There is nothing to verify" in answer.err
    assert "imoca run" in answer.err


def test_interrupted_it_says_how_to_go_on(
    imoca: CommandLine, front: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Study, *words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "verify", interrupted)
    answer = imoca("verify", "--best", "1")
    assert answer.code == 130
    assert "is taken up by the next imoca verify or imoca run" in answer.err
