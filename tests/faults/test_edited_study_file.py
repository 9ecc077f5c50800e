"""F16: a study resumed with an edited study file: what may change does, what may not is shown and refused."""

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from imoca import Study
from imoca.cli import main

STUDY_FILE = """
[study]
name = "wing"
method = "random"
budget = 2.0

[parameters]
span = { type = "real", low = 1.0, high = 2.0 }
ribs = { type = "integer", low = 2, high = 9 }
skin = { type = "choice", values = ["thin", "thick"] }

[simulators.flow]
command = ["{python}", "-S", "solver.py", "drag"]
outputs = { drag = "minimize" }
fidelity = { low = 1.0, high = 10.0 }
cost = "z"

[simulators.frame]
command = ["{python}", "-S", "solver.py", "mass"]
outputs = { mass = "minimize" }
fidelity = { low = 1.0, high = 10.0 }
cost = "z"
"""
SOLVER = """
import json, sys
question = json.load(open("params.json"))
json.dump({sys.argv[1]: question["parameters"]["span"] * question["fidelity"]}, open("result.json", "w"))
"""
GRAVE = {  # edit -> what is shown
    ("low = 1.0, high = 2.0", "low = 1.0, high = 2.5"): "parameters.span.high: was 2.0, now is 2.5",
    ("low = 2, high = 9", "low = 3, high = 9"): "parameters.ribs.low: was 2, now is 3",
    ('"thin", "thick"]', '"thin", "thick", "foam"]'): "parameters.skin.values: was ['thin', 'thick'], now is",
    ("span =", "width ="): "parameters.span: was",
    ('mass = "minimize"', 'mass = "maximize"'): "simulators.frame.outputs.mass: was 'minimize', now is 'maximize'",
    (
        'mass = "minimize"',
        'mass = { goal = "maximize", low = 0 }',
    ): "simulators.frame.outputs.mass: was 'minimize', now is 'maximize'",
    ("[simulators.frame]", "[simulators.beams]"): "simulators.frame: was",
    ("ribs =", 'unit = { type = "real", low = 0, high = 1 }\nribs ='): "parameters.unit: was absent",
    ('fidelity = { low = 1.0, high = 10.0 }\ncost = "z"\n\n', 'cost = "1"\n\n'): "simulators.flow.fidelity",
    ('cost = "z"\n\n', 'cost = "z**2"\n\n'): "simulators.flow.cost: was 'z', now is 'z**2'",
    ('method = "random"', 'method = "imoca-e"'): "study.method: was 'random', now is 'imoca-e'",
    ('method = "random"', 'method = "random"\nseed = 1'): "study.seed: was 0, now is 1",
}


