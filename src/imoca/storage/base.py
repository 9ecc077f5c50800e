"""What a study needs of a storage."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from imoca.errors import LostStudyError, StorageError
from imoca.storage.definition import Definition
from imoca.storage.owner import Owner
from imoca.trials.trial import Answer, Candidate, Run, Trial

ASKING_SECONDS = 60.0  # that somebody may hold up whoever wants to ask next


class Storage(Protocol):
    """Keeps one study: what it is, and its trials in the order of their numbers, 0, 1, 2, ...

    Every call is one transaction; threads may call at once. `imoca.testing.StorageContract` tests all that is said
    here.
    """

    @property
    def place(self) -> str:
        """Where the study is kept, as messages name it."""

    @property
    def name(self) -> str:
        """What the folder of the study's runs is called after: another one for each study in `folder`."""

    @property
    def folder(self) -> Path:
        """Where files that a simulator's command names are found, and the study's runs."""

    def define(self, definition: Definition) -> Definition:
        """Store what the study is, unless that is stored already; the stored one."""

    def redefine(self, definition: Definition) -> None:
        """Store what the study is, whatever was stored before."""

    def definition(self) -> Definition | None:
        """What the study is; None before it was defined."""

    def trials(self) -> tuple[Trial, ...]:
        """A snapshot that later calls do not change."""

    def append(self, number: int, candidate: Candidate, is_launched: bool) -> Trial | None:
        """A new running trial, or None if that number is not the next: somebody else asked meanwhile."""

    def asking(self) -> AbstractContextManager[None]:
        """Within it the next question is chosen, by one process after the other.

        It is a courtesy, so that nobody chooses in vain again and again; who waits for longer than ASKING_SECONDS goes
        on without. That no number is given twice is seen to by `append`.
        """

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
        """Become the one driver; the dead driver that was replaced, if any. A StorageError names a living one.

        Until the release, whatever is written through this storage is refused with a LostStudyError once somebody
        else has claimed the study, which another token shows.
        """

    def beat(self, owner: Owner, lasted: float) -> None:
        """Tell that the driver is alive, and for how many seconds it has driven; a LostStudyError if it was replaced.

        The seconds are the driver's own, counted by a clock that nobody can set.
        """

    def release(self, owner: Owner) -> None:
        """Stop being the driver. Nothing happens if the study was claimed anew."""

    def check(self) -> None:
        """A LostStudyError if what is told from now on could not be kept: the study is gone, or may not be written."""

    def close(self) -> None:
        """Let go of files and connections; calling it again does nothing, any other call is a StorageError."""


def refuse_second_driver(known: Owner | None) -> None:
    if known is not None and known.is_alive():
        raise StorageError(
            f"The study is already being run: {known}.",
            hint="Wait for that process or stop it; looking at the study, ask and tell are possible meanwhile.",
        )


def replaced_driver(place: str) -> LostStudyError:
    return LostStudyError(
        f"The study in {place} is driven by another process now.",
        hint="This one was silent for so long that it counted as dead. Nothing more was stored; the other one goes on.",
    )


def closed_storage(place: str) -> StorageError:
    return StorageError(
        f"The study in {place} was closed.",
        hint="Open it again, with Study(...) or Study.load; use it within its with block.",
    )
