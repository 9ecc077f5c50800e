"""How much of the hypervolume that all runs found together one run has, at its end and on its way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.third_party.records import FullRun, RunRecord, front_volume, is_feasible
from experiments.third_party.simulators import Example
from imoca.arrays import Array
from imoca.pareto import non_dominated
from imoca.problem import Problem


def pooled_volume(example: Example, records: Sequence[RunRecord]) -> float:
    """Of every feasible design that any method with any seed ran at full accuracy."""
    pooled = [run for record in records for run in record.outcome.full_runs]
    return front_volume(example.declared(), example.reference, pooled)


def pooled_front(problem: Problem, records: Sequence[RunRecord]) -> list[tuple[str, FullRun]]:
    """The feasible ones that no other beats, by the first objective, each with the method that ran it."""
    feasible = [
        (record.method, run)
        for record in sorted(records, key=lambda each: each.key)
        for run in record.outcome.full_runs
        if is_feasible(problem, run.values)
    ]
    signs = np.array([1.0 if each.goal == "maximize" else -1.0 for each in problem.objectives])
    values = np.array([[run.values[each.name] for each in problem.objectives] for _, run in feasible])
    best = [feasible[i] for i in np.flatnonzero(non_dominated(values.reshape(-1, len(signs)) * signs))]
    return sorted(best, key=lambda each: each[1].values[problem.objectives[0].name])


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


def reached_at(example: Example, records: Sequence[RunRecord], method: str) -> dict[str, float | None]:
    """Per method, the cost from which on the median share of ``method`` is that of the other's end; None if never."""
    own = [record for record in records if record.method == method]
    if not own:
        return {}
    whole = pooled_volume(example, records)
    costs = np.unique([run.spent for record in own for run in record.outcome.full_runs])
    way = np.median([shares_along(example, record, whole, costs) for record in own], axis=0)
    found: dict[str, float | None] = {}
    for other, shares in final_shares(example, records).items():
        is_there = way >= np.median(shares)
        found[other] = float(costs[np.argmax(is_there)]) if is_there.any() else None
    return found
