"""F34: input of every kind that is not as one thinks: an error in words, and nothing changed by it."""

import os
import sqlite3
import stat
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

from imoca import Choice, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.cli.text import from_spreadsheet_cell, spreadsheet_cell
from imoca.errors import CostError, ImocaError, MethodError, RunnerError, StorageError, StudyFileError, TrialError
from imoca.problem.simulator import Command
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.studyfile import problem_from_toml

DEEP = "[" * 100_000
MANY_DIGITS = "1" + "0" * 5000
HUGE = 10**5000
STUDY = """
[study]
method = "random"
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.s]
outputs = { f = "minimize" }
"""


@pytest.fixture
def imoca(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def study(until_the_end: ExitStack) -> Study:
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")])])
    return until_the_end.enter_context(Study(problem, method="random"))


BAD_JSON = [
    ('{"values": ' + DEEP, "nested too deeply"),
    ('{"values": {"f": ' + MANY_DIGITS + "}}", "a number of 5,001 digits"),
    ('{"values": {"f": 1, "f": 2}}', "the key 'f' stands there twice"),
    ('{"values": {"f": 1}, "values": {"f": 2}}', "the key 'values' stands there twice"),
    ('{"values": null}', "must hold tables"),
]


@pytest.mark.parametrize(("text", "words"), BAD_JSON, ids=lambda value: str(value)[:20])
def test_an_answer_as_bad_json_is_refused(text: str, words: str, imoca: CommandLine) -> None:
    assert imoca("ask").code == 0
    answer = imoca("tell", "0", "--json", "-", stdin=text)
    assert answer.code == 2
    assert words in " ".join(answer.err.replace("│", " ").split())
    assert imoca("export", "--json").json[0]["state"] == "running"


@pytest.mark.parametrize(("text", "words"), BAD_JSON[:4], ids=lambda value: str(value)[:20])
def test_old_results_as_bad_json_are_refused(text: str, words: str, imoca: CommandLine) -> None:
    Path("old.json").write_text(f"[{text}]", encoding="utf-8")
    answer = imoca("add", "old.json")
    assert answer.code == 2
    assert words in answer.err
    assert imoca("export").out.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DEEP, "nested too deeply"),
        ('{"f": ' + MANY_DIGITS + "}", "a number of 5,001 digits"),
        ('{"f": 1, "f": 2}', "the key 'f' stands there twice"),
        ('{"f": 1, "cost": 1, "cost": 2}', "the key 'cost' stands there twice"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_result_file_as_bad_json_is_a_failure(
    text: str, words: str, tmp_path: Path, until_the_end: ExitStack
) -> None:
    (tmp_path / "result.txt").write_text(text, encoding="utf-8")
    run = Command(["sh", "-c", 'cp "$0" result.json', "result.txt"])
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], run)])
    study = until_the_end.enter_context(Study(problem, method="random", storage=tmp_path / "study.db"))
    study.optimize(trials=1)
    assert words in study.trials[0].failures["s"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('x,f\n0.5,"' + "1" * 200_000, "of the file is no CSV: field larger than field limit"),
        ("x,f\n0.5,\0\n", "column 'f' holds"),
        (f"x,f\n{MANY_DIGITS},1\n", "is not a number in"),
        (f"x,f\n0.5,{MANY_DIGITS}\n", "Output 'f' came as inf"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_old_results_as_bad_csv_are_refused(text: str, words: str, imoca: CommandLine) -> None:
    Path("old.csv").write_text(text, encoding="utf-8")
    answer = imoca("add", "old.csv")
    assert answer.code == 2
    assert words in answer.err
    assert imoca("export").out.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        f"seed = {MANY_DIGITS}",
        f"n_fronts = 0x{'f' * 5000}",
        f"workers = 0x{'f' * 5000}",
        f"budget = 0x{'f' * 5000}",
        f"name = {'[' * 50_000}",
        "n_fronts = 1_000_000_000_000",
        "workers = 1_000_000_000",
    ],
    ids=lambda line: line[:25],
)
def test_a_study_file_that_asks_for_too_much_is_refused_by_its_check(line: str, imoca: CommandLine) -> None:
    method = 'method = "random"' if "n_fronts" not in line else 'method = "imoca-p"'
    Path("study.toml").write_text(STUDY.replace('method = "random"', f"{method}\n{line}"), encoding="utf-8")
    answer = imoca("check")
    assert answer.code == 3, answer.err
    assert line.split()[0] in answer.err or "not valid TOML" in answer.err
    assert len(answer.err) < 2000


