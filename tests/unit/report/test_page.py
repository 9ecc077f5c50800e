"""The report is one file that asks nobody, obeys no name, and tells the study's own numbers."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from imoca import Constraint, Objective, Problem, Real, Simulator, Study
from imoca.report.figure_names import FIGURE_NAMES
from imoca.report.page.contents import Contents, Introduction, collect
from imoca.report.page.decision import highlights
from imoca.report.page.page import render, report_page
from imoca.report.page.readings import (
    convergence_reading,
    correlation_reading,
    cost_reading,
    fidelities_reading,
    front_reading,
    headline,
    saving,
    trust_reading,
    what_it_cost,
    what_was_found,
)
from imoca.report.page.text import Cell, safe, table
from imoca.report.records import ConvergenceRecord, PromiseRecord, SummaryRecord, TrustRecord
from imoca.snapshot.recommendation import ParetoPoint
from imoca.wording import number, with_deviation

FETCHING = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href"}
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """What a browser would find: tags in balance, attributes, and text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append(data)
        else:
            self.text.append(data)
            if self.open and self.open[-1] in ("td", "th"):
                self.cells.append(data)


@pytest.fixture(scope="module")
def contents(hostile_study: Study) -> Contents:
    return collect(
        hostile_study.snapshot(),
        Introduction(
            "Wing </title><script>alert(1)</script>", "About <b>it</b>.", (("Run:", "imoca run\nimoca front"),)
        ),
    )


@pytest.fixture(scope="module")
def source(contents: Contents) -> str:
    return render(contents)


@pytest.fixture(scope="module")
def page(source: str) -> Page:
    return Page(source)


def test_nothing_is_fetched_and_the_page_forbids_it(page: Page, source: str) -> None:
    links = [value for _, attributes in page.tags for name, value in attributes.items() if name in FETCHING]
    assert links
    assert all(link and link.startswith("#") for link in links)
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "http" not in policy
    without_scripts = re.sub(r"<script.*?</script>", "", source, flags=re.DOTALL)
    assert "http://" not in without_scripts.replace("http-equiv", "")
    assert "https://" not in without_scripts
    assert "@import" not in source.split("</style>")[0]
    assert not [tag for tag, _ in page.tags if tag in ("link", "iframe", "img", "object", "base")]


def test_plotly_is_inside_once(page: Page) -> None:
    assert sum(len(script) > 1_000_000 for script in page.scripts) == 1


def test_hostile_names_stay_text(page: Page, source: str, hostile: str, hostile_unit: str) -> None:
    assert f"drag{hostile} [{hostile_unit}] (minimize)" in page.cells
    assert f"x{hostile} [{hostile_unit}]" in page.cells
    assert any("<b>it</b>" in text for text in page.text)
    assert not [tag for tag, attributes in page.tags if tag == "b" or "onclick" in attributes]
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 4
    assert "alert(1)</script>" not in source


def test_the_embedded_figures_are_json_without_an_end_of_script(page: Page) -> None:
    for text in page.scripts[1:3]:
        assert not set("<>&\u2028\u2029") & set(text)
    content = json.loads(gzip.decompress(base64.b64decode(page.scripts[2])))
    assert set(content["figures"]) == set(FIGURE_NAMES)
    assert set(content["themes"]) == {"light", "dark"}
    assert all("text" not in figure["layout"].get("title", {}) for figure in content["figures"].values())
    places = {attributes.get("id") for _, attributes in page.tags}
    assert places >= {f"plot-{name}" for name in content["figures"]}
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert [link for link in links if link and link[1:] in content["figures"]] == [f"#{n}" for n in content["figures"]]


def test_only_the_scripts_of_the_page_may_run_by_its_policy(page: Page) -> None:
    """By hand: the hash of the text between the tags, as browsers compute it."""
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy") or ""
    allowed = re.findall(r"'sha256-([^']+)'", policy.split("script-src")[1].split(";")[0])
    code = page.scripts[3:]
    assert allowed == [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in code]
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_the_numbers_are_those_of_the_study(hostile_study: Study, contents: Contents, page: Page, hostile: str) -> None:
    front = hostile_study.pareto_front()
    assert contents.front.points == tuple(front)
    assert contents.summary.cost_spent == hostile_study.cost_spent
    assert str(len(front)) in page.text
    assert f"{hostile_study.cost_spent:.3g}" in page.text
    drag = f"drag{hostile}"
    for point in front:
        assert with_deviation(point.predicted[drag], point.uncertainty[drag]) in page.cells
        assert point.measured is None or number(point.measured[drag]) in page.cells
    assert page.cells.count("verified") == contents.summary.n_verified == sum(point.verified for point in front) > 0


