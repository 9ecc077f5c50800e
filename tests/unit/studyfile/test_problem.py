import math
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from imoca.errors import ProblemError, StudyFileError
from imoca.problem.cost import CallableCost, DeclaredCost, LevelCosts, MeasuredCost
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Parameter, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command, Constraint, FunctionReference, Goal, Objective, Output, Runnable, Simulator
from imoca.studyfile.problem import problem_from_toml, problem_to_toml

N = TypeVar("N", int, float)

WING = """
[study]
name = "wing"
method = "imoca-p"
budget = 60.0
[parameters]
sweep = { type = "real", low = 0.0, high = 35.0 }
ribs  = { type = "integer", low = 4, high = 20 }
skin  = { type = "choice", values = ["al", "cfrp"] }
[simulators.cfd]
command  = ["./cfd.sh", "{params}", "--mesh", "{fidelity}"]
outputs  = { drag = "minimize", lift = "maximize" }
fidelity = { low = 0.1, high = 1.0 }
cost     = "measured"
timeout  = "2h"
retries = 1
[simulators.mass]
command  = ["python", "mass.py", "{params}", "{fidelity}"]
outputs  = { mass = "minimize" }
fidelity = { levels = ["beam", "shell"], cost = [0.1, 2.0] }
[constraints]
stress = { simulator = "mass", upper = 240.0 }
"""
MINIMAL = """
[parameters]
x = {{ type = "real", low = 0, high = 1 }}
[simulators.a]
outputs = {{ f = "minimize" }}
{}
"""


def run_wing(x: float, z: float) -> float:
    return x


def cost_of_wing(z: float) -> float:
    return 1.0 + z


def test_the_documented_study_file_is_read() -> None:
    cfd = Simulator(
        "cfd",
        [Objective("drag", "minimize"), Objective("lift", "maximize")],
        Command(["./cfd.sh", "{params}", "--mesh", "{fidelity}"]),
        fidelity=Fidelity.continuous(0.1, 1.0),
        cost="measured",
        timeout=7200,
        retries=1,
    )
    mass = Simulator(
        "mass",
        [Objective("mass", "minimize"), Constraint("stress", upper=240)],
        Command(["python", "mass.py", "{params}", "{fidelity}"]),
        fidelity=Fidelity.levels(["beam", "shell"]),
        cost=[0.1, 2.0],
    )
    parameters: list[Parameter] = [Real("sweep", 0, 35), Integer("ribs", 4, 20), Choice("skin", ["al", "cfrp"])]
    problem = problem_from_toml(WING)
    assert problem == Problem(parameters, [cfd, mass])
    assert problem_from_toml(problem_to_toml(problem)) == problem
    assert (problem.simulators[0].cost, problem.simulators[1].cost) == (MeasuredCost(), LevelCosts((0.1, 2)))


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
plain = st.floats(-1e9, 1e9)
units = st.none() | st.sampled_from(["mm", "kg/m^3", "°C", '"]<b>'])


@st.composite
def bounds(draw: st.DrawFn, numbers: st.SearchStrategy[N]) -> list[N]:
    return sorted(draw(st.lists(numbers, min_size=2, max_size=2, unique=True)))


@st.composite
def parameters(draw: st.DrawFn, name: str) -> Parameter:
    kind = draw(st.sampled_from(["real", "log", "integer", "text", "mixed"]))
    if kind == "integer":
        return Integer(name, *draw(bounds(st.integers(-(10**9), 10**9))), unit=draw(units))
    if kind == "text":
        return Choice(name, draw(st.lists(names, min_size=2, max_size=4, unique=True)))
    if kind == "mixed":
        return Choice(name, [True, 2, 2.5, "", draw(names)])
    low, high = draw(bounds(st.floats(1e-6, 1e6).map(lambda v: round(v, 6))))
    return Real(name, low, high, log=kind == "log", unit=draw(units))


