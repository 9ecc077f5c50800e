"""The points of a front, sorted into those predicted, now or before, those verified, and those measured but beaten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from imoca.report.labels import listed, shortened, with_deviation
from imoca.report.records import FrontRecord
from imoca.snapshot import ParetoPoint
from imoca.wording import number

N_DEVIATIONS = 2.0  # that a bar reaches to either side
N_BARS = 30  # of a front; more would cover the points

BARS = ", ± twice the typical error"
PREDICTED = f"predicted front{BARS}"
VERIFIED = "on the front, verified at full accuracy"
BEATEN = "measured at full accuracy, not on the front"
EARLIER = "recommended before, not surely worse"


@dataclass(frozen=True)
class FrontSeries:
    """Points that look alike, one column of values per objective."""

    label: str
    columns: tuple[tuple[float, ...], ...]  # (K, n)
    bars: tuple[tuple[float, ...], ...] | None  # (K, n), NaN where none is drawn, None if measured
    descriptions: tuple[tuple[str, ...], ...]  # (n, lines)
    numbers: tuple[int, ...]  # of the point in the front, or of the trial if it is not on it

    @property
    def n_points(self) -> int:
        return len(self.numbers)


def front_series(record: FrontRecord) -> tuple[FrontSeries, ...]:
    """In drawing order, without the empty ones."""
    names = [objective.name for objective in record.objectives]
    found = (_beaten(record, names), _earlier(record, names), _predicted(record, names), _verified(record, names))
    return tuple(series for series in found if series.n_points)


def _predicted(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    kept = [(i, point) for i, point in enumerate(record.points) if not point.verified and not point.is_earlier]
    return _predictions(PREDICTED, kept, N_BARS, names)


def _earlier(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    return _predictions(EARLIER, [(i, point) for i, point in enumerate(record.points) if point.is_earlier], 0, names)


def _predictions(label: str, kept: Sequence[tuple[int, ParetoPoint]], n_bars: int, names: Sequence[str]) -> FrontSeries:
    has_bar = _spread(len(kept), n_bars)
    return FrontSeries(
        label,
        tuple(tuple(point.predicted[name] for _, point in kept) for name in names),
        tuple(
            tuple(
                N_DEVIATIONS * point.uncertainty[name] if k in has_bar else float("nan")
                for k, (_, point) in enumerate(kept)
            )
            for name in names
        ),
        tuple(
            (
                *(f"{shortened(n)}: {with_deviation(point.predicted[n], point.uncertainty[n])}" for n in names),
                *listed(point.parameters),
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
            (*(f"{shortened(n)}: {number(measured[n])}, measured" for n in names), *listed(point.parameters))
            for _, point, measured in kept
        ),
        tuple(i for i, _, _ in kept),
    )


def _beaten(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    on_front = [(dict(point.parameters), dict(point.measured)) for point in record.points if point.measured is not None]
    kept = [each for each in record.verified if (each.parameters, {n: each.values[n] for n in names}) not in on_front]
    return FrontSeries(
        BEATEN,
        tuple(tuple(each.values[name] for each in kept) for name in names),
        None,
        tuple(
            (
                f"trial {each.trial}",
                *(f"{shortened(n)}: {number(each.values[n])}, measured" for n in names),
                *listed(each.parameters),
            )
            for each in kept
        ),
        tuple(each.trial for each in kept),
    )


def _spread(n: int, n_kept: int) -> set[int]:
    """At most so many of the first n whole numbers, the first and the last among them; 0 are none."""
    if n_kept == 0:
        return set()
    return set(range(n)) if n <= n_kept else {round(i * (n - 1) / (n_kept - 1)) for i in range(n_kept)}
