import json
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.study.study import Study
from imoca.studyfile.problem import problem_from_toml
from imoca.trials import Candidate, Trial


def stored(folder: Path, number: int) -> Trial:
    with Study.load(folder / "toy.db", read_only=True) as study:
        return study.trials[number]


def test_an_answer_in_words(imoca: CommandLine, toy: Path) -> None:
    imoca("ask")
    answer = imoca("tell", "0", "drag=-0.5", "lift=2e1", "mass=3", "--cost", "scale=4.5")
    assert answer.code == 0, answer.err
    assert stored(toy, 0).values == {"drag": -0.5, "lift": 20.0, "mass": 3.0}
    assert stored(toy, 0).costs == {"scale": 4.5}


def test_a_simulator_may_fail_alone(imoca: CommandLine, toy: Path) -> None:
    imoca("ask")
    words = ["drag=1", "lift=2", "--failed", "scale=no balance = no mass"]
    assert imoca("tell", "study.toml", "0", *words).code == 0
    assert stored(toy, 0).failures == {"scale": "no balance = no mass"}


@pytest.mark.parametrize("is_piped", [False, True])
def test_an_answer_in_json(imoca: CommandLine, toy: Path, is_piped: bool) -> None:
    imoca("ask")
    text = json.dumps({"values": {"drag": 1.5, "lift": 2, "mass": 1}, "cost": {"scale": 2}})
    answer = imoca("tell", "0", "--json", "-", stdin=text) if is_piped else imoca("tell", "0", "--json", text)
    assert answer.code == 0, answer.err
    assert stored(toy, 0).values == {"drag": 1.5, "lift": 2.0, "mass": 1.0}


def test_standard_errors_in_words_and_in_json(imoca: CommandLine, toy: Path) -> None:
    words = ["drag=1.5", "lift=2", "mass=1", "--cost", "scale=2", "--error", "drag=0.25", "--error", "mass=0"]
    text = json.dumps({"values": {"drag": 1.5, "lift": 2, "mass": 1}, "cost": {"scale": 2}, "errors": {"drag": 0.25}})
    for number, (told, errors) in enumerate([(words, {"drag": 0.25, "mass": 0.0}), (["--json", text], {"drag": 0.25})]):
        imoca("ask")
        answer = imoca("tell", str(number), *told)
        assert answer.code == 0, answer.err
        assert stored(toy, number).errors == errors
    other = imoca("tell", "0", *words[:6], "drag=0.3")
    assert other.code == 2
    assert "already has another answer" in other.err
    assert stored(toy, 0).errors["drag"] == 0.25
    assert "  drag  1.5 ± 0.25\n" in imoca("show", "0").out
    assert imoca("show", "1", "--json").json["errors"] == {"drag": 0.25}


def test_the_same_answer_again_is_fine_and_another_one_is_refused(imoca: CommandLine, toy: Path) -> None:
    imoca("ask")
    words = ["tell", "0", "drag=1", "lift=2", "mass=3", "--cost", "scale=4"]
    assert [imoca(*words).code, imoca(*words).code] == [0, 0]
    answer = imoca("tell", "0", "drag=9", "lift=2", "mass=3", "--cost", "scale=4")
    assert answer.code == 2
    assert stored(toy, 0).values["drag"] == 1.0


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        (["0", "drg=1"], "the outputs are drag, lift, mass"),
        (["0", "drag"], "'drag'"),
        (["0", "drag=much"], "'much'"),
        (["0", "drag=1", "drag=2"], "twice"),
        (["0", "drag=nan", "lift=1", "mass=1", "--cost", "scale=1"], "nan"),
        (["0", "drag=1", "lift=1", "mass=1"], "no cost was told"),
        (["0", "drag=1", "lift=1", "mass=1", "--cost", "scale=-1"], "-1.0"),
        (["0", "drag=1", "mass=1", "--cost", "scale=1"], "missing"),
        (["0", "--cost", "tunnel=1"], "the simulators are cfd, scale"),
        (["0", "drag=1", "lift=1", "mass=1", "--cost", "scale=1", "--error", "drag=-1"], "came as -1.0"),
        (["0", "drag=1", "lift=1", "mass=1", "--cost", "scale=1", "--error", "drag=nan"], "came as nan"),
        (["0", "drag=1", "lift=1", "mass=1", "--cost", "scale=1", "--error", "drg=1"], "the outputs are drag, lift"),
        (["0", "drag=1", "lift=1", "--error", "mass=1"], "of which no value was told"),
        (["0", "--error", "drag=1", "--json", "{}"], "not both"),
        (["0", "drag=1", "--json", "{}"], "not both"),
        (["0", "--json", "{"], "not JSON"),
        (["0", "--json", "[1]"], "values, cost, failures"),
        (["0", "--json", '{"drag": 1}'], "values, cost, failures"),
        (["0", "--json", '{"values": {"drag": "1", "lift": 1, "mass": 1}}'], "'1'"),
        (["7", "drag=1", "lift=1", "mass=1", "--cost", "scale=1"], "7"),
        (["study.toml"], "number of a trial"),
        (["study.toml", "first"], "first"),
    ],
)
def test_a_wrong_answer_is_refused_with_what_came_and_stores_nothing(
    imoca: CommandLine, toy: Path, words: list[str], culprit: str
) -> None:
    imoca("ask")
    answer = imoca("tell", *words)
    assert answer.code == 2
    assert culprit in " ".join(answer.err.replace("│", " ").split())
    assert stored(toy, 0).answer is None


