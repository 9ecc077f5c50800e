"""What may be answered to a trial: in parts, a simulator at a time if need be, and the first answer of each stays."""

from __future__ import annotations

from collections.abc import Sequence

from imoca.errors import AnsweredError, TrialError
from imoca.trials.trial import Answer, Trial
from imoca.wording import last_line, shown


def merged(known: Trial, answer: Answer) -> Trial:
    """The trial with what is new; the same again is welcome, another answer of the same simulator is not."""
    before = known.answer
    if before is None:
        return known.answered(answer)
    again = [name for name in known.fidelities if name not in before.pending and name not in answer.pending]
    if _differ(before, answer, again):
        raise AnsweredError(
            f"Trial {known.number} already has another answer of {', '.join(again)}: {_told(before)}.",
            hint="The first answer is kept. Ask a new trial, or add the second result with study.add.",
        )
    return known.answered(
        Answer(
            {**answer.values, **before.values},  # a study's own loop tells all it knows, in the problem's order
            {**answer.costs, **before.costs},
            {**answer.failures, **before.failures},
            {**answer.wasted, **before.wasted},
            tuple(name for name in before.pending if name in answer.pending),
            {**answer.errors, **before.errors},
        )
    )


def _told(answer: Answer) -> str:
    values = [f"{name} {value!r}" for name, value in answer.values.items()]
    return ", ".join([*values, *(f"{name} failed ({last_line(why)})" for name, why in answer.failures.items())])


def _differ(one: Answer, other: Answer, simulators: Sequence[str]) -> bool:
    """Whether two answers that both hold these simulators say different things of them."""
    told = [(one.failures, other.failures), (one.costs, other.costs), (one.wasted, other.wasted)]
    is_other_fate = any(a.get(name) != b.get(name) for a, b in told for name in simulators)
    shared = [name for name in one.values if name in other.values]
    values = [(one.values, other.values), (one.errors, other.errors)]
    return is_other_fate or any(a.get(name) != b.get(name) for a, b in values for name in shared)


def unknown_trial(number: int, n_trials: int) -> TrialError:
    return TrialError(
        f"There is no trial {shown(number)}.", hint=f"The study holds {n_trials} trials, numbered from 0; ask first."
    )
