"""The points of a front, sorted into those predicted, now or before, those verified, and those measured but beaten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from imoca.problem.simulator import Constraint
from imoca.report.labels import listed, shortened
from imoca.report.records.front import FrontRecord, VerifiedRecord
from imoca.snapshot import ParetoPoint
from imoca.trials.trial import DEVIATIONS_OF_INTERVAL
from imoca.wording import with_deviation, with_error, with_unit

NOT_DRAWN = float("nan")
N_BARS = 30  # of a front; more would cover the points

STRETCH = 0.25  # of the reach of the other points, by which earlier designs may widen an axis at each end

BARS = ", with intervals that hold nine of ten"
PREDICTED = f"predicted front{BARS}"
VERIFIED = "on the front, verified at full accuracy"
BEATEN = "measured at full accuracy, not on the front"
BROKEN = "measured at full accuracy, breaks a constraint"
NOT_ON_FRONT = (BEATEN, BROKEN)
EARLIER = "recommended before, not surely worse"


@dataclass(frozen=True)
class Bars:
    """How far the likely interval of one objective reaches from each point, NaN where none is drawn."""

    below: tuple[float, ...]
    above: tuple[float, ...]

    @staticmethod
    def predicted(points: Sequence[ParetoPoint | None], name: str) -> Bars:
        ends = [(0.0, NOT_DRAWN, NOT_DRAWN) if p is None else (p.predicted[name], *p.interval[name]) for p in points]
        return Bars(tuple(value - low for value, low, _ in ends), tuple(high - value for value, _, high in ends))

    @staticmethod
    def measured(errors: Sequence[Mapping[str, float]], name: str) -> Bars:
        """Of the standard errors of measured values, NaN where there is none."""
        reach = tuple(DEVIATIONS_OF_INTERVAL * each[name] if name in each else NOT_DRAWN for each in errors)
        return Bars(reach, reach)


@dataclass(frozen=True)
class FrontSeries:
    """Points that look alike, one column of values per objective."""

    label: str
    columns: tuple[tuple[float, ...], ...]  # (K, n)
    bars: tuple[Bars, ...] | None  # per objective; None if there are none
    descriptions: tuple[tuple[str, ...], ...]  # (n, lines)
    numbers: tuple[int, ...]  # of the point in the front, or of the trial if it is not on it

    @property
    def n_points(self) -> int:
        return len(self.numbers)

    def reached(self, j: int) -> list[float]:
        """Along one objective, by points and their bars."""
        column = self.columns[j]
        if self.bars is None:
            return list(column)
        reaches = zip(column, self.bars[j].below, self.bars[j].above, strict=True)
        ends = [end for value, below, above in reaches for end in (value - below, value + above)]
        return [*column, *(end for end in ends if end == end)]


def front_series(record: FrontRecord) -> tuple[FrontSeries, ...]:
    """In drawing order, without the empty ones."""
    names = [objective.name for objective in record.objectives]
    beaten, broken = _not_on_front(record, names)
    others = (_predicted(record, names), _verified(record, names))
    found = (broken, beaten, _earlier(record, _ends((broken, beaten, *others), names)), *others)
    return tuple(series for series in found if series.n_points)


def earlier_words(record: FrontRecord) -> str:
    """How many designs were recommended before, and how many of them are not drawn; nothing where there are none."""
    n = len(record.points) - len(record.today)
    if not n:
        return ""
    n_drawn = sum(series.n_points for series in front_series(record) if series.label == EARLIER)
    are = "1 more was" if n == 1 else f"{n} more were"
    told, n_far = f"{are} recommended before and not surely worse", n - n_drawn
    if not n_far:
        return told
    return f"{told}; {n_far} of them would stretch an axis and {'is' if n_far == 1 else 'are'} not drawn"


def _predicted(record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    kept = [(i, point) for i, point in enumerate(record.points) if not point.verified and not point.is_earlier]
    has_bar = _spread(len(kept), N_BARS)
    drawn = [point if k in has_bar else None for k, (_, point) in enumerate(kept)]
    return _predictions(PREDICTED, kept, tuple(Bars.predicted(drawn, name) for name in names), record)


def _earlier(record: FrontRecord, ends: Mapping[str, tuple[float, float]]) -> FrontSeries:
    """Those between the ends of every objective: one that is far off would press the front into a corner."""
    kept = [
        (i, point)
        for i, point in enumerate(record.points)
        if point.is_earlier and all(low <= point.predicted[name] <= high for name, (low, high) in ends.items())
    ]
    return _predictions(EARLIER, kept, None, record)


def _ends(series: Sequence[FrontSeries], names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Of the axes of the objectives, with points and bars within and room for a few beside; none for a mere point."""
    ends = {}
    for j, name in enumerate(names):
        values = [value for each in series for value in each.reached(j)]
        low, high = min(values, default=0.0), max(values, default=0.0)
        if high > low:
            room = STRETCH * (high - low)
            ends[name] = low - room, high + room
    return ends


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
        _measured_bars([point.errors for _, point, _ in kept], names),
        tuple(
            (*_measured_lines(record, measured, point.errors), *listed(point.parameters, _parameter_units(record)))
            for _, point, measured in kept
        ),
        tuple(i for i, _, _ in kept),
    )


