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
from imoca.snapshot.verification import Verification, most_worthwhile, question_about, verification
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
        table = self._study.table()
        is_given = np.array([dict(trial.parameters) in self._designs for trial in table.trials], dtype=np.bool_)
        checked = [dict(t.parameters) for t in table.trials if t.is_verification]
        known = [design_id(parameters) for parameters in self._designs if parameters not in checked]
        return verification(table, is_given, known)


class BestDesigns:
    """Of the front, each chosen by all answers before it: so many, or as many as what the study may spend pays for."""

    def __init__(self, study: Study, n: int | None, budget: float | str | None) -> None:
        if budget is None and (not is_integer(n) or n < 1):
            raise MethodError(f"n is {shown(n)}.", hint="Give the number of designs, a whole number of at least 1.")
        known_beliefs(study.snapshot())
        self._study = study
        self._n_left = 0 if n is None else int(n)
        self._budget = budget
        self._asked: list[int] = []  # numbers of trials
        self._judged: TrialTable | None = None  # by which the last one was chosen
        self._is_none_left = False
        if budget is not None:
            self._check_pays_for_one(budget)

    def begin(self) -> None:
        pass

    def next(self, n_free: int, is_idle: bool) -> Trial | None:
        if self._study.table() is self._judged:  # nothing new since there was no other
            return None
        if self._budget is not None:
            self._n_left = self._study.snapshot().purse_for(self._budget).n_designs
        self._is_none_left = False
        if self._n_left == 0:
            return None
        snapshot = self._study.snapshot()
        self._judged = snapshot.table
        question = next_to_verify(snapshot, self._n_left)
        if question is None:
            self._is_none_left = True
            return None
        trial = self._study.launch(question)
        self._n_left -= 1
        self._asked.append(trial.number)
        return trial

    def outcome(self) -> Verification:
        table = self._study.table()
        found = verification(table, np.isin(np.arange(len(table)), self._asked))
        return replace(found, is_none_left=self._is_none_left)

    def _check_pays_for_one(self, budget: float | str) -> None:
        allowance = Allowance.read(budget)
        allowance.check_suits(self._study.problem)
        purse = self._study.snapshot().purse_for(budget)
        if purse.n_designs:
            return
        one = allowance.told(purse.full_design)
        raise MethodError(
            f"The budget does not pay for one more design: {allowance.spent_words(purse.bill.total)} are spent, and one"
            f" costs {number(one)} at full accuracy.",
            hint="Give a larger one, what was spent before included, or the number of designs.",
        )


def next_to_verify(snapshot: Snapshot, n_ahead: int = 1) -> Candidate | None:
    """The question about the next of so many designs of the front; None if none is left, or nothing is known."""
    table, beliefs = snapshot.table, snapshot.beliefs
    if beliefs is None:
        return None
    rng = np.random.default_rng([snapshot.seed, len(table)])
    point = most_worthwhile(table, beliefs, snapshot.front, n_ahead, rng)
    return None if point is None else question_about(table, beliefs, point.parameters)
