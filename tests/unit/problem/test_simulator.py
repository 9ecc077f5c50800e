import dataclasses
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from imoca.errors import CostError, ParameterError, ProblemError
from imoca.problem.cost import ExpressionCost, LevelCosts, MeasuredCost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Real
from imoca.problem.simulator import Command, Constraint, FunctionReference, Objective, Simulator
from imoca.problem.space import SearchSpace

DRAG = Objective("drag", "minimize")
SPACE = SearchSpace([Real("x1", 1, 3), Choice("skin", ["al", "cfrp"])])
X = np.array([[0.0, 0.0], [1.0, 1.0]])


def run_drag(x1: float, skin: str, z: float) -> float:
    return x1


def test_the_cost_ratio_is_the_full_cost_at_the_target() -> None:
    simulator = Simulator("cfd", [DRAG], fidelity=Fidelity.continuous(), cost="0.5 + z**2", full_cost=4)
    np.testing.assert_allclose(simulator.cost_ratio(SPACE, X, np.array([0.0, 1.0])), [[4 / 3, 4.0]] * 2)


def test_the_cost_ratio_compares_each_design_with_itself() -> None:
    simulator = Simulator("cfd", [DRAG], fidelity=Fidelity.continuous(), cost="x1 + z")
    np.testing.assert_allclose(
        simulator.cost_ratio(SPACE, X, np.array([0.0, 0.5])), [[1 / 2, 1.5 / 2], [3 / 4, 3.5 / 4]]
    )


def test_the_cost_ratio_has_a_row_per_design_even_without_numeric_parameters() -> None:
    space = SearchSpace([Choice("skin", ["al", "cfrp"])])
    simulator = Simulator("mass", [DRAG], fidelity=Fidelity.levels(["beam", "shell"]), cost=[0.1, 2.0])
    np.testing.assert_allclose(simulator.cost_ratio(space, np.zeros((3, 1)), np.array([0.0, 1.0])), [[0.05, 1]] * 3)


def test_a_simulator_without_fidelity_costs_one() -> None:
    simulator = Simulator("mass", (DRAG,))
    assert simulator.cost == ExpressionCost("1.0")
    np.testing.assert_array_equal(simulator.cost_ratio(SPACE, X, np.ones(1)), [[1.0], [1.0]])


def test_a_measured_cost_is_not_known_beforehand() -> None:
    simulator = Simulator("cfd", [DRAG], fidelity=Fidelity.continuous(), cost="measured")
    assert simulator.cost == MeasuredCost()
    with pytest.raises(CostError, match=r"'cfd'.*measured"):
        simulator.cost_ratio(SPACE, X, np.ones(1))


def test_an_overflowing_cost_ratio_is_refused() -> None:
    simulator = Simulator("m", [DRAG], fidelity=Fidelity.levels([1, 2]), cost=[1e300, 1e-300])
    with pytest.raises(CostError, match=r"'m'.*overflows"):
        simulator.cost_ratio(SPACE, X, np.zeros(1))


@pytest.mark.parametrize("cost", ["z", "0.5 - z", "1/z", lambda z: -1.0, lambda z: None, None, 0, [1, 2], "z +"])
def test_a_wrong_cost_is_found_at_construction_and_names_the_simulator(cost: Any) -> None:
    with pytest.raises(CostError, match="Simulator 'cfd'") as caught:
        Simulator("cfd", [DRAG], fidelity=Fidelity.continuous(), cost=cost)
    assert caught.value.hint


def test_a_function_and_a_reference_to_it_make_equal_simulators() -> None:
    reference = FunctionReference(f"{__name__}:run_drag")
    assert Simulator("cfd", [DRAG], run_drag) == Simulator("cfd", [DRAG], reference)
    assert Simulator("cfd", [DRAG], run_drag) != Simulator("cfd", [DRAG], lambda x1: x1)
    assert Simulator("cfd", [DRAG], run_drag) != Simulator("cfd", [DRAG])


def test_a_simulator_is_frozen_replaceable_picklable_and_shows_itself() -> None:
    simulator = Simulator("cfd", [DRAG], run_drag, fidelity=Fidelity.levels([1, 2]), cost=[1, 2])
    assert simulator.outputs == (DRAG,)
    assert simulator.cost == LevelCosts((1, 2))
    assert dataclasses.replace(simulator, full_cost=2).full_cost == 2.0
    assert pickle.loads(pickle.dumps(simulator)) == simulator  # noqa: S301 - our own bytes
    assert "'cfd'" in repr(simulator)
    assert "_run_identity" not in repr(simulator)
    with pytest.raises(AttributeError):
        simulator.name = "other"  # type: ignore[misc]


