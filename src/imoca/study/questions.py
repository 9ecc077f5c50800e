"""What a loop asks: questions of the search, as long as its limits allow."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np

from imoca.errors import MethodError
from imoca.methods.registry import keeps_models
from imoca.problem.allowance import Allowance
from imoca.problem.names import is_integer, is_number, plain_scalar
from imoca.snapshot.accounting import allowed_bill, is_cost_guessed
from imoca.study.journal import are_costs_times
from imoca.study.verifying import next_to_verify
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate, Trial
from imoca.wording import shown

if TYPE_CHECKING:
    from imoca.study.study import Study

logger = logging.getLogger(__name__)

StopRule = Literal["settled"]
OnQuestion = Callable[[Trial, float], bool | None]  # a new question, the CPU seconds it took; False asks no more


class Questions(Protocol):
    """Where a loop's trials come from; all of them are stored, and launched."""

    def begin(self) -> None:
        """Called once, when the study is claimed, before what an earlier driver began is taken up."""

    def next(self, n_free: int, is_idle: bool) -> Trial | None:
        """A new question for one of so many that wait to run something, or None if there is none at present.

        ``is_idle`` says that nothing runs.
        """


@dataclasses.dataclass(frozen=True)
class Limits:
    """When no more questions are asked. At least one is given."""

    budget: Allowance | None  # all that the study ever spent included
    seconds: float | None  # of wall time from now
    trials: int | None = None  # all that the study ever asked
    stop: StopRule | None = None  # "settled": when the front moves no more, and something of it was verified

    def __post_init__(self) -> None:
        if all(getattr(self, field.name) is None for field in dataclasses.fields(self)):
            raise MethodError(
                "Neither a budget nor a time, a number of trials or a rule to stop is given.",
                hint='Give one, such as budget=30 or stop="settled".',
            )
        if self.stop is not None and self.stop not in get_args(StopRule):
            raise MethodError(
                f"stop is {shown(self.stop)}.", hint=f"Give {' or '.join(map(repr, get_args(StopRule)))}."
            )
        if self.seconds is not None and (not is_number(self.seconds) or self.seconds <= 0.0):
            raise MethodError(f"The time is {shown(self.seconds)}.", hint="Give a positive number of seconds.")
        if self.trials is not None and (not is_integer(self.trials) or self.trials < 1):
            raise MethodError(
                f"The number of trials is {shown(self.trials)}.", hint="Give a whole number of at least 1."
            )
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, plain_scalar(getattr(self, field.name)))


class Search:
    """Questions of the study's method; one to verify a design where a front that moves no more lacks a witness."""

    def __init__(self, study: Study, limits: Limits, on_question: OnQuestion | None) -> None:
        if limits.stop is not None and not keeps_models(study.method):
            raise MethodError(
                f"stop is {limits.stop!r}, but questions of the method {study.method!r} remember no model to tell by.",
                hint="Give a budget alone, or choose another method, such as 'imoca-p'.",
            )
        if limits.budget is not None:
            limits.budget.check_suits(study.problem)
        self._study = study
        self._limits = limits
        self._on_question = on_question
        self._end = float("inf")
        self._is_enough = False  # said by whoever is told of the questions
        self._is_half_spent = False
        self._at_rest: TrialTable | None = None  # at which there was nothing to ask
        self._chosen: deque[Candidate] = deque()  # with the last question, to be asked after it

    def begin(self) -> None:
        self._end = time.monotonic() + (self._limits.seconds or float("inf"))

    def next(self, n_free: int, is_idle: bool) -> Trial | None:
        table = self._study.table()
        if table is self._at_rest or not self._may_ask(table, is_idle):
            return None
        before = time.process_time()
        trial = self._launched(table, n_free, is_idle)
        if trial is None:
            self._at_rest = table
            return None
        if self._on_question and self._on_question(trial, time.process_time() - before) is False:
            self._is_enough = True
        return trial

    def _launched(self, table: TrialTable, n_free: int, is_idle: bool) -> Trial | None:
        if self._chosen:
            return self._study.launch(self._chosen.popleft())
        if self._limits.stop is not None and self._study.snapshot().movement.has_ended:
            return self._verifying(table, is_idle)
        trial, others = self._study.launch_several(n_free if self._are_costs_times() else 0)
        self._chosen.extend(others)
        return trial

    def _are_costs_times(self) -> bool:
        is_declared = self._limits.budget is not None and self._limits.budget.is_time
        return is_declared or are_costs_times(self._study.problem, self._study.runs)

    def _verifying(self, table: TrialTable, is_idle: bool) -> Trial | None:
        """While something runs that verifies a front at rest, there is nothing else to ask."""
        snapshot = self._study.snapshot()
        is_running = not is_idle and any(trial.is_verification and trial.pending for trial in table.trials)
        if snapshot.movement.is_settled or is_running:
            return None
        question = next_to_verify(snapshot)
        return self._study.launch(question)

    def _may_ask(self, table: TrialTable, is_idle: bool) -> bool:
        """What runs is counted with its expected cost, so that many workers overspend no more than one."""
        if self._is_enough or time.monotonic() >= self._end:
            return False
        if self._limits.trials is not None and len(table) >= self._limits.trials:
            return False
        budget = self._limits.budget
        if budget is None:
            return True
        costs = allowed_bill(table, budget, self._study.runs)
        if costs.total >= 0.5 * budget.amount and not self._is_half_spent:
            self._is_half_spent = True
            if self._limits.stop is None:  # else a full run is asked for when the time has come
                warn_if_nothing_is_verified(table)
            warn_if_cheap_runs_are_useless(self._study)
        is_affordable = costs.total + float(costs.expected.sum()) < budget.amount
        return is_affordable or (is_idle and not budget.is_time and is_cost_guessed(table))


def warn_if_cheap_runs_are_useless(study: Study) -> None:
    """By what the questions so far remember; nothing is fitted for it."""
    for output in study.snapshot().cheap_runs:
        if output.explained is not None and not output.is_worth_it:
            logger.warning(
                "Half of the budget is spent, and the cheap end of %r is not worth its price for %r: %s."
                " imoca calibrate says from which setting on it is.",
                *(output.simulator, output.output, output.words),
            )


def warn_if_nothing_is_verified(table: TrialTable) -> None:
    """Where there is a front: every output has answers."""
    has_front = not np.isnan(table.values[:, table.problem.modelled_columns]).all(axis=0).any()
    if has_front and not len(table.verified):
        logger.warning(
            "Half of the budget is spent, and no design was run at full accuracy: the front is a prediction"
            " without a witness. study.verify or imoca verify runs designs of it."
        )