def test_an_answer_of_a_simulator_that_was_not_asked_is_refused_and_the_rest_can_still_be_told(
    imoca: CommandLine, toy: Path
) -> None:
    imoca("ask")
    with Study.load(toy / "toy.db") as study:
        study.launch(Candidate(study.trials[0].parameters, {"scale": None}))
    for words in (["mass=3", "drag=1", "lift=2"], ["mass=3", "--failed", "cfd=no mesh"]):
        answer = imoca("tell", "1", *words, "--cost", "scale=4")
        assert answer.code == 2
        assert "'cfd', which this trial does not ask" in " ".join(answer.err.split())
        assert stored(toy, 1).answer is None
    assert imoca("tell", "1", "mass=3", "--cost", "scale=4").code == 0
    assert stored(toy, 1).values == {"mass": 3.0}


def test_an_answer_that_is_declared_impossible_is_refused(imoca: CommandLine, toy: Path) -> None:
    text = (toy / "study.toml").read_text(encoding="utf-8")
    text = text.replace('mass = "minimize"', 'mass = { goal = "minimize", low = 0 }')
    (toy / "study.toml").write_text(text, encoding="utf-8")
    imoca("ask")
    answer = imoca("tell", "0", "drag=1", "lift=1", "mass=-1", "--cost", "scale=1")
    assert answer.code == 2
    assert "Output 'mass' came as -1.0, which lies below its declared low = 0.0." in answer.err
    assert "correct low, high or log" in answer.err
    assert stored(toy, 0).answer is None
    assert imoca("tell", "0", "drag=1", "lift=1", "mass=0", "--cost", "scale=1").code == 0


def test_hostile_names_can_be_told_and_are_shown_as_text(imoca: CommandLine, folder: Path) -> None:
    name = '=a=b "c"\x1b[31m<script>$(x){y}'
    text = f"""
    [study]
    method = "random"
    [parameters]
    x = {{ type = "real", low = 0, high = 1 }}
    [simulators.s]
    outputs = {{ {json.dumps(name)} = "minimize", {json.dumps("=a")} = "maximize" }}
    """
    assert problem_from_toml(text).objectives[0].name == name
    (folder / "study.toml").write_text(text, encoding="utf-8")
    assert "\x1b" not in (asked := imoca("ask")).out + asked.err
    assert imoca("tell", "0", f"{name}=1.5", "=a=2").code == 0
    assert imoca("show", "0", "--json").json["values"] == {name: 1.5, "=a": 2.0}
    for words in (["show", "0"], ["status"], ["check"], ["export", "--csv"], ["export", "--json"], ["front", "--csv"]):
        answer = imoca(*words)
        assert answer.code == 0, answer.err
        assert "\x1b" not in answer.out + answer.err
    assert "'=a" in imoca("export").out.splitlines()[0]
