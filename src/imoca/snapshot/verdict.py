"""The verdict on a study, in words: has its front settled, can it be relied on, what is to be done next, at what price.

Terminal, report and page all say these words. No model is fitted for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import binom

from imoca.problem.problem import Problem
from imoca.snapshot.accounting import Bill
from imoca.snapshot.cheap_runs import CheapRuns
from imoca.snapshot.movement import Movement
from imoca.snapshot.prediction import LIKELY
from imoca.snapshot.verification import Verification
from imoca.trials.failing import failing_words
from imoca.trials.table import TrialTable
from imoca.trials.trial import SimulatorState
from imoca.wording import counted, duration, number

Level = Literal["good", "open", "bad"]

N_TO_VERIFY = 3  # designs that are worth a full run before one of them is built
MORE = 0.5  # of the search's cost so far, with which the front can still change
FIRST_BUDGET = 30.0  # full-fidelity runs, for a study that has spent nothing
TIME_UNITS = ((3600.0, "h"), (60.0, "m"), (1.0, "s"))  # twice of which is written in them
ROUND_OFF = 1e-9  # of the third digit
MANY_FAILED = 0.1  # of the runs: a front that stands still may do so because it must not go on
KEPT_AWAY = (
    "Questions and the front keep away from where runs may fail, also where better designs may be: what stands still "
    "need not be the best there is."
)
RARE = 0.05  # chance below which so few held predictions are no bad luck


@dataclass(frozen=True)
class Answer:
    question: str
    word: str  # yes, no, not yet
    why: str
    level: Level

    @property
    def line(self) -> str:
        return f"{self.word}: {self.why}"


@dataclass(frozen=True)
class NextStep:
    what: str
    verb: str  # of the command line
    options: str
    price: float | None  # in full-fidelity runs or seconds, at the most; None where it is not known
    is_time: bool = False  # seconds of simulator time

    def command(self, study: str = "") -> str:
        """What to type; the study is named as `imoca front` is given it, a blank before."""
        return f"imoca {self.verb}{study} {self.options}".rstrip()

    @property
    def line(self) -> str:
        if self.price is None:
            return self.what
        amount = duration(self.price) if self.is_time else number(self.price)
        return f"{self.what}, for about {amount} {'of simulator time' if self.is_time else 'full-fidelity runs'}"


@dataclass(frozen=True)
class Broken:
    """A simulator that fails so often that the study stops."""

    simulator: str
    how_often: str
    trial: int  # the last that failed

    @staticmethod
    def among(table: TrialTable) -> Broken | None:
        """The first that is no use to go on with: its last run failed, too, for it may have been mended since."""
        for s, simulator in enumerate(table.problem.simulators):
            rows = np.flatnonzero(np.isin(table.states[:, s], (SimulatorState.ANSWERED, SimulatorState.FAILED)))
            has_failed = (table.states[rows, s] == SimulatorState.FAILED).tolist()
            how_often = failing_words(has_failed)
            if how_often and has_failed[-1]:
                return Broken(simulator.name, how_often, table.trials[int(rows[-1])].number)
        return None


@dataclass(frozen=True)
class Purse:
    """What was spent, and what a design costs at full accuracy: full-fidelity runs, or seconds of simulator time."""

    bill: Bill
    full_design: float  # NaN where it is not known
    is_time: bool = False
    budget: float | None = None  # that is declared, in the same unit

    @staticmethod
    def of_runs(problem: Problem, bill: Bill) -> Purse:
        return Purse(bill, full_price(problem))

    @staticmethod
    def of_time(problem: Problem, bill: Bill, seconds: Bill) -> Purse:
        """A full-fidelity run of a simulator takes what its runs took, over what they count."""
        taken, counted = seconds.spent.sum(axis=0), bill.spent.sum(axis=0)
        per_run = np.divide(taken, counted, out=np.full(len(taken), np.nan), where=counted > 0.0)
        full_costs = np.array([simulator.full_cost for simulator in problem.simulators])
        return Purse(seconds, float(full_costs @ per_run), True)

    def price(self, amount: float) -> float | None:
        return None if math.isnan(amount) else amount

    @property
    def left(self) -> float:
        """Of the budget, with what runs counted at its expected cost."""
        return (self.budget or 0.0) - self.bill.total - float(self.bill.expected.sum())

    def to_go_on(self) -> tuple[str, float | None]:
        """Options of `imoca run`, and what that may cost: what is left of the budget, else half as much again.

        Of time where nothing was spent the budget as it is will do, and how much that is nobody knows.
        """
        spent = self.bill.total
        if self.budget is not None and spent < self.budget:
            return "", self.price(self.budget - spent)
        budget = larger_budget(self.bill)
        if not self.is_time:
            return f"--budget {budget:g}", self.price(budget - spent)
        return (f"--budget {written_time(budget)}", self.price(budget - spent)) if spent > 0.0 else ("", None)


@dataclass(frozen=True)
class Verdict:
    settled: Answer
    trusted: Answer
    next_step: NextStep
    warnings: tuple[str, ...] = ()
    failing: str = ""  # one of them: what runs that fail mean for the front, if many do


def verdict(
    problem: Problem,
    n_full: int,  # designs that were run at full accuracy
    bill: Bill,
    movement: Movement,
    verification: Verification,
    cheap_runs: Sequence[CheapRuns],
    share_failed: float = 0.0,  # of the runs that ended
    broken: Broken | None = None,
    n_impossible: int = 0,  # designs more that were run there, of which an answer is impossible
) -> Verdict:
    settled = Answer(
        "Settled?",
        "yes" if movement.is_settled else "no",
        movement.words,
        "good" if movement.is_settled else "open",
    )
    warnings = tuple(f"Cheap runs of {each.output}: {each.verdict}" for each in cheap_runs if not each.is_worth_it)
    is_kept_away = movement.has_ended and share_failed >= MANY_FAILED
    failing = f"{100.0 * share_failed:.0f} % of the runs failed. {KEPT_AWAY}" if is_kept_away else ""
    step = next_step(problem, Purse.of_runs(problem, bill), movement, broken=broken)
    warnings = (*warnings, failing) if failing else warnings
    return Verdict(settled, _trusted(n_full, n_impossible, verification), step, warnings, failing)


def _trusted(n_full: int, n_impossible: int, found: Verification) -> Answer:
    more = f" ({n_impossible} more gave an impossible answer)" if n_impossible else ""
    designs = f"{counted(n_full, 'design')} at full accuracy{more}"
    question = "To be relied on?"
    if not n_full:
        return Answer(question, "not yet", f"{designs}, so that all of it is prediction", "open")
    if not found.n_measured:
        return Answer(question, "in part", designs, "open")
    held = f"{designs}; of {found.n_measured} predictions that imoca verify put to the test "
    told = f"{held}{found.n_kept} held"
    if binom.cdf(found.n_kept, found.n_measured, LIKELY) < RARE:
        return Answer(question, "no", f"{told}, where nine of ten should", "bad")
    return Answer(question, "yes", told, "good")


def next_step(
    problem: Problem,
    purse: Purse,
    movement: Movement,
    n_predicted: int | None = None,  # designs of the front that were not measured; None where no front was made
    broken: Broken | None = None,
) -> NextStep:
    if broken is not None:
        what = f"mend simulator {broken.simulator!r}, which failed {broken.how_often}"
        return NextStep(what, "show", str(broken.trial), None)
    n = N_TO_VERIFY if n_predicted is None else min(N_TO_VERIFY, n_predicted)
    to_verify, options = purse.price(n * purse.full_design), f"--best {n}"
    if movement.is_settled and not n:
        return NextStep("choose a design: all on the front were measured at full accuracy", "front", "", None)
    if movement.is_settled:
        what = f"choose a design, and run {n} at full accuracy to be sure"
        return NextStep(what, "verify", options, to_verify, purse.is_time)
    if movement.has_ended and n:
        what = f"run {counted(n, 'design')} of the front at full accuracy"
        return NextStep(what, "verify", options, to_verify, purse.is_time)
    if any(simulator.run is None for simulator in problem.simulators):
        return NextStep("ask for further designs and tell what they give", "ask", "", None)
    return NextStep("let the search go on", "run", *purse.to_go_on(), purse.is_time)


def written_time(seconds: float) -> str:
    """As a budget is written: three digits, and never less."""
    size, letter = next((size, letter) for size, letter in TIME_UNITS if seconds >= 2.0 * size or size == 1.0)
    digits = 2 - math.floor(math.log10(seconds / size))
    return f"{math.ceil(seconds / size * 10.0**digits - ROUND_OFF) / 10.0**digits:.10g}{letter}"


def larger_budget(bill: Bill) -> float:
    """To go on with, in the unit of the bill: half as much again for the search, two digits of that."""
    if not bill.total > 0.0:  # nothing, or not known
        return FIRST_BUDGET
    return float(f"{bill.total + float(f'{MORE * (bill.total - bill.verification):.2g}'):.6g}")


def full_price(problem: Problem) -> float:
    """Of one design with all simulators at full accuracy, in full-fidelity runs."""
    return problem.setup_cost + sum(simulator.full_cost for simulator in problem.simulators)
