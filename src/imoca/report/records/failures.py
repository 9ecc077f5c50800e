"""Why runs failed: each reason once, with how many trials gave it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from imoca.snapshot.snapshot import Snapshot
from imoca.wording import last_line, middle_left_out

MOST_REASONS = 5  # of a simulator, the most frequent ones
LONGEST = 200  # characters of a reason; imoca show tells it whole
NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class FailureReason:
    simulator: str
    reason: str  # its last line, as it was given last: others may differ in their numbers
    n_trials: int
    last_trial: int
    n_failed: int  # of all trials of the simulator
    n_ended: int


def failure_reasons(snapshot: Snapshot) -> tuple[FailureReason, ...]:
    """Per simulator the most frequent first; nothing of one that never failed."""
    found = []
    for s, simulator in enumerate(snapshot.problem.simulators):
        name = simulator.name
        told = [
            (trial.number, told_shortly(trial.failures[name])) for trial in snapshot.trials if name in trial.failures
        ]
        last = {without_numbers(reason): (reason, number) for number, reason in told}
        n_ended = int(snapshot.table.was_run[:, s].sum())
        for kind, n in Counter(without_numbers(reason) for _, reason in told).most_common(MOST_REASONS):
            reason, number = last[kind]
            found.append(FailureReason(name, reason, n, number, len(told), n_ended))
    return tuple(found)


def told_shortly(reason: str) -> str:
    return middle_left_out(last_line(reason), LONGEST)


def without_numbers(reason: str) -> str:
    """A stress of 331 MPa is the same reason as one of 799."""
    return NUMBER.sub("#", reason)
