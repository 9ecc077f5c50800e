"""Trials in memory: gone with the process."""

from __future__ import annotations

import threading

from imoca.errors import TrialError
from imoca.trials import Answer, Candidate, Trial


class MemoryStorage:
    def __init__(self) -> None:
        self._trials: tuple[Trial, ...] = ()
        self._lock = threading.Lock()

    def trials(self) -> tuple[Trial, ...]:
        return self._trials

    def add(self, candidate: Candidate, answer: Answer | None = None) -> Trial:
        with self._lock:
            trial = Trial.asked(len(self._trials), candidate, answer)
            self._trials = (*self._trials, trial)
        return trial

    def finish(self, number: int, answer: Answer) -> Trial:
        with self._lock:
            if not 0 <= number < len(self._trials):
                raise TrialError(
                    f"There is no trial {number}.",
                    hint=f"The study holds {len(self._trials)} trials, numbered from 0; ask first.",
                )
            known = self._trials[number]
            if known.answer is not None and known.answer != answer:
                raise TrialError(
                    f"Trial {number} already has another answer: {known.answer}.",
                    hint="The first answer is kept. Ask a new trial, or add the second result with study.add.",
                )
            finished = known.answered(answer)
            self._trials = (*self._trials[:number], finished, *self._trials[number + 1 :])
        return finished
