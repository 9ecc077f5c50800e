"""Designs that a user wants to see run at full accuracy, as questions of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from imoca.errors import MethodError
from imoca.methods.beliefs import Beliefs
from imoca.problem.allowance import Allowance
from imoca.problem.names import is_integer
from imoca.snapshot.designs import Design, Parameters, parameters_of
from imoca.snapshot.recommendation import ParetoPoint, design_id
from imoca.snapshot.snapshot import Snapshot
from imoca.snapshot.verification import (
    ROUND_OFF,
    OpenDesigns,
    Verification,
    most_worthwhile,
    open_designs,
    question_about,
    verification,
)
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate, Trial
from imoca.wording import number, shown

if TYPE_CHECKING:
    from imoca.study.study import Study


def designs_named(snapshot: Snapshot, designs: Design | Iterable[Design]) -> list[Parameters]:
    """Their parameters, each design once; an error if one is unknown, not possible, or nothing is known at all."""
    if not isinstance(designs, str | ParetoPoint | Mapping | Iterable):
        raise MethodError(
            f"{shown(designs)} is no design to be verified.",
            hint="Give ids of the front, such as verify(['F3A0']), or a number of designs as verify(n=4).",
        )
    given = [designs] if isinstance(designs, str | ParetoPoint | Mapping) else list(designs)
    if not given:
        raise MethodError("No design is given to be verified.", hint="Give ids of the front, such as verify(['F3A0']).")
    known_beliefs(snapshot)
    found: list[Parameters] = []
    for design in given:
        parameters = parameters_of(snapshot, design)
        if parameters not in found:
            found.append(parameters)
    return found


def known_beliefs(snapshot: Snapshot) -> Beliefs:
    if snapshot.beliefs is None:
        raise MethodError(
            "There is nothing to verify: some objective has no answer yet, so nothing is predicted.",
            hint="Run the study first, with study.optimize or imoca run.",
        )
    return snapshot.beliefs


class GivenDesigns:
    """All are stored before the first one runs, so that a restart knows of them."""

    def __init__(self, study: Study, snapshot: Snapshot, designs: Sequence[Parameters], is_again: bool) -> None:
        self._study = study
        self._snapshot = snapshot
        self._designs = designs
        self._is_again = is_again

    def begin(self) -> None:
        beliefs = known_beliefs(self._snapshot)
        for parameters in self._designs:
            question = question_about(self._study.table(), beliefs, parameters, self._is_again)
            if question is not None:
                self._study.launch(question)

    def next(self, n_free: int, is_idle: bool) -> Trial | None:
        return None  # the loop takes up what was begun

    def outcome(self) -> Verification:
        """Of designs that are run again only what is new; of others what was run before them, too."""
        table = self._study.table()
        told_before = {trial.number for trial in self._snapshot.trials if not trial.pending}
        is_given = np.array([dict(trial.parameters) in self._designs for trial in table.trials], dtype=np.bool_)
        is_new = np.array([trial.number not in told_before for trial in table.trials], dtype=np.bool_)
        run_now = [dict(t.parameters) for t, new in zip(table.trials, is_new, strict=True) if new and t.is_verification]
        known = [design_id(parameters) for parameters in self._designs if parameters not in run_now]
        return verification(table, is_given & is_new if self._is_again else is_given, known)


class BestDesigns:
    """Of the front, each chosen by all answers before it: so many, or as many as what the study may spend pays for.

    What was begun before and is finished now counts as theirs.
    """

    def __init__(self, study: Study, n: int | None, budget: float | str | None) -> None:
        if budget is None and (not is_integer(n) or n < 1):
            raise MethodError(f"n is {shown(n)}.", hint="Give the number of designs, a whole number of at least 1.")
        snapshot = study.snapshot()
        known_beliefs(snapshot)
        if not snapshot.front:
            raise MethodError(
                "There is no front to verify: no design is likely to be feasible.",
                hint="Let the search go on, with study.optimize or imoca run.",
            )
        self._study = study
        self._n_left = 0 if n is None else int(n)
        self._budget = None if budget is None else Allowance.read(budget)
        self._trials = [trial.number for trial in study.trials if trial.is_verification and trial.pending]
        self._judged: TrialTable | None = None  # by which the last one was chosen
        self._is_none_left = False
        if self._budget is not None:
            self._budget.check_suits(study.problem)
            self._check_pays_for_one(self._budget, snapshot)

    def begin(self) -> None:
        pass

    def next(self, n_free: int, is_idle: bool) -> Trial | None:
        if self._study.table() is self._judged:  # nothing new since there was no other
            return None
        if self._budget is None and self._n_left == 0:
            return None
        snapshot = self._study.snapshot()
        self._judged = snapshot.table
        designs = designs_to_verify(snapshot)
        self._is_none_left = not designs.points
        if self._budget is not None:
            designs = designs.paid_by(_left(self._budget, snapshot), self._budget.is_time)
            self._n_left = _n_paid(self._budget, snapshot, designs)
        question = next_to_verify(snapshot, self._n_left, designs)
        if question is None:
            return None
        trial = self._study.launch(question)
        self._n_left -= 1
        self._trials.append(trial.number)
        return trial

    def outcome(self) -> Verification:
        table = self._study.table()
        found = verification(table, np.isin(np.arange(len(table)), self._trials))
        return replace(found, is_none_left=self._is_none_left)

    def _check_pays_for_one(self, budget: Allowance, snapshot: Snapshot) -> None:
        """Unless something was begun, which is finished whatever it costs."""
        designs, left = designs_to_verify(snapshot), _left(budget, snapshot)
        if self._trials or not designs.points or designs.paid_by(left, budget.is_time).points:
            return
        cheapest = budget.told(float(designs.prices(budget.is_time).min()))
        costs = (
            "what one takes is not known"
            if np.isinf(cheapest)
            else f"the cheapest of the front costs {number(cheapest)}"
        )
        raise MethodError(
            f"The budget does not pay for one more design: {budget.spent_words(budget.amount - left)} are spent, and"
            f" {costs} at full accuracy.",
            hint="Give a larger one, what was spent before included, or the number of designs.",
        )


def _left(budget: Allowance, snapshot: Snapshot) -> float:
    return snapshot.purse_of(budget).left


def _n_paid(budget: Allowance, snapshot: Snapshot, designs: OpenDesigns) -> int:
    """About so many of the designs, of middling cost, are paid by what is left; at least one where one is."""
    if not designs.points:
        return 0
    middling = float(np.median(designs.prices(budget.is_time)))
    return max(1, int(_left(budget, snapshot) / middling + ROUND_OFF)) if middling > 0.0 else 1


def designs_to_verify(snapshot: Snapshot) -> OpenDesigns:
    """Of the front, with what each of them costs."""
    return open_designs(snapshot.table, known_beliefs(snapshot), snapshot.front)


def next_to_verify(snapshot: Snapshot, n_ahead: int = 1, designs: OpenDesigns | None = None) -> Candidate | None:
    """The question about the next of so many designs of the front; None if none is left, or nothing is known."""
    table, beliefs = snapshot.table, snapshot.beliefs
    if beliefs is None:
        return None
    rng = np.random.default_rng([snapshot.seed, len(table)])
    point = most_worthwhile(table, beliefs, designs or designs_to_verify(snapshot), n_ahead, rng)
    return None if point is None else question_about(table, beliefs, point.parameters)
