"""What a study needs of a storage."""

from __future__ import annotations

from typing import Protocol

from imoca.trials import Answer, Candidate, Trial


class Storage(Protocol):
    """Keeps trials in the order of their numbers, 0, 1, 2, ... Every call is one transaction."""

    def trials(self) -> tuple[Trial, ...]:
        """A snapshot that later calls do not change."""

    def add(self, candidate: Candidate, answer: Answer | None = None) -> Trial:
        """A new trial with the next number, running unless its answer is known already."""

    def finish(self, number: int, answer: Answer) -> Trial:
        """Store the answer to a running trial.

        The same answer again changes nothing; another one, or one to an unknown trial, is a TrialError.
        """
