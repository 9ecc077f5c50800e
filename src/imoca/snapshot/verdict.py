"""The verdict on a study, in words: has its front settled, can it be relied on, what is to be done next, at what price.

Terminal, report and page all say these words. No model is fitted for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.stats import binom

from imoca.problem.problem import Problem
from imoca.snapshot.accounting import Bill
from imoca.snapshot.cheap_runs import CheapRuns
from imoca.snapshot.movement import Movement
from imoca.snapshot.prediction import LIKELY
from imoca.snapshot.verification import Verification
from imoca.wording import number

Level = Literal["good", "open", "bad"]

N_TO_VERIFY = 3  # designs that are worth a full run before one of them is built
MORE = 0.5  # of the search's cost so far, with which the front can still change
FIRST_BUDGET = 30.0  # full-fidelity runs, for a study that has spent nothing
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
    price: float | None  # in full-fidelity runs, at the most; None where it is not known

    def command(self, study: str = "") -> str:
        """What to type; the study is named as `imoca front` is given it, a blank before."""
        return f"imoca {self.verb}{study} {self.options}".rstrip()

    @property
    def line(self) -> str:
        return self.what if self.price is None else f"{self.what}, for about {number(self.price)} full-fidelity runs"


@dataclass(frozen=True)
class Verdict:
    settled: Answer
    trusted: Answer
    next_step: NextStep
    warnings: tuple[str, ...] = ()


def verdict(
    problem: Problem,
    n_full: int,  # designs that were run at full accuracy
    bill: Bill,
    movement: Movement,
    verification: Verification,
    cheap_runs: Sequence[CheapRuns],
) -> Verdict:
    settled = Answer(
        "Settled?",
        "yes" if movement.is_settled else "no",
        movement.words,
        "good" if movement.is_settled else "open",
    )
    warnings = tuple(f"Cheap runs of {each.output}: {each.verdict}" for each in cheap_runs if not each.is_worth_it)
    return Verdict(settled, _trusted(n_full, verification), _next_step(problem, bill, movement), warnings)


def _trusted(n_full: int, found: Verification) -> Answer:
    designs = "1 design" if n_full == 1 else f"{n_full} designs"
    question = "To be relied on?"
    if not n_full:
        return Answer(question, "not yet", f"{designs} at full accuracy, so that all of it is prediction", "open")
    if not found.n_measured:
        return Answer(question, "in part", f"{designs} at full accuracy", "open")
    held = f"{designs} at full accuracy; of {found.n_measured} predictions that imoca verify put to the test "
    told = f"{held}{found.n_kept} held"
    if binom.cdf(found.n_kept, found.n_measured, LIKELY) < RARE:
        return Answer(question, "no", f"{told}, where nine of ten should", "bad")
    return Answer(question, "yes", told, "good")


def _next_step(problem: Problem, bill: Bill, movement: Movement) -> NextStep:
    to_verify = N_TO_VERIFY * full_price(problem)
    options = f"--best {N_TO_VERIFY}"
    if movement.is_settled:
        return NextStep(
            f"choose a design, and run {N_TO_VERIFY} at full accuracy to be sure", "verify", options, to_verify
        )
    if movement.has_ended:
        return NextStep(f"run {N_TO_VERIFY} designs of the front at full accuracy", "verify", options, to_verify)
    if any(simulator.run is None for simulator in problem.simulators):
        return NextStep("ask for further designs and tell what they give", "ask", "", None)
    budget = larger_budget(bill)
    price = None if math.isnan(bill.total) else budget - bill.total
    return NextStep("let the search go on", "run", f"--budget {budget:g}", price)


def larger_budget(bill: Bill) -> float:
    """To go on with, in full-fidelity runs: half as much again for the search, two digits of that."""
    if not bill.total > 0.0:  # nothing, or not known
        return FIRST_BUDGET
    return float(f"{bill.total + float(f'{MORE * (bill.total - bill.verification):.2g}'):.6g}")


def full_price(problem: Problem) -> float:
    """Of one design with all simulators at full accuracy, in full-fidelity runs."""
    return problem.setup_cost + sum(simulator.full_cost for simulator in problem.simulators)
