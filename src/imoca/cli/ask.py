"""``imoca ask``: the next question, to be answered with ``imoca tell``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.opening import AsJson, StudyArgument, find_functions_beside, open_to_write
from imoca.cli.output import print_json, say
from imoca.cli.tables import Column, print_table
from imoca.content.records import trial_record
from imoca.wording import labelled, number

if TYPE_CHECKING:
    from imoca.problem.problem import Problem
    from imoca.trials.trial import Trial

NOT_ASKED = "not asked"


def ask(
    study: StudyArgument = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="How many questions; one unless given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask for the next trial, to run it yourself.

    A trial is a design and a fidelity per simulator that is asked; answer it with imoca tell or imoca fail.
    """
    with open_to_write(study) as opened:
        find_functions_beside(opened)
        trials = [opened.study.ask() for _ in range(n or 1)]
        if as_json:
            print_json(trial_record(trials[0]) if n is None else [trial_record(trial) for trial in trials])
            return
        simulators = opened.study.problem.simulators
        print_questions(trials, opened.study.problem)
        asked = next(simulator for simulator in simulators if simulator.name in trials[0].fidelities)
        example = asked.outputs[0].name
        say(f"Answer with: imoca tell{opened.command_argument} {trials[0].number} {example}=...")


def print_questions(trials: list[Trial], problem: Problem) -> None:
    """A simulator that none of them asks has no column."""
    asked = {s.name: s.fidelity.unit for s in problem.simulators if any(s.name in t.fidelities for t in trials)}
    columns = [
        Column("trial", is_number=True),
        *(Column(labelled(each.name, each.unit), is_number=True) for each in problem.parameters),
        *(Column(labelled(f"fidelity of {name}", unit), is_number=True) for name, unit in asked.items()),
    ]
    rows = [
        [
            *(str(trial.number), *map(exact, trial.parameters.values())),
            *(exact(trial.fidelities[name]) if name in trial.fidelities else NOT_ASKED for name in asked),
        ]
        for trial in trials
    ]
    print_table(columns, rows)


def exact(value: object) -> str:
    """A question is shown to its last digit: it is there to be run."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {exact(each)}" for name, each in value.items())
    return repr(value) if isinstance(value, float) else number(value)
