"""Designs that were recommended before, in the navigator: named as such, and not bending the axes of the front."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import needs_chromium, tab

from imoca.report.page.scripts import NAVIGATOR, navigator_script
from imoca.report.strict_json import inside_script, to_json

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, needs_chromium]

FAR = 50.0  # times the reach of the front
PLACES = """
() => [...document.querySelectorAll(".front-chart .point")]
  .sort((one, other) => one.dataset.design - other.dataset.design)
  .map((each) => each.getBoundingClientRect()).map(({ left, right }) => (left + right) / 2)
"""


def design(i: int, place: float, is_earlier: bool) -> dict[str, object]:
    values = [place, -place]
    return {
        "id": f"F{i:05X}", "state": "earlier" if is_earlier else "predicted", "earlier": is_earlier,
        "parameters": [0.5], "predicted": values, "uncertainty": [0.1] * 2, "low": values, "high": values,
        "measured": None, "feasibility": 1.0,
    }  # fmt: skip


def test_an_earlier_design_that_is_far_off_stands_at_the_end_of_an_axis(browser: "Browser", tmp_path: Path) -> None:
    outputs = [{"kind": "objective", "name": name, "unit": None, "goal": "minimize"} for name in ("f", "g")]
    content = {
        "verdict": [], "next": {"what": "", "command": ""}, "warnings": [], "budget": {"spent": None, "words": ""},
        "columns": [*outputs, {"kind": "parameter", "name": "x", "unit": None, "low": 0, "high": 1}],
        "designs": [*(design(i, i / 4, False) for i in range(5)), design(5, FAR, True)],
        "begin": [], "feasibility": False, "verify": {"before": "", "between": "", "after": ""},
    }  # fmt: skip
    script = (
        f"{navigator_script()}\nconst [first, rest] = document.querySelectorAll('div');\n"
        f"new TradeOffs(first, rest).show({inside_script(to_json(content))});"
    )
    style, path = (NAVIGATOR / "navigator.css").read_text(encoding="utf-8"), tmp_path / "earlier.html"
    path.write_text(f"<!doctype html><style>{style}</style><div></div><div></div><script type=module>{script}</script>")
    with tab(browser, path.as_uri()) as watched:
        page = watched.page
        assert (
            page.locator("table.designs caption").inner_text() == "All 6 designs: 5 on the front, 1 recommended before"
        )
        *today, earlier = page.evaluate(PLACES)
        (chart,) = page.locator(".front-chart").evaluate_all("(all) => all.map((each) => each.clientWidth)")
        assert today[-1] - today[0] > 0.5 * chart
        assert today[-1] < earlier < today[0] + chart
        page.locator("table.designs tbody button").last.click()  # what lies beyond can still be chosen
        assert page.locator(".chosen-id").inner_text() == "F00005"
        assert page.locator(".ring[data-chosen='5']").count() == 1
