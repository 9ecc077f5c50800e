"""Trials, fronts and runs as plain content for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imoca.problem.problem import Problem
    from imoca.snapshot.recommendation import ParetoPoint
    from imoca.snapshot.verification import Verification
    from imoca.trials.trial import Run, Trial


def unit_record(problem: Problem) -> dict[str, dict[str, str]]:
    """What the numbers of parameters, fidelities and outputs are in, where it is declared."""
    fidelities = [
        (simulator.name if knob is None else f"{simulator.name}.{knob}", fidelity)
        for simulator in problem.simulators
        for knob, fidelity in simulator.fidelity.knobs_apart
    ]
    return {
        "parameters": {each.name: each.unit for each in problem.parameters if each.unit},
        "fidelities": {name: fidelity.unit for name, fidelity in fidelities if fidelity.unit},
        "outputs": {each.name: each.unit for each in problem.outputs if each.unit},
    }


def trial_record(trial: Trial) -> dict[str, Any]:
    return {
        "number": trial.number,
        "state": str(trial.state),
        "parameters": dict(trial.parameters),
        "fidelities": dict(trial.fidelities),
        "values": dict(trial.values),
        "errors": dict(trial.errors),
        "costs": dict(trial.costs),
        "failures": dict(trial.failures),
        "pending": list(trial.pending),
        "promised": {name: list(promise) for name, promise in trial.promised.items()},
    }


def verification_record(found: Verification) -> dict[str, Any]:
    return {
        "cost": found.cost,
        "simulator_seconds": found.seconds,
        "n_within": found.n_kept,
        "n_measured": found.n_measured,
        "known": list(found.known),
        "designs": [
            {
                "id": design.id,
                "trial": design.trial,
                "parameters": dict(design.parameters),
                "outputs": {
                    check.output: {
                        "predicted": check.promise.value,
                        "interval": [check.promise.low, check.promise.high],
                        "measured": check.measured,
                        "error": check.error,
                        "within": check.is_kept,
                        "failure": check.failure,
                    }
                    for check in design.checks
                },
            }
            for design in found.designs
        ],
    }


def point_record(point: ParetoPoint) -> dict[str, Any]:
    return {
        "id": point.id,
        "parameters": dict(point.parameters),
        "predicted": dict(point.predicted),
        "uncertainty": dict(point.uncertainty),
        "measured": None if point.measured is None else dict(point.measured),
        "errors": dict(point.errors),
        "estimated": dict(point.estimated),
        "verified": point.verified,
        "interval": {name: list(ends) for name, ends in point.interval.items()},
        "probability": point.probability,
        "doubtful": point.is_doubtful,
        "earlier": point.is_earlier,
        "feasibility": point.feasibility,
    }


def front_record(problem: Problem, points: Sequence[ParetoPoint]) -> dict[str, Any]:
    return {
        "objectives": {objective.name: objective.goal for objective in problem.objectives},
        "constraints": {limit.name: {"lower": limit.lower, "upper": limit.upper} for limit in problem.constraints},
        "units": unit_record(problem),
        "points": [point_record(point) for point in points],
    }


def run_state(run: Run, is_driven: bool) -> str:
    """Of a study that no process drives, what had begun is lost, though nobody has written that down yet."""
    return "lost" if run.ended is None and not is_driven else str(run.state)


def run_record(run: Run, is_driven: bool) -> dict[str, Any]:
    answer = run.answer
    return {
        "trial": run.trial,
        "simulator": run.simulator,
        "attempt": run.attempt,
        "state": run_state(run, is_driven),
        "started": run.started,
        "ended": run.ended,
        "folder": run.folder,
        "values": {} if answer is None else dict(answer.values),
        "errors": {} if answer is None else dict(answer.errors),
        "costs": {} if answer is None else dict(answer.costs),
        "failures": {} if answer is None else dict(answer.failures),
    }
