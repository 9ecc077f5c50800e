"""The points of a front, sorted into those predicted, now or before, those verified, and those measured but beaten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from imoca.report.labels import listed, shortened, with_deviation
from imoca.report.records import FrontRecord
from imoca.snapshot import ParetoPoint
from imoca.wording import number, with_unit

NOT_DRAWN = float("nan")
N_BARS = 30  # of a front; more would cover the points

BARS = ", with intervals that hold nine of ten"
PREDICTED = f"predicted front{BARS}"
VERIFIED = "on the front, verified at full accuracy"
BEATEN = "measured at full accuracy, not on the front"
EARLIER = "recommended before, not surely worse"


@dataclass(frozen=True)
class Bars:
    """How far the likely interval of one objective reaches from each point, NaN where none is drawn."""

    below: tuple[float, ...]
    above: tuple[float, ...]

    @staticmethod
    def of(points: Sequence[ParetoPoint | None], name: str) -> Bars:
        ends = [(0.0, NOT_DRAWN, NOT_DRAWN) if p is None else (p.predicted[name], *p.interval[name]) for p in points]
        return Bars(tuple(value - low for value, low, _ in ends), tuple(high - value for value, _, high in ends))


@dataclass(frozen=True)
class FrontSeries:
    """Points that look alike, one column of values per objective."""

    label: str
    columns: tuple[tuple[float, ...], ...]  # (K, n)
    bars: tuple[Bars, ...] | None  # per objective; None if measured, or if none are drawn
    descriptions: tuple[tuple[str, ...], ...]  # (n, lines)
    numbers: tuple[int, ...]  # of the point in the front, or of the trial if it is not on it

    @property
    def n_points(self) -> int:
        return len(self.numbers)


def front_series(record: FrontRecord) -> tuple[FrontSeries, ...]:
    """In drawing order, without the empty ones."""
    names = [objective.name for objective in record.objectives]
    found = (_beaten(record, names), _earlier(record), _predicted(record, names), _verified(record, names))
    return tuple(series for series in found if series.n_points)


def _predicted(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    kept = [(i, point) for i, point in enumerate(record.points) if not point.verified and not point.is_earlier]
    has_bar = _spread(len(kept), N_BARS)
    drawn = [point if k in has_bar else None for k, (_, point) in enumerate(kept)]
    return _predictions(PREDICTED, kept, tuple(Bars.of(drawn, name) for name in names), record)


def _earlier(record: FrontRecord) -> FrontSeries:
    kept = [(i, point) for i, point in enumerate(record.points) if point.is_earlier]
    return _predictions(EARLIER, kept, None, record)


def _predictions(
    label: str, kept: Sequence[tuple[int, ParetoPoint]], bars: tuple[Bars, ...] | None, record: FrontRecord
) -> FrontSeries:
    names, units = [objective.name for objective in record.objectives], _output_units(record)
    return FrontSeries(
        label,
        tuple(tuple(point.predicted[name] for _, point in kept) for name in names),
        bars,
        tuple(
            (
                *(
                    f"{shortened(n)}: {with_unit(with_deviation(value, point.uncertainty[n]), units.get(n))}"
                    for n, value in point.predicted.items()
                ),
                *([f"feasible with probability {point.feasibility:.2f}"] if point.feasibility < 1.0 else []),
                *listed(point.parameters, _parameter_units(record)),
            )
            for _, point in kept
        ),
        tuple(i for i, _ in kept),
    )


def _verified(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    kept = [(i, point, point.measured) for i, point in enumerate(record.points) if point.measured is not None]
    return FrontSeries(
        VERIFIED,
        tuple(tuple(measured[name] for _, _, measured in kept) for name in names),
        None,
        tuple(
            (*_measured_lines(record, measured), *listed(point.parameters, _parameter_units(record)))
            for _, point, measured in kept
        ),
        tuple(i for i, _, _ in kept),
    )


def _beaten(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    on_front = [(dict(point.parameters), dict(point.measured)) for point in record.points if point.measured is not None]
    kept = [each for each in record.verified if (each.parameters, each.values) not in on_front]
    return FrontSeries(
        BEATEN,
        tuple(tuple(each.values[name] for each in kept) for name in names),
        None,
        tuple(
            (
                f"trial {each.trial}",
                *_measured_lines(record, each.values),
                *listed(each.parameters, _parameter_units(record)),
            )
            for each in kept
        ),
        tuple(each.trial for each in kept),
    )


def _measured_lines(record: FrontRecord, values: Mapping[str, float]) -> list[str]:
    units = _output_units(record)
    return [f"{shortened(n)}: {with_unit(number(value), units.get(n))}, measured" for n, value in values.items()]


def _output_units(record: FrontRecord) -> dict[str, str | None]:
    units: dict[str, str | None] = {limit.name: limit.unit for limit in record.constraints}
    return units | {objective.name: objective.unit for objective in record.objectives}


def _parameter_units(record: FrontRecord) -> dict[str, str | None]:
    return {parameter.name: parameter.unit for parameter in record.parameters}


def _spread(n: int, n_kept: int) -> set[int]:
    """At most so many of the first n whole numbers, the first and the last among them."""
    return set(range(n)) if n <= n_kept else {round(i * (n - 1) / (n_kept - 1)) for i in range(n_kept)}