def test_an_objective_declares_nothing_of_its_values_unless_told() -> None:
    assert (DRAG.low, DRAG.high, DRAG.log) == (None, None, None)
    assert all(DRAG.contradiction(value) is None for value in (-1e150, -1.0, 0.0, 1.0, 1e150))


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [(0, 1, False), (None, -5, None), (-3.5, None, False), (0, None, True), (None, 1e-9, True), (None, None, True)],
)
def test_bounds_and_logarithm_of_an_objective_are_kept_as_plain_values(
    low: float | None, high: float | None, log: bool | None
) -> None:
    objective = Objective("eta", "maximize", low, high, log)
    assert (objective.low, objective.high, objective.log) == (low, high, log)
    assert {type(objective.low), type(objective.high)} <= {float, type(None)}
    assert pickle.loads(pickle.dumps(objective)) == objective  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("objective", "possible", "impossible"),
    [
        (Objective("eta", "maximize", low=0, high=1), [0.0, 0.5, 1.0], {-1e-9: "below.*low = 0.0", 1.1: "high = 1.0"}),
        (Objective("eta", "maximize", high=-2), [-1e99, -2.0], {0.0: "above.*high = -2.0"}),
        (Objective("eta", "maximize", log=True), [5e-324, 1.0, 1e99], {0.0: "logarithm", -1.0: "logarithm"}),
        (Objective("eta", "maximize", low=0, log=True), [1e-9], {0.0: "logarithm", -1.0: "low = 0.0"}),
        (Objective("eta", "maximize", log=False), [-1.0, 0.0, 1.0], {}),
    ],
)
def test_a_value_that_contradicts_the_declaration_is_told_in_words(
    objective: Objective, possible: list[float], impossible: dict[float, str]
) -> None:
    assert [objective.contradiction(value) for value in possible] == [None] * len(possible)
    for value, words in impossible.items():
        assert re.search(words, objective.contradiction(value) or "")


@pytest.mark.parametrize(
    ("declare", "culprit"),
    [
        (lambda: Objective("drag", "min"), "'drag'.*'min'"),  # type: ignore[arg-type]
        (lambda: Objective("", "minimize"), "an objective"),
        (lambda: Objective("eta", "maximize", low=math.nan), "'eta'.*nan"),
        (lambda: Objective("eta", "maximize", high=math.inf), "'eta'.*inf"),
        (lambda: Objective("eta", "maximize", low=10**400), "'eta'.*finite"),
        (lambda: Objective("eta", "maximize", low=1, high=1), "'eta'.*low = 1, high = 1.*less"),
        (lambda: Objective("eta", "maximize", low=2, high=1), "'eta'.*low = 2, high = 1.*less"),
        (lambda: Objective("eta", "maximize", low="0"), "'eta'.*'0'"),  # type: ignore[arg-type]
        (lambda: Objective("eta", "maximize", high=True), "'eta'.*True"),
        (lambda: Objective("eta", "maximize", log=1), "'eta'.*log is 1"),  # type: ignore[arg-type]
        (lambda: Objective("eta", "maximize", log="auto"), "'eta'.*'auto'"),  # type: ignore[arg-type]
        (lambda: Objective("eta", "maximize", low=-1, log=True), "'eta'.*low = -1.0.*logarithm"),
        (lambda: Objective("eta", "maximize", high=0, log=True), "'eta'.*high = 0.0.*logarithm"),
        (lambda: Constraint("s"), "'s'"),
        (lambda: Constraint("s", 2, 1), "'s'"),
        (lambda: Constraint("s", 1, 1), "'s'"),
        (lambda: Constraint("s", upper=math.inf), "'s'.*inf"),
        (lambda: Constraint("s", "a", 1), "'s'.*'a'"),  # type: ignore[arg-type]
        (lambda: Constraint("s", lower=True), "'s'.*True"),
        (lambda: Constraint(None, 1), "a constraint"),  # type: ignore[arg-type]
        (lambda: Command("./cfd.sh {params}"), "command"),
        (lambda: Command([]), "command"),
        (lambda: Command([""]), "command"),
        (lambda: Command(["a", 3]), "3"),  # type: ignore[list-item]
        (lambda: Command(["a", "b\0"]), "command"),
        (lambda: Simulator("cfd", [DRAG], Command(["a"]), timeout=0), "'cfd'.*timeout"),
        (lambda: Simulator("cfd", [DRAG], run_drag, timeout="2h"), "'2h'"),  # type: ignore[arg-type]
        (lambda: Simulator("cfd", [DRAG], run_drag, retries=-1), "'cfd'.*-1"),
        (lambda: Simulator("cfd", [DRAG], Command(["a"]), retries=1.5), "1.5"),  # type: ignore[arg-type]
        (lambda: Simulator("cfd", [DRAG], timeout=3), "'cfd' has a timeout"),
        (lambda: Simulator("", [DRAG]), "a simulator"),
        (lambda: Simulator("cfd", []), "'cfd'"),
        (lambda: Simulator("cfd", DRAG), "'cfd'"),  # type: ignore[arg-type]
        (lambda: Simulator("cfd", ["drag"]), "'cfd'.*'drag'"),  # type: ignore[list-item]
        (lambda: Simulator("cfd", [DRAG, DRAG]), "'cfd'.*'drag'"),
        (lambda: Simulator("cfd", [DRAG], "./cfd.sh"), "'cfd'.*cfd.sh"),  # type: ignore[arg-type]
        (lambda: Simulator("cfd", [DRAG], fidelity=0.5), "'cfd'.*0.5"),  # type: ignore[arg-type]
        (lambda: Simulator("cfd", [Objective("cost", "minimize")], Command(["a"])), "'cfd'.*'cost'"),
    ],
)
def test_a_wrong_declaration_names_the_culprit_and_the_remedy(declare: Callable[[], object], culprit: str) -> None:
    with pytest.raises(ProblemError, match=culprit) as caught:
        declare()
    assert caught.value.hint


@pytest.mark.parametrize("full_cost", [0, -1, math.nan, math.inf, "1", True])
def test_the_full_cost_must_be_positive(full_cost: Any) -> None:
    with pytest.raises(CostError, match=r"'cfd'.*full_cost"):
        Simulator("cfd", [DRAG], full_cost=full_cost)


def test_the_cost_ratio_refuses_designs_of_the_wrong_width() -> None:
    with pytest.raises(ParameterError, match="2 columns"):
        Simulator("cfd", [DRAG]).cost_ratio(SPACE, np.zeros((1, 5)), np.ones(1))
