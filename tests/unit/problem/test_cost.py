import pickle
from typing import Any

import numpy as np
import pytest

from imoca.errors import CostError
from imoca.problem.cost import CallableCost, Cost, ExpressionCost, KnownCost, LevelCosts, MeasuredCost, as_cost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Objective, Simulator

UNIT = Fidelity.continuous()
LEVELS = Fidelity.levels(["beam", "shell"])
COLUMNS = {"x1": np.array([1.0, 2.0, 4.0]), "x2": np.array([0.0, 1.0, 2.0])}
Z = np.array([0.0, 1.0])


def module_cost(z: float, x1: float = 2.0) -> float:
    return x1 * (1 + z)


def known_cost(declared: Any, fidelity: Fidelity) -> KnownCost:
    cost = as_cost(declared, fidelity)
    assert not isinstance(cost, MeasuredCost)
    return cost


def test_an_expression_is_evaluated_in_the_users_units() -> None:
    cost = known_cost("2 + z", Fidelity.continuous(10, 50, target=10))
    np.testing.assert_array_equal(cost.evaluate({}, Fidelity.continuous(10, 50, target=10), Z), [[52.0, 12.0]])
    levels = Fidelity.levels([8, 16, 64])
    np.testing.assert_array_equal(known_cost("z/8", levels).evaluate({}, levels, levels.grid(0)), [[1, 2, 8]])


def test_costs_have_one_row_per_design_and_one_column_per_fidelity() -> None:
    cost = known_cost("x1 * (1 + z)", UNIT)
    np.testing.assert_array_equal(cost.evaluate(COLUMNS, UNIT, Z), [[1, 2], [2, 4], [4, 8]])
    np.testing.assert_array_equal(known_cost("1 + z", UNIT).evaluate(COLUMNS, UNIT, Z), [[1, 2]] * 3)
    np.testing.assert_array_equal(known_cost([0.1, 2], LEVELS).evaluate(COLUMNS, LEVELS, Z), [[0.1, 2]] * 3)


@pytest.mark.parametrize(
    ("declared", "fidelity", "expected"),
    [
        ("measured", UNIT, MeasuredCost()),
        (MeasuredCost("1 + z"), UNIT, MeasuredCost(ExpressionCost("1 + z"))),
        (MeasuredCost(2), LEVELS, MeasuredCost("2.0")),
        (MeasuredCost([1, 9]), LEVELS, MeasuredCost(LevelCosts((1.0, 9.0)))),
        ("0.05 + z**6.5", UNIT, ExpressionCost("0.05 + z**6.5")),
        (3, UNIT, ExpressionCost("3.0")),
        (np.float64(0.5), LEVELS, ExpressionCost("0.5")),
        (None, Fidelity.none(), ExpressionCost("1.0")),
        ([1, 2.5], LEVELS, LevelCosts((1.0, 2.5))),
        (np.array([1.0, 2.5]), LEVELS, LevelCosts((1.0, 2.5))),
        (module_cost, UNIT, CallableCost(module_cost)),
        (ExpressionCost("z + 1"), UNIT, ExpressionCost("z + 1")),
    ],
)
def test_every_declaration_becomes_its_kind_of_cost(declared: Any, fidelity: Fidelity, expected: Cost) -> None:
    assert as_cost(declared, fidelity) == expected


def test_a_function_of_the_fidelity_alone_is_called_once_per_fidelity() -> None:
    calls: list[float] = []

    def cost(z: float) -> float:
        calls.append(z)
        return 1 + z

    np.testing.assert_array_equal(CallableCost(cost).evaluate(COLUMNS, UNIT, Z), [[1, 2]] * 3)
    assert calls == [0.0, 1.0]
    assert not CallableCost(cost).depends_on_design(Fidelity.continuous())


def test_a_function_that_names_parameters_is_called_per_design_and_fidelity() -> None:
    cost = CallableCost(lambda x2, z: x2 + (1.0 if z == "beam" else 9.0))
    np.testing.assert_array_equal(cost.evaluate(COLUMNS, LEVELS, Z), [[1, 9], [2, 10], [3, 11]])
    assert cost.depends_on_design(Fidelity.continuous())
    only_design = CallableCost(lambda x1: x1)
    np.testing.assert_array_equal(only_design.evaluate(COLUMNS, UNIT, Z), [[1, 1], [2, 2], [4, 4]])


def test_a_default_argument_is_used_where_no_parameter_bears_its_name() -> None:
    np.testing.assert_array_equal(CallableCost(module_cost).evaluate({}, UNIT, Z), [[2, 4]])
    np.testing.assert_array_equal(CallableCost(module_cost).evaluate(COLUMNS, UNIT, Z), [[1, 2], [2, 4], [4, 8]])


def test_a_reference_is_the_same_cost_as_its_function() -> None:
    reference = CallableCost(FunctionReference(f"{__name__}:module_cost"))
    assert reference == CallableCost(module_cost)
    assert hash(reference) == hash(CallableCost(module_cost))
    np.testing.assert_array_equal(reference.evaluate({}, UNIT, Z), [[2, 4]])
    assert reference != CallableCost(lambda z: z)


