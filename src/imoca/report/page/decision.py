"""What a reader needs to decide: designs to begin with, and what is left of the budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.pareto.subset import spread_subset
from imoca.problem.allowance import Allowance
from imoca.problem.problem import Problem
from imoca.snapshot.accounting import Bill, seconds_bill
from imoca.snapshot.designs import nearest_to_best, robust_values, worth_offering
from imoca.snapshot.recommendation import ParetoPoint
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import Run
from imoca.wording import duration, number

MOST_HIGHLIGHTS = 5
BALANCE = "a balance of all"


@dataclass(frozen=True)
class Highlight:
    """A design to begin with."""

    reason: str
    point: ParetoPoint


@dataclass(frozen=True)
class Budget:
    """What was spent and what may be, in one unit."""

    spent: float  # NaN if it is not known here
    verification: float  # of which, to verify designs
    total: float | None  # None if nobody said so
    pace: float | None  # spent per second while something ran; None without times of runs
    unit: str = "full-fidelity runs"

    @property
    def left(self) -> float | None:
        return None if self.total is None or math.isnan(self.spent) else max(0.0, self.total - self.spent)

    @property
    def words(self) -> str:
        if math.isnan(self.spent):
            return "What was spent is unknown here: a function tells what runs cost."
        of_total = "" if self.total is None else f" of {number(self.total)}"
        search = f"{number(self.spent)}{of_total} {self.unit} spent"
        told = f"{search}, {number(self.verification)} of it to verify designs" if self.verification else search
        if self.left is None:
            return f"{told}."
        if not self.left:
            return f"{told}: nothing is left."
        time = f", about {duration(self.left / self.pace)} at the pace so far" if self.pace else ""
        return f"{told}; {number(self.left)} left{time}."


def written_budget(snapshot: Snapshot, written: float | str | None) -> Budget:
    """Of a budget as a study file has it: full-fidelity runs, or simulator time such as "40h"."""
    allowance = None if written is None else Allowance.read(written)
    if allowance is None or not allowance.is_time:
        return budget_of(snapshot.bill, snapshot.runs, None if allowance is None else allowance.amount)
    in_seconds, told = seconds_bill(snapshot.table, snapshot.runs), allowance.told
    seconds = budget_of(in_seconds, snapshot.runs, allowance.amount)
    pace = None if seconds.pace is None else told(seconds.pace)
    return Budget(told(seconds.spent), told(seconds.verification), told(allowance.amount), pace, allowance.unit)


def budget_of(bill: Bill, runs: Sequence[Run], total: float | None) -> Budget:
    return Budget(bill.total, bill.verification, total, _pace(bill, runs))


def highlights(problem: Problem, front: Sequence[ParetoPoint]) -> tuple[Highlight, ...]:
    """The design nearest to being the best in all, and the best in each objective; at most five, far from each other.

    Judged by the worse end of the interval that holds nine of ten, so that a design that may be good by luck is none.
    Only designs that are vouched for, if there are any.
    """
    front = worth_offering(front)
    if not front:
        return ()
    names = [objective.name for objective in problem.objectives]
    values = robust_values(problem, front)
    found: dict[int, list[str]] = {}
    if len(names) > 1:
        found[nearest_to_best(values)] = [BALANCE]
    for j, name in enumerate(names):
        found.setdefault(int(np.argmax(values[:, j])), []).append(f"best {name}")
    rows = list(found)
    if len(rows) > MOST_HIGHLIGHTS:
        rows = [rows[i] for i in np.sort(spread_subset(values[rows], MOST_HIGHLIGHTS, first=(0,)))]
    return tuple(Highlight(", ".join(found[i]), front[i]) for i in rows)


def _pace(bill: Bill, runs: Sequence[Run]) -> float | None:
    """What the trials of the runs cost, over the time in which at least one of them ran."""
    ended = sorted((run.started, run.ended) for run in runs if run.ended is not None)
    trials = sorted({run.trial for run in runs if run.ended is not None and run.trial < len(bill.spent)})
    busy, until = 0.0, -math.inf
    for start, end in ended:
        busy += max(0.0, end - max(start, until))
        until = max(until, end)
    cost = float(bill.by_trial[trials].sum())
    return cost / busy if busy > 0.0 and cost > 0.0 else None
