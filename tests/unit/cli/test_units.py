"""Units on the terminal, in JSON, in files, on the page: shown beside every number, part of no name."""

import csv
import io
import json
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.dashboard.content import columns
from imoca.problem.parameters import Value
from imoca.study.from_file import open_study
from imoca.studyfile.file import load_study_file

UNITS = {
    "parameters": {"x": "mm", "n": "ribs"},
    "fidelities": {"cfd": "Mcells"},
    "outputs": {"drag": "<b>", "mass": "kg"},
}


@pytest.fixture
def with_units(toy: Path) -> Path:
    """The toy study, its units declared, with one answer at full accuracy."""
    text = (toy / "study.toml").read_text(encoding="utf-8")
    for old, new in {
        "high = 1.0 }\nn": 'high = 1.0, unit = "mm" }\nn',
        "high = 4 }": 'high = 4, unit = "ribs" }',
        'drag = "minimize"': 'drag = { goal = "minimize", low = 0, unit = "<b>" }',
        "low = 0.1, high = 1.0 }": 'low = 0.1, high = 1.0, unit = "Mcells" }',
        '{ mass = "minimize" }': '{ mass = { goal = "minimize", unit = "kg" } }',
    }.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (toy / "study.toml").write_text(text, encoding="utf-8")
    file = load_study_file(toy / "study.toml")
    design: dict[str, Value] = {"x": 0.25, "n": 2, "skin": "al"}
    with open_study(file, storage=file.database) as study:
        study.add(design, {"cfd": 1.0}, {"drag": 2.25, "lift": 1.75, "mass": 4.0}, cost={"scale": 5.0})
    return toy


def test_check_says_units_where_it_says_ranges(imoca: CommandLine, with_units: Path) -> None:
    said = imoca("check").out
    assert "0 to 1 mm" in said
    assert "1 to 4 ribs" in said
    assert "drag [<b>], to minimize; at least 0 <b>" in said
    assert "0.1 to 1 Mcells; full accuracy at 1 Mcells" in said
    assert imoca("check", "--json").json["problem"]["parameters"]["x"]["unit"] == "mm"


def test_tables_have_units_in_their_titles_and_values_theirs_after_them(imoca: CommandLine, with_units: Path) -> None:
    titles = imoca("front").out.splitlines()[0]
    for title in ("x [mm]", "n [ribs]", "skin", "drag [<b>] (min)", "lift (max)", "mass [kg] (min)"):
        assert title in titles
    lines = [line.split() for line in imoca("show", "0").out.splitlines()]
    for line in (
        ["x", "0.25", "mm"],
        ["skin", "al"],
        ["cfd", "1.0", "Mcells"],
        ["mass", "4.0", "kg"],
        ["scale", "5.0"],
    ):
        assert line in lines
    assert "x [mm]" in imoca("ask").out.splitlines()[0]


def test_files_keep_the_names_of_columns_and_json_says_the_units(imoca: CommandLine, with_units: Path) -> None:
    assert imoca("front", "--json").json["units"] == UNITS
    assert imoca("show", "0", "--json").json["units"] == UNITS
    (trial,) = imoca("export", "--json").json
    assert trial["units"] == UNITS
    assert next(csv.reader(io.StringIO(imoca("export").out)))[2:5] == ["x", "n", "skin"]
    (with_units / "old.json").write_text(json.dumps([trial]), encoding="utf-8")
    answer = imoca("add", "old.json")  # what was exported can be added
    assert answer.code == 0, answer.err


def test_a_study_without_units_exports_none(imoca: CommandLine, toy_with_results: Path) -> None:
    assert "units" not in imoca("export", "--json").json[0]
    assert imoca("front", "--json").json["units"] == {"parameters": {}, "fidelities": {}, "outputs": {}}


def test_the_columns_of_the_page_carry_units(with_units: Path) -> None:
    found = {
        (c["group"], c["name"]): c.get("unit") for c in columns(load_study_file(with_units / "study.toml").problem)
    }
    assert found["parameters", "x"] == "mm"
    assert found["parameters", "skin"] is None
    assert found["fidelities", "cfd"] == "Mcells"
    assert found["values", "mass"] == "kg"
    assert found["costs", "cfd"] is None
