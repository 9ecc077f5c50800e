import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.study.study import Study
from imoca.trials import Trial

CSV = """x,n,skin,fidelity.cfd,drag,lift,mass,cost.scale
0.5,2,al,1.0,1.5,-2,3,4
0.25,4.0,cfrp,0.1,2.5,1,,
"""


def trials(folder: Path) -> tuple[Trial, ...]:
    with Study.load(folder / "toy.db", read_only=True) as study:
        return study.trials


def test_old_results_from_csv(imoca: CommandLine, toy: Path) -> None:
    (toy / "old.csv").write_text(CSV, encoding="utf-8-sig")
    answer = imoca("add", "old.csv")
    assert answer.code == 0, answer.err
    first, second = trials(toy)
    assert first.parameters == {"x": 0.5, "n": 2, "skin": "al"}
    assert first.values == {"drag": 1.5, "lift": -2.0, "mass": 3.0}
    assert first.costs == {"scale": 4.0}
    assert second.fidelities == {"cfd": 0.1}
    assert second.failures == {}


def test_old_results_from_json_and_from_a_pipe(imoca: CommandLine, toy: Path) -> None:
    entry = {
        "parameters": {"x": 0.5, "n": 2, "skin": "al"},
        "fidelities": {"cfd": 1.0},
        "values": {"drag": 1, "lift": 2},
    }
    (toy / "old.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert imoca("add", "study.toml", "old.json").code == 0
    assert imoca("add", "-", stdin=CSV).code == 0
    assert [trial.values.get("drag") for trial in trials(toy)] == [1.0, 1.5, 2.5]


@pytest.mark.parametrize("name", ["trials.csv", "trials.json"])
def test_what_export_wrote_is_read_and_nothing_is_added_twice(
    imoca: CommandLine, toy_with_results: Path, name: str, until_the_end: ExitStack
) -> None:
    assert imoca("export", "-o", name).code == 0
    again = imoca("add", name)
    assert again.code == 0, again.err
    assert "0 of 4" in again.err
    assert len(trials(toy_with_results)) == 4
    text = (toy_with_results / "study.toml").read_text(encoding="utf-8")
    (toy_with_results / "copy.toml").write_text(text.replace('"toy"', '"copy"'), encoding="utf-8")
    answer = imoca("add", "copy.toml", name)
    assert answer.code == 0, answer.err
    copies = until_the_end.enter_context(Study.load(toy_with_results / "copy.db", read_only=True)).trials
    originals = [trial for trial in trials(toy_with_results) if trial.values]
    assert [trial.values for trial in copies] == [trial.values for trial in originals]
    assert [trial.parameters for trial in copies] == [trial.parameters for trial in originals]


@pytest.mark.parametrize("name", ["trials.csv", "trials.json"])
def test_standard_errors_go_out_and_come_in_and_others_of_the_same_result_are_refused(
    imoca: CommandLine, toy: Path, name: str, until_the_end: ExitStack
) -> None:
    (toy / "old.csv").write_text(CSV.replace(",mass,", ",mass,error.drag,").replace(",3,4", ",3,0.125,4")[:-1] + ",\n")
    answer = imoca("add", "old.csv")
    assert answer.code == 0, answer.err
    originals = trials(toy)
    assert [trial.errors for trial in originals] == [{"drag": 0.125}, {}]
    assert imoca("export", "-o", name).code == 0
    text = (toy / name).read_text(encoding="utf-8")
    assert "error.lift" not in text  # none was told
    assert "0 of 2" in imoca("add", name).err
    (toy / name).write_text(text.replace("0.125", "0.5"), encoding="utf-8")
    refused = imoca("add", name)
    assert refused.code == 2
    assert "1: trial 0 is the same result with other standard errors" in refused.err
    (toy / name).write_text(text.replace("0.125", "-0.5"), encoding="utf-8")
    assert "The standard error of output 'drag' came as -0.5" in imoca("add", name).err
    assert trials(toy) == originals
    study = (toy / "study.toml").read_text(encoding="utf-8")
    (toy / "copy.toml").write_text(study.replace('"toy"', '"copy"'), encoding="utf-8")
    (toy / name).write_text(text, encoding="utf-8")
    assert imoca("add", "copy.toml", name).code == 0
    copies = until_the_end.enter_context(Study.load(toy / "copy.db", read_only=True)).trials
    assert [trial.answer for trial in copies] == [trial.answer for trial in originals]


@pytest.mark.parametrize(
    ("old", "new", "culprit"),
    [
        ("0.25,4.0", "1.25,4.0", "Row 2: Parameter 'x': 1.25"),
        ("4.0,cfrp", "4.5,cfrp", "Row 2: Parameter 'n': 4.5"),
        ("cfrp", "wood", "Row 2: Parameter 'skin'"),
        ("0.25,4.0", "much,4.0", "Row 2: column 'x' holds 'much'"),
        (",2.5,1", ",inf,1", "Row 2: Output 'drag' came as inf"),
        (",0.1,", ",,", "Row 2: The fidelity of simulator 'cfd' is missing"),
        ("drag,", "drg,", "unknown columns ['drg']"),
        ("drag,", "lift,", "repeated columns ['lift']"),
        ("1,,", "1,,,", "Row 2 has 9 cells"),
    ],
)
def test_one_wrong_row_and_nothing_is_added(imoca: CommandLine, toy: Path, old: str, new: str, culprit: str) -> None:
    (toy / "old.csv").write_text(CSV.replace(old, new), encoding="utf-8")
    answer = imoca("add", "old.csv")
    assert answer.code == 2
    assert culprit in answer.err
    assert trials(toy) == ()


@pytest.mark.parametrize(
    ("content", "culprit"),
    [
        ("{", "not JSON"),
        ("{}", "not a list"),
        ("[3]", "Entry 1 is not a table"),
        ('[{"values": {"drag": 1}, "design": {}}]', "['design']"),
        ('[{"parameters": 3, "values": {"drag": 1}}]', "must be tables"),
        ('[{"values": {"drag": 1, "lift": 1}, "fidelities": {"cfd": 1}}]', "Entry 1: "),
    ],
)
def test_wrong_json_is_named(imoca: CommandLine, toy: Path, content: str, culprit: str) -> None:
    (toy / "old.json").write_text(content, encoding="utf-8")
    answer = imoca("add", "old.json")
    assert answer.code == 2
    assert culprit in answer.err


def test_a_file_that_cannot_be_read_is_named(imoca: CommandLine, toy: Path) -> None:
    (toy / "old.csv").write_bytes(b"\xff\xfe\xff")
    for name in ("gone.csv", "old.csv"):
        answer = imoca("add", name)
        assert answer.code == 2
        assert name in answer.err
