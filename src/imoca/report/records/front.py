"""The recommended front, and what a study comes to in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from imoca.problem.parameters import Parameter, Value
from imoca.problem.simulator import Constraint, Goal
from imoca.snapshot.recommendation import ParetoPoint
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import TrialState


@dataclass(frozen=True)
class ObjectiveRecord:
    name: str
    goal: Goal
    unit: str | None = None


@dataclass(frozen=True)
class VerifiedRecord:
    trial: int
    parameters: dict[str, Value]
    values: dict[str, float]
    errors: dict[str, float] = field(default_factory=dict)  # standard errors, where they scatter


@dataclass(frozen=True)
class FrontRecord:
    """The recommended front."""

    objectives: tuple[ObjectiveRecord, ...]
    points: tuple[ParetoPoint, ...]
    verified: tuple[VerifiedRecord, ...]  # every design measured at full accuracy, on the front or not
    constraints: tuple[Constraint, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    @property
    def today(self) -> tuple[ParetoPoint, ...]:
        """The points without those that were recommended before."""
        return tuple(point for point in self.points if not point.is_earlier)


@dataclass(frozen=True)
class SummaryRecord:
    """What was optimised, what was found, what it cost."""

    n_trials: int
    n_running: int
    n_failed: int
    cost_spent: float  # NaN if it is not known here
    cost_of_verification: float  # of which, to verify designs
    cost_at_full_accuracy: float  # of as many runs, all at full accuracy
    n_front: int
    n_verified: int


def front_record(snapshot: Snapshot) -> FrontRecord:
    table, names = snapshot.table, [output.name for output in snapshot.problem.modelled]
    return FrontRecord(
        tuple(ObjectiveRecord(each.name, each.goal, each.unit) for each in snapshot.problem.objectives),
        snapshot.front,
        tuple(
            VerifiedRecord(t.number, dict(t.parameters), {name: t.values[name] for name in names}, dict(t.errors))
            for t in table.verified.trials
        ),
        snapshot.problem.constraints,
        snapshot.problem.parameters,
    )


def summary_record(snapshot: Snapshot) -> SummaryRecord:
    table, trials = snapshot.table, snapshot.trials
    full_costs = [simulator.full_cost for simulator in snapshot.problem.simulators]
    return SummaryRecord(
        n_trials=len(trials),
        n_running=sum(trial.state is TrialState.RUNNING for trial in trials),
        n_failed=sum(bool(trial.failures) for trial in trials),
        cost_spent=snapshot.bill.total,
        cost_of_verification=snapshot.bill.verification,
        cost_at_full_accuracy=float((table.was_run * full_costs).sum()),
        n_front=snapshot.n_on_front,
        n_verified=sum(point.verified for point in snapshot.front),
    )
