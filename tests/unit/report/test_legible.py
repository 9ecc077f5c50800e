"""What stands in a figure can be read and means what it says: keys, titles, ticks, colours."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from imoca.problem.simulator import Constraint
from imoca.report.figures import drawers
from imoca.report.front_series import BEATEN, BROKEN, front_series
from imoca.report.palette import fidelity_colour
from imoca.report.plotly.figures import BEYOND, WITHIN
from imoca.report.plotly.theme import LIGHT, template
from imoca.report.records import TrustRecord
from imoca.report.records.timeline import TimedRun, TimelineRecord
from imoca.trials.trial import RunState


def trusted(name: str, miss: float) -> TrustRecord:
    """Five answers, all at full accuracy, one of them off by so much."""
    observed = (0.0, 1.0, 2.0, 3.0, 4.0 + miss)
    return TrustRecord(name, (0, 1, 2, 3, 4), (1.0,) * 5, observed, (0.0, 1.0, 2.0, 3.0, 4.0), (0.1,) * 5)


@pytest.mark.parametrize(("miss", "has_beyond"), [(0.0, False), (5.0, True)])
def test_the_key_of_the_trust_figure_knows_the_marks_of_all_panels(miss: float, has_beyond: bool) -> None:
    made = drawers("plotly")["trust"]([trusted("first", 0.0), trusted("second", miss)])
    keys = [trace for trace in made.data if trace.showlegend is not False and trace.marker.symbol]
    told = {trace.name: trace.marker.symbol for trace in keys}
    assert told == {WITHIN: "circle", "at full accuracy": "diamond"} | ({BEYOND: "x"} if has_beyond else {})


def test_a_measured_design_that_breaks_a_constraint_is_not_shown_as_beaten(records: Any) -> None:
    """It may look better than the front."""
    front = records(2)["front"]
    limits = (Constraint("stress", upper=1.0),)
    (beaten,) = [each for each in front_series(front) if each.label == BEATEN]
    for stress, label in ((0.9, BEATEN), (1.1, BROKEN)):
        verified = tuple(replace(each, values=each.values | {"stress": stress}) for each in front.verified)
        points = tuple(
            point if point.measured is None else replace(point, measured={**point.measured, "stress": stress})
            for point in front.points
        )
        record = replace(front, verified=verified, points=points, constraints=limits)
        (found,) = [each for each in front_series(record) if each.label in (BEATEN, BROKEN)]
        assert (found.label, found.numbers, found.columns) == (label, beaten.numbers, beaten.columns)
        for backend in ("plotly", "matplotlib"):
            assert drawers(backend)["front"](record)


@pytest.mark.parametrize("backend", ["plotly", "matplotlib"])
def test_a_run_too_short_to_be_filled_has_an_edge_of_its_fidelity(backend: Any) -> None:
    state, took = RunState.ANSWERED, 1e-3
    runs = [TimedRun(i, 0, 1, 100.0 * i, 100.0 * i + took, took, state, float(i), float(i), "") for i in range(2)]
    made = drawers(backend)["timeline"](TimelineRecord(("s",), tuple(runs), (), None))
    expected = [fidelity_colour(0.0), fidelity_colour(1.0)]
    if backend == "plotly":
        assert list(made.data[0].marker.line.color) == expected
    else:
        from matplotlib.colors import to_rgba

        edges = [patch.get_edgecolor() for patch in made.axes[0].patches]
        assert edges == [to_rgba(colour) for colour in expected]
        assert all(patch.get_linewidth() >= 0.8 for patch in made.axes[0].patches)


def test_titles_and_numbers_of_a_small_panel_fit_in_matplotlib() -> None:
    """Three panels beside each other, of values so large that few numbers fit."""
    large = replace(
        trusted("lifetime_of_the_capacitor", 0.0),
        predicted=tuple(1e5 * np.arange(-5.0, 0.0)),
        observed=tuple(1e5 * np.arange(-5.0, 0.0)),
        deviations=(1e4,) * 5,
        unit="years",
    )
    made = drawers("matplotlib")["trust"]([large] * 3)
    made.draw_without_rendering()
    width = made.bbox.width
    titles = [axes.title.get_window_extent() for axes in made.axes]
    assert all(each.x0 >= 0.0 and each.x1 <= width for each in titles)
    assert all(one.x1 <= other.x0 for one, other in pairwise(titles))
    for axes in made.axes:
        low, high = axes.get_xlim()
        numbers = [label for label in axes.get_xticklabels() if low <= label.get_position()[0] <= high]
        boxes = [label.get_window_extent() for label in numbers]
        assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))


def test_numbers_at_axes_have_no_prefixes() -> None:
    """200µ beside a percent sign, or 20k of decibels, is misread."""
    for axis in (template(**LIGHT).layout.xaxis, template(**LIGHT).layout.yaxis):
        assert (axis.exponentformat, axis.minexponent) == ("power", 5)
