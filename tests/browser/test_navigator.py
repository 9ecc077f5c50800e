"""Choosing a design in a real browser, in the report and on the live page alike: by pointer, touch and keys."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from browsing import HOSTILE, Finger, Scheme, Watched, needs_chromium, server, tab, wait_until

from imoca import Choice, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.page.contents import Introduction
from imoca.report.page.page import report_page
from imoca.report.page.scripts import NAVIGATOR, navigator_script
from imoca.report.strict_json import inside_script, to_json
from imoca.snapshot.recommendation import ParetoPoint

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

pytestmark = [pytest.mark.slow, needs_chromium]

Kind = Literal["report", "dashboard"]
KINDS: tuple[Kind, ...] = ("report", "dashboard")
N_STEPS = 200  # of a slider
N_TRIES = 20  # of a finger on a page that moves
N_LOOKS = 50  # at a part of a page that is drawn anew
MOST = 100.0  # milliseconds that a filter may take


@dataclass(frozen=True)
class Shown:
    """A study, and where each kind of page shows it."""

    front: Sequence[ParetoPoint]
    addresses: dict[Kind, str]

    def values(self, name: str) -> list[float]:
        return [(point.measured or point.predicted)[name] for point in self.front]


def filled(path: Path, n_objectives: int, suffix: str = "") -> Study:
    names = [f"{name}{suffix}" for name in ("mass", "drag", "noise", "price", "wear", "heat")[:n_objectives]]
    simulators = [
        Simulator(f"s{j}", [Objective(name, "minimize", unit="kg" if j == 0 else None)], None,
                  fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j, name in enumerate(names)
    ]  # fmt: skip
    parameters: list[Real | Choice] = [
        Real(f"x{suffix}", 0, 1),
        Real("y", 0, 1, unit="mm"),
        Choice("skin", ["al", f"cfrp{suffix}"]),
    ]
    study = Study(Problem(parameters, simulators), method="random", storage=path)
    rng = np.random.default_rng(0)
    for i in range(30):
        x, y = rng.uniform(size=2).tolist()
        z = 1.0 if i % 5 == 0 else 0.3
        values = {name: (x - j / 3) ** 2 + (y - j % 2) ** 2 + 0.1 for j, name in enumerate(names)}
        skin = "al" if i % 2 else f"cfrp{suffix}"
        study.add({f"x{suffix}": x, "y": y, "skin": skin}, {f"s{j}": z for j in range(n_objectives)}, values)
    return study


@contextmanager
def shown(folder: Path, n_objectives: int, suffix: str = "") -> Iterator[Shown]:
    with filled(folder / "wing.db", n_objectives, suffix) as study:
        front = study.pareto_front()
        introduction = Introduction(f"Wing {suffix}", study=" wing.toml", budget=80.0)
        (folder / "report.html").write_text(report_page(study.snapshot(), introduction), encoding="utf-8")
    with server(cwd=folder) as address:
        yield Shown(front, {"report": (folder / "report.html").as_uri(), "dashboard": address})


@pytest.fixture(scope="module")
def wing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    with shown(tmp_path_factory.mktemp("wing"), 2) as found:
        yield found


@contextmanager
def opened(
    browser: "Browser", found: Shown, kind: Kind, width: int = 1280, scheme: Scheme = "light", height: int = 900
) -> Iterator[Watched]:
    with tab(browser, found.addresses[kind], width, scheme, height) as watched:
        watched.page.wait_for_selector("table.designs tbody tr")
        yield watched


def fitting(page: "Page") -> dict[str, list[int]]:
    """Which designs each part of the page shows as fitting."""
    parts = {
        "front": ".front-chart .point:not(.out)",
        "lines": ".lines .line:not(.out)",
        "table": "table.designs tr[data-design]:not([hidden])",
    }
    script = "(where) => [...document.querySelectorAll(where)].map((each) => Number(each.dataset.design))"
    return {name: sorted(page.evaluate(script, where)) for name, where in parts.items()}


def chosen(page: "Page") -> dict[str, Any]:
    """Which design each part of the page shows as chosen."""
    return {
        "front": page.evaluate("Number(document.querySelector('.front-chart .ring').dataset.chosen)"),
        "lines": page.evaluate("Number(document.querySelector('.lines .chosen-line').dataset.chosen)"),
        "table": page.evaluate("Number(document.querySelector('table.designs tr.chosen').dataset.design)"),
    }


def slider_value(values: Sequence[float], step: int) -> float:
    """Where a handle stands: even steps, of the logarithm where values are wide."""
    low, high = min(values), max(values)
    if low > 0.0 and high > 10.0 * low:
        return math.exp(math.log(low) + step / N_STEPS * (math.log(high) - math.log(low)))
    return low + step / N_STEPS * (high - low)


def box_of(page: "Page", part: str) -> "FloatRect":
    """Where it stands; a dashboard may be drawing it anew at the moment, and then it stands nowhere."""
    for _ in range(N_LOOKS):
        page.locator(part).wait_for(state="visible")
        box = page.locator(part).bounding_box()
        if box is not None:
            return box
    raise AssertionError(f"{part} is not on the page.")


@pytest.mark.parametrize("kind", KINDS)
def test_verdict_designs_and_front_are_on_the_first_screen(browser: "Browser", wing: Shown, kind: Kind) -> None:
    with opened(browser, wing, kind) as watched:
        for part in (".verdict", ".begin .card >> nth=-1", ".front-chart svg"):
            box = box_of(watched.page, part)
            assert box["y"] >= 0.0
            assert box["y"] + box["height"] <= 900.0, part
            assert box["width"] > 100.0
        assert watched.page.locator(".begin .card").count() >= 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_on_a_phone_the_answer_is_on_the_first_screen(
    browser: "Browser", wing: Shown, kind: Kind, scheme: Scheme
) -> None:
    with opened(browser, wing, kind, 390, scheme, 844) as watched:
        for part in (".verdict", ".begin .card >> nth=0"):
            box = box_of(watched.page, part)
            assert box["y"] + box["height"] <= 844.0, part
        wide, available = watched.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= available


@pytest.mark.parametrize("kind", KINDS)
def test_a_slider_moved_by_keys_filters_every_part_together(browser: "Browser", wing: Shown, kind: Kind) -> None:
    with opened(browser, wing, kind) as watched:
        page = watched.page
        handle = page.get_by_label("mass, highest")
        handle.focus()
        for _ in range(6):
            page.keyboard.press("PageDown")
        step = int(handle.input_value())
        assert 0 < step < N_STEPS
        limit = slider_value(wing.values("mass"), step)
        expected = [i for i, value in enumerate(wing.values("mass")) if value <= limit]
        assert 0 < len(expected) < len(wing.front)
        assert fitting(page) == dict.fromkeys(("front", "lines", "table"), expected)
        assert page.locator(".count").inner_text() == f"{len(expected)} of {len(wing.front)} designs fit"
        words = page.locator(".slider", has_text="mass").locator(".told").inner_text()
        assert re.fullmatch(r"at most [\d.]+ kg", words)
        assert math.isclose(float(words.split()[2]), limit, rel_tol=1e-3)
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "mass, highest"
        page.get_by_role("button", name="Show all").click()
        assert len(fitting(page)["table"]) == len(wing.front)


@pytest.mark.parametrize("kind", KINDS)
def test_a_range_drawn_along_an_axis_moves_the_slider_and_a_press_lifts_it(
    browser: "Browser", wing: Shown, kind: Kind
) -> None:
    with opened(browser, wing, kind) as watched:
        page = watched.page
        axis = page.locator(".lines .axis.objective line").first
        axis.scroll_into_view_if_needed()
        box = axis.bounding_box()
        assert box is not None
        page.mouse.move(box["x"], box["y"] + 0.5 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"], box["y"] + box["height"] + 5.0, steps=4)
        page.mouse.up()
        assert 0 < int(page.get_by_label("mass, lowest").input_value()) < N_STEPS  # above is the better: the lower mass
        found = fitting(page)
        assert found["front"] == found["lines"] == found["table"]
        assert 0 < len(found["table"]) < len(wing.front)
        page.mouse.click(box["x"], box["y"] + 0.5 * box["height"])
        assert len(fitting(page)["table"]) == len(wing.front)


@pytest.mark.parametrize("kind", KINDS)
def test_a_finger_on_an_axis_draws_a_range_a_tap_lifts_it_and_elsewhere_it_scrolls(
    browser: "Browser", wing: Shown, kind: Kind
) -> None:
    with tab(browser, wing.addresses[kind], 390, "light", 844, has_touch=True) as watched:
        page = watched.page
        page.wait_for_selector("table.designs tbody tr")
        finger = Finger(page.context.new_cdp_session(page))
        axis = page.locator(".lines .axis.objective line").first

        def place() -> "FloatRect":
            axis.evaluate("(each) => each.scrollIntoView({ block: 'center' })")
            box = axis.bounding_box()
            assert box is not None
            return box

        lowest, highest = page.get_by_label("mass, lowest"), page.get_by_label("mass, highest")
        for _ in range(N_TRIES):  # the live page moves while its figures come
            box = place()
            x = box["x"] + 15.0  # as a finger hits it
            finger.drag(x, box["y"] + 0.5 * box["height"], box["y"] + box["height"] - 2.0)
            if int(lowest.input_value()) > 0 and int(highest.input_value()) > N_STEPS - 5:
                break
        found = fitting(page)  # to the end of the axis: had it scrolled, the browser would have taken the finger away
        assert found["front"] == found["lines"] == found["table"]
        assert 0 < len(found["table"]) < len(wing.front)
        for _ in range(N_TRIES):
            box = place()
            finger.tap(box["x"] + 15.0, box["y"] + 0.5 * box["height"])
            if int(lowest.input_value()) == 0:
                break
        assert len(fitting(page)["table"]) == len(wing.front)
        top = page.evaluate("scrollY")
        finger.drag(box["x"] + 37.0, box["y"] + 0.8 * box["height"], box["y"] + 0.2 * box["height"])  # between two axes
        wait_until(page, f"scrollY > {top}")
        assert len(fitting(page)["table"]) == len(wing.front)


@pytest.mark.parametrize("kind", KINDS)
def test_a_design_that_is_pressed_anywhere_is_chosen_everywhere(browser: "Browser", wing: Shown, kind: Kind) -> None:
    with opened(browser, wing, kind) as watched:
        page = watched.page
        for where in (".front-chart .point >> nth=3", "table.designs tbody tr >> nth=7", ".begin .card >> nth=1"):
            page.locator(where).scroll_into_view_if_needed()
            page.locator(where).click(force=True)
            found = chosen(page)
            assert found["front"] == found["lines"] == found["table"]
            assert page.locator(".chosen-id").inner_text() == wing.front[found["front"]].id
        assert page.locator(".begin .card.chosen").count() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_pinned_designs_are_compared_copied_and_saved(browser: "Browser", wing: Shown, kind: Kind) -> None:
    with opened(browser, wing, kind) as watched:
        page = watched.page
        page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        picked = [0, len(wing.front) - 1]
        for i in picked:
            page.locator(f"table.designs tr[data-design='{i}'] button").click()
            page.get_by_role("button", name="Pin to compare").click()
        compared = page.locator("table.compared")
        ids = [wing.front[i].id for i in picked]
        assert compared.locator("thead button:not(.unpin)").all_inner_texts() == ids
        masses = [wing.values("mass")[i] for i in picked]
        best = compared.locator("tr", has_text="mass").locator("td.best")
        assert best.count() == 1
        assert best.evaluate("(each) => each.cellIndex - 1") == masses.index(min(masses))
        assert compared.locator("tr.differs").count() >= 2
        row = page.locator(".pinned .taking")
        row.get_by_role("button", name="Copy command").click()
        wait_until(page, "Boolean(window.copied)")
        wanted = "imoca verify wing.toml" if kind == "report" else "imoca verify wing.db"
        assert page.evaluate("window.copied") == f"{wanted} {' '.join(ids)}"
        row.get_by_role("button", name="Copy JSON").click()
        wait_until(page, "window.copied.startsWith('[')")
        told = json.loads(page.evaluate("window.copied"))
        assert [each["parameters"] for each in told] == [dict(wing.front[i].parameters) for i in picked]
        with page.expect_download() as waiting:
            row.get_by_role("button", name="Save CSV").click()
        rows = list(csv.DictReader(io.StringIO(waiting.value.path().read_text(encoding="utf-8"))))
        assert waiting.value.suggested_filename == "pinned.csv"
        assert [each["id"] for each in rows] == ids
        assert [float(each["y"]) for each in rows] == [wing.front[i].parameters["y"] for i in picked]
        compared.get_by_role("button", name=f"Unpin {ids[0]}").click()
        assert compared.locator("thead button:not(.unpin)").all_inner_texts() == ids[1:]


@pytest.mark.parametrize("kind", KINDS)
def test_keys_alone_choose_pin_and_filter(browser: "Browser", wing: Shown, kind: Kind) -> None:
    with opened(browser, wing, kind) as watched:
        page = watched.page
        for _ in range(80):  # from the top of the page
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.classList.contains('front-chart')"):
                break
        page.keyboard.press("Home")
        order = sorted(range(len(wing.front)), key=lambda i: wing.values("mass")[i])
        assert chosen(page)["table"] == order[0]
        page.keyboard.press("ArrowRight")
        assert chosen(page)["table"] == order[1]
        page.keyboard.press("p")
        assert page.locator("table.compared thead button:not(.unpin)").all_inner_texts() == [wing.front[order[1]].id]
        page.get_by_label("Only designs with").focus()
        page.keyboard.type("y < 0.5")
        expected = [i for i, point in enumerate(wing.front) if float(point.parameters["y"]) < 0.5]
        assert fitting(page)["table"] == expected
        page.locator("table.designs tbody tr:not([hidden]) button").first.focus()
        page.keyboard.press("Enter")
        assert chosen(page)["table"] == expected[0]
        page.keyboard.press("ArrowDown")
        assert chosen(page)["table"] == expected[1]


@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_and_words_filter_the_table_and_faults_are_told(
    browser: "Browser", wing: Shown, kind: Kind
) -> None:
    with opened(browser, wing, kind) as watched:
        page = watched.page
        field = page.get_by_label("Only designs with")
        masses = wing.values("mass")
        limit = sorted(masses)[len(masses) // 2]
        field.fill(f"mass <= {limit!r}, skin = al")
        skins = [point.parameters["skin"] for point in wing.front]
        expected = [i for i, mass in enumerate(masses) if mass <= limit * (1 + 1e-7) and skins[i] == "al"]
        assert abs(len(fitting(page)["table"]) - len(expected)) <= 1  # predictions are told to seven digits
        field.fill("verified")
        assert fitting(page)["front"] == [i for i, point in enumerate(wing.front) if point.verified]
        field.fill("lift < 3")
        assert "No column is called “lift”" in page.locator(".every .fault").inner_text()
        assert len(fitting(page)["table"]) == len(wing.front)


@pytest.mark.parametrize("kind", KINDS)
def test_of_many_objectives_lines_and_the_pairs_that_trade_off_most_are_shown(
    browser: "Browser", tmp_path: Path, until_the_end: ExitStack, kind: Kind
) -> None:
    hostile = until_the_end.enter_context(shown(tmp_path, 5, HOSTILE))
    with opened(browser, hostile, kind) as watched:
        page = watched.page
        assert page.locator(".front-chart .axis.objective").count() == 5
        assert page.locator(".pairs svg").count() == 4
        assert page.locator("img").count() == 0
        assert page.locator("[onerror]").count() == 0
        assert "<script>alert(1)</script>" in page.locator(".slider .name").first.inner_text()
        assert "<img src=x" in page.locator("table.designs thead").inner_text()
        assert "\\u001b[31m" in page.locator(".chosen-design").inner_text()
        page.get_by_role("button", name="Pin to compare").click()
        assert "<script>alert(1)</script>" in page.locator("table.compared").inner_text()
        page.get_by_label("Only designs with").fill(f"x{HOSTILE.splitlines()[0]} < 3")
        assert page.locator(".every .fault").inner_text() != ""
        handle = page.get_by_label("highest").first
        handle.focus()
        for _ in range(4):
            page.keyboard.press("PageDown")
        assert int(handle.input_value()) < N_STEPS


def test_measured_values_with_errors_have_bars_intervals_and_a_column(browser: "Browser", tmp_path: Path) -> None:
    outputs = [Objective("f", "minimize"), Objective("g", "minimize")]
    simulator = Simulator("s", outputs, fidelity=Fidelity.continuous(), cost="0.1 + z")
    study = Study(Problem([Real("x", 0, 1), Real("y", 0, 1)], [simulator]), method="random")
    rng = np.random.default_rng(0)
    for i in range(24):
        x, y = rng.random(2).tolist() if i else (0.5, 0.0)
        values = {"f": x**2 + y, "g": (x - 1) ** 2 + y}
        study.add({"x": x, "y": y}, {"s": 0.4 if i else 1.0}, values, errors={} if i else {"f": 0.05})
    (point,) = [each for each in study.pareto_front() if each.verified]
    path = tmp_path / "noisy.html"
    path.write_text(report_page(study.snapshot(), Introduction("noisy")), encoding="utf-8")
    with tab(browser, path.as_uri()) as watched:
        page = watched.page
        page.wait_for_selector(".front-chart")
        bar = page.locator(".bar.measured")
        assert bar.count() == 1
        left, right, low, high = map(
            float, re.findall(r"M([\d.]+) [\d.]+H([\d.]+)M[\d.]+ ([\d.]+)V([\d.]+)", bar.get_attribute("d") or "")[0]
        )
        assert right - left > 10.0
        assert low == high  # g was told without an error
        page.locator(f"table.designs tr[data-design] >> text={point.id}").click()
        chosen = page.locator(".chosen-design").inner_text()
        assert "0.250 ± 0.050" in chosen
        assert f"measured, 90 %: {0.25 - 1.6448536 * 0.05:.4g} to {0.25 + 1.6448536 * 0.05:.4g}" in chosen
        with page.expect_download() as waiting:
            page.locator(".chosen-design").get_by_role("button", name="Save CSV").click()
        (row,) = csv.DictReader(io.StringIO(waiting.value.path().read_text(encoding="utf-8")))
        assert (row["measured.f"], row["error.f"], row["error.g"]) == ("0.25", "0.05", "")


def test_filtering_two_hundred_designs_of_nine_objectives_is_fast(browser: "Browser", tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    outputs = [{"kind": "objective", "name": f"f{j}", "unit": None, "goal": "minimize"} for j in range(9)]
    parameters = [{"kind": "parameter", "name": f"x{i}", "unit": None, "low": 0, "high": 1} for i in range(8)]
    designs = [
        {
            "id": f"F{i:05X}", "state": "predicted", "parameters": rng.uniform(size=8).tolist(),
            "predicted": values, "uncertainty": [0.1] * 9, "low": values, "high": values, "measured": None,
            "feasibility": 1.0,
        }
        for i, values in enumerate(rng.uniform(size=(200, 9)).tolist())
    ]  # fmt: skip
    content = {
        "verdict": [], "next": {"what": "", "command": ""}, "warnings": [], "budget": {"spent": None, "words": ""},
        "columns": [*outputs, *parameters], "designs": designs, "begin": [], "feasibility": False,
        "verify": {"before": "", "between": "", "after": ""},
    }  # fmt: skip
    style = (NAVIGATOR / "navigator.css").read_text(encoding="utf-8")
    script = (
        f"{navigator_script()}\nconst [first, rest] = document.querySelectorAll('div');\n"
        f"new TradeOffs(first, rest).show({inside_script(to_json(content))});"
    )
    path = tmp_path / "many.html"
    path.write_text(f"<!doctype html><style>{style}</style><div></div><div></div><script type=module>{script}</script>")
    measure = """() => {
        const handle = document.querySelectorAll(".track input")[1];
        const times = [];
        for (let step = 190; step >= 10; step -= 10) {
            handle.value = step;
            const start = performance.now();
            handle.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect(); // the layout counts
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    }"""
    with tab(browser, path.as_uri()) as watched:
        watched.page.wait_for_selector("table.designs tbody tr")
        took = min(watched.page.evaluate(measure) for _ in range(3))
        assert 0 < watched.page.locator("table.designs tr[data-design]:not([hidden])").count() < 200
    print(f"{took:.1f} ms to filter")
    assert took < MOST
