"""Studies as content for JSON: only finite numbers, text and their lists and tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from imoca.dashboard.logs import log_streams
from imoca.problem.accuracy import one_by_one
from imoca.problem.problem import Problem
from imoca.trials.trial import Run, RunState, Trial

FAILURES = "failures"


def columns(problem: Problem) -> list[dict[str, str | None]]:
    """Of the table of trials: to which group they belong, by what name, and with which unit."""
    return [
        {"group": "trial", "name": "number"},
        {"group": "trial", "name": "state"},
        *({"group": "parameters", "name": each.name, "unit": each.unit} for each in problem.parameters),
        *(
            {"group": "fidelities", "name": each.name, "knob": knob, "unit": own.unit}
            for each in problem.simulators
            for knob, own in each.fidelity.knobs_apart
        ),
        *({"group": "values", "name": each.name, "unit": each.unit} for each in problem.outputs),
        *({"group": "costs", "name": each.name, "unit": None} for each in problem.simulators),
        {"group": "trial", "name": FAILURES},
    ]


def row(problem: Problem, trial: Trial) -> list[Any]:
    """The cells of a trial, one per column."""
    simulators = [simulator.name for simulator in problem.simulators]
    return [
        trial.number,
        str(trial.state),
        *(trial.parameters[name] for name in problem.space.names),
        *(
            one_by_one(trial.fidelities).get(each.name if knob is None else f"{each.name}.{knob}")
            for each in problem.simulators
            for knob, _ in each.fidelity.knobs_apart
        ),
        *(trial.values.get(output.name) for output in problem.outputs),
        *(trial.costs.get(name) for name in simulators),
        "; ".join(f"{name}: {reason}" for name, reason in trial.failures.items()) or None,
    ]


def trial_content(trial: Trial, runs: Sequence[Run], runs_folder: Path, is_driven: bool) -> dict[str, Any]:
    """Without a process that drives the study none of its runs goes on: one that did not end is lost."""
    return {
        "number": trial.number,
        "state": str(trial.state),
        "parameters": trial.parameters,
        "fidelities": one_by_one(trial.fidelities),
        "values": trial.values,
        "errors": trial.errors,
        "costs": trial.costs,
        "wasted": trial.wasted,
        "failures": trial.failures,
        "pending": trial.pending,
        "promised": trial.promised,
        "runs": [
            {
                "simulator": run.simulator,
                "attempt": run.attempt,
                "state": str(run.state if is_driven or run.ended is not None else RunState.LOST),
                "started": run.started,
                "ended": run.ended,
                "logs": [] if run.folder is None else log_streams(runs_folder, run.folder),
                "failures": {} if run.answer is None else run.answer.failures,
            }
            for run in runs
        ],
    }
