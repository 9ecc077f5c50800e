"""What docs/results says is what the committed raw results give, to the byte."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import alike, cost_over_designs, own_time, parallel, scaling, search_then_verify, settled, subsets
from experiments.calibrate import table_rows as calibrate_rows
from experiments.calibration.results import read_calibrations
from experiments.calibration.tables import TITLE as CALIBRATION_TITLE
from experiments.calibration.tables import report_sections as calibration_sections
from experiments.growth import run as growth
from experiments.page_speed import table_rows
from experiments.verified import TITLE as VERIFIED_TITLE
from experiments.verified import sections as verified_sections
from imoca_lab.harness.config import ComparisonTables, expand
from imoca_lab.harness.report import TITLE, report_sections
from imoca_lab.harness.results import read_results
from imoca_lab.harness.text_table import markdown_page

ROOT = Path(__file__).parents[1]
CALIBRATION = ROOT / "docs" / "results" / "calibration" / "report.md"  # no comparison of methods
VERIFIED = ROOT / "docs" / "results" / "verified" / "report.md"  # of several comparisons
ALL_PAGES = sorted((ROOT / "docs" / "results").glob("*/report.md"))
PAGES = [page for page in ALL_PAGES if page not in (CALIBRATION, VERIFIED)]


def test_every_comparison_is_published() -> None:
    assert {"paper", "peers", "settings", "fronts", "trust", "constrained", "misleading"} == {
        page.parent.name for page in PAGES
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_tables_come_from_the_raw_results(page: Path) -> None:
    results = read_results([ROOT / "experiments" / "results" / page.parent.name])
    assert page.read_text(encoding="utf-8") == markdown_page(TITLE, report_sections(results, "imoca-p"))


@pytest.mark.parametrize("page", [*PAGES, VERIFIED], ids=lambda page: page.parent.name)
def test_raw_results_are_those_that_the_configuration_asks_for(page: Path) -> None:
    experiments, name = ROOT / "experiments", page.parent.name
    asked = expand(ComparisonTables.model_validate(tomllib.loads((experiments / f"{name}.toml").read_text())))
    assert [result.spec for result in read_results([experiments / "results" / name]) if result.spec not in asked] == []


def test_tables_of_the_calibration_come_from_the_raw_results() -> None:
    found = read_calibrations(ROOT / "experiments" / "results" / "calibration")
    assert CALIBRATION.read_text(encoding="utf-8") == markdown_page(CALIBRATION_TITLE, calibration_sections(found))


def test_the_table_of_measured_fronts_comes_from_the_raw_results() -> None:
    found = verified_sections(ROOT / "experiments" / "results")
    assert VERIFIED.read_text(encoding="utf-8") == markdown_page(VERIFIED_TITLE, found)


def test_how_well_knobs_are_calibrated_is_what_was_measured() -> None:
    results = json.loads((ROOT / "experiments" / "results" / "calibrate.json").read_text(encoding="utf-8"))
    shown = (ROOT / "docs" / "how-to" / "calibrate.md").read_text(encoding="utf-8")
    assert len(results) > 5
    assert "\n".join(calibrate_rows(results)) in shown


def test_how_long_a_page_takes_is_what_was_measured() -> None:
    studies = json.loads((ROOT / "experiments" / "results" / "page_speed.json").read_text(encoding="utf-8"))["studies"]
    shown = (ROOT / "docs" / "how-to" / "figures.md").read_text(encoding="utf-8").splitlines()
    assert len(studies) == 4
    assert [row for row in table_rows(studies) if row not in shown] == []
    assert [study["left out"] for study in studies] == [{}] * 4


@pytest.mark.parametrize(
    ("name", "table_of", "page"),
    [
        ("own_time", own_time.table_rows, "docs/results.md"),
        ("parallel", parallel.table_rows, "docs/results.md"),
        ("cost_over_designs", cost_over_designs.table_rows, "docs/results.md"),
        ("subsets", subsets.table_rows, "docs/results.md"),
        ("settled", settled.table_rows, "docs/how-to/verify.md"),
        ("alike", alike.table_rows, "docs/decisions/0014-errors-change-where-the-truth-does.md"),
        ("growth/run", growth.table_rows, "docs/results.md"),
        ("search_then_verify", search_then_verify.table_rows, "docs/results.md"),
    ],
)
def test_tables_about_prices_and_growth_are_what_was_measured(
    name: str, table_of: Callable[..., list[str]], page: str
) -> None:
    path = ROOT / "experiments" / "results" / f"{name.removesuffix('/run')}.json"
    found = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert "\n".join(table_of(found)) in (ROOT / page).read_text(encoding="utf-8")
    assert all(row["command"].startswith(f"python experiments/{name}.py") for row in found)


def test_how_long_suggestions_take_is_what_was_measured() -> None:
    rows = json.loads((ROOT / "experiments" / "results" / "scaling.json").read_text(encoding="utf-8"))["rows"]
    shown = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert [way for way in scaling.SIZES if "\n".join(scaling.table_rows(rows, way)) not in shown] == []
    assert len(rows) == sum(map(len, scaling.SIZES.values()))


@pytest.mark.parametrize(
    "quoting", ["README.md", "docs/results.md", "docs/decisions/0003-defaults-per-method.md", "paper/paper.md"]
)
def test_quoted_rows_are_rows_of_a_report(quoting: str) -> None:
    published = {line for page in ALL_PAGES for line in page.read_text(encoding="utf-8").splitlines()}
    text = (ROOT / quoting).read_text(encoding="utf-8")
    quoted = [
        line
        for block in text.split("<!-- from a report -->")[1:]
        for line in block.split("<!-- end -->")[0].splitlines()
        if line.startswith("|")
    ]
    assert quoted
    assert [line for line in quoted if line not in published] == []
