"""The columns of a table of trials, each with a title of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from imoca.problem.accuracy import Level
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.problem.simulator import Simulator
from imoca.trials.trial import Trial

ColumnKind = Literal["trial", "parameter", "fidelity", "value", "error", "cost", "state", "failure"]


@dataclass(frozen=True)
class TrialColumn:
    kind: ColumnKind
    name: str  # of the parameter, output or simulator; of a trial itself "number" or "state"
    title: str
    knob: str | None = None  # of several, the one whose setting it holds

    def cell(self, trial: Trial) -> Value | Level | None:
        match self.kind:
            case "trial":
                return trial.number if self.name == "number" else str(trial.state)
            case "parameter":
                return trial.parameters[self.name]
            case "fidelity":
                setting = trial.fidelities.get(self.name)
                return setting.get(self.knob or "") if isinstance(setting, Mapping) else setting
            case "value":
                return trial.values.get(self.name)
            case "error":
                return trial.errors.get(self.name)
            case "cost":
                return trial.costs.get(self.name)
            case "state":
                return str(trial.state_of(self.name))
            case "failure":
                return trial.failures.get(self.name)


def told_columns(problem: Problem, trials: Sequence[Trial]) -> tuple[TrialColumn, ...]:
    """Of a file of these trials: standard errors have a column where some were told."""
    told = {name for trial in trials for name in trial.errors}
    return tuple(each for each in trial_columns(problem) if each.kind != "error" or each.name in told)


def trial_columns(problem: Problem) -> tuple[TrialColumn, ...]:
    """That a file of trials may have, in its order.

    Parameters keep their names as titles, and outputs if no parameter has them. The others are called by kind and name,
    `cost.cfd`; what is still taken gets the kind in front once more.
    """
    parameters = {name: name for name in problem.space.names}
    taken = set(parameters)

    def title(kind: ColumnKind, wish: str) -> str:
        while wish in taken:
            wish = f"{kind}.{wish}"
        taken.add(wish)
        return wish

    outputs = [TrialColumn("value", output.name, title("value", output.name)) for output in problem.outputs]
    trial = [TrialColumn("trial", name, title("trial", name)) for name in ("number", "state")]

    def per_simulator(kind: ColumnKind) -> list[TrialColumn]:
        return [TrialColumn(kind, each.name, title(kind, f"{kind}.{each.name}")) for each in problem.simulators]

    def fidelities(simulator: Simulator) -> list[TrialColumn]:
        """One column, or one per knob of several."""
        own = f"fidelity.{simulator.name}"
        wishes = {knob: own if knob is None else f"{own}.{knob}" for knob, _ in simulator.fidelity.knobs_apart}
        return [TrialColumn("fidelity", simulator.name, title("fidelity", wish), knob) for knob, wish in wishes.items()]

    return (
        *trial,
        *(TrialColumn("parameter", name, each) for name, each in parameters.items()),
        *(column for simulator in problem.simulators for column in fidelities(simulator)),
        *outputs,
        *(TrialColumn("error", output.name, title("error", f"error.{output.name}")) for output in problem.outputs),
        *per_simulator("cost"),
        *per_simulator("state"),
        *per_simulator("failure"),
    )
