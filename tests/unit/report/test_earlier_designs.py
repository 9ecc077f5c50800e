"""Designs that were recommended before stand beside the front of today: not counted to it, nor bending its axes."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from imoca.report.front_series import EARLIER, STRETCH, earlier_words, front_series
from imoca.report.page.readings import front_reading, headline, what_it_cost
from imoca.report.records import FrontRecord, SummaryRecord
from imoca.snapshot.recommendation import ParetoPoint


def moved(record: FrontRecord, place: float) -> FrontRecord:
    """The earlier design so far beyond the others in its first objective, in shares of their reach."""
    name = record.objectives[0].name
    others = [each.reached(0) for each in front_series(record) if each.label != EARLIER]
    low, high = min(map(min, others)), max(map(max, others))

    def elsewhere(point: ParetoPoint) -> ParetoPoint:
        there = {**point.predicted, name: high + place * (high - low)}
        return replace(point, predicted=there) if point.is_earlier else point

    return replace(record, points=tuple(map(elsewhere, record.points)))


@pytest.mark.parametrize(("place", "n_drawn"), [(0.5 * STRETCH, 1), (0.99 * STRETCH, 1), (1.01 * STRETCH, 0), (9.0, 0)])
def test_an_earlier_design_that_would_stretch_an_axis_is_counted_but_not_drawn(
    records: Callable[[int], Any], place: float, n_drawn: int
) -> None:
    record = moved(records(2)["front"], place)
    drawn = [each for each in front_series(record) if each.label == EARLIER]
    assert sum(each.n_points for each in drawn) == n_drawn
    words = "1 more was recommended before and not surely worse"
    not_drawn = "; 1 of them would stretch an axis and is not drawn"
    assert earlier_words(record) == (words if n_drawn else words + not_drawn)


def test_bars_are_part_of_what_the_others_reach(records: Callable[[int], Any]) -> None:
    record = records(2)["front"]
    predicted = next(each for each in front_series(record) if each.bars is not None)
    assert predicted.bars is not None
    tops = [value + reach for value, reach in zip(predicted.columns[0], predicted.bars[0].above, strict=True)]
    assert max(predicted.reached(0)) == max(top for top in tops if top == top) > max(predicted.columns[0])


def test_the_reading_is_of_the_front_of_today(records: Callable[[int], Any]) -> None:
    record = records(2)["front"]
    told = front_reading(moved(record, 9.0))
    without = replace(record, points=record.today)
    assert told.startswith(front_reading(without).removesuffix("."))
    assert "recommended before" not in front_reading(without)


def test_costs_in_words_have_no_exponent() -> None:
    record = SummaryRecord(300, 0, 0, 1189.4, 1000.4, 2700.0, 12, 3)
    told = f"{headline(record)} {what_it_cost(record)}"
    assert "1190 full-fidelity runs" in told
    assert "1000 of it to verify" in told
    assert not re.search(r"\de[+-]?\d", told)
