"""What may be answered to a trial: the first answer stays."""

from __future__ import annotations

from imoca.errors import TrialError
from imoca.trials.trial import Answer, Trial


def check_answer(known: Trial, answer: Answer) -> None:
    """The same answer again is welcome, another one is not."""
    if known.answer is not None and known.answer != answer:
        raise TrialError(
            f"Trial {known.number} already has another answer: {known.answer}.",
            hint="The first answer is kept. Ask a new trial, or add the second result with study.add.",
        )


def unknown_trial(number: int, n_trials: int) -> TrialError:
    return TrialError(
        f"There is no trial {number}.", hint=f"The study holds {n_trials} trials, numbered from 0; ask first."
    )
