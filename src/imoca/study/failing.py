"""When a simulator fails so often that the study stops."""

from __future__ import annotations

from collections.abc import Sequence

from imoca.errors import SimulatorError

N_FIRST = 5  # runs of a simulator: if all of them failed, it never worked
N_LAST = 20  # runs of a simulator: if most of them failed, it does not work any more


def stop_if_failing(simulator: str, reasons: Sequence[str | None]) -> None:
    """An error where a simulator failed in all of its first runs or in most of its last ones.

    ``reasons`` holds one per run in the order in which they ended, None where it answered. A run that was tried again
    counts once.
    """
    first, last = reasons[:N_FIRST], reasons[-N_LAST:]
    n_failed = sum(reason is not None for reason in last)
    if len(first) == N_FIRST and None not in first:
        how_often = f"in all of its first {N_FIRST} runs"
    elif len(last) == N_LAST and 2 * n_failed > N_LAST:
        how_often = f"in {n_failed} of its last {N_LAST} runs"
    else:
        return
    last_reason = [reason for reason in reasons if reason is not None][-1]
    raise SimulatorError(
        f"Simulator {simulator!r} failed {how_often}, the last time with {last_reason.rstrip('. ')}.",
        hint="Mend the simulator; the study keeps what it has learned.",
    )
