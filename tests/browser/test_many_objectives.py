"""The live page of a study of many objectives: its panels have room, and what has nothing to show says so once."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from browsing import needs_chromium, server, tab

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.page.contents import Introduction
from imoca.report.page.page import report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, needs_chromium]

N_OBJECTIVES = 6
BOXES = """
(all) => all.map((each) => each.getBoundingClientRect())
  .map(({ left, right, top, bottom }) => [left, right, top, bottom])
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("many")
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "minimize")], None, fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j in range(N_OBJECTIVES)
    ]
    parameters = [Real(f"x{i}", 0, 1) for i in range(N_OBJECTIVES + 1)]
    rng = np.random.default_rng(0)
    with Study(Problem(parameters, simulators), method="random", storage=folder / "many.db") as study:
        for i in range(20):
            x = rng.random(N_OBJECTIVES + 1)
            values = {f"f{j}": float((x[j] - 0.5) ** 2 - x[j + 1]) for j in range(N_OBJECTIVES)}
            z = {f"s{j}": 1.0 if i % 2 else 0.2 for j in range(N_OBJECTIVES)}
            study.add({f"x{k}": float(each) for k, each in enumerate(x)}, z, values)
    with server(cwd=folder) as found:
        yield found


@pytest.mark.parametrize("width", [390, 1280])
def test_panels_of_many_objectives_have_room(browser: "Browser", address: str, width: int) -> None:
    with tab(browser, address, width, "dark") as watched:
        page = watched.page
        page.wait_for_selector("[data-figure=trust] .main-svg")
        pairs = page.locator("div.pairs .chart").evaluate_all(BOXES)
        widths = [right - left for left, right, _, _ in pairs]
        assert len(widths) == 4
        assert max(widths) - min(widths) < 2.0
        assert min(widths) > 200.0
        (figure,) = page.locator("[data-figure=trust] .js-plotly-plot").evaluate_all(BOXES)
        titles = page.locator("[data-figure=trust] .annotation-text").evaluate_all(BOXES)
        assert len(titles) == N_OBJECTIVES
        assert all(figure[0] <= left and right <= figure[1] and top >= figure[2] for left, right, top, _ in titles)
        for one in titles:
            assert not any(_overlap(one, other) for other in titles if other is not one)


def test_a_figure_without_anything_to_show_says_why_once(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        page = watched.page
        page.wait_for_selector("[data-figure=trust] .main-svg")
        card = page.locator("[data-figure=timeline]")
        assert card.inner_text().count("No run yet") == 1
        assert card.locator(".main-svg").count() == 0


def test_names_of_many_axes_are_whole_and_numbers_beside_them_have_room(browser: "Browser", tmp_path: Path) -> None:
    names = ["efficiency", "ripple_voltage", "settling_time", "overshoot", "mass", "temperature", "price", "lifetime"]
    outputs = [Objective(name, "minimize", unit="years") for name in names]
    study = Study(Problem([Real("x", 0, 1), Real("y", 0, 1)], [Simulator("s", outputs, cost=1)]), method="random")
    rng = np.random.default_rng(0)
    for x, y in rng.random((12, 2)):
        values = {name: -1e5 * float((x - j / 8) ** 2 + j * (y - 0.5) ** 2) for j, name in enumerate(names)}
        study.add({"x": float(x), "y": float(y)}, {}, values)
    path = tmp_path / "names.html"
    path.write_text(report_page(study.snapshot(), Introduction("Names")), encoding="utf-8")
    with tab(browser, path.as_uri()) as watched:
        page = watched.page
        front = page.locator(".wide-chart").first
        assert [each.split(" ")[0] for each in front.locator("text.title").all_text_contents()] == names
        titles = front.locator("text.title").evaluate_all(BOXES)
        (chart,) = front.evaluate_all(BOXES)
        assert all(chart[0] <= left and right <= chart[1] for left, right, _, _ in titles)
        for pair in page.locator("div.pairs .chart").all():
            upright = pair.locator("text.title").last.evaluate_all(BOXES)[0]
            assert not any(_overlap(upright, each) for each in pair.locator("text:not(.title)").evaluate_all(BOXES))
        for one in titles:
            assert not any(_overlap(one, other) for other in titles if other is not one)


def _overlap(one: list[float], other: list[float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
