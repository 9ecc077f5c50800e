"""F20: hostile names and values: shown as text everywhere, executed nowhere, no file outside the study's folder."""

import csv
import io
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import tomli_w

from imoca import Choice, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.cli import main
from imoca.errors import StudyFileError
from imoca.problem.simulator import Command
from imoca.study.from_file import open_study
from imoca.studyfile.file import load_study_file
from imoca.studyfile.problem import problem_to_toml

HOSTILE = [
    "'quoted' \"twice\"",
    "two\nlines",
    "cr\rlf\ttab",
    "<script>document.title='INTRUDER'</script>",
    "$(touch INTRUDER)",
    "`touch INTRUDER`; touch INTRUDER & touch INTRUDER |",
    "../../INTRUDER",
    "/INTRUDER",
    "\x1b[31mred\x1b[2J\x1b]0;title\x07",
    "\x9b31m\x08\x7f",
    "\u202egnp.exe\u2066",
    "{python} {workdir} {params}",
    "{",
    "}",
    "[bold red]x[/] [/closing] [link=file:///etc/passwd]y[/link]",
    "%s %n %(x)s",
    "'); DROP TABLE trials; --",
    "=1+1",
    "+1",
    "-rf",
    "@SUM(A1)",
    "\t=1+1",
    "-- --help",
]
FIRST, SECOND = "../../INTRUDER\x1b[2J<script>", "=2+2 {python} 'q\"uote\n[/closing]"
FIRST_OUTPUT, SECOND_OUTPUT = "=1+1\n$(touch INTRUDER)", "\x1b[31m@SUM\x07[/]"
CHOICE = "-choice\n<script>"
WORDS = "".join(HOSTILE)  # what a failing simulator says

SOLVER = """
import json, sys
name, says, *arguments = json.loads(open(sys.argv[1]).read()) + sys.argv[2:]
question = json.load(open("params.json"))
json.dump(arguments, open("arguments.json", "w"))
sys.stderr.write(says)
sys.stdout.write(says)
if question["simulator"].startswith("=") and question["trial"] % 3 == 1:
    sys.exit(3)
json.dump({name: sum(v for v in question["parameters"].values() if not isinstance(v, str))}, open("result.json", "w"))
"""


def make_problem() -> Problem:
    placeholders = [f"{{{name}}}" for name in [*HOSTILE, CHOICE] if not set("{}") & set(name)]
    fidelity = Fidelity.continuous(1, 10)

    def command(named: str) -> Command:
        return Command(["{python}", "-S", "solver.py", named, *HOSTILE, *placeholders])

    return Problem(
        [*(Real(name, -1.0, 1.0) for name in HOSTILE), Choice(CHOICE, HOSTILE)],
        [
            Simulator(FIRST, [Objective(FIRST_OUTPUT, "minimize")], command("first.json"), fidelity=fidelity, cost="z"),
            Simulator(
                SECOND, [Objective(SECOND_OUTPUT, "maximize")], command("second.json"), fidelity=fidelity, cost="z"
            ),
        ],
    )


def write_study(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "solver.py").write_text(SOLVER, encoding="utf-8")
    (folder / "first.json").write_text(json.dumps([FIRST_OUTPUT, ""]), encoding="utf-8")
    (folder / "second.json").write_text(json.dumps([SECOND_OUTPUT, WORDS]), encoding="utf-8")
    settings = tomli_w.dumps({"study": {"method": "random", "budget": 8.0}})
    (folder / "study.toml").write_text(settings + "\n" + problem_to_toml(make_problem()), encoding="utf-8")
    return folder / "study.toml"


def check_no_intruder(base: Path, study_folder: Path) -> None:
    """Nothing was executed that makes a file of that name, and nothing was written beside the study's folder."""
    assert not [path for path in base.rglob("*") if path.name == "INTRUDER"]
    assert not [path for path in base.rglob("*") if path.is_file() and not path.is_relative_to(study_folder)]
    assert not Path("INTRUDER").exists()
    assert not Path("/INTRUDER").exists()


def check_harmless(text: str, allowed: str = "\n") -> None:
    assert text
    assert not [character for character in text if not character.isprintable() and character not in allowed]


