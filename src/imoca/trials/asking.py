"""Who asked which question, and of whom a failure speaks: what makes it harmless to ask or to tell the same again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from imoca.errors import TrialError
from imoca.problem.names import is_writable_text
from imoca.trials.trial import Trial
from imoca.wording import middle_left_out, shown

LONGEST_WORKER = 200  # characters of a name: a host, a process and more


def checked_worker(name: object) -> str:
    """The name itself, or an error."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_WORKER or not is_writable_text(name):
        raise TrialError(
            f"The name of a worker came as {shown(name)}.",
            hint=f"Give text of 1 to {LONGEST_WORKER} characters, another for each that asks, such as 'node-1'.",
        )
    return str(name)


def open_question(trials: Sequence[Trial], worker: str) -> Trial | None:
    """The first one that the worker asked and has not answered in full."""
    return next((trial for trial in trials if trial.worker == worker and trial.pending), None)


def failing(trial: Trial, reason: str) -> Iterable[str]:
    """The simulators that have failed when all the rest of a trial has: those that have not answered yet.

    If there are none, it was said before: of those that failed for this reason. If it was not, it contradicts all.
    """
    told = middle_left_out(str(reason))
    again = [name for name, why in trial.failures.items() if why == told]
    return trial.pending or again or tuple(trial.fidelities)
