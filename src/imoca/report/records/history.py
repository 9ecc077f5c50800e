"""How the recommended front came to be."""

from __future__ import annotations

from dataclasses import dataclass

from imoca.pareto.indicators import average_distance
from imoca.snapshot.convergence import box_around, front_volume
from imoca.snapshot.recommendation import front_values
from imoca.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class ConvergenceRecord:
    """How the recommended front came to be, against the cost spent."""

    n_trials: tuple[int, ...]
    costs: tuple[float, ...]
    hypervolumes: tuple[float, ...]  # as shares of one box: of all values seen and of the last front
    distances: tuple[float, ...]  # average distance to the front recommended last, in units of its range


def convergence_record(snapshot: Snapshot) -> ConvergenceRecord:
    problem, history = snapshot.problem, snapshot.history
    if not history:
        return ConvergenceRecord((), (), (), ())
    last = front_values(problem, history[-1].front)
    box = box_around(problem, [history[-1].front], snapshot.finished)
    return ConvergenceRecord(
        tuple(each.n_trials for each in history),
        tuple(each.cost for each in history),
        tuple(front_volume(problem, each.front, box) for each in history),
        tuple(average_distance(front_values(problem, each.front), last) for each in history),
    )
