from collections.abc import Callable
from pathlib import Path

import pytest

from imoca.errors import StorageError
from imoca_lab.harness.curves import all_series, curve_of
from imoca_lab.harness.drawing import principal
from imoca_lab.harness.report import write_report
from imoca_lab.harness.results import RunResult
from imoca_lab.harness.tables import cost_table, fidelity_table, quality_table, table_costs
from imoca_lab.harness.text_table import Section, TextTable, html_page, markdown_page


@pytest.fixture
def results(make_run: Callable[..., RunResult]) -> list[RunResult]:
    ours = [make_run([0.5, 0.04, 0.004 + 0.001 * s], [1.0, 2.0, 4.0], seed=s) for s in range(5)]
    theirs = [make_run([0.9, 0.3, 0.02 + 0.01 * s], [4.0, 8.0, 16.0], seed=s, method="mesmo", z=1.0) for s in range(5)]
    return ours + theirs


def test_medians_and_quartiles_stand_in_the_table(results: list[RunResult]) -> None:
    series = all_series(results)
    assert table_costs(series) == [2.0, 4.0, 8.0]
    table = quality_table(series, "hypervolume_difference")
    assert table.rows[0] == ("imoca-p", "5", "4 % [4, 4]", "0.6 % [0.5, 0.7]", "–", "0.6 % [0.5, 0.7]", "4")
    assert table.rows[1] == ("mesmo", "5", "–", "90 % [90, 90]", "30 % [30, 30]", "4 % [3, 5]", "16")
    assert (0, 3) in table.best
    assert (1, 4) in table.best


def test_costs_tests_and_seconds_stand_in_the_table(results: list[RunResult]) -> None:
    rows = cost_table(all_series(results), "imoca-p").rows
    assert rows[0] == ("imoca-p", "2 (2)", "4 (4)", "–", "–", "0.25", "3")
    assert rows[1] == ("mesmo", "16 (inf)", "inf (inf)", "0/5/0 (p = 0.062)", "0/5/0 (p = 0.062)", "0.25", "3")


def test_the_profile_of_fidelities_leaves_the_initial_design_out(results: list[RunResult]) -> None:
    rows = fidelity_table(all_series(results)).rows
    assert rows == (
        ("imoca-p", "branin", "0%", "0%", "100%", "0%", "0%", "0%"),
        ("imoca-p", "currin", "0%", "0%", "0%", "0%", "0%", "100%"),
    )


def test_a_report_regenerates_byte_by_byte_whatever_the_order_of_results(
    results: list[RunResult], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    first = write_report(results, "imoca-p", tmp_path / "first")
    second = write_report(results[::-1], "imoca-p", tmp_path / "second")
    assert [path.name for path in first] == [path.name for path in second]
    assert {path.suffix for path in first} == {".png", ".svg", ".md", ".html"}
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_pages_escape_what_they_show() -> None:
    table = TextTable("A & B", "note", ("method", "value"), (("<b>", "1"), ("x", "2")), frozenset({(0, 1)}))
    sections = [Section("Part", "words", (table,), ("curve",), ("Caption",))]
    page = html_page("Title", sections)
    assert "<td>&lt;b&gt;</td><td><b>1</b></td>" in page
    assert '<img src="curve.svg" alt="Caption">' in page
    text = markdown_page("Title", sections)
    assert "| method | value |\n| --- | ---: |\n| <b> | **1** |\n| x | 2 |" in text


def test_no_results_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no results"):
        write_report([], "imoca-p", tmp_path)


def test_a_panel_holds_ours_and_the_best_of_each_kind_and_the_rest_is_in_a_second_figure(
    make_run: Callable[..., RunResult], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    endings = {"imoca-p": 0.1, "imoca-e": 0.2, "imoca-t": 0.9, "mf-osemo-ni": 0.5, "naive-cfmo": 0.4, "mesmo": 0.7}
    endings |= {"parego": 0.6, "random": 0.8}
    runs = [make_run([0.95, each], [1.0, 2.0], seed=0, method=name) for name, each in endings.items()]
    curves = [curve_of(each, "hypervolume_difference") for each in all_series(runs)]
    shown = {curve.method for curve in principal(curves)}
    assert shown == {"imoca-p", "imoca-e", "imoca-t", "naive-cfmo", "parego"}
    names = {path.name for path in write_report(runs, "imoca-p", tmp_path)}
    assert {"hypervolume_difference.png", "hypervolume_difference_others.png"} <= names
    assert "(hypervolume_difference_others.png)" in (tmp_path / "report.md").read_text(encoding="utf-8")
    few = {path.name for path in write_report(runs[:5], "imoca-p", tmp_path / "few")}
    assert "hypervolume_difference_others.png" not in few


def test_free_places_of_a_panel_go_to_the_next_best(make_run: Callable[..., RunResult]) -> None:
    endings = {"imoca-p": 0.9, "mesmo": 0.5, "parego": 0.4, "ehi": 0.3, "sur": 0.2, "random": 0.8}
    runs = [make_run([0.95, each], [1.0, 2.0], seed=0, method=name) for name, each in endings.items()]
    curves = [curve_of(each, "hypervolume_difference") for each in all_series(runs)]
    assert {curve.method for curve in principal(curves)} == {"imoca-p", "sur", "ehi", "parego", "mesmo"}
