"""Figures of many outputs and simulators: maps whose numbers can be read, panels in columns."""

import json
from typing import Any

import pytest

from imoca.report.figure_names import FigureName
from imoca.report.plotly.figures import PLOTLY_DRAWERS
from imoca.report.plotly.theme import LIGHT


def drawn(records: dict[str, Any], name: FigureName) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(PLOTLY_DRAWERS[name](records[name]).to_json())
    return made


@pytest.mark.parametrize("name", ["importance", "fidelities"])
def test_cells_of_maps_are_light_behind_dark_letters_on_any_paper(records: Any, name: FigureName) -> None:
    (trace,) = drawn(records(9), name)["data"]
    assert trace["textfont"]["color"] == LIGHT["ink"]
    for _, colour in trace["colorscale"]:
        channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]  # opaque: paper does not shine through
        assert 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2] > 150.0


@pytest.mark.parametrize(("n", "n_columns"), [(2, 1), (4, 1), (9, 2)])
def test_costs_of_more_than_four_simulators_stand_in_two_columns(records: Any, n: int, n_columns: int) -> None:
    made = drawn(records(n), "cost")
    lefts = {axis["domain"][0] for key, axis in made["layout"].items() if key.startswith("xaxis")}
    assert len(lefts) == n_columns
    titles = [axis["title"]["text"] for key, axis in made["layout"].items() if "text" in axis_title(key, axis)]
    assert len(titles) == n_columns  # below the last of each
    assert [each["text"] for each in made["layout"]["annotations"]] == [f"s{j}" for j in range(n)]


def axis_title(key: str, axis: Any) -> dict[str, str]:
    return axis.get("title", {}) if key.startswith("xaxis") else {}


def test_titles_of_trust_fit_above_their_panels(records: Any) -> None:
    titles = drawn(records(3), "trust")["layout"]["annotations"]
    assert {title["font"]["size"] for title in titles} == {11}
    assert all("<sub>" not in title["text"] for title in titles)  # the live page takes tags away
