"""The designs of a front as parallel coordinates: one axis per parameter and per objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.problem.parameters import Choice, Parameter, Real
from imoca.report.labels import rounded, short_label, upright_label
from imoca.report.records.front import ObjectiveRecord
from imoca.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class ParallelAxis:
    name: str
    objective: ObjectiveRecord | None  # None for a parameter
    values: tuple[float, ...]  # where a line crosses the axis, one per design
    low: float
    high: float
    tick_values: tuple[float, ...] | None = None  # None leaves the ticks to the drawing
    tick_labels: tuple[str, ...] | None = None
    unit: str | None = None


@dataclass(frozen=True)
class ParallelRecord:
    """Of today's front; objectives measured where measured, else predicted."""

    axes: tuple[ParallelAxis, ...]
    is_verified: tuple[bool, ...]


def parallel_record(snapshot: Snapshot) -> ParallelRecord:
    points = [point for point in snapshot.front if not point.is_earlier]
    parameters = [
        _parameter_axis(parameter, [point.parameters[parameter.name] for point in points])
        for parameter in snapshot.problem.parameters
    ]
    objectives = [
        _objective_axis(each, [point.known[each.name] for point in points])
        for each in (ObjectiveRecord(o.name, o.goal, o.unit) for o in snapshot.problem.objectives)
    ]
    return ParallelRecord((*parameters, *objectives), tuple(point.verified for point in points))


def heights(axis: ParallelAxis) -> list[float]:
    """Where the designs cross an axis that is drawn from 0 to 1."""
    return [(value - axis.low) / (axis.high - axis.low) for value in axis.values]


def axis_ticks(axis: ParallelAxis) -> list[tuple[float, str]]:
    """Heights and labels: those of the record, else the two ends."""
    if axis.tick_values is None or axis.tick_labels is None:
        return [(0.0, rounded(axis.low, axis.high - axis.low)), (1.0, rounded(axis.high, axis.high - axis.low))]
    places = [(value - axis.low) / (axis.high - axis.low) for value in axis.tick_values]
    return list(zip(places, axis.tick_labels, strict=True))


def axis_name(axis: ParallelAxis, longest: int) -> str:
    if axis.objective is None:
        return short_label(axis.name, axis.unit, longest)
    return upright_label(axis.objective, longest)


def coloured_axis(record: ParallelRecord) -> int:
    """By which lines are coloured: the first objective."""
    return next(i for i, axis in enumerate(record.axes) if axis.objective is not None)


def _parameter_axis(parameter: Parameter, values: Sequence[object]) -> ParallelAxis:
    if isinstance(parameter, Choice):
        places = tuple(float(parameter.values.index(value)) for value in values)
        ticks = tuple(float(i) for i in range(len(parameter.values)))
        labels = tuple(str(value) for value in parameter.values)
        return ParallelAxis(parameter.name, None, places, 0.0, ticks[-1], ticks, labels)
    numbers = tuple(float(value) for value in values)  # type: ignore[arg-type]
    if isinstance(parameter, Real) and parameter.log:
        low, high = float(np.log10(parameter.low)), float(np.log10(parameter.high))
        places = tuple(np.log10(numbers).tolist())
        ticks = tuple(np.linspace(low, high, 5).tolist())
        labels = tuple(f"{10.0**tick:.3g}" for tick in ticks)
        return ParallelAxis(parameter.name, None, places, low, high, ticks, labels, parameter.unit)
    return ParallelAxis(parameter.name, None, numbers, float(parameter.low), float(parameter.high), unit=parameter.unit)


def _objective_axis(objective: ObjectiveRecord, values: Sequence[float]) -> ParallelAxis:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low == high:
        margin = abs(low) / 2.0 or 0.5
        low, high = low - margin, high + margin
    return ParallelAxis(objective.name, objective, tuple(values), low, high, unit=objective.unit)
