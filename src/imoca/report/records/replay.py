"""How the front came to be, step by step: what was recommended, and what had run by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.report.records.front import ObjectiveRecord
from imoca.report.records.trade_offs import trading_pairs
from imoca.snapshot.history import Checkpoint
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import Trial

MARGIN = 0.06  # of an axis beyond what it must show


@dataclass(frozen=True)
class ReplayedRun:
    """A trial that answered both objectives."""

    trial: int
    x: float
    y: float
    z: float  # the lower one of the two fidelities


@dataclass(frozen=True)
class ReplayedDesign:
    x: float
    y: float
    is_verified: bool


@dataclass(frozen=True)
class ReplayStep:
    n_trials: int
    cost: float
    front: tuple[ReplayedDesign, ...]
    runs: tuple[ReplayedRun, ...]  # since the step before


@dataclass(frozen=True)
class ReplayRecord:
    """Of two objectives: of more than two, those that are most at odds. The axes are the same for all steps."""

    objectives: tuple[ObjectiveRecord, ...]  # two, or none if there is nothing to replay
    steps: tuple[ReplayStep, ...]
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    @property
    def n_outside(self) -> int:
        """Runs beyond the axes, which are made for the fronts."""
        (left, right), (low, high) = self.x_range, self.y_range
        inside = [left <= run.x <= right and low <= run.y <= high for step in self.steps for run in step.runs]
        return len(inside) - sum(inside)


def replay_record(snapshot: Snapshot) -> ReplayRecord:
    problem, nothing = snapshot.problem, ReplayRecord((), (), (0.0, 1.0), (0.0, 1.0))
    if len(problem.objectives) < 2 or not (history := snapshot.history):
        return nothing
    objectives = [ObjectiveRecord(each.name, each.goal, each.unit) for each in problem.objectives]
    first, second = trading_pairs(objectives, history[-1].front)[0]
    pair = (objectives[first], objectives[second])
    trials, steps, done = snapshot.finished.trials, [], 0
    for checkpoint in history:
        runs = [_run(snapshot, trial, pair) for trial in trials[done : checkpoint.n_trials]]
        steps.append(_step(checkpoint, pair, [run for run in runs if run is not None]))
        done = checkpoint.n_trials
    shown = [(d.x, d.y) for step in steps for d in step.front]
    shown += [(run.x, run.y) for step in steps for run in step.runs if run.z == 1.0]
    x_range, y_range = (_range([each[axis] for each in shown]) for axis in (0, 1))
    return ReplayRecord(pair, tuple(steps), x_range, y_range)


def _step(checkpoint: Checkpoint, pair: Sequence[ObjectiveRecord], runs: Sequence[ReplayedRun]) -> ReplayStep:
    known = [(point.known, point.verified) for point in checkpoint.front if not point.is_earlier]
    designs = [ReplayedDesign(values[pair[0].name], values[pair[1].name], verified) for values, verified in known]
    return ReplayStep(checkpoint.n_trials, checkpoint.cost, tuple(designs), tuple(runs))


def _run(snapshot: Snapshot, trial: Trial, pair: Sequence[ObjectiveRecord]) -> ReplayedRun | None:
    names = [each.name for each in pair]
    if not all(name in trial.values for name in names):
        return None
    simulators = [snapshot.problem.simulator_of(name) for name in names]
    z = min(float(each.fidelity.encode_all([trial.fidelities[each.name]])[0]) for each in simulators)
    return ReplayedRun(trial.number, trial.values[names[0]], trial.values[names[1]], z)


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = MARGIN * (high - low) or 0.5 * abs(high) or 0.5
    return float(np.float64(low) - margin), float(np.float64(high) + margin)
