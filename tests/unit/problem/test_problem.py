import subprocess
import sys
from typing import Any

import pytest

from imoca.errors import CostError, ImocaError, ParameterError, ProblemError
from imoca.problem.cost import DeclaredCost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Parameter, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Constraint, Objective, Simulator

PARAMETERS: list[Parameter] = [Real("x1", -5, 10), Choice("skin", ["al", "cfrp"])]
DRAG, LIFT, MASS = Objective("drag", "minimize"), Objective("lift", "maximize"), Objective("mass", "minimize")
STRESS = Constraint("stress", upper=240)


def test_outputs_are_flattened_in_the_order_of_the_simulators() -> None:
    problem = Problem(PARAMETERS, [Simulator("cfd", [DRAG, LIFT]), Simulator("fem", [STRESS, MASS])])
    assert problem.outputs == (DRAG, LIFT, STRESS, MASS)
    assert problem.objectives == (DRAG, LIFT, MASS)
    assert problem.constraints == (STRESS,)
    assert problem.space.names == ("x1", "skin")
    assert problem.simulator("fem") is problem.simulators[1]
    assert problem.simulator_of("stress") is problem.simulators[1]
    assert problem.parameters == tuple(PARAMETERS)


def test_problems_are_values() -> None:
    first, second = (Problem(PARAMETERS, [Simulator("cfd", [DRAG])]) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first.space is first.space


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    problem = Problem(PARAMETERS, [Simulator("cfd", [DRAG])])
    with pytest.raises(ProblemError, match=r"'fem'.*'cfd'"):
        problem.simulator("fem")
    with pytest.raises(ProblemError, match=r"'mass'.*'drag'"):
        problem.simulator_of("mass")


def costly(cost: DeclaredCost) -> Simulator:
    return Simulator("cfd", [DRAG], fidelity=Fidelity.continuous(), cost=cost)


@pytest.mark.parametrize(
    ("parameters", "simulators", "error", "culprit"),
    [
        ([], [Simulator("a", [DRAG])], ParameterError, "one or more parameters"),
        (PARAMETERS * 2, [Simulator("a", [DRAG])], ParameterError, "'x1'"),
        (PARAMETERS, [], ProblemError, "one or more simulators"),
        (PARAMETERS, ["cfd"], ProblemError, "'cfd'"),
        (PARAMETERS, Simulator("a", [DRAG]), ProblemError, "simulators"),
        (PARAMETERS, [Simulator("a", [STRESS])], ProblemError, "'stress'"),
        (PARAMETERS, [Simulator("a", [DRAG]), Simulator("a", [MASS])], ProblemError, "Simulator name.*'a'"),
        (PARAMETERS, [Simulator("a", [DRAG]), Simulator("b", [DRAG])], ProblemError, "Output name.*'drag'"),
        ([Real("z", 0, 1)], [Simulator("a", [DRAG])], ProblemError, "'z'.*reserved"),
        (PARAMETERS, [costly("x2 + z")], CostError, "'cfd'.*'x2'"),
        (PARAMETERS, [costly("skin + z")], CostError, "'cfd'.*'skin'"),
        (PARAMETERS, [costly(lambda z, x3: 1.0)], CostError, "'cfd'.*'x3'"),
        (PARAMETERS, [costly(lambda t: 1.0)], CostError, "'cfd'.*'t'"),
        ([Real("e", 1, 2)], [costly("e + z")], CostError, "'cfd'.*'e'"),
    ],
)
def test_a_wrong_problem_names_the_culprit_and_the_remedy(
    parameters: list[Parameter], simulators: Any, error: type[ImocaError], culprit: str
) -> None:
    with pytest.raises(error, match=culprit) as caught:
        Problem(parameters, simulators)
    assert isinstance(caught.value, ImocaError)
    assert caught.value.hint


def test_costs_may_refer_to_numeric_parameters() -> None:
    Problem(PARAMETERS, [costly("abs(x1) + z + 1")])
    Problem(PARAMETERS, [costly(lambda z, x1, scale=2.0: 1.0)])


def test_importing_a_problem_loads_neither_scipy_nor_pydantic() -> None:
    code = "import sys, imoca.problem.problem; sys.exit('scipy' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
