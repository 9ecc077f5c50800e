"""``imoca show``: one trial in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.opening import AsJson, open_to_read, split_study, trial_number
from imoca.cli.output import print_json, print_pairs, tell
from imoca.cli.tables import Column, print_table
from imoca.cli.text import precise_duration, printable
from imoca.content.records import run_record, run_state, trial_record, unit_record
from imoca.wording import number, with_unit

if TYPE_CHECKING:
    from imoca.problem.problem import Problem
    from imoca.trials.trial import Run, Trial

Words = Annotated[list[str], typer.Argument(metavar="[STUDY] NUMBER", help="Which trial.", show_default=False)]


def show(words: Words, as_json: AsJson = False) -> None:
    """Show one trial, and every run of its simulators."""
    from imoca.errors import TrialError

    given, rest = split_study(words)
    number = trial_number(rest)
    if rest[1:]:
        raise typer.BadParameter(f"Only one trial can be shown at a time; {printable(rest[1])!r} came too.")
    with open_to_read(given) as opened:
        study = opened.study
        trials = study.trials
        if number >= len(trials):
            held = f"trials 0 to {len(trials) - 1}" if trials else "no trials yet"
            raise TrialError(f"There is no trial {number}.", hint=f"The study holds {held}.")
        runs, is_driven = [run for run in study.runs if run.trial == number], study.owner is not None
        has_values = bool(trials[number].values)  # else no model is fitted for it
        aside = [name for name, of in study.snapshot().set_aside.items() if number in of] if has_values else []
        if as_json:
            units = {"units": unit_record(study.problem)}
            own = {"set_aside": aside, "runs": [run_record(run, is_driven) for run in runs]}
            print_json(trial_record(trials[number]) | units | own)
            return
        print_trial(trials[number], study.problem, [run.simulator for run in runs if is_driven and run.ended is None])
        if aside:
            tell(
                f"\nSet aside\n  {printable(', '.join(aside))}: impossible beside all other answers, so that models do "
                "without. It is taken back once others agree with it; if it is wrong, run the design again."
            )
        print_runs(runs, is_driven)


def print_trial(trial: Trial, problem: Problem, running: Sequence[str]) -> None:
    from imoca.problem.accuracy import one_by_one
    from imoca.trials.trial import SimulatorState

    simulators, units = [simulator.name for simulator in problem.simulators], unit_record(problem)
    state = trial.state if running or not trial.pending else "without an answer yet"
    print(f"Trial {trial.number} is {state}.")
    parts: tuple[tuple[str, Mapping[str, object], Mapping[str, str]], ...] = (
        ("Parameters", trial.parameters, units["parameters"]),
        ("Fidelity", one_by_one(trial.fidelities), units["fidelities"]),
        ("Values", _with_errors(trial), units["outputs"]),
        ("Cost, in the simulator's own units", trial.costs, {}),
    )
    for title, named, units_of in parts:
        if given := {name: value for name, value in named.items() if value is not None}:
            print(f"\n{title}")
            print_pairs([(f"  {name}", with_unit(_exact(value), units_of.get(name))) for name, value in given.items()])
    if trial.promised:
        print("\nPredicted before it was run, and the 90 % interval")
        promised = {
            name: with_unit(f"{_exact(p.value)}, {_exact(p.low)} to {_exact(p.high)}", units["outputs"].get(name))
            for name, p in trial.promised.items()
        }
        print_pairs([(f"  {name}", words) for name, words in promised.items()])
    waiting = [name for name in simulators if trial.state_of(name) is SimulatorState.PENDING and name not in running]
    not_run = [name for name in simulators if trial.state_of(name) is SimulatorState.NOT_RUN]
    for title, those in (("Running", running), ("Without an answer yet", waiting), ("Not run", not_run)):
        if those:
            tell(f"\n{title}\n  {printable(', '.join(those))}")
    for name, reason in trial.failures.items():
        print(f"\nFailure of {printable(name)}")
        for line in reason.splitlines() or [""]:
            tell(f"  {line}")


def print_runs(runs: Sequence[Run], is_driven: bool) -> None:
    if not runs:
        return
    print("\nRuns")
    columns = [
        Column("  simulator"),
        Column("attempt", is_number=True),
        Column("state"),
        Column("started"),
        Column("took", is_number=True),
    ]
    rows = [
        [
            f"  {run.simulator}",
            str(run.attempt),
            run_state(run, is_driven),
            datetime.fromtimestamp(run.started).isoformat(sep=" ", timespec="seconds"),
            "" if run.ended is None else precise_duration(run.ended - run.started),
        ]
        for run in runs
    ]
    print_table(columns, rows)
    if folders := [(f"  {run.simulator}, attempt {run.attempt}", run.folder) for run in runs if run.folder]:
        print("\nFolders")
        print_pairs(folders)


def _with_errors(trial: Trial) -> dict[str, str]:
    errors = {name: f" ± {_exact(error)}" for name, error in trial.errors.items()}
    return {name: _exact(value) + errors.get(name, "") for name, value in trial.values.items()}


def _exact(value: object) -> str:
    return repr(value) if isinstance(value, float) else number(value)
