"""``imoca check``: read a study file, see whether its simulators can be run, and show what it says; nothing is run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imoca.cli.opening import AsJson, StudyArgument, is_study_file, locate
from imoca.cli.output import print_json, print_pairs, say
from imoca.cli.tables import Column, print_table
from imoca.cli.text import duration
from imoca.wording import bound_words, labelled

if TYPE_CHECKING:
    from imoca.problem.problem import Problem
    from imoca.problem.simulator import Output, Simulator
    from imoca.studyfile.file import StudyFile

LOGARITHM_WORDS = {True: "modelled as its logarithm", False: "never modelled as its logarithm", None: ""}


def check(
    study: StudyArgument = None,
    as_json: AsJson = False,
    elsewhere: Annotated[
        bool, typer.Option("--elsewhere", help="Programs and modules are on the machines of a cluster, not here.")
    ] = False,
) -> None:
    """Check a study file, and whether its simulators can be run, and show the problem.

    Functions are imported, but nothing is run and nothing is written.
    """
    path = locate(study)
    if not is_study_file(path):
        _check_database(path, as_json)
        return
    from imoca.study.from_file import check_simulators_of, n_stored_trials, open_study
    from imoca.studyfile.file import load_study_file

    file = load_study_file(path)
    open_study(file, storage=None).close()  # refuses what no method can do
    n_trials = n_stored_trials(file)
    sys.path.insert(0, str(path.resolve().parent))  # as imoca run does
    sys.dont_write_bytecode = True
    check_simulators_of(file, is_here=not elsewhere)
    warnings = _missing_limit(file)
    if as_json:
        print_json(_content(file, warnings))
    else:
        print_pairs(_settings(file))
        print_problem(file.problem)
    for warning in warnings:
        say(f"Warning: {warning}")
    held = f" {file.database} holds {n_trials} trials of it." if n_trials else ""
    say(f"{path} is in order; nothing was run.{held}")


def _check_database(path: Path, as_json: bool) -> None:
    """Opening a database checks it; what it holds is for the other verbs to show."""
    from imoca.study.study import Study

    with Study.load(path, read_only=True) as study:
        if as_json:
            print_json({"database": str(path), "trials": len(study.trials), "warnings": []})
        else:
            print_problem(study.problem)
        say(f"{path} is in order and holds {len(study.trials)} trials.")


def print_problem(problem: Problem) -> None:
    from imoca.report.problem_words import parameter_words

    print()
    print_table(
        [Column("parameter"), Column("kind"), Column("values")],
        [[parameter.name, *parameter_words(parameter)] for parameter in problem.parameters],
    )
    if problem.parameter_constraints:
        print()
        print_pairs([("constraint", text) for text in problem.parameter_constraints])
    for simulator in problem.simulators:
        print()
        print_pairs(_simulator_lines(simulator))


def _missing_limit(file: StudyFile) -> list[str]:
    if file.settings.budget is None and file.settings.time is None:
        return ["study: neither budget nor time is given, so imoca run needs --budget or --time."]
    return []


def _content(file: StudyFile, warnings: list[str]) -> dict[str, Any]:
    import dataclasses
    import tomllib

    from imoca.studyfile.problem import problem_to_toml

    return {
        "file": str(file.path),
        "database": str(file.database),
        "settings": dataclasses.asdict(file.settings),
        "problem": tomllib.loads(problem_to_toml(file.problem)),
        "warnings": warnings,
    }


def _settings(file: StudyFile) -> list[tuple[str, str]]:
    settings = file.settings
    limits = [
        *([] if settings.budget is None else [_budget_words(settings.budget)]),
        *([] if settings.time is None else [duration(settings.time)]),
    ]
    return [
        ("study", settings.name),
        ("results in", str(file.database)),
        ("method", f"{settings.method}, seed {settings.seed}"),
        ("budget", " or ".join(limits) or "none given"),
        *([] if settings.workers is None else [("workers", str(settings.workers))]),
    ]


def _budget_words(written: float | str) -> str:
    from imoca.problem.allowance import Allowance

    allowance = Allowance.read(written)
    return f"{allowance.told(allowance.amount):g} {allowance.unit}"


def _simulator_lines(simulator: Simulator) -> list[tuple[str, str]]:
    from imoca.report.problem_words import cost_words, fidelity_words, run_words

    return [
        ("simulator", simulator.name),
        ("  runs", run_words(simulator)),
        *(("  output", _output_words(output)) for output in simulator.outputs),
        ("  fidelity", fidelity_words(simulator.fidelity)),
        ("  cost", f"{cost_words(simulator)}; a full run counts {simulator.full_cost:g}"),
        *([] if simulator.timeout is None else [("  timeout", duration(simulator.timeout))]),
        *([("  retries", str(simulator.retries))] if simulator.retries else []),
    ]


def _output_words(output: Output) -> str:
    from imoca.problem.simulator import Objective

    if not isinstance(output, Objective):
        return f"{output.name}, {bound_words(output.lower, output.upper, output.unit)}"
    declared = [bound_words(output.low, output.high, output.unit), LOGARITHM_WORDS[output.log]]
    return "; ".join([f"{labelled(output.name, output.unit)}, to {output.goal}", *filter(None, declared)])
