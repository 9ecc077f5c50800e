"""A study at one moment, and what follows from it; each thing is computed once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from imoca.methods.beliefs import Beliefs, without_absurd_answers
from imoca.models.cost import cost_models
from imoca.models.failure import failure_models
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.pareto.search import Front
from imoca.problem.allowance import Allowance
from imoca.problem.problem import Problem
from imoca.snapshot.accounting import Bill, bill, seconds_bill
from imoca.snapshot.cheap_runs import CheapRuns, cheap_runs
from imoca.snapshot.history import Checkpoint, front_history
from imoca.snapshot.importance import Importance, importance
from imoca.snapshot.movement import Movement, movement, remembered
from imoca.snapshot.recommendation import OF_TODAY, QUICK, ParetoPoint, believe_answers, predicted_front, recommended
from imoca.snapshot.verdict import Broken, Purse, Verdict, next_step, verdict
from imoca.snapshot.verification import Verification, in_simulator_time, verification
from imoca.trials.table import TrialTable
from imoca.trials.trial import Run, SimulatorState, Trial


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a report, a page or a figure is made of. Whatever happens to the study afterwards changes nothing here."""

    method: str
    seed: int
    table: TrialTable
    runs: tuple[Run, ...] = ()  # the journal
    model: ModelName = DEFAULT_MODEL  # what is believed of the simulators

    @property
    def problem(self) -> Problem:
        return self.table.problem

    @property
    def trials(self) -> tuple[Trial, ...]:
        return self.table.trials

    @cached_property
    def bill(self) -> Bill:
        return bill(self.table, self.runs)

    @cached_property
    def finished(self) -> TrialTable:
        """The trials that have their answer."""
        return self.table.rows(self.table.is_finished)

    @cached_property
    def possible(self) -> TrialTable:
        """The trials without the answers that a look at the values finds impossible: all of full runs that are."""
        return without_absurd_answers(self.table, self.model)

    @property
    def n_full(self) -> int:
        """Designs that were run at full accuracy and gave no impossible answer."""
        return len(self.possible.verified)

    @cached_property
    def beliefs(self) -> Beliefs | None:
        """The models of the answers so far; None while there are too few."""
        return believe_answers(self.table, self.model)

    @cached_property
    def front(self) -> tuple[ParetoPoint, ...]:
        """At full accuracy: verified designs, predicted ones, earlier ones, each sorted by the first objective."""
        return tuple(recommended(self.table, self.beliefs, self.seed, self.model, predicted=self._predicted))

    @cached_property
    def front_of_today(self) -> tuple[ParetoPoint, ...]:
        """The same without earlier ones, which take longest to find."""
        return tuple(recommended(self.table, self.beliefs, self.seed, self.model, OF_TODAY, self._predicted))

    @cached_property
    def _predicted(self) -> Front | None:
        return None if self.beliefs is None else predicted_front(self.beliefs, self.seed)

    @property
    def n_on_front(self) -> int:
        """Designs of today's front; those from before are beside it."""
        return sum(not point.is_earlier for point in self.front)

    @cached_property
    def importance(self) -> tuple[Importance, ...]:
        """Of every parameter per modelled output; nothing while there are too few answers."""
        return () if self.beliefs is None else importance(self.beliefs, self.seed)

    @cached_property
    def verification(self) -> Verification:
        """Every design that was run in order to verify it: what was predicted, and what came."""
        return verification(self.table)

    def verification_for(self, budget: float | str | None) -> Verification:
        """With what it cost in simulator time, too, where that is what a budget as a study file has it counts."""
        is_time = budget is not None and Allowance.read(budget).is_time
        return in_simulator_time(self.verification, self.table) if is_time else self.verification

    @cached_property
    def movement(self) -> Movement:
        """Whether the front has settled; no model is fitted for it."""
        return movement(self.table, self.model, self.possible)

    @cached_property
    def cheap_runs(self) -> tuple[CheapRuns, ...]:
        """Whether they are worth their price, per objective that has a fidelity; no model is fitted for it."""
        return cheap_runs(self.table, self.model)

    @cached_property
    def verdict(self) -> Verdict:
        """Settled, to be relied on, what next; no model is fitted for it."""
        n_impossible, n_ended = len(self.table.verified) - self.n_full, int(self.table.was_run.sum())
        share_failed = float((self.table.states == SimulatorState.FAILED).sum()) / max(1, n_ended)
        found = (self.movement, self.verification, self.cheap_runs)
        return verdict(self.problem, self.n_full, self.bill, *found, share_failed, self.broken, n_impossible)

    @cached_property
    def broken(self) -> Broken | None:
        return Broken.among(self.table)

    def verdict_for(self, budget: float | str | None, front: Sequence[ParetoPoint] | None = None) -> Verdict:
        """With the next step in the unit of a budget as a study file has it: simulator time where that is "40h".

        Whoever has made the front hands it over: of designs that were measured already none is to be verified, and
        what its models set aside is said. For others a front at rest is found as the last question remembers it.
        """
        warnings = self.verdict.warnings if front is None else (*self.verdict.warnings, *self.set_aside_words)
        front = self._front_remembered if front is None else front
        n_predicted = sum(not point.verified for point in front if not point.is_earlier) if front else None
        step = next_step(self.problem, self.purse_for(budget), self.movement, n_predicted, self.broken)
        return replace(self.verdict, next_step=step, warnings=warnings)

    @cached_property
    def _front_remembered(self) -> Sequence[ParetoPoint] | None:
        """Today's, by values alone, without a fit; None of one that moves, and where no model is remembered."""
        costs = cost_models(self.table) if self.movement.has_ended else ()
        beliefs = remembered(self.possible, self.model, costs) if costs else None
        if beliefs is None:
            return None
        beliefs = replace(beliefs, failures=failure_models(self.table))
        return recommended(self.possible, beliefs, self.seed, self.model, QUICK)

    @property
    def set_aside(self) -> dict[str, tuple[int, ...]]:
        """Outputs with answers that the models find impossible and do without, and the trials of these."""
        by_output = zip(self.problem.modelled, self.beliefs.set_aside, strict=True) if self.beliefs else ()
        return {output.name: trials for output, trials in by_output if trials}

    @property
    def set_aside_words(self) -> tuple[str, ...]:
        """An output each."""
        return tuple(
            f"Set aside as impossible: {name} of trial {', '.join(map(str, trials))}. See: imoca show {trials[0]}"
            for name, trials in self.set_aside.items()
        )

    def purse_for(self, budget: float | str | None) -> Purse:
        """With what is left of the budget, as a user writes it."""
        return Purse.of_runs(self.problem, self.bill) if budget is None else self.purse_of(Allowance.read(budget))

    def purse_of(self, allowance: Allowance) -> Purse:
        if allowance.is_time:
            purse = Purse.of_time(self.problem, self.bill, seconds_bill(self.table, self.runs))
        else:
            purse = Purse.of_runs(self.problem, self.bill)
        return replace(purse, budget=allowance.amount)

    @cached_property
    def history(self) -> tuple[Checkpoint, ...]:
        """The fronts recommended on the way; no model is fitted for it but those of today."""
        self.bill.check_known()
        costs = self.bill.by_trial[self.table.is_finished].cumsum()
        return front_history(self.finished, costs, self.beliefs, self.seed, self.model)