@pytest.fixture(scope="module")
def study_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study file of a study that was run by the command, in a folder with a hostile name."""
    base = tmp_path_factory.mktemp("base")
    path = write_study(base / "a" / "b" / "{fidelity} $(touch INTRUDER) 'x' [/] \x1b[31m #?%41")
    command = [sys.executable, "-c", "from imoca.cli import main; main()", "run", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=base)
    assert run.returncode == 0, run.stderr
    check_harmless(run.stderr)
    assert "failed (attempt 1)" in run.stderr
    assert run.stdout == ""
    check_no_intruder(base, path.parent)
    assert sorted(entry.name for entry in path.parent.iterdir()) == [
        *("first.json", "second.json", "solver.py", "study.db", "study.runs", "study.toml")
    ]
    return path


def view(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a verb prints; the messages beside it are harmless."""
    with pytest.raises(SystemExit) as raised:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert not raised.value.code, said.err
    if said.err:
        check_harmless(said.err)
    return said.out


def test_everything_comes_back_from_the_database_as_it_was_given(study_file: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(Study.load(study_file.with_name("study.db"), read_only=True))
    assert study.problem == make_problem()
    assert len(study.trials) >= 4
    failed = study.trials[1]
    assert failed.values.keys() == {FIRST_OUTPUT}
    assert "exit code 3" in failed.failures[SECOND]
    assert "\x1b[31mred" in failed.failures[SECOND]  # kept as it is, made harmless where it is shown
    with closing(sqlite3.connect(study_file.with_name("study.db"))) as connection:
        assert connection.execute("SELECT COUNT(*) FROM trials").fetchone() == (len(study.trials),)


def test_every_argument_of_a_program_stays_one_argument_and_text(study_file: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(Study.load(study_file.with_name("study.db"), read_only=True))
    for run in study.runs:
        folder = Path(run.folder or "")
        parameters = study.trials[run.trial].parameters
        filled = {"{python}": sys.executable, "{workdir}": str(folder), "{params}": str(folder / "params.json")}
        literal = []
        for argument in HOSTILE:
            for placeholder, text in filled.items():
                argument = argument.replace(placeholder, text)
            literal.append(argument)
        values = [str(parameters[name]) for name in [*HOSTILE, CHOICE] if not set("{}") & set(name)]
        received = json.loads((folder / "arguments.json").read_text(encoding="utf-8"))
        assert received == [*literal, *values]
        assert parameters[CHOICE] in HOSTILE


def test_programs_work_inside_the_folder_of_runs(study_file: Path, until_the_end: ExitStack) -> None:
    runs = until_the_end.enter_context(Study.load(study_file.with_name("study.db"), read_only=True)).runs
    for run in runs:
        folder = Path(run.folder or "")
        assert folder.resolve().is_relative_to(study_file.with_name("study.runs").resolve())
        for part in folder.relative_to(study_file.with_name("study.runs")).parts:
            assert part.replace("-", "").replace("_", "").isalnum()
    assert len({run.folder for run in runs}) == len(runs)


@pytest.mark.parametrize("words", [["status"], ["front"], ["show", 1], ["check"]], ids=str)
def test_what_a_person_reads_holds_no_control_characters(
    words: list[object], study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb, *number = words
    shown = view(capsys, verb, study_file, *number)
    check_harmless(shown)
    if verb != "front":
        assert "../../INTRUDER\\x1b[2J<script>" in shown  # there, and as text
    if verb != "status":
        assert "<script>document.title='INTRUDER'</script>" in shown


@pytest.mark.parametrize("words", [["status"], ["front"], ["show", 1], ["export"], ["check"]], ids=str)
def test_json_holds_every_name_exactly_and_no_control_characters(
    words: list[object], study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb, *number = words
    shown = view(capsys, verb, study_file, *number, "--json")
    assert shown.isascii()
    check_harmless(shown)
    content = json.loads(shown)
    if verb == "status":
        assert list(content["simulators"]) == [FIRST, SECOND]
        assert content["last_failure"]["simulator"] == SECOND
    elif verb == "front":
        assert content["objectives"] == {FIRST_OUTPUT: "minimize", SECOND_OUTPUT: "maximize"}
        assert list(content["points"][0]["parameters"]) == [*HOSTILE, CHOICE]
    elif verb == "check":
        assert list(content["problem"]["parameters"]) == [*HOSTILE, CHOICE]
    else:
        trial = content if verb == "show" else content[1]
        assert list(trial["parameters"]) == [*HOSTILE, CHOICE]
        assert trial["parameters"][CHOICE] in HOSTILE
        assert "\x1b[31mred" in trial["failures"][SECOND]


@pytest.mark.parametrize("verb", ["front", "export"])
def test_no_cell_of_a_csv_file_is_a_formula(verb: str, study_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = view(capsys, verb, study_file, "--csv")
    check_harmless(shown, allowed="\n\r\t")
    titles, *rows = list(csv.reader(io.StringIO(shown, newline="")))
    assert "'=1+1" in titles
    assert "<script>document.title='INTRUDER'</script>" in titles
    assert rows
    for row in [titles, *rows]:
        assert len(row) == len(titles)
        for cell in row:
            assert is_number(cell) or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    if verb == "export":
        assert {row[titles.index("'" + CHOICE)] for row in rows}


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_what_was_exported_can_be_added_to_another_study(
    study_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], until_the_end: ExitStack
) -> None:
    table = tmp_path / "trials.json"
    view(capsys, "export", study_file, "-o", table)
    copy = write_study(tmp_path / "copy")
    view(capsys, "add", copy, table)
    original = until_the_end.enter_context(Study.load(study_file.with_name("study.db"), read_only=True)).trials
    added = until_the_end.enter_context(Study.load(copy.with_name("study.db"), read_only=True)).trials
    assert [trial.parameters for trial in added] == [trial.parameters for trial in original]
    assert [trial.values for trial in added] == [trial.values for trial in original]


def seen_on_a_terminal(*arguments: str) -> bytes:
    command = [sys.executable, "-c", "from imoca.cli import main; main()", *arguments]
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # Linux's way to say that the other side is closed
        while chunk := os.read(ours, 65536):
            seen += chunk
    os.close(ours)
    assert process.wait(60) == 0, seen.decode(errors="replace")
    return seen


@pytest.mark.slow
def test_a_live_terminal_obeys_no_escape_that_stands_in_a_name(study_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(study_file.parent, copy)
    seen = seen_on_a_terminal("run", str(copy / "study.toml"), "--budget", "12")
    assert "iMOCA" in seen.decode()
    assert b"INTRUDER\\x1b[" in seen  # a long name is cut
    for obeyed in (b"\x1b]0;", b"\x1b[2J", b"\x1b[31mred", b"\x07", "\u202e".encode(), b"\xc2\x9b"):
        assert obeyed not in seen
    check_no_intruder(tmp_path, copy)


@pytest.mark.parametrize("name", [*HOSTILE, "..", ".", "", "a/b", "a\\b", "a\0b", "-", "x" * 300])
def test_a_study_name_that_is_no_plain_file_name_is_refused(name: str, tmp_path: Path) -> None:
    path = write_study(tmp_path / "study")
    before = sorted(path.parent.iterdir())
    text = path.read_text(encoding="utf-8").replace("[study]", "[study]\n" + tomli_w.dumps({"name": name}), 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyFileError, match=r"study\.name .* usable as a file name"):
        open_study(load_study_file(path), storage=None)
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize("name", [name for name in HOSTILE if "/" not in name])
def test_a_study_that_is_not_there_is_named_harmlessly(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for verb in ("status", "run"):
        for ending in (".db", ".toml"):
            with pytest.raises(SystemExit) as raised:
                main([verb, "--", name + ending])
            said = capsys.readouterr()
            assert raised.value.code in (3, 5)
            assert said.out == ""
            check_harmless(said.err)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name in HOSTILE if "/" not in name])
def test_a_database_lies_exactly_where_it_was_asked_for(name: str, tmp_path: Path, until_the_end: ExitStack) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    path = folder / f"{name}?mode=memory&x=%41#y.db"
    study = until_the_end.enter_context(Study(make_problem(), method="random", storage=path))
    study.tell(study.ask(), {FIRST_OUTPUT: 1.0, SECOND_OUTPUT: 2.0})
    assert path.is_file()
    assert until_the_end.enter_context(Study.load(path, read_only=True)).trials == study.trials
    beside = {f"{path.name}-{kind}" for kind in ("wal", "shm", "told", "asking")}
    assert {path.name} <= {entry.name for entry in folder.iterdir()} <= {path.name, *beside}
    check_no_intruder(tmp_path, folder)
