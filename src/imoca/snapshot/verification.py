"""Is what was promised true? Designs that were recommended and then run at full accuracy, both values side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.methods.beliefs import Beliefs
from imoca.methods.verification import most_worth_verifying
from imoca.models.cost import LearnedCostModel
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.snapshot.accounting import bill, seconds_bill
from imoca.snapshot.prediction import LIKELY, Predictions
from imoca.snapshot.recommendation import ParetoPoint, design_id, measured_values
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate, Promise, SimulatorState, Trial
from imoca.wording import duration, labelled, number, printable, with_error

ROUND_OFF = 1e-9  # of what is left to spend
LEAST_ROUNDED = 100.0  # seconds that are told in whole ones
TITLES = ("design", "trial", "output", "predicted", "90 % interval", "measured", "")


@dataclass(frozen=True)
class Check:
    """One output of a design: what was predicted before it was run at full accuracy, and what came."""

    output: str
    promise: Promise
    measured: float | None  # None while it runs, or if it failed
    failure: str | None = None  # the reason
    unit: str | None = None
    error: float = 0.0  # standard error of what was measured

    @property
    def is_kept(self) -> bool | None:
        """Whether what was measured lies within the interval, as far as its own error tells; None if nothing was."""
        return None if self.measured is None else self.promise.is_kept(self.measured, self.error)

    @property
    def label(self) -> str:
        return labelled(self.output, self.unit)

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.is_kept is None:
            return "no answer yet" if self.failure is None else "failed"
        return "within" if self.is_kept else "outside"


@dataclass(frozen=True)
class CheckedDesign:
    """A design that was run at full accuracy in order to verify it; values in the user's own units and signs."""

    trial: int
    parameters: Mapping[str, Value]
    checks: tuple[Check, ...]  # of the outputs that were not known there already

    @property
    def id(self) -> str:
        """That it has on the front."""
        return design_id(self.parameters)