def test_headings_tables_and_figures_speak_to_screen_readers(page: Page) -> None:
    tags = [tag for tag, _ in page.tags]
    assert tags.count("h1") == tags.count("main") == 1
    assert tags.count("figure") == tags.count("figcaption") == len(FIGURE_NAMES)
    plots = [attributes for _, attributes in page.tags if attributes.get("class") == "plot"]
    assert all(plot["role"] == "img" and plot["aria-label"] and plot["aria-describedby"] for plot in plots)
    heads = [attributes for tag, attributes in page.tags if tag == "th"]
    assert heads
    assert all(head.get("scope") in ("col", "row") for head in heads)
    assert tags.count("caption") == tags.count("table") == 5
    identities = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(identities) == len(set(identities))
    targets = {(attributes["href"] or "")[1:] for tag, attributes in page.tags if tag == "a"}
    assert targets <= set(identities)


def test_commands_keep_their_lines_and_versions_are_told(page: Page) -> None:
    assert "imoca run\nimoca front" in page.text
    for word in ("method", "seed", "numpy", "Python", "report written"):
        assert word in page.text
    assert any("[simulators" in text for text in page.text)  # the problem as a study file


def test_a_study_without_results_has_a_report_that_says_so(empty_study: Study) -> None:
    page = Page(report_page(empty_study.snapshot(), Introduction("empty")))
    assert "No results yet." in page.text
    assert "No trial has an answer yet." in page.text


def test_a_cell_is_escaped_in_text_and_attributes() -> None:
    assert safe("<a href='x'>\x1b") == "&lt;a href=&#x27;x&#x27;&gt;\\x1b"
    made = table('"caption"', ["<i>"], [[Cell("1.5 ± 0.1", 1.5)]])
    assert 'aria-label="&quot;caption&quot;"' in made
    assert '<td class="number">1.5 ± 0.1</td>' in made


def point(a: float, b: float) -> ParetoPoint:
    return ParetoPoint({"x": a}, {"a": a, "b": b}, {"a": 0.1, "b": 0.1}, None)


def test_highlights_are_the_best_of_each_objective_and_the_balance() -> None:
    objectives = [Objective("a", "minimize"), Objective("b", "maximize")]
    both, first = (Problem([Real("x", 0.0, 1.0)], [Simulator("s", objectives[:n])]) for n in (2, 1))
    front = [point(0.0, 0.0), point(0.3, 0.9), point(1.0, 1.0)]
    assert [(h.reason, h.point.parameters["x"]) for h in highlights(both, front)] == [
        ("a balance of all", 0.3),
        ("best a", 0.0),
        ("best b", 1.0),
    ]
    assert [h.reason for h in highlights(first, [point(0.5, 0.0)])] == ["best a"]


def test_a_design_that_hardly_holds_its_constraints_is_none_to_begin_with() -> None:
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("a", "minimize"), Constraint("b", upper=1.0)])])
    doubtful, sure = replace(point(0.0, 0.9), feasibility=0.6), replace(point(0.3, 0.2), feasibility=0.97)
    assert [h.point for h in highlights(problem, [doubtful, sure])] == [sure]
    assert [h.point for h in highlights(problem, [doubtful])] == [doubtful]  # better than nothing


def summary(**changes: Any) -> SummaryRecord:
    values = {"n_trials": 34, "n_running": 0, "n_failed": 0, "cost_spent": 0.5, "cost_at_full_accuracy": 34.0}
    values["cost_of_verification"] = 0.0
    return SummaryRecord(**({**values, "n_front": 200, "n_verified": 2} | changes))


