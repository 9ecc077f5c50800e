"""Benchmarks by name."""

from typing import Any

import pytest

import imoca_lab
from imoca.errors import ProblemError


@pytest.mark.parametrize("name", sorted(set(imoca_lab.DESCRIPTIONS) - {"circuit"}))
def test_every_name_gives_the_benchmark_of_that_name(name: str) -> None:
    benchmark = imoca_lab.get(name)
    assert benchmark.name.split("-")[0] == name  # of a family also which of it
    assert benchmark.hypervolume > 0.0
    assert benchmark.reference_front.shape[1] == len(benchmark.problem.objectives)


def test_options_reach_the_problem() -> None:
    coupled, apart = (imoca_lab.get("rocket", setting=setting) for setting in ("coupled", "per_objective"))
    assert len(apart.problem.simulators) == len(coupled.problem.simulators) + 1


@pytest.mark.parametrize(
    ("name", "options", "culprit"),
    [
        ("rockets", {}, "rockets"),
        ("trap", {"setting": "coupled"}, "setting"),
        ("branin_currin", {"backend": "pwl"}, "backend"),
        ("trap", {"cost": "work"}, "cost"),
    ],
)
def test_an_unknown_name_or_option_is_refused_with_what_there_is(
    name: str, options: dict[str, Any], culprit: str
) -> None:
    with pytest.raises(ProblemError, match=culprit) as caught:
        imoca_lab.get(name, **options)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("option", "allowed"), [("setting", "coupled, per_objective"), ("cost", "work, nominal, wall")]
)
@pytest.mark.parametrize("name", ["rocket", "circuit", "panel", "network_on_chip"])
def test_an_unknown_value_of_an_option_is_refused_with_those_there_are(name: str, option: str, allowed: str) -> None:
    if (name, option) == ("panel", "setting"):
        pytest.skip("only one objective of the panel has a fidelity, so its settings are the same")
    with pytest.raises(ProblemError, match="loose") as caught:
        imoca_lab.get(name, **{option: "loose"})
    assert allowed in caught.value.hint


@pytest.mark.parametrize("cost", ["work", "nominal", "wall"])
@pytest.mark.parametrize("name", ["rocket", "circuit", "panel", "network_on_chip"])
def test_every_real_simulator_has_the_three_cost_modes(name: str, cost: str) -> None:
    problem = imoca_lab.get(name, cost=cost, backend="pwl" if name == "circuit" else None).problem
    is_measured = problem.simulators[0].is_cost_measured
    assert is_measured if cost == "wall" else not (is_measured and cost == "nominal")


@pytest.mark.parametrize("name", sorted(set(imoca_lab.DESCRIPTIONS) - {"circuit", "network_on_chip"}))
def test_no_stored_point_lies_below_the_reference_point(name: str) -> None:
    """It would add no volume, but stretch the range by which distances are scaled."""
    benchmark = imoca_lab.get(name)
    assert (benchmark.reference_front >= benchmark.reference_point).all()