@dataclass(frozen=True)
class Verification:
    """Designs that were verified; printed, it is a table."""

    designs: tuple[CheckedDesign, ...]
    cost: float  # spent on them, in full-fidelity runs
    known: tuple[str, ...] = ()  # ids of designs that were asked for, of which nothing was missing
    is_none_left: bool = False  # where some of the front were wanted: whether none could be chosen
    seconds: float | None = None  # spent on them, where simulator time is what a budget counts

    @property
    def n_kept(self) -> int:
        """Measured values that lie within their intervals, nine of ten if all is well."""
        return sum(check.is_kept is True for check in self._checks)

    @property
    def failed(self) -> tuple[str, ...]:
        """Ids of designs of which a run failed."""
        failed = [design.id for design in self.designs if any(check.failure is not None for check in design.checks)]
        return tuple(dict.fromkeys(failed))

    @property
    def n_measured(self) -> int:
        return sum(check.is_kept is not None for check in self._checks)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """What a table shows, under `TITLES`."""
        return tuple(
            (
                design.id,
                str(design.trial),
                check.label,
                number(check.promise.value),
                f"{number(check.promise.low)} to {number(check.promise.high)}",
                "" if check.measured is None else with_error(check.measured, check.error),
                check.verdict,
            )
            for design in self.designs
            for check in design.checks
        )

    @property
    def summary(self) -> str:
        """In a sentence."""
        parts = []
        if self.designs:
            n_designs = len({design.id for design in self.designs})  # one may have been run again
            designs = "1 design was" if n_designs == 1 else f"{n_designs} designs were"
            done = "run" if self.failed else "verified"
            parts.append(f"{designs} {done} at full accuracy for {self.price}.")
        if self.failed:
            parts.append(f"Runs of {', '.join(self.failed)} failed.")
        if self.n_measured:
            lie = "lies" if self.n_measured == 1 else "lie"
            parts.append(f"{self.n_kept} of {self.n_measured} measured values {lie} within the 90 % intervals.")
        if self.known:
            parts.append(f"Nothing was missing of {', '.join(self.known)}.")
        if self.is_none_left:
            parts.append("No design of the front is left that was neither measured at full accuracy nor failed there.")
        return " ".join(parts) or "Nothing was verified."

    @property
    def price(self) -> str:
        """What was spent on them, in words."""
        cost = f"a cost of {number(self.cost)}"
        if self.seconds is None:
            return cost
        time = duration(self.seconds) if self.seconds >= LEAST_ROUNDED else f"{number(self.seconds)} s"
        return f"{time} of simulator time, {cost}"

    def __str__(self) -> str:
        lines = [TITLES, *([printable(cell) for cell in row] for row in self.rows)] if self.designs else []
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        shown = ["  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*(line.rstrip() for line in shown), self.summary])

    @property
    def _checks(self) -> tuple[Check, ...]:
        return tuple(check for design in self.designs for check in design.checks)


def verification(table: TrialTable, of: BoolArray | None = None, known: Sequence[str] = ()) -> Verification:
    """Of the trials that were asked in order to verify, or some of them."""
    rows = np.array([trial.is_verification for trial in table.trials], dtype=np.bool_)
    chosen = np.flatnonzero(rows if of is None else rows & of).tolist()
    designs = [_checked(table.problem, table.trials[i]) for i in chosen]
    return Verification(tuple(designs), float(bill(table).by_trial[chosen].sum()), tuple(known))


def in_simulator_time(found: Verification, table: TrialTable) -> Verification:
    """The same with what it cost in simulator time, too: where the cost of every simulator is measured."""
    rows = [design.trial for design in found.designs]
    return replace(found, seconds=float(seconds_bill(table).by_trial[rows].sum()))


def _checked(problem: Problem, trial: Trial) -> CheckedDesign:
    checks = [
        Check(
            *(name, promise, trial.values.get(name), trial.failures.get(problem.simulator_of(name).name)),
            unit=problem.output(name).unit,
            error=trial.errors.get(name, 0.0),
        )
        for name, promise in trial.promised.items()
    ]
    return CheckedDesign(trial.number, trial.parameters, tuple(checks))


def missing_simulators(table: TrialTable, x: Array) -> tuple[str, ...]:  # (d,)
    """Those that neither answered at a design at full accuracy nor are asked there."""
    is_there = (table.x == x).all(axis=1)
    states = [SimulatorState.PENDING, SimulatorState.ANSWERED]
    is_known = np.isin(table.states, states) & (table.z == 1.0) & is_there[:, None]
    return tuple(
        each.name for each, known in zip(table.problem.simulators, is_known.any(axis=0), strict=True) if not known
    )


def question_about(
    table: TrialTable, beliefs: Beliefs, parameters: Mapping[str, Value], is_again: bool = False
) -> Candidate | None:
    """What is missing of a design at full accuracy, with what is predicted of it now; None if nothing is.

    Again, all of it is.
    """
    problem = table.problem
    x = problem.space.encode(parameters)
    missing = tuple(each.name for each in problem.simulators) if is_again else missing_simulators(table, x)
    if not missing:
        return None
    predictions = Predictions.at(beliefs, x[None])
    (centres,), ((low,), (high,)) = predictions.centres(), predictions.intervals(LIKELY)
    promised = {
        output.name: Promise(float(centres[j]), float(low[j]), float(high[j]))
        for j, output in enumerate(problem.modelled)
        if problem.simulator_of(output.name).name in missing
    }
    fidelities = {name: problem.simulator(name).fidelity.target for name in missing}
    return Candidate(dict(parameters), fidelities, beliefs.fitted, promised=promised)


@dataclass(frozen=True)
class OpenDesigns:
    """Those of a front that may be verified."""

    points: tuple[ParetoPoint, ...]
    x: Array  # (n, d)
    costs: Array  # (n,) of what is missing of each at full accuracy, in full-fidelity runs
    seconds: Array  # (n,) the same in simulator time; NaN where what a simulator takes is not measured

    def paid_by(self, most: float, is_time: bool) -> OpenDesigns:
        """Those that cost no more."""
        rows = np.flatnonzero(self.prices(is_time) <= most * (1.0 + ROUND_OFF))
        points = tuple(self.points[row] for row in rows)
        return OpenDesigns(points, self.x[rows], self.costs[rows], self.seconds[rows])

    def prices(self, is_time: bool) -> Array:  # (n,)
        """In what is spent; infinite where that is not known."""
        return np.nan_to_num(self.seconds, nan=np.inf) if is_time else self.costs


def open_designs(table: TrialTable, beliefs: Beliefs, front: Sequence[ParetoPoint]) -> OpenDesigns:
    """None whose full run failed before or is still running; those that the model cannot vouch for if there are no
    others."""
    todays = [point for point in front if not point.verified and not point.is_earlier]
    offered = [point for point in todays if not point.is_doubtful] or todays
    designs = [(point, table.problem.space.encode(point.parameters)) for point in offered]
    failed = {row.tobytes() for row in table.x[_has_failed_at_full_accuracy(table)]}
    open_ones = [(p, x, m) for p, x in designs if x.tobytes() not in failed and (m := missing_simulators(table, x))]
    x = np.array([x for _, x, _ in open_ones]).reshape(-1, table.x.shape[1])
    costs, seconds = np.full(len(x), table.problem.setup_cost), np.zeros(len(x))
    for simulator, cost in zip(table.problem.simulators, beliefs.costs, strict=True):
        is_missing = np.array([simulator.name in missing for _, _, missing in open_ones], dtype=np.bool_)
        costs += np.where(is_missing, cost.ratio(x, np.ones(1))[:, 0], 0.0)
        own = np.full(len(x), np.nan)
        if isinstance(cost, LearnedCostModel) and cost.residual is not None:
            own = cost.own_costs(x, np.ones(len(x)))
        seconds += np.where(is_missing, own, 0.0)
    return OpenDesigns(tuple(point for point, _, _ in open_ones), x, costs, seconds)


def most_worthwhile(
    table: TrialTable, beliefs: Beliefs, designs: OpenDesigns, n_ahead: int, rng: np.random.Generator
) -> ParetoPoint | None:
    """The first to run of so many designs that together add most to what was measured, for their cost.

    Its chance of being feasible counts.
    """
    if not designs.points:
        return None
    x, costs = designs.x, designs.costs
    is_asked = np.array([trial.is_verification and bool(trial.pending) for trial in table.trials], dtype=np.bool_)
    reached = np.concatenate([measured_values(beliefs, table), beliefs.means_at_target(table.x[is_asked])])
    return designs.points[most_worth_verifying(beliefs.guessing(table), x, reached, costs, n_ahead, rng)]


def _has_failed_at_full_accuracy(table: TrialTable) -> BoolArray:  # (n,)
    return np.asarray(((table.states == SimulatorState.FAILED) & (table.z == 1.0)).any(axis=1))
