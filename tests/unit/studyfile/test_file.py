from pathlib import Path

import pytest

from imoca.errors import StudyFileError, StudyMismatchError
from imoca.methods.settings import MethodSettings
from imoca.study.from_file import n_stored_trials, open_study
from imoca.studyfile.file import StudySettings, load_study_file, study_file_schema
from imoca.studyfile.problem import problem_from_toml

PROBLEM = """
[parameters]
x = { type = "real", low = 0, high = 1 }
[simulators.a]
outputs = { f = "minimize", g = "minimize" }
"""


def write(folder: Path, text: str, name: str = "wing.toml") -> Path:
    path = folder / name
    path.write_text(text + PROBLEM, encoding="utf-8")
    return path


def test_a_file_without_settings_is_named_after_itself(tmp_path: Path) -> None:
    file = load_study_file(write(tmp_path, ""))
    assert file.settings == StudySettings(name="wing")
    assert file.database == tmp_path / "wing.db"
    assert file.problem == problem_from_toml(PROBLEM)


def test_all_settings_are_read(tmp_path: Path) -> None:
    settings = """
    [study]
    name = "wing 2.0"
    method = "imoca-t"
    seed = 7
    budget = 60
    time = "48h"
    workers = 4
    stop = "settled"
    n_fronts = 5
    initial_design = "paper"
    fidelity_reduction = false
    """
    file = load_study_file(str(write(tmp_path, settings)))
    assert file.settings == StudySettings(
        "wing 2.0", "imoca-t", 7, 60.0, 172800.0, 4, MethodSettings(5, "paper", False), "settled"
    )
    assert file.database == tmp_path / "wing 2.0.db"
    assert open_study(file, storage=None).seed == 7


@pytest.mark.parametrize(
    ("entry", "culprit"),
    [
        ("budgt = 3", "study.budgt is not a known key; the known ones here are name, method, seed, budget"),
        ("name = '../wing'", r"study.name is '\.\./wing', but must be usable as a file name"),
        ("name = ''", "study.name is ''"),
        ("name = '.hidden'", "study.name is '.hidden'"),
        ("name = 'a/b'", "study.name is 'a/b'"),
        ("name = 'wing\\u001b[31m'", "study.name is"),
        ("name = 'wing '", "study.name is 'wing '"),
        (f"name = '{'w' * 101}'", "study.name is"),
        ("name = 3", "study.name is 3"),
        ("method = 'anneal'", "study: Unknown method 'anneal'"),
        ("method = 3", "study.method is 3, but must be text in quotes"),
        ("seed = -1", "study.seed is -1, but must be at least 0"),
        ("seed = 1.5", "study.seed is 1.5, but must be a whole number"),
        ("budget = 0", "study.budget is 0, but must be greater than 0"),
        ("budget = inf", "study.budget is inf, but must be a finite number"),
        ("budget = nan", "study.budget is nan, but must be"),
        ("budget = '0h'", "study.budget is '0h', but must be greater than 0"),
        ("budget = '3'", "study.budget is '3', but must be a finite number"),
        ("time = '2 weeks'", "study.time is '2 weeks', but must be a number of seconds"),
        ("time = '0h'", "study: time is 0.0, but must be more than nothing"),
        ("workers = 0", "study.workers is 0, but must be at least 1"),
        ("workers = true", "study.workers is True, but must be a whole number"),
        ("n_fronts = 0", "study.n_fronts is 0, but must be at least 1"),
        ("initial_design = 'lucky'", "study: Unknown initial design 'lucky'"),
        ("fidelity_reduction = 1", "study.fidelity_reduction is 1, but must be true or false"),
    ],
)
def test_a_fault_in_the_settings_names_file_key_and_remedy(tmp_path: Path, entry: str, culprit: str) -> None:
    path = write(tmp_path, f"[study]\n{entry}\n".replace("'wing\\u001b[31m'", '"wing\\u001b[31m"'))
    with pytest.raises(StudyFileError, match=culprit) as caught:
        load_study_file(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    for jargon in ("pydantic", "Input should", "union", "Table"):
        assert jargon not in str(caught.value)


def test_faults_in_the_settings_and_in_the_problem_are_reported_together(tmp_path: Path) -> None:
    path = tmp_path / "wing.toml"
    path.write_text("[study]\nmethod = 'anneal'\n" + PROBLEM.replace("low = 0", "low = 2"), encoding="utf-8")
    with pytest.raises(StudyFileError, match=r"(?s)parameters\.x.*anneal"):
        load_study_file(path)


def test_a_missing_file_lists_the_study_files_there(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match=r"gone\.toml") as caught:
        load_study_file(tmp_path / "gone.toml")
    assert "imoca init" in caught.value.hint
    write(tmp_path, "")
    with pytest.raises(StudyFileError) as caught:
        load_study_file(tmp_path / "gone.toml")
    assert "wing.toml" in caught.value.hint


def test_a_file_that_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    for path in (tmp_path / "binary.toml", tmp_path):
        with pytest.raises(StudyFileError, match=str(path)):
            load_study_file(path)


def test_stored_trials_are_counted_and_another_definition_is_shown(tmp_path: Path) -> None:
    file = load_study_file(write(tmp_path, "[study]\nmethod = 'random'\nbudget = 3\n"))
    assert n_stored_trials(file) == 0
    with open_study(file, storage=file.database) as study:
        study.ask()
    assert n_stored_trials(load_study_file(write(tmp_path, "[study]\nmethod = 'random'\nbudget = 9\n"))) == 1
    edited = load_study_file(write(tmp_path, "[study]\nmethod = 'mesmo'\nn_fronts = 3\n"))
    with pytest.raises(StudyMismatchError, match=r"(?s)study\.method: was 'random', now is 'mesmo'.*study\.n_fronts"):
        n_stored_trials(edited)


def test_the_schema_knows_the_tables_and_their_names() -> None:
    schema = study_file_schema()
    assert set(schema["properties"]) == {"study", "parameters", "simulators", "constraints"}
    assert schema["$defs"]["SettingsTable"]["properties"]["initial_design"]["enum"] == [
        "cheap",
        "paper",
        "target",
        None,
    ]
    assert "description" in schema["$defs"]["SimulatorTable"]["properties"]["command"]
