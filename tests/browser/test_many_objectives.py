"""The live page of a study of many objectives: its panels have room, and what has nothing to show says so once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from browsing import needs_chromium, server, tab

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study

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


def _overlap(one: list[float], other: list[float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
