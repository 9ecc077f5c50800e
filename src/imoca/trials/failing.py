"""When a simulator fails so often that it is no use to go on."""

from __future__ import annotations

from collections.abc import Sequence

N_FIRST = 5  # runs of a simulator: if all of them failed, it never worked
N_LAST = 20  # runs of a simulator: if most of them failed, it does not work any more


def failing_words(has_failed: Sequence[bool]) -> str | None:  # one per run, in their order
    """How often a simulator failed, where that is in all of its first runs or in most of its last ones."""
    first, last = has_failed[:N_FIRST], has_failed[-N_LAST:]
    if len(first) == N_FIRST and all(first):
        return f"in all of its first {N_FIRST} runs"
    if len(last) == N_LAST and 2 * sum(last) > N_LAST:
        return f"in {sum(last)} of its last {N_LAST} runs"
    return None
