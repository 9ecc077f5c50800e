from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.studyfile.problem import problem_from_toml


def test_the_problem_is_shown_and_nothing_is_made(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("check")
    assert answer.code == 0
    assert "skin       choice   al, cfrp" in answer.out
    assert "  output    drag, to minimize" in answer.out
    assert "  fidelity  0.1 to 1; full accuracy at 1.0" in answer.out or "full accuracy at 1" in answer.out
    assert "toy_simulators:cfd" in answer.out
    assert "in order" in answer.err
    assert sorted(path.name for path in toy.iterdir()) == ["study.toml", "toy_simulators.py"]


def test_json_holds_the_settings_and_the_problem(imoca: CommandLine, toy: Path) -> None:
    content = imoca("check", "study.toml", "--json").json
    assert content["settings"]["budget"] == 3.0
    assert content["database"] == "toy.db"
    problem = problem_from_toml((toy / "study.toml").read_text(encoding="utf-8"))
    assert list(content["problem"]["parameters"]) == list(problem.space.names)
    assert content["problem"]["simulators"]["cfd"]["function"] == "toy_simulators:cfd"


def test_what_is_declared_of_an_output_is_shown(imoca: CommandLine, toy: Path) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8")
    declared = 'drag = { goal = "minimize", low = 0, high = 2.5, log = false }, lift = { goal = "maximize", high = 9 }'
    text = text.replace('drag = "minimize", lift = "maximize"', declared)
    text = text.replace('mass = "minimize"', 'mass = { goal = "minimize", log = true }')
    (toy / "study.toml").write_text(text, encoding="utf-8")
    answer = imoca("check")
    assert answer.code == 0, answer.err
    assert "  output    drag, to minimize; at least 0 and at most 2.5; never modelled as its logarithm\n" in answer.out
    assert "  output    lift, to maximize; at most 9\n" in answer.out
    assert "  output    mass, to minimize; modelled as its logarithm\n" in answer.out
    outputs = imoca("check", "--json").json["problem"]["simulators"]["cfd"]["outputs"]
    assert outputs == {
        "drag": {"goal": "minimize", "low": 0.0, "high": 2.5, "log": False},
        "lift": {"goal": "maximize", "high": 9.0},
    }


@pytest.mark.parametrize(
    ("old", "new", "culprit"),
    [
        ("budget = 3.0", "budgt = 3.0", "study.budgt is not a known key; the known ones here are name, method"),
        ("low = 0.0", "low = 9.0", "parameters.x: Parameter 'x': low = 9.0"),
        ('method = "random"', 'method = "anneal"', "study: Unknown method 'anneal'. Choose one of imoca-p"),
        ("[parameters]", "[parameters", "not valid TOML"),
    ],
)
def test_a_fault_names_file_key_and_remedy(imoca: CommandLine, toy: Path, old: str, new: str, culprit: str) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8")
    (toy / "study.toml").write_text(text.replace(old, new), encoding="utf-8")
    answer = imoca("check")
    assert answer.code == 3
    assert answer.out == ""
    assert "study.toml: " in answer.err
    assert culprit in answer.err


def test_a_missing_file_names_those_that_are_there(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("check", "stduy.toml")
    assert answer.code == 3
    assert "stduy.toml" in answer.err
    assert "study.toml" in answer.err.replace("stduy.toml", "")


def edit(toy: Path, old: str, new: str) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8")
    assert old in text
    (toy / "study.toml").write_text(text.replace(old, new), encoding="utf-8")


def test_a_missing_limit_is_warned_of(imoca: CommandLine, toy: Path) -> None:
    edit(toy, "budget = 3.0", "")
    answer = imoca("check", "--json")
    assert answer.code == 0
    (warning,) = answer.json["warnings"]
    assert "--budget" in warning


def test_a_program_that_is_not_there_is_an_error_unless_it_runs_elsewhere(imoca: CommandLine, toy: Path) -> None:
    edit(toy, 'function = "toy_simulators:cfd"', 'command = ["./cfd.sh"]')
    answer = imoca("check")
    assert answer.code == 3
    assert "Simulator 'cfd': the program './cfd.sh' is not there." in answer.err
    assert imoca("check", "--elsewhere").code == 0
    (toy / "cfd.sh").touch()
    assert "may not be executed" in imoca("check").err
    (toy / "cfd.sh").chmod(0o755)
    assert imoca("check").code == 0


@pytest.mark.parametrize("verb", ["check", "run"])
@pytest.mark.parametrize(
    ("new", "culprit"),
    [
        (
            'command = ["sh", "--skin={skim}"]',
            "its command has {skim}, which nothing fills in.\n  Did you mean {skin}?",
        ),
        ('function = "toy_simulators:cdf"', "Function 'toy_simulators:cdf' cannot be imported"),
        ('function = "toy_simulators:scale"', "its function scale(x, n, skin) takes no 'z'."),
    ],
)
def test_a_simulator_that_cannot_be_run_is_an_error_before_anything_is(
    imoca: CommandLine, toy: Path, verb: str, new: str, culprit: str
) -> None:
    edit(toy, 'function = "toy_simulators:cfd"', new)
    answer = imoca(verb)
    assert answer.code == 3
    assert culprit in answer.err
    assert answer.out == ""
    assert "trial 0" not in answer.err


def test_a_method_that_does_not_know_constraints_is_refused_before_anything_runs(imoca: CommandLine, toy: Path) -> None:
    path = toy / "study.toml"
    with path.open("a", encoding="utf-8") as file:
        file.write('[constraints]\nstress = { simulator = "cfd", upper = 240.0 }\n')
    assert "stress, at most 240" in imoca("check").out
    path.write_text(path.read_text(encoding="utf-8").replace("random", "sur"), encoding="utf-8")
    answer = imoca("check")
    assert answer.code == 2
    assert "'sur' does not know constraints, but the problem has 'stress'" in answer.err


def test_an_edited_file_is_compared_with_what_is_stored(imoca: CommandLine, toy_with_results: Path) -> None:
    assert "holds 4 trials" in imoca("check").err
    text = (toy_with_results / "study.toml").read_text(encoding="utf-8")
    (toy_with_results / "study.toml").write_text(text.replace("high = 4", "high = 5"), encoding="utf-8")
    answer = imoca("check")
    assert answer.code == 3
    assert "parameters.n.high: was 4, now is 5" in answer.err


def test_a_database_is_checked_too(imoca: CommandLine, toy_with_results: Path) -> None:
    answer = imoca("check", "toy.db", "--json")
    assert answer.json == {"database": "toy.db", "trials": 4, "warnings": []}