def test_the_summary_says_what_was_found_and_what_it_cost() -> None:
    assert headline(summary()) == "200 designs to choose from, for the cost of 0.5 full-fidelity runs"
    assert headline(summary(cost_spent=1.0)).endswith("1 full-fidelity run")
    assert headline(summary(n_front=0)) == "No results yet"
    assert what_it_cost(summary()).endswith("would have cost 34: 68 times as much.")
    assert "2 with a failure, 1 still running" in what_it_cost(summary(n_failed=2, n_running=1))
    assert what_it_cost(summary(n_failed=6)).startswith("34 trials (6 with a failure) took")
    assert what_was_found(summary(n_front=1)).startswith("1 design makes up the front")
    assert "2 of them were measured" in what_was_found(summary())
    assert "None of them was measured" in what_was_found(summary(n_verified=0))
    assert "All of them were measured at full accuracy." in what_was_found(summary(n_verified=200))
    assert saving(summary()) == 68.0
    assert saving(summary(cost_spent=34.0)) is None
    assert saving(summary(cost_spent=0.0)) is None


def test_readings_name_the_numbers_of_their_records(records: Any) -> None:
    made = records(2)
    assert "1 of 5 was measured" in front_reading(made["front"])
    alone = replace(made["front"], points=made["front"].points[:1])
    assert front_reading(alone).startswith("The front is one design, with f0 ")
    assert "trades" not in front_reading(alone)
    assert cost_reading(made["cost"]) == (
        "35 % of the 5.75 full-fidelity runs went into 2 runs of s1 at fidelity fine."
        " 4 % was lost in attempts that had to be repeated."
    )
    assert "Of f0 and f1 there are too few answers, or too much alike, to tell." in trust_reading(made["trust"])
    bold = TrustRecord(
        "f", (0, 1, 2, 3, 4), (0.0,) * 5, (0.0, 1.0, 2.0, 3.0, 9.0), (0.0, 1.0, 2.0, 3.0, 4.0), (0.1,) * 5
    )
    assert "explain (R², 1 at best): f 0.50" in trust_reading([bold])  # 1 - 5 / 10
    assert "f 80 %: be wary of f, where the model is too sure of itself" in trust_reading([bold])
    assert "No run at full accuracy yet: nothing tells how good these numbers are there." in trust_reading([bold])
    tested = replace(
        bold, z=(1.0,) * 5, promises=(PromiseRecord(9, 1.0, 0.0, 2.0, 1.5), PromiseRecord(10, 1.0, 0.0, 2.0, 3.0))
    )
    assert trust_reading([tested]).endswith("held (stars, 90 % intervals): f 1 of 2.")
    assert "promised" not in trust_reading([replace(tested, promises=())])
    told = "a run at 30 % of the full cost already correlates for f0 at 0.90 and f1 at 0.90."
    assert correlation_reading(made["correlation"]).endswith(told)
    dear = [replace(each, correlations=(0.1, 0.2, 1.0)) for each in made["correlation"]]
    assert correlation_reading(dear).endswith("it, for f0 and f1 only runs near full accuracy tell much.")
    many = fidelities_reading(records(9)["fidelities"])
    assert many.endswith(
        "The largest part, 9 %, went into 1 run of s8, at full accuracy."
    )  # 1 of 10.8, the last of alike
    assert "s0 ran 1 of 3 times at full accuracy" in fidelities_reading(made["fidelities"])
    assert "varied by 71 %" in convergence_reading(made["convergence"])  # of 0.7, from 0.2
    assert "varied" not in convergence_reading(ConvergenceRecord((1, 2), (1.0, 4.0), (0.1, 0.7), (1.0, 0.0)))


def test_only_the_verdict_says_whether_a_front_has_settled() -> None:
    """Two measures on one page contradict each other: fronts as they were believed in, and as they are judged now."""
    still = ConvergenceRecord((1, 2, 3, 4), (1.0, 2.0, 3.0, 4.0), (0.1, 0.7, 0.7, 0.7), (1.0, 0.5, 0.1, 0.0))
    assert "the front has settled judges all by what is known now" in convergence_reading(still)
    assert "more budget" not in convergence_reading(replace(still, hypervolumes=(0.1, 0.2, 0.4, 0.7)))
