"""The page in a real browser: what is seen, clicked and typed, and that nothing goes where it should not."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from browsing import HOSTILE, Scheme, Watched, needs_chromium, server, tab, wait_until

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.problem.fidelity import Levels
from imoca.report.figure_names import FIGURE_NAMES
from imoca.trials.trial import Run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, needs_chromium]


def make_study(path: Path, n_objectives: int = 2) -> Study:
    outputs = [Objective(f"{'cost' if j else 'drag'} {j} {HOSTILE}", "minimize") for j in range(n_objectives)]
    fidelity = Fidelity.levels([f"coarse {HOSTILE}", "fine"])
    simulator = Simulator(f"cfd {HOSTILE}", outputs, None, fidelity=fidelity, cost=[1, 4])
    return Study(
        Problem([Real(f"sweep {HOSTILE}", 0, 1), Real("span", 0, 1)], [simulator]), method="random", storage=path
    )


def add_trials(study: Study, n: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    sweep, span = study.problem.space.names
    (simulator,) = study.problem.simulators
    levels = simulator.fidelity
    assert isinstance(levels, Levels)
    for i in range(n):
        x, y = rng.uniform(size=2).tolist()
        values = {each.name: (x - j) ** 2 + (y - 0.5 * j) ** 2 for j, each in enumerate(simulator.outputs)}
        study.add({sweep: x, span: y}, {simulator.name: levels.values[i % 2]}, values)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    with make_study(folder / "wing <b>'.db") as study:
        add_trials(study, 40)
        study.fail(study.ask(), f"mesh exploded {HOSTILE}")
        logs = study.runs_folder / "40"
        logs.mkdir(parents=True)
        (logs / "stdout.txt").write_text("residual <b>1e-3</b>\n\x1b[31mdiverged")
        study._storage.record(Run(40, study.problem.simulators[0].name, 1, 1000.0, str(logs), 1012.0))
        study.ask()
    (folder / "damaged.db").write_bytes((folder / "wing <b>'.db").read_bytes()[:5000])
    return folder


@pytest.fixture(scope="module")
def address(hostile: Path) -> Iterator[str]:
    with server(cwd=hostile) as found:
        yield found


def n_rows(watched: Watched) -> int:
    return int(watched.page.locator("#table tbody tr").count())


def numbers(watched: Watched) -> list[int]:
    return [int(text) for text in watched.page.locator("#table tbody button").all_inner_texts()]


def test_all_figures_appear_without_a_word_of_complaint(browser: "Browser", address: str) -> None:
    looks: list[tuple[int, Scheme]] = [(1280, "light"), (390, "dark")]
    for width, scheme in looks:
        with tab(browser, address, width, scheme) as watched:
            for name in FIGURE_NAMES:
                watched.page.wait_for_selector(f"[data-figure={name}] .js-plotly-plot .main-svg")
            wide, available = watched.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide <= available


def test_hostile_names_are_shown_as_text(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        watched.page.wait_for_selector("[data-figure=trust] .main-svg")
        assert watched.page.locator("img").count() == 0
        assert watched.page.locator("body script").count() == 0
        heading = watched.page.locator("#table th button", has_text="sweep").inner_text()
        assert "<script>alert(1)</script>" in heading
        assert "\\u001b[31m" in heading
        drawn = watched.page.locator("[data-figure=front]").inner_text()
        assert "<img src=x" in drawn
        assert watched.page.locator("#study option:checked").inner_text() == "wing <b>'"


def test_filter_sort_and_pages_work(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        page = watched.page
        page.wait_for_selector("#table tbody tr")
        assert numbers(watched)[0] == 41
        assert n_rows(watched) == 25
        page.get_by_role("button", name="Next").click()
        assert numbers(watched)[-1] == 0
        page.get_by_label("State").select_option("failed")
        assert numbers(watched) == [40]
        assert "1 of 42" in page.locator("#count").inner_text()
        page.get_by_label("State").select_option("")
        page.get_by_label("Contains").fill("MESH exploded")
        assert numbers(watched) == [40]
        page.get_by_label("Contains").fill("")
        page.locator("#table th button", has_text="span").click()
        sorted_heading = page.locator("th[aria-sort=ascending]")
        assert sorted_heading.inner_text().startswith("span")
        cells = [float(text) for text in page.locator("#table tbody td:nth-child(4)").all_inner_texts()]
        assert cells == sorted(cells)
        sorted_heading.locator("button").press("Enter")
        cells = [float(text) for text in page.locator("#table tbody td:nth-child(4)").all_inner_texts()]
        assert cells == sorted(cells, reverse=True)


def test_a_row_shows_its_trial_with_failure_runs_and_logs(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        page = watched.page
        page.get_by_role("button", name="Trial 40 in full").press("Enter")
        detail = page.locator("#detail")
        detail.get_by_text("Trial 40, failed").wait_for()
        shown = detail.inner_text()
        assert "mesh exploded <img src=x" in shown
        assert "attempt 1: lost, 12 s" in shown
        detail.get_by_role("button", name="Standard output").click()
        wait_until(page, "document.querySelector('#detail .run pre').textContent.includes('diverged')")
        assert "residual <b>1e-3</b>\n\\x1b[31mdiverged" in detail.locator(".run pre").inner_text()
        page.keyboard.press("Escape")
        assert not detail.is_visible()
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Trial 40 in full"


def test_a_point_shows_its_trial_and_a_predicted_one_its_design(browser: "Browser", address: str) -> None:
    click = """([trace, point]) => {
        const plot = document.querySelector("[data-figure=front] .js-plotly-plot");
        const data = plot.data.find((each) => each.name.startsWith(trace));
        plot.emit("plotly_click", { points: [{ data, customdata: data.customdata[point] ?? point }] });
    }"""
    with tab(browser, address) as watched:
        page = watched.page
        wait_until(page, "document.querySelector('[data-figure=front] .js-plotly-plot')?.data?.length > 1")
        page.evaluate(click, ["measured, at any", 3])
        page.locator("#detail").get_by_text("Trial 3, complete").wait_for()
        page.evaluate(click, ["predicted", 0])
        page.locator("#detail").get_by_text("Predicted design").wait_for()
        assert "sweep" in page.locator("#detail").inner_text()


def test_a_damaged_study_is_told_and_the_others_go_on(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        page = watched.page
        page.wait_for_selector("#table tbody tr")
        page.get_by_label("Study", exact=True).select_option(label="damaged (cannot be read)")
        wait_until(page, "document.getElementById('message').textContent.includes('is damaged')")
        assert not page.locator("#trials").is_visible()
        page.get_by_label("Study", exact=True).select_option(label="wing <b>'")
        page.wait_for_selector("#table tbody tr")
        assert not page.locator("#message").is_visible()


def test_new_points_of_a_running_study_show_by_themselves(
    browser: "Browser", tmp_path: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(make_study(tmp_path / "running.db"))
    add_trials(study, 5)
    with server(cwd=tmp_path) as found, tab(browser, found) as watched:
        page = watched.page
        plotted = "document.querySelector('[data-figure=front] .js-plotly-plot')?.data?.[0]?.x?.length"
        wait_until(page, f"{plotted} === 5")
        for n in range(6, 10):
            add_trials(study, 1, seed=n)
            wait_until(page, f"document.querySelectorAll('#table tbody tr').length === {n} && {plotted} === {n}")
        asked = study.ask()
        page.get_by_role("cell", name="no answer yet").wait_for()
        study.fail(asked, "mesh exploded")
        page.get_by_role("cell", name="failed").wait_for()
        assert "mesh exploded" in page.locator("#failure").inner_text()


def test_studies_are_compared_and_a_later_one_is_found(
    browser: "Browser", tmp_path: Path, until_the_end: ExitStack
) -> None:
    add_trials(until_the_end.enter_context(make_study(tmp_path / "one.db")), 6)
    with server(cwd=tmp_path) as found, tab(browser, found) as watched:
        page = watched.page
        page.wait_for_selector("#table tbody tr")
        assert not page.locator("#comparison").is_visible()
        add_trials(until_the_end.enter_context(make_study(tmp_path / "two.db")), 6, seed=1)
        page.get_by_role("button", name="Look for studies").click()
        for name in ("one", "two"):
            page.get_by_role("checkbox", name=name).check()
        wait_until(page, "document.querySelector('#comparison .js-plotly-plot')?.data?.length === 2")


@pytest.mark.parametrize("n_objectives", [1, 3, 4])
def test_fronts_of_other_dimensions_are_drawn_within_the_policy(
    browser: "Browser", tmp_path: Path, n_objectives: int, until_the_end: ExitStack
) -> None:
    add_trials(until_the_end.enter_context(make_study(tmp_path / "many.db", n_objectives)), 12)
    with server(cwd=tmp_path) as found, tab(browser, found) as watched:
        watched.page.wait_for_selector("[data-figure=front] .js-plotly-plot .main-svg")


def test_of_thousands_of_trials_one_page_is_shown_before_any_figure(
    browser: "Browser", tmp_path: Path, until_the_end: ExitStack
) -> None:
    add_trials(until_the_end.enter_context(make_study(tmp_path / "large.db")), 5001)
    with server(cwd=tmp_path) as found, tab(browser, found) as watched:
        page = watched.page
        page.wait_for_selector("#table tbody tr")
        assert page.evaluate("window.firstRow") == {"hadPlotly": False}
        page.get_by_text("Left out: it needs a model of 5001 trials").first.wait_for()
        wait_until(page, "document.getElementById('count').textContent.includes('5001 trials')")  # it comes in pieces
        assert n_rows(watched) == 25
        assert numbers(watched)[0] == 5000
        page.locator("#table th:nth-child(1) button").click()
        assert numbers(watched) == list(range(25))
        page.get_by_label("Contains").fill("0.12")
        wait_until(page, "document.getElementById('count').textContent.includes(' of 5001')")


def test_trials_are_filtered_by_comparisons_and_saved_as_they_are_shown(
    browser: "Browser", address: str, hostile: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(hostile / "wing <b>'.db", read_only=True))
    expected = [trial.number for trial in study.trials if float(trial.parameters["span"]) < 0.25 and trial.values]
    with tab(browser, address) as watched:
        page = watched.page
        page.wait_for_selector("#table tbody tr")
        page.get_by_label("Contains").fill("span < 0.25, state = complete")
        assert 0 < len(expected) < 25
        assert sorted(numbers(watched)) == expected
        with page.expect_download() as waiting:
            page.locator("#trials").get_by_role("button", name="Save CSV").click()
        rows = list(csv.DictReader(io.StringIO(waiting.value.path().read_text(encoding="utf-8"))))
        assert sorted(int(row["number"]) for row in rows) == expected
        assert [float(row["span"]) for row in rows] == [study.trials[int(r["number"])].parameters["span"] for r in rows]
        with page.expect_download() as waiting:
            page.locator("#trials").get_by_role("button", name="Save JSON").click()
        told = json.loads(waiting.value.path().read_text(encoding="utf-8"))
        assert [each["values"] for each in told] == [dict(study.trials[each["number"]].values) for each in told]
        page.get_by_label("Contains").fill("weight < 3")
        assert "No column is called “weight”" in page.locator("#filter-fault").inner_text()


def test_the_report_of_the_link_is_drawn_within_its_policy(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        watched.page.wait_for_selector("table.designs tbody tr")
        link = watched.page.locator("#report").get_attribute("href")
    with tab(browser, f"{address}{(link or '').lstrip('/')}") as watched:
        watched.page.wait_for_selector("#plot-trust .main-svg")
        watched.page.wait_for_selector("table.designs tbody tr")
        assert watched.page.locator("img").count() == 0
        assert watched.page.evaluate("document.querySelectorAll('.js-plotly-plot').length") == len(FIGURE_NAMES)


def test_the_model_around_the_chosen_design_is_drawn_when_asked_for(browser: "Browser", address: str) -> None:
    with tab(browser, address) as watched:
        page = watched.page
        page.locator("table.designs tbody tr button").first.click()
        name = page.locator(".chosen-id").inner_text()
        page.get_by_role("button", name="Why this design").click()
        page.wait_for_selector("#why .js-plotly-plot .main-svg")
        assert name in page.locator("#why-title").inner_text()
        assert name in page.locator("#why .reading").inner_text()


def test_every_figure_has_its_reading_and_nobody_is_said_to_run_what_nobody_drives(
    browser: "Browser", address: str
) -> None:
    with tab(browser, address) as watched:
        page = watched.page
        page.wait_for_selector("[data-figure=cost] .main-svg")
        assert "full-fidelity runs went into" in page.locator("[data-figure=cost] .reading").inner_text()
        assert page.locator("#standing").inner_text() == "no process is driving this study"
        assert page.get_by_role("cell", name="no answer yet").count() == 1