def test_python_is_told_the_same_limits(study: Study) -> None:
    with pytest.raises(MethodError, match="from 1 to 1000"):
        Study(study.problem, n_fronts=10**12)
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], lambda x: x)])
    with pytest.raises(RunnerError, match="from 1 to 1000"):
        Study(problem, method="random").optimize(1.0, workers=10**9)


def test_numbers_of_five_thousand_digits_are_named_in_words(study: Study) -> None:
    def refused(error: type[ImocaError], call: Any) -> None:
        with pytest.raises(error, match=r"5,000 digits|no trial|too wide"):
            call()

    study.ask()
    refused(TrialError, lambda: study.tell(0, {"f": HUGE}))
    refused(CostError, lambda: study.tell(0, {"f": 1.0}, {"s": -HUGE}))
    refused(TrialError, lambda: study.tell(HUGE, {"f": 1.0}))
    refused(TrialError, lambda: study.tell(HUGE, {}))
    refused(MethodError, lambda: study.optimize(budget=HUGE))
    refused(MethodError, lambda: study.pareto_front(-HUGE))
    refused(ImocaError, lambda: study.add({"x": HUGE}, {}, {"f": 1.0}))
    refused(ImocaError, lambda: Real("x", 0.0, HUGE))
    refused(ImocaError, lambda: Integer("n", 0, HUGE))
    refused(ImocaError, lambda: Fidelity.continuous(1, HUGE))
    refused(ImocaError, lambda: Simulator("s", [Objective("f", "minimize")], cost=HUGE))
    refused(ImocaError, lambda: Objective("f", "minimize", high=HUGE))
    assert study.trials[0].answer is None


def test_a_trial_whose_number_has_thousands_of_digits_is_refused(imoca: CommandLine) -> None:
    imoca("ask")
    for verb in ("tell", "fail", "show"):
        answer = imoca(verb, "1" * 5000, *(["f=1"] if verb == "tell" else []))
        assert answer.code == 2
        assert "digits" in answer.err


@pytest.mark.parametrize("given", [None, 1.0, [1.0], "f", ("f", 1.0)], ids=repr)
def test_an_answer_that_is_no_table_is_refused(given: Any, study: Study) -> None:
    trial = study.ask()
    with pytest.raises(TrialError, match=r"Values came as .* which is no table"):
        study.tell(trial, given)
    with pytest.raises(TrialError, match=r"Values came as .* which is no table"):
        study.add({"x": 0.5}, {}, given)
    if given is not None:
        with pytest.raises(TrialError, match="Costs came as"):
            study.tell(trial, {"f": 1.0}, given)
        with pytest.raises(TrialError, match="Failures came as"):
            study.tell(trial, {}, failures=given)
    assert study.trials[0].answer is None


def test_a_repeated_key_in_a_study_file_is_refused() -> None:
    with pytest.raises(StudyFileError, match="not valid TOML"):
        problem_from_toml(STUDY.replace("[parameters]", "[parameters]\nx = { type = 'real', low = 0, high = 2 }"))


NAMES = ["number", "state", "trial.number", "cost.s", "fidelity.s", "state.s", "failure.s", "value.f", "f"]


