"""How much of the hypervolume that all runs found together one run has, at its end and on its way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.third_party.records import RunRecord, front_volume
from experiments.third_party.simulators import Example
from imoca.arrays import Array


def pooled_volume(example: Example, records: Sequence[RunRecord]) -> float:
    """Of every feasible design that any method with any seed ran at full accuracy."""
    pooled = [run for record in records for run in record.outcome.full_runs]
    return front_volume(example.declared(), example.reference, pooled)


def final_shares(example: Example, records: Sequence[RunRecord]) -> dict[str, list[float]]:
    """Per method, in the order of the seeds."""
    problem, whole = example.declared(), pooled_volume(example, records)
    found: dict[str, list[float]] = {}
    for record in sorted(records, key=lambda each: each.key):
        volume = front_volume(problem, example.reference, record.outcome.full_runs)
        found.setdefault(record.method, []).append(volume / whole)
    return found


def shares_along(
    example: Example,
    record: RunRecord,
    whole: float,  # the pooled volume
    costs: Array,  # (n,) at which to look
) -> Array:  # (n,)
    problem, full_runs = example.declared(), sorted(record.outcome.full_runs, key=lambda run: run.spent)
    volumes = [0.0]
    for n in range(1, len(full_runs) + 1):
        volumes.append(front_volume(problem, example.reference, full_runs[:n]))
    known = np.searchsorted([run.spent for run in full_runs], costs, side="right")
    return np.array(volumes)[known] / whole
