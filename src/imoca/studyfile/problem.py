"""Problems to and from TOML study files.

An output of a simulator that is a constraint stands in [constraints]; it may also be listed among the outputs
as "constraint", which only fixes its place. The writer does so where the order would otherwise be lost; and where
something is declared of one output it writes all of them as tables, for TOML puts plain values before tables.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import tomli_w

from imoca.errors import ImocaError, ProblemError
from imoca.problem.cost import MEASURED, CallableCost, Cost, DeclaredCost, ExpressionCost, LevelCosts, MeasuredCost
from imoca.problem.fidelity import Continuous, Fidelity, Knobs, Levels
from imoca.problem.parameters import Choice, Integer, Parameter, Real
from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference, reference_to, writable_reference
from imoca.problem.resources import NO_RESOURCES, Amounts, Resources
from imoca.problem.simulator import Command, Constraint, Objective, Output, Runnable, Simulator
from imoca.studyfile.entries import seconds
from imoca.studyfile.tables import (
    ConstraintTable,
    CostFunctionTable,
    ExpectedCostTable,
    FidelityTable,
    IntegerTable,
    OutputTable,
    ParameterTable,
    RealTable,
    SimulatorTable,
    StudyTables,
    faults_error,
    key_of,
    read_tables,
)

T = TypeVar("T")
PRICING: dict[str, Any] = {
    "setup_cost": 0.0,
    "cost_relative_to": "mean",
}  # what [study] says of the problem, unless given


def problem_from_toml(text: str) -> Problem:
    """The problem a study file describes, or one StudyFileError that names every key at fault."""
    faults: list[str] = []
    problem = build_problem(read_tables(text), faults)
    if problem is None:
        raise faults_error(faults)
    return problem


def build_problem(tables: StudyTables, faults: list[str]) -> Problem | None:
    """The problem, or None and every key at fault added to ``faults``."""
    n_before = len(faults)
    parameters = [
        attempt(key_of("parameters", name), faults, partial(_parameter, name, table))
        for name, table in tables.parameters.items()
    ]
    simulators = [
        attempt(key_of("simulators", name), faults, partial(_simulator, name, tables)) for name in tables.simulators
    ]
    for name, constraint in tables.constraints.items():
        attempt(key_of("constraints", name), faults, partial(_check_owner, constraint, tables))
    if len(faults) > n_before:
        return None
    complete = [p for p in parameters if p is not None], [s for s in simulators if s is not None]
    pricing = {name: getattr(tables.study, name) for name in PRICING}
    return attempt("problem", faults, lambda: Problem(*complete, **pricing, constraints=tables.study.constraints))


def problem_to_toml(problem: Problem) -> str:
    """The text of a study file from which the same problem is read back."""
    content: dict[str, Any] = {
        "parameters": {parameter.name: _parameter_table(parameter) for parameter in problem.parameters},
        "simulators": {simulator.name: _simulator_table(simulator) for simulator in problem.simulators},
    }
    said = {name: getattr(problem, name) for name in PRICING if getattr(problem, name) != PRICING[name]}
    if problem.parameter_constraints:
        said["constraints"] = list(problem.parameter_constraints)
    if said:
        content["study"] = said
    if problem.constraints:
        content["constraints"] = {
            constraint.name: _present(
                simulator=problem.simulator_of(constraint.name).name,
                lower=constraint.lower,
                upper=constraint.upper,
                unit=constraint.unit,
            )
            for constraint in problem.constraints
        }
    return tomli_w.dumps(content)


def fidelity_to_toml(fidelity: Fidelity) -> str:
    """The line of a study file that declares a fidelity, which has a knob."""
    return f"fidelity = {_inline(_fidelity_table(fidelity))}"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_inline_key(key)} = {_inline(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").strip()


def _inline_key(name: str) -> str:
    return tomli_w.dumps({name: 0}).removesuffix(" = 0\n")


def storable_problem(problem: Problem) -> str:
    """The problem as TOML. A function that no other process could import is left out: it is given anew each time."""
    return problem_to_toml(problem.with_simulators([_storable(simulator) for simulator in problem.simulators]))


def _storable(simulator: Simulator) -> Simulator:
    run = simulator.run
    is_storable = run is None or isinstance(run, Command | FunctionReference) or reference_to(run) is not None
    return simulator if is_storable else dataclasses.replace(simulator, run=None, timeout=None, retries=0)


def attempt(key: str, faults: list[str], build: Callable[[], T]) -> T | None:
    """What is built, or None and the reason added to ``faults``."""
    try:
        return build()
    except ImocaError as error:
        faults.append(f"{key}: {error.message} {error.hint}")
        return None


def _parameter(name: str, table: ParameterTable) -> Parameter:
    if isinstance(table, RealTable):
        return Real(name, table.low, table.high, table.log, unit=table.unit)
    if isinstance(table, IntegerTable):
        return Integer(name, table.low, table.high, unit=table.unit)
    return Choice(name, table.values)


def _simulator(name: str, tables: StudyTables) -> Simulator:
    table = tables.simulators[name]
    return Simulator(
        name,
        _outputs(name, tables),
        _run(table),
        fidelity=_fidelity(table.fidelity),
        cost=_cost(table),
        full_cost=table.full_cost,
        timeout=seconds(table.timeout),
        retries=table.retries,
        resources=NO_RESOURCES if table.resources is None else Resources(**dict(table.resources)),
    )


def _outputs(name: str, tables: StudyTables) -> list[Output]:
    entries = tables.simulators[name].outputs
    listed = {o: entry if isinstance(entry, OutputTable) else OutputTable(goal=entry) for o, entry in entries.items()}
    outputs: list[Output] = []
    for output, table in listed.items():
        if table.goal != "constraint":
            outputs.append(Objective(output, table.goal, table.low, table.high, table.log, unit=table.unit))
        elif table != OutputTable(goal="constraint"):
            raise ProblemError(
                f"Output {output!r} is listed as a constraint, but has a low, high, log or unit.",
                hint="Leave them out: a constraint has its bounds, lower and upper, and its unit in [constraints].",
            )
        elif output in tables.constraints and tables.constraints[output].simulator == name:
            outputs.append(_constraint(output, tables.constraints[output]))
        else:
            raise ProblemError(
                f"Output {output!r} is listed as a constraint, but [constraints] has none such for {name!r}.",
                hint=f"Add its bounds there: {output!r} = {{ simulator = {name!r}, upper = ... }}.",
            )
    for output, constraint in tables.constraints.items():
        is_placed = output in listed and listed[output].goal == "constraint"
        if constraint.simulator == name and not is_placed:
            outputs.append(_constraint(output, constraint))
    return outputs


def _constraint(name: str, table: ConstraintTable) -> Constraint:
    return Constraint(name, table.lower, table.upper, unit=table.unit)


def _check_owner(table: ConstraintTable, tables: StudyTables) -> None:
    if table.simulator not in tables.simulators:
        raise ProblemError(
            f"names the simulator {table.simulator!r}, which does not exist.",
            hint=f"The simulators are {list(tables.simulators)!r}.",
        )


def _run(table: SimulatorTable) -> Runnable:
    if table.command is not None and table.function is not None:
        raise ProblemError("has both a command and a function.", hint="Keep one of the two.")
    if table.command is not None:
        return Command(table.command)
    return None if table.function is None else FunctionReference(table.function)


def _fidelity(table: FidelityTable | None) -> Fidelity:
    if table is None:
        return Fidelity.none()
    if table.unit is not None and (table.sources is not None or table.knobs is not None):
        raise ProblemError(
            "fidelity has a unit, but sources have none, and several knobs one each.",
            hint='Remove it; the unit of a knob is written mesh = { levels = [10, 30, 100], unit = "mm" }.',
        )
    has_range = table.low is not None or table.high is not None or table.log or table.target is not None
    match (table.low, table.high, table.levels, table.sources, table.knobs):
        case (float(low), float(high), None, None, None):
            return Fidelity.continuous(low, high, log=table.log, target=table.target, unit=table.unit)
        case (None, None, list(levels), None, None) if not has_range:
            return Fidelity.levels(levels, unit=table.unit)
        case (None, None, None, list(sources), None) if not has_range:
            return Fidelity.sources(sources)
        case (None, None, None, None, dict(knobs)) if not has_range:
            each = {name: Fidelity.levels(knob.levels, unit=knob.unit) for name, knob in knobs.items()}
            return Fidelity.knobs(**each)
    raise ProblemError(
        "fidelity must have either both low and high, or levels, or sources, or knobs.",
        hint="Write fidelity = { low = 0.1, high = 1.0 }, { levels = ['coarse', 'fine'] }, { sources = ['beam',"
        " 'shell', 'solid'] } or { knobs = { mesh = [10, 30, 100], steps = [5, 50] } }.",
    )


def _cost(table: SimulatorTable) -> DeclaredCost | None:
    inner = None if table.fidelity is None else table.fidelity.cost
    if inner is not None and table.cost is not None:
        raise ProblemError("has a cost and a fidelity.cost.", hint="Keep one of the two.")
    entry = inner if table.cost is None else table.cost
    match entry:
        case CostFunctionTable():
            return CallableCost(FunctionReference(entry.function))
        case ExpectedCostTable():
            return MeasuredCost(entry.expected)
        case _:
            return entry


def _parameter_table(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Choice):
        return {"type": "choice", "values": list(parameter.values)}
    is_log = isinstance(parameter, Real) and parameter.log
    return _present(
        type="real" if isinstance(parameter, Real) else "integer",
        low=parameter.low,
        high=parameter.high,
        log=True if is_log else None,
        unit=parameter.unit,
    )


def _simulator_table(simulator: Simulator) -> dict[str, Any]:
    run = simulator.run
    owner = f"Simulator {simulator.name!r}"
    is_command = isinstance(run, Command)
    return _present(
        command=list(run.arguments) if isinstance(run, Command) else None,
        function=None if run is None or is_command else writable_reference(run, owner).path,
        timeout=simulator.timeout,
        retries=simulator.retries or None,
        resources={kind: _listed(given) for kind, given in simulator.resources.declared.items()} or None,
        full_cost=None if simulator.full_cost == 1.0 else simulator.full_cost,
        cost=_cost_entry(simulator.cost, owner),
        outputs=_outputs_table(simulator.outputs),
        fidelity=_fidelity_table(simulator.fidelity),
    )


def _listed(given: Amounts) -> Any:
    return list(given) if isinstance(given, tuple) else given


def _outputs_table(outputs: tuple[Output, ...]) -> dict[str, Any]:
    kinds = [isinstance(output, Constraint) for output in outputs]
    is_order_implied = kinds == sorted(kinds)
    tables = {
        output.name: _output_table(output)
        for output in outputs
        if isinstance(output, Objective) or not is_order_implied
    }
    is_declared = any(len(table) > 1 for table in tables.values())
    return tables if is_declared else {name: table["goal"] for name, table in tables.items()}


def _output_table(output: Output) -> dict[str, Any]:
    if isinstance(output, Constraint):
        return {"goal": "constraint"}
    return _present(goal=output.goal, low=output.low, high=output.high, log=output.log, unit=output.unit)


def _fidelity_table(fidelity: Fidelity) -> dict[str, Any] | None:
    match fidelity:
        case Continuous(low, high, log, is_target_low, unit=unit):
            target = low if is_target_low else None
            return _present(low=low, high=high, log=True if log else None, target=target, unit=unit)
        case Levels(values, unit=unit, is_ordered=True):
            return _present(levels=list(values), unit=unit)
        case Levels(values):
            return {"sources": list(values)}
        case Knobs(parts):
            each = {name: _present(levels=list(knob.values), unit=knob.unit) for name, knob in parts}
            return {"knobs": each}
        case _ if not fidelity.has_knob:
            return None
    raise ProblemError(
        f"A study file has no words for the fidelity {fidelity!r}.",
        hint="Use Fidelity.continuous(low, high), levels, sources or knobs, or keep the study in memory.",
    )


def _cost_entry(cost: Cost, owner: str) -> Any:
    match cost:
        case ExpressionCost():
            return cost.text
        case LevelCosts():
            return list(cost.values)
        case CallableCost():
            return {"function": writable_reference(cost.function, f"{owner}, cost").path}
        case MeasuredCost():
            return MEASURED if cost.expected is None else {"expected": _cost_entry(cost.expected, owner)}


def _present(**entries: Any) -> dict[str, Any]:
    """The entries that are given: TOML has no word for None."""
    return {key: value for key, value in entries.items() if value is not None}