def test_what_is_exported_can_be_added_back_whatever_parameters_are_called(
    imoca: CommandLine, tmp_path: Path, until_the_end: ExitStack
) -> None:
    parameters = "".join(f'"{name}" = {{ type = "real", low = 0.0, high = 1.0 }}\n' for name in NAMES)
    text = STUDY.replace('x = { type = "real", low = 0.0, high = 1.0 }\n', parameters)
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    (tmp_path / "other.toml").write_text(text, encoding="utf-8")
    for i in range(3):
        imoca("ask")
        imoca("tell", str(i), f"f={i}.25", "--cost", f"s={i + 1}")
    assert imoca("export", "-o", "trials.csv").code == 0
    answer = imoca("add", "other.toml", "trials.csv")
    assert answer.code == 0, answer.err
    one = until_the_end.enter_context(Study.load("study.db", read_only=True))
    other = until_the_end.enter_context(Study.load("other.db", read_only=True))
    assert [(t.parameters, t.values, t.costs) for t in one.trials] == [
        (t.parameters, t.values, t.costs) for t in other.trials
    ]
    frame = one.to_dataframe()
    assert frame["trial.trial.number"].tolist() == [0, 1, 2]
    assert frame["number"].tolist() == [t.parameters["number"] for t in one.trials]
    assert frame["value.value.f"].tolist() == [0.25, 1.25, 2.25]


FORMULAS = [
    "=1+1",
    " =1+1",
    "＝1+1",
    " ＋1",
    "－1",
    "＠SUM(1)",
    "-1",
    "\t=1",
    "\n=1+1",
    "'=1",
    "''=1",
]


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_a_cell_that_a_spreadsheet_might_compute_is_escaped_and_read_back(text: str) -> None:
    cell = spreadsheet_cell(text)
    assert cell == f"'{text}"
    assert from_spreadsheet_cell(cell) == text


@pytest.mark.parametrize("text", ["", "'", "a=1", "it's", "'quoted'", "1e-5", "x - y"])
def test_a_cell_that_no_spreadsheet_computes_is_left_alone(text: str) -> None:
    assert spreadsheet_cell(text) == from_spreadsheet_cell(text) == text


def test_choices_that_look_like_formulas_can_be_added_back(tmp_path: Path, imoca: CommandLine) -> None:
    values = [*FORMULAS, "'", "\t", "\r\n", " ", " al ", "al", ""]  # of which some were taken for an apostrophe
    problem = Problem([Choice("c", values)], [Simulator("s", [Objective("f", "minimize")])])
    for name in ("one.db", "other.db"):
        with Study(problem, method="random", storage=tmp_path / name) as study:
            for i, value in enumerate(values if name == "one.db" else []):
                study.add({"c": value}, {}, {"f": float(i)})
    imoca("export", "one.db", "-o", "trials.csv")
    assert imoca("add", "other.db", "trials.csv").code == 0
    with Study.load("other.db", read_only=True) as study:
        assert [trial.parameters["c"] for trial in study.trials] == values


def test_an_error_of_sqlite_that_is_no_damage_is_not_called_one(tmp_path: Path, study: Study) -> None:
    storage = SQLiteStorage(tmp_path / "study.db")
    with closing(storage), Study(study.problem, method="random", storage=storage) as stored:
        stored.ask()
        storage._database._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 200)
        with pytest.raises(
            StorageError, match=r"SQLite refused to work on .*study\.db: string or blob too big"
        ) as raised:
            stored.fail(0, "x" * 1000)
        assert "damaged" not in str(raised.value)
        storage._database._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 10**9)
        assert stored.trials[0].answer is None


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_new_database_is_for_its_owner_alone(tmp_path: Path, study: Study) -> None:
    before = os.umask(0o022)
    try:
        with Study(study.problem, method="random", storage=tmp_path / "study.db") as stored:
            stored.ask()
            files = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert files["study.db"] == 0o600
    assert set(files.values()) == {0o600}


def test_no_limit_of_python_was_changed_for_this() -> None:
    assert sys.get_int_max_str_digits() == 4300