def test_costs_know_whether_they_depend_on_the_design() -> None:
    assert ExpressionCost("x1 + z").depends_on_design(Fidelity.continuous())
    assert not ExpressionCost("exp(z) + pi").depends_on_design(Fidelity.continuous())
    assert not LevelCosts([1, 2]).depends_on_design(Fidelity.continuous())


def test_an_expression_cost_survives_pickling() -> None:
    copy = pickle.loads(pickle.dumps(ExpressionCost("1 + z")))  # noqa: S301 - our own bytes
    assert copy == ExpressionCost("1 + z")
    np.testing.assert_array_equal(copy.evaluate({}, UNIT, Z), [[1, 2]])


@pytest.mark.parametrize(
    ("declared", "fidelity", "culprit"),
    [
        (None, UNIT, "No cost"),
        (0, UNIT, "0"),
        (-1.5, UNIT, "-1.5"),
        (True, UNIT, "True"),
        (float("nan"), UNIT, "nan"),
        ({"z": 1}, UNIT, "'z'"),
        ([1, 2], UNIT, "no levels"),
        ([1, 2, 3], LEVELS, "3 costs .* 2 levels"),
        ([1, 0], LEVELS, r"\[1, 0\]"),
        ([1, "2"], LEVELS, "'2'"),
        ([], LEVELS, r"\[\]"),
        ("1 + z", LEVELS, "'1 \\+ z'"),
        ("1 + z", Fidelity.none(), "'1 \\+ z'"),
        (lambda z: z, Fidelity.none(), "takes z"),
        (lambda *zs: 1.0, UNIT, "lambda"),
        (min, UNIT, "min"),
    ],
)
def test_a_wrong_declaration_is_refused_with_a_hint(declared: Any, fidelity: Fidelity, culprit: str) -> None:
    with pytest.raises(CostError, match=culprit) as caught:
        known_cost(declared, fidelity).evaluate({}, fidelity, Z)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("declared", "culprit"),
    [
        ("z", "gives 0.0 at fidelity 0.0"),
        ("z - 0.5", "gives -0.5 at fidelity 0.0"),
        ("1/z", "gives inf"),
        ("log(z - 2)", "gives nan"),
        ("9**9**9**9", "gives inf"),
        ("x2 + z", r"gives 0.0 at fidelity 0.0 and design \{'x1': 1.0, 'x2': 0.0\}"),
        ("x3 + z", "'x3'"),
        ("exp", "'exp'"),
        (lambda z: 0.0, "gives 0.0"),
        (lambda z: "1", "returned '1'"),
        (lambda z: 1 / z, "ZeroDivisionError"),
        (lambda t: t, "'t'"),
    ],
)
def test_a_cost_that_is_not_positive_and_finite_is_refused_with_where(declared: Any, culprit: str) -> None:
    with pytest.raises(CostError, match=culprit) as caught:
        known_cost(declared, UNIT).evaluate(COLUMNS, UNIT, Z)
    assert caught.value.hint


def test_costs_cannot_be_built_from_the_wrong_things() -> None:
    with pytest.raises(CostError, match="cannot be called"):
        CallableCost(3)  # type: ignore[arg-type]
    with pytest.raises(CostError, match="not as a string"):
        ExpressionCost(3)  # type: ignore[arg-type]


def test_a_constant_may_not_hide_a_parameter() -> None:
    with pytest.raises(CostError, match="both a constant and a parameter"):
        ExpressionCost("e * z").check_names(["e"], Fidelity.continuous())


@pytest.mark.parametrize(
    "expected", [module_cost, "measured", 0, -1.0, True, {"z": 1}, [1, 0], FunctionReference("a:b")]
)
def test_what_is_expected_of_a_measured_cost_is_an_expression_or_numbers(expected: Any) -> None:
    with pytest.raises(CostError) as caught:
        MeasuredCost(expected)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("expected", "fidelity", "culprit"),
    [([1, 2, 3], LEVELS, "3 costs"), ("1 + z", LEVELS, "uses z"), ("z - 1", UNIT, "gives -1.0 at"), ("1", UNIT, None)],
)
def test_what_is_expected_of_a_measured_cost_must_suit_its_fidelity(
    expected: Any, fidelity: Fidelity, culprit: str | None
) -> None:
    outputs = [Objective("f", "minimize")]
    if culprit is None:
        known = Simulator("s", outputs, fidelity=fidelity, cost=MeasuredCost(expected)).as_expected
        assert known is not None
        assert known.cost == ExpressionCost("1")
        return
    with pytest.raises(CostError, match=f"'s': .*{culprit}"):
        Simulator("s", outputs, fidelity=fidelity, cost=MeasuredCost(expected))


def test_what_is_expected_of_a_measured_cost_may_name_parameters_of_the_problem_only() -> None:
    simulator = Simulator("s", [Objective("f", "minimize")], cost=MeasuredCost("1 + span"))
    Problem([Real("span", 0.0, 1.0)], [simulator])
    with pytest.raises(CostError, match="span"):
        Problem([Real("chord", 0.0, 1.0)], [simulator])
