"""Figures hold exactly their records' numbers, in both backends, for any number of objectives and any name."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import Study
from imoca.errors import FigureError, MissingPackageError, StorageError
from imoca.files import write_whole
from imoca.report.figure_names import FIGURE_NAMES, NOTHING, TITLES
from imoca.report.figures import RECORDS, backend_for, draw, drawers, figure_file, picture
from imoca.report.labels import log_ticks, matplotlib_text, plotly_text, rounded
from imoca.report.palette import MATPLOTLIB_DASHES, MATPLOTLIB_MARKERS, PLOTLY_DASHES, PLOTLY_MARKERS
from imoca.report.records import PromiseRecord, TrustRecord
from imoca.report.records.trade_offs import drawn_pairs
from imoca.wording import with_deviation

COUNTS = (1, 2, 3, 4, 5, 9)


def plotly_traces(records: dict[str, Any], name: Any) -> list[dict[str, Any]]:
    """As a browser gets them."""
    return json.loads(drawers("plotly")[name](records[name]).to_json())["data"]


def matplotlib_texts(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


@pytest.mark.parametrize("name", FIGURE_NAMES)
@pytest.mark.parametrize("n_objectives", COUNTS)
def test_every_figure_is_drawn_for_any_number_of_objectives(records: Any, name: Any, n_objectives: int) -> None:
    made = records(n_objectives)
    assert plotly_traces(made, name)
    figure = drawers("matplotlib")[name](made[name])
    assert TITLES[name] in matplotlib_texts(figure)
    assert picture(figure, ".png").startswith(b"\x89PNG")


@pytest.mark.parametrize("n_objectives", COUNTS)
def test_the_plotly_front_holds_predicted_verified_and_beaten_points(records: Any, n_objectives: int) -> None:
    made = records(n_objectives)
    front = made["front"]
    traces = plotly_traces(made, "front")
    by_name = {trace["name"].split(",")[0]: trace for trace in reversed(traces)}  # the first panel of a matrix
    name = front.objectives[0].name
    kept = [p for p in front.points if not p.verified and not p.is_earlier]
    if n_objectives > 4:
        name = front.objectives[drawn_pairs(front.objectives, front.points)[0][0]].name
    assert by_name["predicted front"]["x"] == pytest.approx([p.predicted[name] for p in kept], rel=1e-4)
    assert by_name["recommended before"]["x"] == pytest.approx([front.points[5].predicted[name]], rel=1e-4)
    assert by_name["on the front"]["x"] == pytest.approx([front.points[3].measured[name]], rel=1e-4)
    assert by_name["measured at full accuracy"]["x"] == [0.25]
    if n_objectives <= 3:
        drawn = by_name["predicted front"]["error_x"]
        assert drawn["array"] == pytest.approx([p.interval[name][1] - p.predicted[name] for p in kept])
        assert drawn["arrayminus"] == pytest.approx([p.predicted[name] - p.interval[name][0] for p in kept])
        assert drawn["symmetric"] is False
    for axis, objective in zip("xyz", front.objectives[:n_objectives] if n_objectives in (2, 3) else (), strict=False):
        expected = [p.predicted[objective.name] for p in kept]
        assert by_name["predicted front"][axis] == expected
    if n_objectives > 4:
        assert len(traces) == 4 * 6  # the six pairs that are most at odds


def test_three_objectives_are_also_a_plane_coloured_by_the_third(records: Any) -> None:
    made = records(3)
    front = made["front"]
    flat = [trace for trace in plotly_traces(made, "front") if trace["type"] == "scatter"]
    beaten, predicted, verified = flat  # without those recommended before
    kept = [p for p in front.points if not p.verified and not p.is_earlier]
    third = front.objectives[2].name
    assert predicted["marker"]["color"] == pytest.approx([p.predicted[third] for p in kept], rel=1e-4)
    assert verified["marker"]["color"] == pytest.approx([front.points[3].measured[third]], rel=1e-4)
    assert verified["marker"]["line"]["color"]
    assert (beaten["x"], beaten["y"]) == ([0.25], [0.25])
    space, plane = drawers("matplotlib")["front"](front).axes[:2]
    assert space.name == "3d"
    assert plane.collections[0].get_array().tolist() == [p.predicted[third] for p in kept]


def test_a_model_is_judged_by_skill_and_by_its_runs_at_full_accuracy(records: Any) -> None:
    z = (0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    observed, predicted = (1.0, 3.0, 0.0, 2.0, 4.0, 6.0, 8.0), (1.0, 3.0, 1.0, 2.0, 4.0, 6.0, 7.0)
    record = TrustRecord("f", tuple(range(7)), z, observed, predicted, (0.4,) * 7)
    assert record.skill == pytest.approx(1.0 - (2.0 / 7.0) / np.var(observed))
    assert record.skill_at_full_accuracy == pytest.approx(1.0 - (2.0 / 5.0) / 8.0)
    assert (record.n_full, record.n_kept_at_full_accuracy) == (5, 3)
    (title,) = [each.text for each in drawers("plotly")["trust"]([record]).layout.annotations]
    assert "R² 0.96, 71 % within" in title
    assert "at full accuracy: R² 0.95, 3 of 5 within" in title
    few = records(1)["trust"][0]
    (title,) = [each.text for each in drawers("plotly")["trust"]([few]).layout.annotations]
    assert "3 answers: too few" in title
    cheap = TrustRecord("f", (0,), (0.5,), (1.0,), (1.0,), (1.0,))
    assert "no run at full accuracy yet" in drawers("plotly")["trust"]([cheap]).layout.annotations[0].text


def test_correlations_near_one_are_drawn_as_what_they_lack(records: Any) -> None:
    import dataclasses

    near = [dataclasses.replace(each, correlations=(0.96, 0.999, 1.0)) for each in records(2)["correlation"]]
    figure = drawers("plotly")["correlation"](near)
    assert list(figure.data[0].y[:2]) == pytest.approx([0.04, 0.001])
    assert figure.data[0].y[2] is None
    assert figure.layout.yaxis.type == "log"
    assert len(figure.layout.yaxis.tickvals) >= 2
    axes = drawers("matplotlib")["correlation"](near).axes[0]
    assert axes.get_yscale() == "log"
    assert list(axes.get_lines()[0].get_ydata()[:2]) == pytest.approx([0.04, 0.001])


@pytest.mark.parametrize("n_objectives", [2, 4])
def test_the_matplotlib_front_holds_the_same_points(records: Any, n_objectives: int) -> None:
    front = records(n_objectives)["front"]
    axes = drawers("matplotlib")["front"](front).axes[0]
    drawn = [tuple(map(list, line.get_data())) for line in axes.get_lines() if line.get_marker() not in ("", "None")]
    x, y = front.objectives[0].name, front.objectives[1].name
    predicted = [p for p in front.points if not p.verified and not p.is_earlier]
    assert ([p.predicted[x] for p in predicted], [p.predicted[y] for p in predicted]) in drawn
    assert ([front.points[3].measured[x]], [front.points[3].measured[y]]) in drawn
    assert ([0.25], [0.25]) in drawn


def test_a_long_front_has_bars_on_some_points_only_the_first_and_the_last_among_them(records: Any) -> None:
    import dataclasses

    front = records(2)["front"]
    many = dataclasses.replace(front, points=front.points[:1] * 200)
    bars = plotly_traces({"front": many}, "front")[1]["error_x"]["array"]
    assert len(bars) == 200
    assert sum(bar is not None for bar in bars) == 30
    assert bars[0] == bars[-1] == pytest.approx(0.3)


def test_the_axes_say_which_way_is_better(records: Any) -> None:
    layout = drawers("plotly")["front"](records(2)["front"]).layout
    assert layout.xaxis.title.text.endswith("(maximize)   better →")
    assert layout.yaxis.title.text.startswith("← better")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("front", "f0 [mm] (maximize)   better →"),
        ("parallel", "x [mm]"),
        ("parallel", "f1 [mm] ↓"),
        ("fidelities", "fidelity [mm]"),
        ("trust", "f1 [mm]"),
    ],
)
def test_axes_have_units(records: Any, name: Any, label: str) -> None:
    record = records(2, unit="mm")[name]
    assert label in json.dumps(
        drawers("plotly")[name](record).to_plotly_json()["layout"], ensure_ascii=False, default=str
    )
    assert any(label in text for text in matplotlib_texts(drawers("matplotlib")[name](record)))


def test_convergence_shows_hypervolume_and_distance_against_cost(records: Any) -> None:
    made = records(2)
    volume, distance = plotly_traces(made, "convergence")
    assert (volume["x"], volume["y"]) == ([0.5, 2.0, 8.0], [0.2, 0.6, 0.7])
    assert distance["y"] == [1.5, 0.3, None]  # nothing is left at the end, which a log scale cannot show
    upper, lower = drawers("matplotlib")["convergence"](made["convergence"]).axes
    assert list(upper.get_lines()[0].get_ydata()) == [0.2, 0.6, 0.7]
    assert list(lower.get_lines()[0].get_ydata()) == [1.5, 0.3, 0.0]


def test_of_many_simulators_runs_and_their_share_of_the_cost_stand_in_a_map(records: Any) -> None:
    made = records(9)
    (cells,) = plotly_traces(made, "fidelities")
    # Each of nine: two coarse runs of 0.1 and a fine one of 1, of 10.8 in all.
    assert cells["type"] == "heatmap"
    assert [row[0] for row in cells["z"]] == pytest.approx([0.2 / 10.8] * 9)
    assert [row[5] for row in cells["z"]] == pytest.approx([1.0 / 10.8] * 9)
    assert cells["text"][0] == ["2<br>1.9 &#37;", "", "", "", "", "1<br>9.3 &#37;"]
    figure = drawers("matplotlib")["fidelities"](made["fidelities"])
    texts = matplotlib_texts(figure)
    assert texts.count("2\n1.9 %") == texts.count("1\n9.3 %") == 9
    assert figure.axes[0].images[0].get_array()[8, 5] == pytest.approx(1.0 / 10.8)


def test_fidelities_are_shown_per_simulator_with_failures_marked(records: Any) -> None:
    made = records(2)
    traces = plotly_traces(made, "fidelities")
    assert [(trace["x"], trace["y"], trace["name"]) for trace in traces] == [
        ([0, 1], [0.0, 1.0], "run"),
        ([2], [0.0], "failed"),
    ] * 2
    axes = drawers("matplotlib")["fidelities"](made["fidelities"]).axes
    assert [list(line.get_xdata()) for line in axes[0].get_lines()] == [[0, 1], [2]]


def test_costs_are_bars_with_the_number_of_runs_and_what_was_lost(records: Any) -> None:
    made = records(2)
    first, second = plotly_traces(made, "cost")
    assert (first["x"], first["text"]) == ([0.75, 2.0], ["3 runs", "2 runs"])
    assert second["x"] == [0.75, 2.0, 0.25]
    axes = drawers("matplotlib")["cost"](made["cost"]).axes
    assert [bar.get_width() for bar in axes[1].patches] == [0.75, 2.0, 0.25]


def test_trust_parts_the_misses_and_names_the_share(records: Any) -> None:
    made = records(1)
    *_, within, beyond = plotly_traces(made, "trust")
    assert (within["x"], within["y"]) == ([1.1, 1.9], [1.0, 2.0])
    assert within["error_x"]["array"] == [0.2, 0.4]
    assert (beyond["x"], beyond["y"], beyond["customdata"]) == ([3.0], [9.0], [2])
    figure = drawers("matplotlib")["trust"](made["trust"])
    assert any("3 answers: too few" in text for text in matplotlib_texts(figure))


def test_what_was_promised_before_a_verification_stands_beside_what_was_measured(records: Any) -> None:
    promises = (PromiseRecord(7, 10.0, 9.0, 12.0, 11.0), PromiseRecord(8, 20.0, 19.0, 21.0, 30.0))
    (record,) = (replace(each, promises=promises) for each in records(1)["trust"])
    *_, stars = plotly_traces({"trust": (record,)}, "trust")
    assert (stars["x"], stars["y"], stars["customdata"]) == ([10.0, 20.0], [11.0, 30.0], [7, 8])
    assert (stars["error_x"]["arrayminus"], stars["error_x"]["array"]) == ([1.0, 1.0], [2.0, 1.0])
    assert [words.split(", ")[1] for words in stars["hovertext"]] == ["held", "not held"]
    agreement = next(each for each in plotly_traces({"trust": (record,)}, "trust") if each["name"] == "agreement")
    assert agreement["x"] == [1.0, 30.0]  # as far as the promises reach
    figure = drawers("matplotlib")["trust"]((record,))
    assert any("promised: 1 of 2 held" in text for text in matplotlib_texts(figure))
    drawn = [line for line in figure.axes[0].get_lines() if list(line.get_xdata()) == [10.0, 20.0]]
    assert any(list(line.get_ydata()) == [11.0, 30.0] for line in drawn)


def test_correlation_lines_differ_in_marker_and_dash_as_well_as_in_colour(records: Any) -> None:
    made = records(9)
    traces = plotly_traces(made, "correlation")
    assert all((trace["x"], trace["y"]) == ([0.02, 0.3, 1.0], [0.7, 0.9, 1.0]) for trace in traces)
    looks = {(trace["marker"]["color"], trace["marker"]["symbol"], trace["line"]["dash"]) for trace in traces}
    assert len(looks) == len({trace["marker"]["symbol"] for trace in traces}) == 9
    assert (len(MATPLOTLIB_MARKERS), len(MATPLOTLIB_DASHES)) == (len(PLOTLY_MARKERS), len(PLOTLY_DASHES))
    lines = drawers("matplotlib")["correlation"](made["correlation"]).axes[0].get_lines()
    assert all(list(line.get_ydata()) == [0.7, 0.9, 1.0] for line in lines)


def test_parallel_lines_carry_every_value_of_every_design(records: Any) -> None:
    made = records(3)
    record = made["parallel"]
    seen = [pair for trace in plotly_traces(made, "parallel") for pair in trace["customdata"] if pair is not None]
    expected = [[i, axis.values[i]] for i in range(6) for axis in record.axes]
    assert sorted(seen) == sorted(expected)
    axes = drawers("matplotlib")["parallel"](record).axes[0]
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == len(record.axes)]
    drawn = np.array([line.get_ydata() for line in lines])
    assert drawn[:, 2] == pytest.approx([(value + 1.0) / 2.0 for value in record.axes[2].values])


def test_slices_show_the_band_the_cheaper_curves_the_runs_near_and_the_design(records: Any) -> None:
    made = records(2)
    traces = plotly_traces(made, "slices")
    along = traces[:5]
    band, cheap, full, near, chosen = along
    assert band["x"] == [0.0, 0.25, 0.25, 0.0, None, 0.75, 1.0, 1.0, 0.75, None]  # nothing where designs are forbidden
    assert band["y"] == [2.0, 3.0, 1.5, 0.5, None, 4.0, 5.0, 3.5, 2.5, None]
    assert (cheap["y"], full["y"]) == ([1.5, 2.5, None, 3.5, 4.5], [1.0, 2.0, None, 3.0, 4.0])
    assert (near["x"], near["y"], near["customdata"]) == ([0.3, 0.8], [2.2, 3.1], [4, 6])
    assert near["marker"]["color"] == [cheap["line"]["color"], full["line"]["color"].lower()]
    assert (chosen["x"], chosen["y"], chosen["marker"]["symbol"]) == ([0.3], [2.3], "diamond-open")
    cheap, full, chosen = traces[5:8]  # a choice has bars instead of a band
    assert full["error_y"]["array"] == [0.5, 1.0]
    assert full["error_y"]["arrayminus"] == [0.5, 0.5]
    assert (chosen["x"], full["x"]) == ([1.0], [0.0, 1.0])
    measured = [trace for trace in traces if trace["name"] == "the design" and trace["marker"]["symbol"] == "diamond"]
    assert [trace["y"] for trace in measured] == [[2.4]] * 2
    (bound, _) = [trace for trace in traces if trace["name"] == "a constraint's bound"]
    assert bound["y"] == [3.2, 3.2]
    assert sum(trace["showlegend"] for trace in traces) == len({trace["name"] for trace in traces})


def test_an_axis_of_slices_shows_all_values_and_not_much_more_of_a_wide_band(records: Any) -> None:
    import dataclasses

    output = records(1)["slices"].outputs[0]
    assert output.span == pytest.approx((0.5 - 0.21, 5.0 + 0.21))  # values from 1 to 4.5, the band from 0.5 to 5
    wide = tuple(dataclasses.replace(piece, high=(1e9,) * len(piece.high)) for piece in output.slices)
    assert dataclasses.replace(output, slices=wide).span[1] == pytest.approx(4.5 + 3.5 + 0.21)


def test_importance_shows_shares_alone_and_together_with_their_spread(records: Any) -> None:
    made = records(2)
    total, first, spread = plotly_traces(made, "importance")[:3]
    assert (total["x"], first["x"]) == ([0.7, 0.4], [0.5, 0.2])
    assert spread["x"] == [0.6, 0.8, None, 0.35, 0.5, None]
    axes = drawers("matplotlib")["importance"](made["importance"]).axes[0]
    assert [bar.get_width() for bar in axes.patches] == [0.7, 0.4, 0.5, 0.2]


def test_importance_for_many_outputs_is_a_map(records: Any) -> None:
    (trace,) = plotly_traces(records(9), "importance")
    assert trace["type"] == "heatmap"
    assert trace["z"] == [[0.7, 0.4]] * 9
    assert trace["text"][0] == ["70 %", "40 %"]


def test_the_error_of_a_run_stands_beside_its_cost(records: Any) -> None:
    made = records(2)
    typical, likely, cost = plotly_traces(made, "error")[:3]
    assert (typical["x"], typical["y"]) == ([0.0, 0.5, 1.0], [3.0, 1.0, 0.0])
    assert (likely["y"], cost["y"]) == ([6.0, 2.0, 0.0], [0.1, 0.4, 1.0])
    assert cost["yaxis"] != typical["yaxis"] == likely["yaxis"]
    axes, beside = drawers("matplotlib")["error"](made["error"][:1]).axes
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [[3.0, 1.0, 0.0], [6.0, 2.0, 0.0]]
    assert list(beside.get_lines()[0].get_ydata()) == [10.0, 40.0, 100.0]


def test_the_timeline_shows_when_runs_began_and_ended_and_marks_those_without_an_answer(records: Any) -> None:
    made = records(1)
    traces = plotly_traces(made, "timeline")
    bars = [(trace["base"], trace["x"], trace["y"], trace["customdata"]) for trace in traces if trace["type"] == "bar"]
    assert ([0.0], [10.0], [0], [0]) in bars
    assert ([5.0], [3.0], [1], [1]) in bars
    marks = [(trace["name"], trace["x"]) for trace in traces if trace["type"] == "scatter"]
    assert sorted(marks) == [("failed", [8.0]), ("lost", [20.0])]
    layout = drawers("plotly")["timeline"](made["timeline"]).layout
    assert list(layout.yaxis.ticktext) == ["s", "2"]
    assert [annotation.text for annotation in layout.annotations] == ["paused 60 min"]
    axes = drawers("matplotlib")["timeline"](made["timeline"]).axes[0]
    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches][:2] == [(0.0, 10.0), (5.0, 3.0)]


def test_the_slider_of_the_replay_shows_one_front_and_all_runs_up_to_it(records: Any) -> None:
    figure = json.loads(drawers("plotly")["replay"](records(2)["replay"]).to_json())
    (slider,), traces = figure["layout"]["sliders"], figure["data"]
    assert [step["label"] for step in slider["steps"]] == ["0.5", "2"]
    assert slider["steps"][0]["args"] == [
        {"visible": [True, True, False, False], "marker.opacity": [1.0, 1.0, 0.3, 1.0]},
        [0, 1, 2, 3],
    ]
    assert slider["steps"][1]["args"][0]["visible"] == [True, False, True, True] == [t["visible"] for t in traces[:4]]
    assert [trace["x"] for trace in traces[:4]] == [[1.5], [1.0], [0.5, 9.0], [0.5, 0.7]]
    assert (figure["layout"]["xaxis"]["range"], figure["layout"]["yaxis"]["range"]) == ([0.0, 2.0], [1.0, 3.0])
    assert records(2)["replay"].n_outside == 1
    first, last = drawers("matplotlib")["replay"](records(2)["replay"]).axes
    assert first.get_xlim() == last.get_xlim() == (0.0, 2.0)
    assert [len(each.get_offsets()) for each in last.collections] == [3, 1, 1]


def test_slices_alone_take_a_design(hostile_study: Study) -> None:
    with pytest.raises(FigureError, match="'cost' is of no single design"):
        draw(hostile_study.snapshot(), "cost", "plotly", "F3A0")


@pytest.mark.parametrize("name", FIGURE_NAMES)
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 5])
def test_hostile_names_are_shown_as_text(records: Any, hostile: str, name: Any, n_objectives: int) -> None:
    made = records(n_objectives, hostile)
    text = drawers("plotly")[name](made[name]).to_json()
    assert "<b onclick" not in text
    assert "</script>" not in text
    assert "$\\\\frac" not in text
    assert not re.search(r"%\{(?!x:|y:|text|hovertext|y:.3p)", text)  # none but the templates of our own
    figure = drawers("matplotlib")[name](made[name])
    assert picture(figure, ".svg")
    for shown in matplotlib_texts(figure):
        assert len(re.findall(r"(?<!\\)\$", shown)) == 0


def test_matplotlib_shows_dollars_underscores_and_foreign_letters(records: Any) -> None:
    assert matplotlib_text("_a $x$") == " _a \\$x\\$"
    assert picture(drawers("matplotlib")["front"](records(2, " 揚力 $x$")["front"]), ".png")


def test_plotly_text_is_spelt_in_entities() -> None:
    assert plotly_text("<b>&$%{x}") == "&lt;b&gt;&amp;&#36;&#37;{x}"


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_a_study_without_results_has_figures_that_say_so(empty_study: Study, name: Any) -> None:
    figure = draw(empty_study.snapshot(), name, "plotly")
    assert [annotation.text for annotation in figure.layout.annotations] == [plotly_text(NOTHING[name])]
    assert NOTHING[name] in matplotlib_texts(draw(empty_study.snapshot(), name, "matplotlib"))


def test_study_plot_gives_every_figure_in_both_backends(hostile_study: Study) -> None:
    import plotly.graph_objects as go
    from matplotlib.figure import Figure

    assert isinstance(hostile_study.plot.front(), go.Figure)
    assert isinstance(hostile_study.plot.front(backend="matplotlib"), Figure)
    for name in set(FIGURE_NAMES) - {"front", "convergence"}:
        assert isinstance(getattr(hostile_study.plot, name)(), go.Figure)
    assert set(RECORDS) == set(FIGURE_NAMES)


def test_unknown_names_backends_and_endings_are_refused(empty_study: Study, tmp_path: Path) -> None:
    with pytest.raises(FigureError, match="convergence"):
        draw(empty_study.snapshot(), "spider", "plotly")  # type: ignore[arg-type]
    with pytest.raises(FigureError, match="matplotlib"):
        empty_study.plot.front(backend="bokeh")  # type: ignore[call-overload]
    with pytest.raises(FigureError, match=r"\.svg"):
        backend_for(Path("front.bmp"))
    with pytest.raises(StorageError, match="no/such"):
        write_whole(Path("no/such/front.svg"), b"")


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml"), (".html", b"<")]
)
def test_the_same_study_gives_the_same_file(hostile_study: Study, suffix: str, start: bytes) -> None:
    path = Path(f"cost{suffix}")
    content = figure_file(hostile_study.snapshot(), "cost", path)
    assert content.startswith(start)
    assert figure_file(hostile_study.snapshot(), "cost", path) == content


@pytest.mark.parametrize("package", ["plotly", "matplotlib"])
def test_a_missing_package_is_named_with_what_installs_it(
    empty_study: Study, package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith((package, f"imoca.report.{package}"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=rf"{package}.*imoca\[report\]"):
        empty_study.plot.front(backend=package)


@pytest.mark.slow
def test_importing_imoca_loads_neither_plotly_nor_matplotlib() -> None:
    code = "import sys, imoca; imoca.Study.plot; print([n for n in ('plotly', 'matplotlib') if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_numbers_are_written_to_the_digits_that_matter() -> None:
    assert with_deviation(-0.05655, 0.957) == "-0.06 ± 0.96"
    assert with_deviation(184.63, 6.27) == "184.6 ± 6.3"
    assert with_deviation(12345.6, 1234.5) == "12346 ± 1234"
    assert with_deviation(1.5, 0.0) == "1.5 ± 0"
    assert with_deviation(0.00100987, 2.4e-7) == "0.00100987 ± 2.4e-07"
    assert with_deviation(1.2345e7, 2.31e6) == "1.23e+07 ± 2.3e+06"
    assert with_deviation(1e-9, 1e-7) == "1e-09 ± 1e-07"
    assert with_deviation(0.0, 1e-7) == "0 ± 1e-07"
    assert with_deviation(0.0, 0.5) == "0.00 ± 0.50"
    assert rounded(7.18e-5, 56.4) == "0"
    assert rounded(17.3126, 17.4) == "17.31"
    assert rounded(26094.7, 12000.0) == "26090"
    assert log_ticks([0.047, 1.0]) == pytest.approx([0.05, 0.1, 0.2, 0.5, 1.0])
    assert log_ticks([1e-9, 1.0])[0] == pytest.approx(1e-9)
    assert log_ticks([0.3, 0.4]) == [0.3, 0.4]  # one label alone tells nothing of a scale
    assert log_ticks([0.31234, 0.31234]) == [0.31]
