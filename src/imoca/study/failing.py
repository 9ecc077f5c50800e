"""When a simulator fails so often that the study stops."""

from __future__ import annotations

from collections.abc import Sequence

from imoca.errors import SimulatorError
from imoca.trials.failing import failing_words


def stop_if_failing(simulator: str, reasons: Sequence[str | None]) -> None:
    """An error where a simulator failed in all of its first runs or in most of its last ones.

    ``reasons`` holds one per run in the order in which they ended, None where it answered. A run that was tried again
    counts once.
    """
    how_often = failing_words([reason is not None for reason in reasons])
    if how_often is None:
        return
    last_reason = [reason for reason in reasons if reason is not None][-1]
    raise SimulatorError(
        f"Simulator {simulator!r} failed {how_often}, the last time with {last_reason.rstrip('. ')}.",
        hint="Mend the simulator; the study keeps what it has learned.",
    )
