"""What a study needs of a storage."""

from __future__ import annotations

from typing import Protocol

from imoca.errors import StorageError
from imoca.storage.owner import Owner
from imoca.trials.trial import Answer, Candidate, Run, Trial


class Storage(Protocol):
    """Keeps trials in the order of their numbers, 0, 1, 2, ... Every call is one transaction."""

    def trials(self) -> tuple[Trial, ...]:
        """A snapshot that later calls do not change."""

    def append(self, number: int, candidate: Candidate, is_launched: bool) -> Trial | None:
        """A new running trial, or None if that number is not the next: somebody else asked meanwhile."""

    def add(self, candidate: Candidate, answer: Answer) -> Trial:
        """A new trial whose answer is known already."""

    def finish(self, number: int, answer: Answer) -> Trial:
        """Store the answer to a running trial.

        The same answer again changes nothing; another one, or one to an unknown trial, is a TrialError.
        """

    def runs(self) -> tuple[Run, ...]:
        """The journal of simulator runs, in the order in which they started."""

    def record(self, run: Run) -> None:
        """Write a run into the journal, or replace what is known of it."""

    def owner(self) -> Owner | None:
        """The process that drives the study."""

    def claim(self, owner: Owner) -> Owner | None:
        """Become the one driver; the dead driver that was replaced, if any. A StorageError names a living one."""

    def beat(self, owner: Owner) -> None:
        """Tell that the driver is alive."""

    def release(self, owner: Owner) -> None:
        """Stop being the driver."""


def refuse_second_driver(known: Owner | None) -> None:
    if known is not None and known.is_alive():
        raise StorageError(
            f"The study is already being run: {known}.",
            hint="Wait for that process or stop it; looking at the study, ask and tell are possible meanwhile.",
        )
