import csv
import io
import json
from contextlib import ExitStack
from pathlib import Path

from command_line import CommandLine

from imoca.study.study import Study


def test_json_and_csv_hold_every_trial_to_the_last_digit(
    imoca: CommandLine, toy_with_results: Path, until_the_end: ExitStack
) -> None:
    trials = until_the_end.enter_context(Study.load(toy_with_results / "toy.db", read_only=True)).trials
    records = imoca("export", "--json").json
    assert [record["parameters"] for record in records] == [trial.parameters for trial in trials]
    assert [record["values"] for record in records] == [trial.values for trial in trials]
    assert [record["failures"] for record in records] == [trial.failures for trial in trials]
    rows = list(csv.DictReader(io.StringIO(imoca("export").out)))
    assert [float(row["x"]) for row in rows] == [trial.parameters["x"] for trial in trials]
    assert [row["state"] for row in rows] == ["complete", "complete", "failed", "running"]
    assert [row["drag"] for row in rows] == ["2.25", "3.5", "", ""]
    assert rows[1]["failure.scale"] == "\\x1b[31mno <script>\nbalance"


def test_a_file_is_written_whole_in_the_form_of_its_name(imoca: CommandLine, toy_with_results: Path) -> None:
    for name in ("t.json", "t.csv"):
        answer = imoca("export", "-o", name)
        assert (answer.code, answer.out) == (0, "")
        assert name in answer.err
    assert json.loads((toy_with_results / "t.json").read_text(encoding="utf-8")) == imoca("export", "--json").json
    assert (toy_with_results / "t.csv").read_text(encoding="utf-8") == imoca("export", "--csv").out
    assert not [path for path in toy_with_results.iterdir() if path.name.startswith(".")]


def test_a_place_that_cannot_be_written_is_named(imoca: CommandLine, toy_with_results: Path) -> None:
    answer = imoca("export", "-o", "no/such/folder/t.csv")
    assert answer.code == 5
    assert "no/such/folder/t.csv" in answer.err


def test_two_forms_at_once_are_refused(imoca: CommandLine, toy_with_results: Path) -> None:
    assert imoca("export", "--json", "--csv").code == 2


def test_a_form_that_cannot_be_written_is_refused(imoca: CommandLine, toy_with_results: Path) -> None:
    answer = imoca("export", "-o", "t.xlsx")
    assert answer.code == 2
    assert ".csv" in answer.err
    assert not (toy_with_results / "t.xlsx").exists()