def imoca(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from imoca.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def run_here(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """The same command without the second that a new process takes: exit code and stderr."""
    with pytest.raises(SystemExit) as raised:
        main(list(map(str, arguments)))
    return int(raised.value.code or 0), capsys.readouterr().err


def edit(study_file: Path, old: str, new: str) -> None:
    text = study_file.read_text(encoding="utf-8")
    assert old in text
    study_file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    (folder / "study.toml").write_text(STUDY_FILE, encoding="utf-8")
    (folder / "solver.py").write_text(SOLVER, encoding="utf-8")
    with pytest.raises(SystemExit) as raised:
        main(["run", str(folder / "study.toml")])
    assert not raised.value.code
    return folder


@pytest.fixture
def started(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study file whose study has spent its budget."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copytree(finished, tmp_path / "copy")
    return tmp_path / "copy" / "study.toml"


@pytest.mark.parametrize(("old", "new", "shown"), [(*edited, shown) for edited, shown in GRAVE.items()])
def test_an_edit_that_makes_it_another_study_is_refused_and_shown(
    old: str, new: str, shown: str, started: Path, capsys: pytest.CaptureFixture[str], until_the_end: ExitStack
) -> None:
    database = started.with_name("wing.db")
    before = until_the_end.enter_context(Study.load(database, read_only=True))
    edit(started, old, new)
    code, said = run_here(capsys, "run", started, "--budget", 50)
    assert code == 3, said
    assert shown in said
    assert "new study under another name" in said
    after = until_the_end.enter_context(Study.load(database, read_only=True))
    assert after.trials == before.trials
    assert after.problem == before.problem


@pytest.mark.slow
def test_the_refusal_reaches_the_shell_and_another_name_begins_another_study(
    started: Path, until_the_end: ExitStack
) -> None:
    trials = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).trials
    edit(started, "low = 1.0, high = 2.0", "low = 1.0, high = 2.5")
    refused = imoca("run", started)
    assert refused.returncode == 3
    assert "parameters.span.high: was 2.0, now is 2.5" in refused.stderr
    assert refused.stdout == ""
    edit(started, 'name = "wing"', 'name = "wider wing"')
    begun = imoca("run", started)
    assert begun.returncode == 0, begun.stderr
    wider = until_the_end.enter_context(Study.load(started.with_name("wider wing.db"), read_only=True))
    assert wider.problem.parameters[0].high == 2.5  # type: ignore[union-attr]
    assert until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).trials == trials


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('method = "random"', 'method = "random"  # only a comment'),
        ("budget = 2.0", "budget = 2.0\nworkers = 1"),
        ("budget = 2.0", 'budget = 2.0\ntime = "10m"'),
        ('cost = "z"\n\n', 'cost = "z"\ntimeout = "30s"\nretries = 2\n\n'),
        ('"solver.py", "drag"]', '"solver.py", "drag", "--verbose"]'),
        ('drag = "minimize"', 'drag = { goal = "minimize", low = 0, high = 99, log = true }'),
    ],
    ids=["a comment", "workers", "time", "timeout and retries", "command", "what an output is like"],
)
def test_how_a_study_is_run_may_change_and_it_continues(
    old: str, new: str, started: Path, capsys: pytest.CaptureFixture[str], until_the_end: ExitStack
) -> None:
    before = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).trials
    edit(started, old, new)
    edit(started, "budget = 2.0", "budget = 4.0")
    code, said = run_here(capsys, "run", started)
    assert code == 0, said
    study = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True))
    assert study.trials[: len(before)] == before
    assert len(study.trials) > len(before)
    assert study.cost_spent >= 4.0


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_unit_is_only_a_word_so_that_a_change_of_it_is_shown_and_allowed(
    verb: str,
    started: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    until_the_end: ExitStack,
) -> None:
    before = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).trials
    edit(started, "high = 2.0 }", 'high = 2.0, unit = "m" }')
    edit(started, 'drag = "minimize"', 'drag = { goal = "minimize", unit = "N" }')
    edit(started, 'high = 10.0 }\ncost = "z"\n\n', 'high = 10.0, unit = "cells" }\ncost = "z"\n\n')
    code, said = run_here(capsys, verb, started)
    assert code == 0, said
    assert "no value is converted" in caplog.text
    assert "parameters.span.unit: was absent, now is 'm'" in caplog.text
    assert "simulators.flow.declared.drag.unit: was absent, now is 'N'" in caplog.text
    assert "simulators.flow.fidelity.unit: was absent, now is 'cells'" in caplog.text
    after = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True))
    assert after.trials == before
    assert (after.problem.parameters[0].unit == "m") == (verb == "run")
    if verb == "run":
        caplog.clear()
        edit(started, 'unit = "m"', 'unit = "cm"')
        run_here(capsys, "run", started)
        assert "parameters.span.unit: was 'm', now is 'cm'" in caplog.text
        assert "cells" not in caplog.text
        caplog.clear()
        run_here(capsys, "run", started)
        assert caplog.text == ""


def test_what_may_change_is_stored_for_those_who_open_the_database(
    started: Path, capsys: pytest.CaptureFixture[str], until_the_end: ExitStack
) -> None:
    edit(started, 'cost = "z"\n\n', 'cost = "z"\ntimeout = "30s"\nretries = 2\n\n')
    run_here(capsys, "run", started)
    simulator = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).problem.simulator(
        "flow"
    )
    assert (simulator.timeout, simulator.retries) == (30.0, 2)


@pytest.mark.parametrize("verb", ["run", "check"])
def test_what_the_answers_so_far_contradict_cannot_be_declared(
    verb: str, started: Path, capsys: pytest.CaptureFixture[str], until_the_end: ExitStack
) -> None:
    before = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True))
    edit(started, 'mass = "minimize"', 'mass = { goal = "minimize", high = 0.5 }')
    code, said = run_here(capsys, verb, started)
    assert code == 3, said
    mass = before.trials[0].values["mass"]
    assert f"trial 0: 'mass' is {mass!r}, which lies above its declared high = 0.5" in said
    assert "Correct low, high or log" in said
    after = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True))
    assert (after.problem, after.trials) == (before.problem, before.trials)


def test_a_smaller_budget_than_was_spent_runs_nothing_and_loses_nothing(
    started: Path, capsys: pytest.CaptureFixture[str], until_the_end: ExitStack
) -> None:
    before = until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).trials
    edit(started, "budget = 2.0", "budget = 0.5")
    code, said = run_here(capsys, "run", started)
    assert code == 0
    assert "Nothing was run" in said
    assert until_the_end.enter_context(Study.load(started.with_name("wing.db"), read_only=True)).trials == before


@pytest.mark.parametrize("verb", ["status", "front", "export"])
def test_a_study_can_still_be_viewed_after_a_grave_edit(
    verb: str, started: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(started, "low = 1.0, high = 2.0", "low = 1.0, high = 2.5")
    code, said = run_here(capsys, verb, started)
    assert code == 0, said