def _not_on_front(record: FrontRecord, names: Sequence[str]) -> tuple[FrontSeries, FrontSeries]:
    """Measured designs that others beat, and those that break a constraint, which may look better than the front."""
    on_front = [(dict(point.parameters), dict(point.measured)) for point in record.points if point.measured is not None]
    kept = [each for each in record.verified if (each.parameters, each.values) not in on_front]
    breaks = [any(_is_broken(limit, each.values[limit.name]) for limit in record.constraints) for each in kept]
    beaten = [each for each, is_broken in zip(kept, breaks, strict=True) if not is_broken]
    broken = [each for each, is_broken in zip(kept, breaks, strict=True) if is_broken]
    return _measured(BEATEN, beaten, record, names), _measured(BROKEN, broken, record, names)


def _is_broken(limit: Constraint, value: float) -> bool:
    return (limit.lower is not None and value < limit.lower) or (limit.upper is not None and value > limit.upper)


def _measured(label: str, kept: Sequence[VerifiedRecord], record: FrontRecord, names: Sequence[str]) -> FrontSeries:
    return FrontSeries(
        label,
        tuple(tuple(each.values[name] for each in kept) for name in names),
        _measured_bars([each.errors for each in kept], names),
        tuple(
            (
                f"trial {each.trial}",
                *_measured_lines(record, each.values, each.errors),
                *listed(each.parameters, _parameter_units(record)),
            )
            for each in kept
        ),
        tuple(each.trial for each in kept),
    )


def _measured_bars(errors: Sequence[Mapping[str, float]], names: Sequence[str]) -> tuple[Bars, ...] | None:
    return tuple(Bars.measured(errors, name) for name in names) if any(errors) else None


def _measured_lines(record: FrontRecord, values: Mapping[str, float], errors: Mapping[str, float]) -> list[str]:
    units, told = _output_units(record), {name: with_error(value, errors.get(name)) for name, value in values.items()}
    return [f"{shortened(name)}: {with_unit(words, units.get(name))}, measured" for name, words in told.items()]


def _output_units(record: FrontRecord) -> dict[str, str | None]:
    units: dict[str, str | None] = {limit.name: limit.unit for limit in record.constraints}
    return units | {objective.name: objective.unit for objective in record.objectives}


def _parameter_units(record: FrontRecord) -> dict[str, str | None]:
    return {parameter.name: parameter.unit for parameter in record.parameters}


def _spread(n: int, n_kept: int) -> set[int]:
    """At most so many of the first n whole numbers, the first and the last among them."""
    return set(range(n)) if n <= n_kept else {round(i * (n - 1) / (n_kept - 1)) for i in range(n_kept)}
