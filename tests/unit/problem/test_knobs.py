"""Several knobs of one simulator, and sources without order."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imoca.errors import CostError, FidelityError, ProblemError
from imoca.problem.accuracy import one_by_one
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.resources import Resources
from imoca.problem.simulator import Objective, Simulator

WING = Fidelity.knobs(panels=[2, 3, 7], steps=[10, 100])
FURTHER = {"panels": 7, "steps": 100, "cells": 5}


def test_every_setting_is_there_once_from_the_cheapest_of_all_to_the_best_of_all() -> None:
    settings: list[Any] = [WING.decode(float(z)) for z in WING.grid(2)]
    assert settings[0] == WING.cheapest == {"panels": 2, "steps": 10}
    assert settings[-1] == WING.target == {"panels": 7, "steps": 100}
    assert {(each["panels"], each["steps"]) for each in settings} == set(product([2, 3, 7], [10, 100]))
    assert len(settings) == 6


@given(st.lists(st.integers(2, 5), min_size=2, max_size=4))
def test_settings_come_back_and_none_comes_after_one_that_is_turned_up_further(counts: list[int]) -> None:
    fidelity = Fidelity.knobs(**{f"k{i}": list(range(n)) for i, n in enumerate(counts)})
    z = fidelity.grid(2)
    settings: list[Any] = [fidelity.decode(float(each)) for each in z]
    np.testing.assert_allclose(fidelity.encode_all(settings), z)
    turned = np.array([[each[f"k{i}"] for i in range(len(counts))] for each in settings])
    for i in range(len(turned)):
        assert not (turned[i + 1 :] <= turned[i]).all(axis=1).any()


@pytest.mark.parametrize(
    "setting",
    [7, None, "7", {"panels": 7}, {"panels": 7, "steps": 50}, {"panels": [7], "steps": 10}, {"z": 1}, {}, FURTHER],
)
def test_what_is_no_setting_is_refused_with_what_would_be(setting: Any) -> None:
    with pytest.raises(FidelityError, match=r"a level of each knob: panels \[2, 3, 7\], steps \[10, 100\]"):
        WING.encode(setting)


def test_a_numpy_setting_is_a_setting() -> None:
    setting: dict[str, Any] = {"panels": np.int64(7), "steps": np.float64(100.0)}
    assert WING.encode(setting) == 1.0


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"panels": [2, 3]}, "two or more with different names"),
        ({"panels": [2, 3], "z": [1, 2]}, "none of them 'z'"),
        ({"panels": [2, 3], "steps": [10]}, r"levels are \[10\]"),
        ({"panels": [2, 3], "steps": 10}, "levels of 'steps'"),
        ({"panels": [2, 3], "steps": Fidelity.continuous(1, 2)}, "one of several knobs has levels"),
        ({"panels": [2, 3], "source": Fidelity.sources(["a", "b"])}, "one of several knobs has levels"),
        ({"panels": list(range(40)), "steps": list(range(40))}, "1600 settings together"),
    ],
)
def test_knobs_that_are_none(knobs: Any, words: str) -> None:
    with pytest.raises(FidelityError, match=words):
        Fidelity.knobs(**knobs)


def test_a_cost_is_of_the_knobs_by_their_names() -> None:
    simulator = Simulator("wing", [Objective("fuel", "minimize")], fidelity=WING, cost="0.1 * panels * steps")
    problem = Problem([Real("x", 0, 1)], [simulator])
    z = WING.encode_all([{"panels": 3, "steps": 10}, {"panels": 2, "steps": 100}])
    np.testing.assert_allclose(simulator.costs(problem.space, np.zeros((1, 1)), z), [[3.0, 20.0]])
    assert not simulator.is_cost_by_design
    by_function = Simulator("wing", [Objective("fuel", "minimize")], fidelity=WING, cost=lambda panels, x: panels + x)
    both = Problem([Real("x", 0, 1)], [by_function])
    np.testing.assert_allclose(by_function.costs(both.space, np.array([[0.5]]), z), [[3.5, 2.5]])
    assert by_function.is_cost_by_design


@pytest.mark.parametrize("cost", ["0.1 + z", "panels * meshes", [1.0, 2.0]])
def test_a_cost_of_anything_else_is_refused(cost: Any) -> None:
    with pytest.raises(CostError, match="wing"):
        Problem([Real("x", 0, 1)], [Simulator("wing", [Objective("f", "minimize")], fidelity=WING, cost=cost)])


def test_words_are_levels_too_but_no_numbers_for_a_cost() -> None:
    fidelity = Fidelity.knobs(solver=["beam", "shell"], steps=[10, 100])
    assert fidelity.encode({"solver": "shell", "steps": 100}) == 1.0
    with pytest.raises(CostError, match="solver"):
        Problem(
            [Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")], fidelity=fidelity, cost="solver * steps")]
        )


def test_no_parameter_may_have_the_name_of_a_knob() -> None:
    simulator = Simulator("wing", [Objective("fuel", "minimize")], fidelity=WING, cost="panels")
    with pytest.raises(ProblemError, match="'panels', which is reserved for the fidelity"):
        Problem([Real("panels", 0, 1)], [simulator])


def test_resources_are_of_the_knobs_too() -> None:
    resources = Resources(cores="panels", walltime="1m * steps")
    needs = resources.needed({}, WING, {"panels": 3, "steps": 10})
    assert (needs.cores, needs.walltime) == (3, 600)


def test_sources_are_levels_without_an_order() -> None:
    models = Fidelity.sources(["SPM", "SPMe", "DFN"])
    assert (models.target, models.cheapest, models.is_ordered) == ("DFN", "SPM", False)
    assert models != Fidelity.levels(["SPM", "SPMe", "DFN"])
    with pytest.raises(FidelityError, match=r"one of the sources \['SPM', 'SPMe', 'DFN'\]"):
        models.encode("P2D")
    with pytest.raises(FidelityError, match="full accuracy last"):
        Fidelity.sources(["DFN"])


def test_settings_one_by_one() -> None:
    given: dict[str, Any] = {"wing": {"panels": 3, "steps": 10}, "mass": None, "cfd": 0.5}
    assert one_by_one(given) == {"wing.panels": 3, "wing.steps": 10, "mass": None, "cfd": 0.5}
