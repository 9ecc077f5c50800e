"""Measured values with standard errors, wherever a front is shown."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.cli.front import front_csv
from imoca.content.records import front_record, verification_record
from imoca.dashboard.content import trial_content
from imoca.report.figures import drawers
from imoca.report.front_series import BEATEN, PREDICTED, VERIFIED, front_series
from imoca.report.notebook import study_html
from imoca.report.page.contents import Introduction, collect
from imoca.report.page.page import report_page
from imoca.report.page.readings import front_reading
from imoca.report.records import front_record as record_of_front
from imoca.snapshot.snapshot import Snapshot
from imoca.study.progress import values_in_words
from imoca.trials import Answer, Promise, Trial, TrialTable

ERROR = 0.05
REACH = 1.6448536 * ERROR
FULL = {"s": 1.0}


def noisy_study(n_objectives: int) -> Study:
    """Of cheap runs without and full ones with errors, the last two of one design."""
    names = [f"f{j}" for j in range(n_objectives)]
    outputs = [Objective(name, "minimize") for name in names]
    simulator = Simulator("s", outputs, fidelity=Fidelity.continuous(), cost="0.1 + z")
    study = Study(Problem([Real("x", 0, 1), Real("y", 0, 1)], [simulator]), method="random")
    rng = np.random.default_rng(0)

    def values(x: float, y: float, noise: float) -> dict[str, float]:
        truth = [(x - j / 2) ** 2 + (y - (j % 2)) ** 2 for j in range(n_objectives)]
        return {name: value + noise * rng.standard_normal() for name, value in zip(names, truth, strict=True)}

    for _ in range(20):
        x, y = rng.random(2).tolist()
        study.add({"x": x, "y": y}, {"s": 0.5}, values(x, y, 0.0))
    for x, y in ((0.2, 0.4), (0.25, 0.5), (0.9, 0.1), (0.5, 0.5), (0.5, 0.5)):
        study.add({"x": x, "y": y}, FULL, values(x, y, ERROR), errors=dict.fromkeys(names, ERROR))
    return study


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return noisy_study(2).snapshot()


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_measured_points_have_bars_of_their_own_errors_in_both_kinds_of_figures(n_objectives: int) -> None:
    record = record_of_front(noisy_study(n_objectives).snapshot())
    series = {each.label: each for each in front_series(record)}
    on_front = [point for point in record.points if point.verified]
    bars = series[VERIFIED].bars
    assert bars is not None
    for j, objective in enumerate(record.objectives):
        expected = [1.6448536 * point.errors[objective.name] for point in on_front]
        assert bars[j].below == bars[j].above == pytest.approx(expected)
    if BEATEN in series:
        beaten = series[BEATEN].bars
        assert beaten is not None
        assert set(np.round(beaten[0].above, 9)) <= {round(REACH, 9), round(REACH / np.sqrt(2.0), 9)}
    traces = json.loads(drawers("plotly")["front"](record).to_json())["data"]
    verified = next(trace for trace in traces if trace["name"] == VERIFIED)
    assert verified["error_x"]["array"] == pytest.approx(bars[0].above)
    predicted = next(trace for trace in traces if trace["name"] == PREDICTED)
    assert verified["error_x"]["color"] != predicted["error_x"]["color"]
    assert any("0." in text and "±" in text for text in verified["hovertext"])
    axes = drawers("matplotlib")["front"](record).axes[0]
    assert len(axes.collections) == n_objectives * sum(each.bars is not None for each in series.values())


def test_a_bar_in_matplotlib_is_as_long_as_the_interval(snapshot: Snapshot) -> None:
    record = record_of_front(snapshot)
    axes: Any = drawers("matplotlib")["front"](record).axes[0]
    lengths = {
        round(float(np.ptp(segment[:, 0])), 6)
        for collection in axes.collections
        for segment in collection.get_segments()
        if len(segment) and np.ptp(segment[:, 1]) == 0.0  # an upright one has no length, one of NaN no ends
    }
    assert round(2.0 * REACH, 6) in lengths


def test_a_front_without_errors_has_no_bars_on_what_was_measured(snapshot: Snapshot) -> None:
    trials = [Trial(t.number, t.parameters, t.fidelities, answer=t.answer) for t in snapshot.trials]
    exact = TrialTable.encode(snapshot.problem, [t.answered(Answer(t.values)) for t in trials[:-1]])
    record = record_of_front(Snapshot("random", 0, exact))
    assert all(each.bars is None for each in front_series(record) if each.label != PREDICTED)
    assert "have errors" not in front_reading(record)
    assert all(point.errors == point.estimated == {} for point in record.points)


def test_tables_page_json_and_words_show_errors(snapshot: Snapshot, tmp_path: Path) -> None:
    point = next(p for p in snapshot.front if p.verified and p.errors["f0"] == ERROR)
    assert point.measured is not None
    shown = f"{point.measured['f0']:.3f} ± 0.050"
    page = report_page(snapshot, Introduction("noisy"))
    assert f">{shown}<" in page.replace("</td>", "<")
    assert shown in study_html("a study", snapshot)
    assert "Where measured values have errors" in front_reading(record_of_front(snapshot))
    contents = collect(snapshot, Introduction("noisy"))
    designs = contents.navigator["designs"]
    assert [each["errors"] for each in designs if each["id"] == point.id] == [[ERROR, ERROR]]
    assert [each["errors"] for each in designs if not each["measured"]] == [None] * sum(
        not p.verified for p in snapshot.front
    )
    json_points = {each["id"]: each for each in front_record(snapshot.problem, snapshot.front)["points"]}
    assert json_points[point.id]["errors"] == {"f0": ERROR, "f1": ERROR}
    assert json_points[point.id]["estimated"] == dict(point.estimated)
    lines = front_csv(snapshot.problem, snapshot.front).splitlines()
    assert lines[0].endswith(",measured.f0,measured.f1,error.f0,error.f1")
    assert next(line for line in lines if line.startswith(point.id)).endswith(f",{ERROR},{ERROR}")
    last = snapshot.trials[-1]
    assert f"f0 {last.values['f0']:.3f} ± 0.050" in values_in_words(snapshot.problem, last)
    assert trial_content(last, [], tmp_path, False)["errors"] == {"f0": ERROR, "f1": ERROR}


def test_the_table_of_predicted_and_measured_shows_errors(snapshot: Snapshot) -> None:
    asked = Trial(0, {"x": 0.5, "y": 0.5}, FULL, promised={"f0": Promise(0.3, 0.28, 0.32)})
    answered = asked.answered(snapshot.trials[-1].answer or pytest.fail("no answer"))
    verified = Snapshot("random", 0, TrialTable.encode(snapshot.problem, [answered])).verification
    check = verification_record(verified)["designs"][0]["outputs"]["f0"]
    assert (check["error"], check["measured"]) == (ERROR, answered.values["f0"])
    assert f"{answered.values['f0']:.3f} ± 0.050" in str(verified)
