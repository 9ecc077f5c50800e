from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.cli.ask import print_questions
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca.study.study import Study
from imoca.trials.trial import Trial


def test_a_question_is_printed_to_its_last_digit_and_stored(
    imoca: CommandLine, toy: Path, until_the_end: ExitStack
) -> None:
    answer = imoca("ask", "--json")
    assert answer.code == 0
    trial = until_the_end.enter_context(Study.load(toy / "toy.db")).trials[0]
    assert answer.json["parameters"] == trial.parameters
    assert answer.json["fidelities"] == trial.fidelities
    assert (answer.json["number"], answer.json["state"]) == (0, "running")


def test_several_questions_are_a_list(imoca: CommandLine, toy: Path) -> None:
    assert [trial["number"] for trial in imoca("ask", "-n", "3", "--json").json] == [0, 1, 2]
    assert imoca("ask", "-n", "0").code == 2


def test_a_question_without_json_is_a_table_and_says_how_to_answer(
    imoca: CommandLine, toy: Path, until_the_end: ExitStack
) -> None:
    answer = imoca("ask", "study.toml")
    header, row = answer.out.splitlines()
    assert header.split()[:4] == ["trial", "x", "n", "skin"]
    trial = until_the_end.enter_context(Study.load(toy / "toy.db")).trials[0]
    assert repr(trial.parameters["x"]) in row
    assert "imoca tell 0 drag=..." in answer.err


def test_a_simulator_that_is_not_asked_is_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [Trial(3, {"x": 0.5}, {"cfd": 0.25, "scale": None}), Trial(4, {"x": 0.6}, {"scale": None})]
    mesh = Fidelity.continuous(0, 1, unit="cells")
    simulators = [
        Simulator("cfd", [Objective("drag", "minimize")], fidelity=mesh, cost="1 + z"),
        Simulator("scale", [Objective("mass", "minimize")]),
        Simulator("tunnel", [Objective("lift", "maximize")]),
    ]
    print_questions(asked, Problem([Real("x", 0, 1, unit="mm")], simulators))
    header, first, second = capsys.readouterr().out.splitlines()
    assert "tunnel" not in header
    assert "x [mm]  fidelity of cfd [cells]" in header
    assert first.split()[:3] == ["3", "0.5", "0.25"]
    assert second.split()[:4] == ["4", "0.6", "not", "asked"]


def test_a_cost_function_beside_the_study_is_found_and_its_cost_stored(
    imoca: CommandLine, toy: Path, until_the_end: ExitStack
) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8").replace('cost = "z"', 'cost = { function = "beside:cost" }')
    (toy / "study.toml").write_text(text, encoding="utf-8")
    (toy / "beside.py").write_text("def cost(z):\n    return 4.0 * z\n", encoding="utf-8")
    (toy / "old.csv").write_text("x,n,skin,fidelity.cfd,drag,lift\n0.5,2,al,0.5,1.5,-2\n", encoding="utf-8")
    assert imoca("ask").code == 0
    assert imoca("add", "old.csv").code == 0
    asked, added = until_the_end.enter_context(Study.load(toy / "toy.db", read_only=True)).trials
    assert asked.declared["cfd"][1] == added.declared["cfd"][1] == 4.0
    assert added.declared["cfd"][0] == 0.5