@st.composite
def fidelities_with_costs(draw: st.DrawFn) -> tuple[Fidelity, DeclaredCost | None]:
    kind = draw(st.sampled_from(["none", "continuous", "log", "tolerance", "levels", "numeric levels"]))
    costs: list[DeclaredCost | None]
    if kind == "none":
        costs = [None, 2.5, "measured"]
        return Fidelity.none(), draw(st.sampled_from(costs))
    if kind == "levels":
        levels = draw(st.lists(names, min_size=2, max_size=4, unique=True))
        costs = ["measured", [0.1] * len(levels), MeasuredCost([0.1] * len(levels))]
        return Fidelity.levels(levels), draw(st.sampled_from(costs))
    if kind == "numeric levels":
        costs = [[1, 2, 3], 7]
        levels_of = draw(st.sampled_from([Fidelity.levels([8, 16.5, "exact"]), Fidelity.levels([1, 2, 3], unit="cm")]))
        return levels_of, draw(st.sampled_from(costs))
    costs = ["measured", MeasuredCost("0.05 + z**2"), "0.05 + z**2", 3, cost_of_wing]
    cost = draw(st.sampled_from(costs))
    target = 1e-6 if kind == "tolerance" else None
    return Fidelity.continuous(1e-6, 2, log=kind == "log", target=target, unit=draw(units)), cost


@st.composite
def runs(draw: st.DrawFn) -> Runnable:
    command = st.builds(Command, st.lists(names, min_size=1, max_size=4))
    return draw(st.none() | st.just(run_wing) | st.just(FunctionReference("wing.cfd:run")) | command)


@st.composite
def objectives(draw: st.DrawFn, name: str) -> Objective:
    """Every second one declares nothing of its values."""
    goal: Goal = draw(st.sampled_from(["minimize", "maximize"]))
    if draw(st.booleans()):
        return Objective(name, goal, unit=draw(units))
    log = draw(st.none() | st.booleans())
    low, high = draw(bounds(st.floats(0.0, 1e9) if log else plain))
    return Objective(name, goal, draw(st.sampled_from([low, None])), draw(st.sampled_from([high, None])), log)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    parameter_names = draw(st.lists(names.filter(lambda n: n != "z"), min_size=1, max_size=3, unique=True))
    output_names = draw(st.lists(names.filter(lambda n: n != "cost"), min_size=2, max_size=5, unique=True))
    outputs: list[Output] = [draw(objectives(output_names[0]))]
    for name in output_names[1:]:
        goal = draw(objectives(name))
        limit = draw(st.builds(Constraint, st.just(name), plain) | st.builds(Constraint, st.just(name), upper=plain))
        kinds: list[Output] = [goal, limit, Constraint(name, -1, 2.5, unit=draw(units))]
        outputs.append(draw(st.sampled_from(kinds)))
    outputs = draw(st.permutations(outputs))
    cut = draw(st.integers(1, len(outputs)))
    simulator_names = draw(st.lists(names, min_size=2, max_size=2, unique=True))
    simulators = []
    for name, share in zip(simulator_names, (outputs[:cut], outputs[cut:]), strict=True):
        fidelity, cost = draw(fidelities_with_costs())
        if share:
            full_cost = draw(st.sampled_from([1.0, 0.3, 4]))
            run = draw(runs())
            timeout = None if run is None else draw(st.none() | st.floats(0.1, 1e6))
            retries = 0 if run is None else draw(st.integers(0, 3))
            simulator = Simulator(
                name,
                share,
                run,
                fidelity=fidelity,
                cost=cost,
                full_cost=full_cost,
                timeout=timeout,
                retries=retries,
            )
            simulators.append(simulator)
    return Problem([draw(parameters(name)) for name in parameter_names], simulators)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_every_problem_survives_the_round_trip(problem: Problem) -> None:
    again = problem_from_toml(problem_to_toml(problem))
    assert again == problem
    assert again.outputs == problem.outputs
    for before, after in zip(problem.parameters, again.parameters, strict=True):
        if isinstance(before, Choice):
            assert isinstance(after, Choice)
            assert [type(value) for value in after.values] == [type(value) for value in before.values]


UNITS = """
[parameters]
span = { type = "real", low = 0.0, high = 35.0, unit = "m" }
ribs = { type = "integer", low = 4, high = 20, unit = "pieces" }
skin = { type = "choice", values = ["al", "cfrp"] }
[simulators.cfd]
fidelity = { low = 1e3, high = 1e6, log = true, unit = "cells" }
cost = "z"
[simulators.cfd.outputs]
drag = { goal = "minimize", unit = "N" }
lift = "maximize"
[simulators.mass]
outputs = { mass = "minimize" }
fidelity = { levels = [5, 1], unit = "mm" }
cost = [1, 9]
[constraints]
stress = { simulator = "mass", upper = 240.0, unit = "MPa" }
"""


