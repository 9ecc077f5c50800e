"""The optimisation loop: ask, run, tell, until the budget is spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from imoca.answers import is_finite_number
from imoca.errors import MethodError, SimulatorError
from imoca.runners.inline import run_inline
from imoca.study.accounting import is_cost_guessed
from imoca.study.progress import Progress, is_terminal
from imoca.trials import Trial, TrialState

if TYPE_CHECKING:
    from imoca.study.study import Study

MINIMUM_JUDGED = 5  # fewer finished trials say nothing about a simulator


def run_until(study: Study, budget: float, on_trial: Callable[[Trial], None] | None, progress: bool | None) -> None:
    if not is_finite_number(budget) or budget <= 0.0:
        raise MethodError(
            f"The budget is {budget!r}.", hint="Give a positive number of full-fidelity runs, such as 30."
        )
    is_shown = is_terminal() if progress is None else progress
    display = Progress(study, budget) if is_shown else None
    with display or nullcontext():
        while study.cost_spent < budget or is_cost_guessed(study.problem, study.trials):
            trial = study.ask()
            if display:
                display.started(trial)
            finished = _run(study, trial)
            if display:
                display.finished(finished)
            if on_trial:
                on_trial(finished)
            _stop_if_mostly_failing(study.trials)


def _run(study: Study, trial: Trial) -> Trial:
    try:
        answer = run_inline(study.problem, trial)
    except KeyboardInterrupt:
        study.fail(trial, "interrupted")
        raise
    return study.tell(trial, answer.values, answer.costs, answer.failures)


def _stop_if_mostly_failing(trials: Sequence[Trial]) -> None:
    finished = [trial for trial in trials if trial.state is not TrialState.RUNNING]
    failed = [trial for trial in finished if trial.state is TrialState.FAILED]
    if len(finished) >= MINIMUM_JUDGED and 2 * len(failed) > len(finished):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in failed[-1].failures.items())
        raise SimulatorError(
            f"{len(failed)} of {len(finished)} trials failed, the last one with {reasons}.",
            hint="Mend the simulator; the study keeps what it has learned.",
        )
