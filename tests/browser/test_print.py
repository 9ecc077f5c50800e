"""The report on paper: nothing scrolls there, so that nothing may be wider than a sheet."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from browsing import needs_chromium, tab

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.page.contents import Introduction
from imoca.report.page.page import report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, needs_chromium]

needs_pdftotext = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="no pdftotext on this machine: apt-get install poppler-utils"
)

N_LONG = 150  # designs, whose table takes more than a sheet
SHEET = 718  # pixels of an A4 page between margins of a centimetre
N_OBJECTIVES, N_PARAMETERS = 6, 14
WIDTHS = """
() => [...document.querySelectorAll("main *")]
  .filter((each) => each.checkVisibility() && !each.closest("svg, .unseen"))
  .map((each) => [each.getBoundingClientRect().right, each.tagName + "." + each.className])
"""
HEADS = """
() => [...document.querySelectorAll(".on-paper table")]
  .map((table) => [...table.querySelectorAll("th")].map((head) => head.innerText))
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j in range(N_OBJECTIVES)
    ]
    study = Study(Problem([Real(f"x{i}", 0, 1) for i in range(N_PARAMETERS)], simulators), method="random")
    rng = np.random.default_rng(0)
    for i in range(12):
        x = rng.random(N_PARAMETERS)
        values = {f"f{j}": float((x[j] - 0.5) ** 2 - x[j + 1]) for j in range(N_OBJECTIVES)}
        z = {f"s{j}": 1.0 if i % 2 else 0.2 for j in range(N_OBJECTIVES)}
        study.add({f"x{i}": float(each) for i, each in enumerate(x)}, z, values)
    path = tmp_path_factory.mktemp("paper") / "report.html"
    path.write_text(report_page(study.snapshot(), Introduction("Study")), encoding="utf-8")
    return path


def test_on_paper_nothing_is_cut_off_and_no_column_is_missing(browser: "Browser", report: Path) -> None:
    with tab(browser, report.as_uri(), 1280, "dark") as watched:
        page = watched.page
        page.wait_for_selector("#plot-trust .main-svg")
        columns = page.locator("table.designs").first.locator("thead th").all_inner_texts()
        page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": SHEET, "height": 1000})
        assert [each for each in page.evaluate(WIDTHS) if each[0] > SHEET] == []
        heads: list[list[str]] = page.evaluate(HEADS)
        assert len(heads) > 1
        assert all(head[:2] == columns[:2] for head in heads)
        assert [name for head in heads for name in head[2:]] == columns[2:]
        n_designs = page.locator(".scroller table.designs tbody tr").count()
        rows = page.locator(".on-paper tbody tr").count()
        assert rows == n_designs * len(heads)
        colours: Any = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert colours == "rgb(255, 255, 255)"  # also for a reader whose screen is dark
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
        assert page.locator(".on-paper").count() == 0
        page.wait_for_selector("#plot-trust .main-svg")
        assert page.evaluate("() => document.getElementById('plot-trust').style.zoom") == ""


def test_limits_hold_on_paper_too(browser: "Browser", report: Path) -> None:
    with tab(browser, report.as_uri()) as watched:
        page = watched.page
        page.locator(".table-filter input").fill("x0 < 0.5")
        n_left = page.locator(".scroller table.designs tbody tr:visible").count()
        page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
        assert 0 < n_left < page.locator(".scroller table.designs tbody tr").count()
        assert page.locator(".on-paper").first.locator("tbody tr").count() == n_left


@needs_pdftotext
def test_the_verdict_is_on_the_first_sheet(browser: "Browser", report: Path) -> None:
    first = sheets(browser, report)[0]
    assert re.search(r"Settled\?", first)
    assert "Designs to begin with" in first


@needs_pdftotext
def test_the_head_of_a_long_table_is_on_every_sheet_of_it(browser: "Browser", report: Path) -> None:
    long = report.with_name("long.html")
    front = [(i / N_LONG, 1.0 - i / N_LONG) for i in range(N_LONG)]
    long.write_text(report_page(measured_at(front).snapshot(), Introduction("Long")), encoding="utf-8")
    with_rows = [sheet for sheet in sheets(browser, long) if len(re.findall(r"\bF[0-9A-F]{5}\b", sheet)) > N_LONG // 10]
    assert len(with_rows) > 1
    assert all(re.search(r"first\s+\(minimize\)", sheet) for sheet in with_rows)


def measured_at(front: list[tuple[float, float]]) -> Study:
    outputs = [Objective("first", "minimize"), Objective("second", "minimize")]
    study = Study(Problem([Real("x", 0, 1)], [Simulator("s", outputs, cost=1)]), method="random")
    for first, second in front:
        study.add({"x": first}, {}, {"first": first, "second": second})
    return study


def sheets(browser: "Browser", report: Path) -> list[str]:
    """The text of each."""
    paper = report.with_suffix(".pdf")
    with tab(browser, report.as_uri()) as watched:
        watched.page.wait_for_selector("#plot-trust .main-svg")
        assert watched.page.pdf(path=paper, format="A4")
    text = subprocess.run(["pdftotext", "-layout", paper, "-"], capture_output=True, text=True, check=True).stdout
    return text.split("\f")