def test_units_are_read_from_a_study_file_and_written_to_one() -> None:
    problem = problem_from_toml(UNITS)
    assert [parameter.unit for parameter in problem.parameters] == ["m", "pieces", None]
    assert {output.name: output.unit for output in problem.outputs} == {
        "drag": "N",
        "lift": None,
        "mass": None,
        "stress": "MPa",
    }
    assert [simulator.fidelity.unit for simulator in problem.simulators] == ["cells", "mm"]
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_a_function_is_written_as_its_address_and_found_again() -> None:
    simulator = Simulator(
        "cfd", [Objective("drag", "minimize")], run_wing, fidelity=Fidelity.continuous(), cost=cost_of_wing
    )
    problem = Problem([Real("x", 0, 1)], [simulator])
    assert f'function = "{__name__}:run_wing"' in problem_to_toml(problem)
    again = problem_from_toml(problem_to_toml(problem)).simulators[0]
    assert isinstance(again.run, FunctionReference)
    assert again.run.resolve() is run_wing
    assert again.cost == CallableCost(cost_of_wing)


def test_a_function_without_an_address_cannot_be_written() -> None:
    problem = Problem([Real("x", 0, 1)], [Simulator("cfd", [Objective("drag", "minimize")], lambda x: x)])
    with pytest.raises(ProblemError, match=r"'cfd'.*lambda") as caught:
        problem_to_toml(problem)
    assert "module" in caught.value.hint
    costly = Simulator("cfd", [Objective("drag", "minimize")], fidelity=Fidelity.continuous(), cost=lambda z: 1.0 + z)
    with pytest.raises(ProblemError, match=r"'cfd', cost.*lambda"):
        problem_to_toml(Problem([Real("x", 0, 1)], [costly]))


@pytest.mark.parametrize(
    "hostile", ['a"b', "a\nb", "a.b", "<script>", "$(rm)", "../x", "\x1b[31m", "{x}", "=1+1", "\r\n", "'''"]
)
def test_hostile_names_survive(hostile: str) -> None:
    problem = Problem(
        [Real(hostile, 0, 1), Choice("c", [hostile, "b"])],
        [
            Simulator(
                hostile,
                [Constraint(hostile, 1), Objective("f", "minimize")],
                Command([hostile]),
                fidelity=Fidelity.levels(["a", hostile]),
                cost="measured",
            )
        ],
    )
    assert problem_from_toml(problem_to_toml(problem)) == problem


@pytest.mark.parametrize(
    ("written", "expected"), [('"90s"', 90), ('"15m"', 900), ('"1.5h"', 5400), ("30", 30), ("2.5", 2.5)]
)
def test_timeouts_are_read_in_their_units(written: str, expected: float) -> None:
    for run in ('command = ["a"]', 'function = "a:b"'):
        problem = problem_from_toml(MINIMAL.format(f"{run}\ntimeout = {written}"))
        assert problem.simulators[0].timeout == expected


@pytest.mark.parametrize(
    ("extra", "culprit"),
    [
        ("outptus = 3", r"simulators.a.outptus is not a known key.*outputs"),
        ("timeout = '2 weeks'\ncommand = ['a']", "simulators.a.timeout is '2 weeks'"),
        ("timeout = true\ncommand = ['a']", "simulators.a.timeout is True"),
        ("timeout = 3", "simulators.a: Simulator 'a' has a timeout"),
        ("retries = 3", "simulators.a: Simulator 'a' has a timeout or retries"),
        ("command = ['a']\ntimeout = -1", "simulators.a: Simulator 'a': timeout is -1"),
        ("retries = 1.5", "simulators.a.retries is 1.5, but must be a whole number"),
        ("command = 'cfd.sh x'", "simulators.a.command is 'cfd.sh x', but must be a list"),
        ("command = ['a', 3]", "simulators.a.command.1 is 3, but must be text"),
        ("command = []", "simulators.a: The command"),
        ("command = ['a']\nfunction = 'b:c'", "simulators.a: has both"),
        ("function = 'cfd'", "simulators.a: Function reference 'cfd'"),
        ("cost = true", "simulators.a.cost is True"),
        ("cost = [1, 'a']", "simulators.a.cost is"),
        ("cost = -1", "simulators.a: Simulator 'a': The cost is -1.0"),
        ("cost = {functoin = 'a:b'}", r"simulators.a.cost is .*, but must be .*function = "),
        ("full_cost = 'x'", "simulators.a.full_cost is 'x', but must be a number"),
        ("full_cost = 0", "full_cost is 0.0"),
        ("fidelity = {low = 0.1}\ncost = 1", "simulators.a: fidelity must have"),
        ("fidelity = {levels = [1, 2], low = 1.0}\ncost = 1", "simulators.a: fidelity must have"),
        ("fidelity = {lwo = 0.1}\ncost = 1", "simulators.a.fidelity.lwo is not a known key.*low"),
        ("fidelity = {low = 0, high = 1}", "No cost is given"),
        ("fidelity = {levels = [1, 2], cost = 1}\ncost = 1", "simulators.a: has a cost and a fidelity.cost"),
        ("fidelity = {levels = [1, 1979-05-27]}\ncost = 1", "simulators.a.fidelity.levels is"),
        ("fidelity = 3", "simulators.a.fidelity is 3, but must be a table"),
        ("[constraints]\ns = {simulator = 'b', upper = 1}", "constraints.s: names the simulator 'b'"),
        ("[constraints]\ns = {simulator = 'a'}", "Constraint 's'"),
        ("[constraints]\ns = {upper = 1}", "constraints.s.simulator is missing"),
        ("[constraints]\ns = {simulator = 'a', uper = 1}", "constraints.s.uper is not a known key.*upper"),
        ("[constraints]\nf = {simulator = 'a', upper = 1}", "'f'"),
        ("[simulators.b]\noutputs = {g = 'min'}", "simulators.b.outputs.g is 'min', but must be 'minimize'"),
        (
            "[simulators.b]\noutputs = {g = 'constraint'}",
            "simulators.b: Output 'g' is listed as a constraint",
        ),
        ("[simulators.b]\ncommand = ['b']", "simulators.b: Simulator 'b': the outputs are"),
        (
            "[parameters.y]\ntype = 'real'\nlow = 3\nhigh = 2",
            "parameters.y: Parameter 'y': low = 3.0 must be less",
        ),
        ("[parameters.y]\ntype = 'real'\nlow = nan\nhigh = 2", "parameters.y: Parameter 'y'"),
        (
            "[parameters.y]\ntype = 'real'\nlow = true\nhigh = 2",
            "parameters.y.low is True, but must be a number",
        ),
        ("[parameters.y]\ntype = 'real'\nlow = 1", "parameters.y.high is missing"),
        (
            "[parameters.y]\ntype = 'real'\nlow = 1\nhigh = 2\nlgo = true",
            "parameters.y.lgo is not a known key.*log",
        ),
        (
            "[parameters.y]\ntype = 'integer'\nlow = 1\nhigh = 2.5",
            "parameters.y.high is 2.5, but must be a whole",
        ),
        ("[parameters.y]\ntype = 'choice'\nvalues = 'ab'", "parameters.y.values is 'ab', but must be a list"),
        (
            "[parameters.y]\ntype = 'choice'\nvalues = ['a', 'b']\nunit = 'mm'",
            "parameters.y.unit is not possible. A choice is of values",
        ),
        ("[parameters.y]\ntype = 'real'\nlow = 1\nhigh = 2\nunit = 3", "parameters.y.unit is 3, but must be text"),
        (
            "[parameters.y]\ntype = 'real'\nlow = 1\nhigh = 2\nunit = ' '",
            "parameters.y: Parameter 'y': the unit is ' '",
        ),
        ("[constraints]\ns = {simulator = 'a', upper = 1, unit = ''}", "Constraint 's': the unit is ''"),
        ("fidelity = {low = 1, high = 2, unit = ' m'}\ncost = 1", "simulators.a: Fidelity: the unit is"),
        ("fidelity = {levels = ['a', 'b'], unit = 'mm'}\ncost = 1", "simulators.a: Fidelity: the levels"),
        ("[parameters.y]\ntype = 'float'\nlow = 1", "parameters.y must say type = 'real'"),
        ("[parameters.y]\nlow = 1", "parameters.y must say type = 'real'"),
        ("[parameters.z]\ntype = 'integer'\nlow = 1\nhigh = 2", "'z'"),
        ("[study]\nbudgt = 1", r"study.budgt is not a known key.*name, method, seed, budget, time, stop, workers"),
        ("[study]\nbudget = -1", "study.budget is -1, but must be greater than 0"),
        ("[study]\nbudget = '0h'", "study.budget is '0h', but must be greater than 0"),
        (
            "[study]\nbudget = '40x'",
            "study.budget is '40x', but must be a finite number of full-fidelity runs, or",
        ),
        ("[study]\nbudget = inf", "study.budget is inf, but must be a finite number"),
        ("[study]\nbudget = true", "study.budget is True, but must be a finite number"),
        ("[study]\nworkers = 1.5", "study.workers is 1.5, but must be a whole number"),
        ("[study]\nname = 'a/b'", "study.name is 'a/b', but must be usable as a file name"),
        ("[objectives]\na = 1", "objectives is not a known key.*simulators"),
        ("[[", "not valid TOML"),
        ("[simulators.a]", "not valid TOML"),
    ],
)
def test_a_fault_names_its_key_and_remedy_without_jargon(extra: str, culprit: str) -> None:
    with pytest.raises(StudyFileError, match=culprit) as caught:
        problem_from_toml(MINIMAL.format(extra))
    assert caught.value.hint
    for jargon in ("pydantic", "Input should", "http", "union", "Table"):
        assert jargon not in str(caught.value)


def test_all_faults_are_reported_together() -> None:
    with pytest.raises(StudyFileError) as caught:
        problem_from_toml(
            WING.replace("low = 0.0", "low = 99").replace("low = 4", "low = 40").replace("0.1, 2.0", "2.0")
        )
    for key in ("parameters.sweep", "parameters.ribs", "simulators.mass"):
        assert key in caught.value.message
    with pytest.raises(StudyFileError, match=r"(?s)parameters is missing.*simulators is missing"):
        problem_from_toml("[study]\nname = 'x'\n")


DECLARED = """
[parameters]
x = { type = "real", low = 0, high = 1 }
[simulators.a]
outputs = { yield = { goal = "maximize", low = 0, high = 1, log = false }, mass = "minimize", ripple.goal = "minimize" }
[simulators.b.outputs]
loss = "minimize"
[simulators.b.outputs.gain]
goal = "maximize"
log = true
"""


def test_what_an_output_is_like_stands_in_a_table_beside_plain_goals() -> None:
    problem = problem_from_toml(DECLARED)
    assert problem.outputs == (
        Objective("yield", "maximize", 0.0, 1.0, False),
        Objective("mass", "minimize"),
        Objective("ripple", "minimize"),
        Objective("loss", "minimize"),
        Objective("gain", "maximize", log=True),
    )
    again = problem_from_toml(problem_to_toml(problem))
    assert again == problem
    assert again.outputs == problem.outputs  # in the same order, though TOML has plain values before tables


def test_an_output_of_which_nothing_is_declared_is_written_as_its_goal() -> None:
    outputs = [Objective("f", "minimize"), Objective("g", "maximize")]
    written = problem_to_toml(Problem([Real("x", 0, 1)], [Simulator("a", outputs)]))
    assert '[simulators.a.outputs]\nf = "minimize"\ng = "maximize"\n' in written
    assert "goal" not in written


def test_a_constraint_keeps_its_place_between_outputs_of_which_something_is_declared() -> None:
    outputs: list[Output] = [
        Objective("f", "minimize", high=math.pi),
        Constraint("s", upper=1),
        Objective("g", "minimize"),
    ]
    problem = Problem([Real("x", 0, 1)], [Simulator("a", outputs)])
    assert problem_from_toml(problem_to_toml(problem)).outputs == tuple(outputs)


def test_a_constraint_keeps_its_place_before_an_objective() -> None:
    outputs: list[Output] = [Constraint("s", lower=-math.pi), Objective("f", "minimize"), Constraint("t", upper=1)]
    problem = Problem([Real("x", 0, 1)], [Simulator("a", outputs)])
    assert 's = "constraint"' in problem_to_toml(problem)
    assert problem_from_toml(problem_to_toml(problem)).outputs == tuple(outputs)
