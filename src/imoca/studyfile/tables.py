"""The shape of a study file, and its faults in plain words.

Only shape is checked here: which keys, which types. Whether low is less than high is for the classes to say.
"""

import re
import tomllib
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationError
from pydantic_core import ErrorDetails

from imoca.errors import StudyFileError
from imoca.methods.settings import MOST_FRONTS, MethodSettings
from imoca.problem.names import MOST_WORKERS
from imoca.problem.parameters import CHOICE_HAS_NO_UNIT
from imoca.studyfile.entries import (
    Budget,
    Duration,
    ResourceEntry,
    Scalars,
    Unit,
    check_cost,
    check_file_name,
    knob_of_list,
)
from imoca.wording import shown

HINT = "Correct the study file at the keys named; nothing was run."


class Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def known_keys(table: type[Table]) -> list[str]:
    """The keys that a table may have, its own before those it shares with others."""
    own = [name for name in table.model_fields if name in table.__annotations__]
    return [*own, *(name for name in table.model_fields if name not in own)]


class MethodSettingsTable(Table):
    """The settings of a method, wherever a file may give them."""

    n_fronts: Annotated[
        Annotated[int, Field(ge=1, le=MOST_FRONTS)] | None, Field(description="Sampled Pareto fronts per question.")
    ] = None
    initial_design: Annotated[str | None, Field(description="How the first questions are chosen.")] = None
    fidelity_reduction: Annotated[
        bool | None, Field(description="Leave out fidelities that cannot be worth their cost.")
    ] = None
    model: Annotated[str | None, Field(description="What is believed of the simulators.")] = None
    verify: Annotated[
        Annotated[float, Field(ge=0, le=1)] | None,
        Field(description="Share of the cost for full runs where they improve the predicted front."),
    ] = None
    evaluate: Annotated[
        str | None, Field(description="Run the simulators that are worth their price at a design, or all of them.")
    ] = None

    def method_settings(self) -> MethodSettings:
        given = {name: getattr(self, name) for name in MethodSettingsTable.model_fields}
        return MethodSettings(**given)


class SettingsTable(MethodSettingsTable):
    """[study]: how the study is run."""

    name: Annotated[
        Annotated[str, BeforeValidator(check_file_name)] | None,
        Field(description="Results are kept in <name>.db beside this file; the file's own name unless given."),
    ] = None
    method: Annotated[str, Field(description="Which method asks the questions.")] = "imoca-p"
    seed: Annotated[int, Field(ge=0, description="The same seed and answers give the same questions.")] = 0
    budget: Annotated[
        Budget | None,
        Field(description='What may be spent in all: full-fidelity runs, or simulator time such as "40h".'),
    ] = None
    time: Annotated[
        Duration | None, Field(description='How long a run may take, in seconds or such as "90s", "15m", "48h".')
    ] = None
    stop: Annotated[
        Literal["settled"] | None,
        Field(description='"settled" ends a run when the front moves no more and something of it was verified.'),
    ] = None
    workers: Annotated[
        Annotated[int, Field(ge=1, le=MOST_WORKERS)] | None,
        Field(description="Simulators that run at the same time."),
    ] = None
    constraints: Annotated[
        list[str],
        Field(description='What every design must hold, in numeric parameters: ["x1 + x2 <= 1"]. It costs nothing.'),
    ] = []
    setup_cost: Annotated[
        float,
        Field(ge=0, allow_inf_nan=False, description="Of a question, in full runs, whichever simulators it runs."),
    ] = 0.0
    cost_relative_to: Annotated[
        Literal["mean", "design"], Field(description="What counts 1: a full run of a mean design, or of the very one.")
    ] = "mean"


class RealTable(Table):
    """A real number between two bounds."""

    type: Literal["real"]
    low: float
    high: float
    log: Annotated[bool, Field(description="Spread designs evenly over orders of magnitude; bounds > 0.")] = False
    unit: Unit = None


class IntegerTable(Table):
    """A whole number between two bounds, both included."""

    type: Literal["integer"]
    low: int
    high: int
    unit: Unit = None


class ChoiceTable(Table):
    """One of several values."""

    type: Literal["choice"]
    values: Annotated[Scalars, Field(description="Two or more different strings, numbers or booleans.")]


class CostFunctionTable(Table):
    """A cost computed by a Python function of z and of numeric parameters."""

    function: Annotated[str, Field(description='Such as "package.module:function".')]


class ExpectedCostTable(Table):
    """A measured cost of which something is known beforehand."""

    expected: Annotated[
        str | float | list[float],
        Field(description="What is expected until runs tell otherwise: an expression, or one number per level."),
    ]


CostEntry = Annotated[str | float | list[float] | CostFunctionTable | ExpectedCostTable, BeforeValidator(check_cost)]


class KnobTable(Table):
    """One of several knobs of a simulator."""

    levels: Annotated[Scalars, Field(description="Settings from the cheapest to the most accurate.")]
    unit: Unit = None


class FidelityTable(Table):
    """What sets the accuracy, in its own units: a range (low, high), levels, sources or several knobs."""

    low: float | None = None
    high: float | None = None
    log: Annotated[bool, Field(description="Spread fidelities evenly over orders of magnitude; bounds > 0.")] = False
    target: Annotated[
        float | None, Field(description="The accurate end of the range, low or high; high unless given.")
    ] = None
    levels: Annotated[Scalars | None, Field(description="Settings from the cheapest to the most accurate.")] = None
    sources: Annotated[
        Scalars | None, Field(description="Models without an order of accuracy; full accuracy is the last.")
    ] = None
    knobs: Annotated[
        dict[str, Annotated[KnobTable, BeforeValidator(knob_of_list)]] | None,
        Field(description="Several knobs by name, each with its levels; a run is told each by its name."),
    ] = None
    cost: Annotated[CostEntry | None, Field(description="As the simulator's cost; one of the two places.")] = None
    unit: Unit = None


OutputGoal = Literal["minimize", "maximize", "constraint"]


class OutputTable(Table):
    """An output and what its values are like."""

    goal: Annotated[OutputGoal, Field(description="What is wanted of it.")]
    low: Annotated[float | None, Field(description="The smallest value that is physically possible.")] = None
    high: Annotated[float | None, Field(description="The largest value that is physically possible.")] = None
    log: Annotated[
        bool | None,
        Field(description="Whether its logarithm is modelled; whichever the answers prefer unless given."),
    ] = None
    unit: Unit = None


def _kind_of_output(entry: object) -> str:
    return "table" if isinstance(entry, dict | OutputTable) else "goal"


OutputEntry = Annotated[
    Annotated[OutputGoal, Tag("goal")] | Annotated[OutputTable, Tag("table")], Discriminator(_kind_of_output)
]


class ResourcesTable(Table):
    """What a run takes of a cluster: expressions in z and in parameters, with units; or one entry per level."""

    cores: Annotated[ResourceEntry | None, Field(description='Processor cores, such as 4 or "1 + 7*z".')] = None
    memory: Annotated[ResourceEntry | None, Field(description='Such as "2GB" or "500MB + 4GB*z".')] = None
    walltime: Annotated[ResourceEntry | None, Field(description='Such as "2h" or "10m + 2h*z".')] = None


class SimulatorTable(Table):
    """One simulator: a program, a Python function, or neither if its answers are told by hand."""

    command: Annotated[
        list[str] | None,
        Field(
            description="The program and its arguments, one string each, never a shell line. Placeholders: {params} the"
            " file with the parameters, {workdir}, {fidelity}, {python}, {name} of a parameter."
        ),
    ] = None
    function: Annotated[
        str | None, Field(description='A Python function beside this file or installed: "module:function".')
    ] = None
    outputs: Annotated[
        dict[str, OutputEntry],
        Field(
            description="The numbers it answers with, and what is wanted of each; a table also says what its values are"
            ' like: { goal = "maximize", low = 0, high = 1, unit = "kg" }.'
        ),
    ] = {}
    fidelity: Annotated[FidelityTable | None, Field(description="Its accuracy knob; none unless given.")] = None
    cost: Annotated[
        CostEntry | None,
        Field(
            description="What a run costs: an expression in z, the fidelity in its own units, and in parameters;"
            ' "measured" for its wall time or the cost it reports, { expected = "..." } if it is known about;'
            " one number per level; or a function."
        ),
    ] = None
    full_cost: Annotated[float, Field(description="What one run at full fidelity counts in the budget.")] = 1.0
    timeout: Annotated[
        Duration | None,
        Field(description='A run that takes longer is ended: seconds, or such as "90s", "15m", "2h".'),
    ] = None
    retries: Annotated[int, Field(ge=0, description="How often a failed run is tried again.")] = 0
    resources: Annotated[ResourcesTable | None, Field(description="What a run takes of a cluster.")] = None


class ConstraintTable(Table):
    """An output that must stay within bounds; at least one is given."""

    simulator: Annotated[str, Field(description="Which simulator answers with it.")]
    lower: float | None = None
    upper: float | None = None
    unit: Unit = None


ParameterTable = Annotated[RealTable | IntegerTable | ChoiceTable, Field(discriminator="type")]


class StudyTables(Table):
    """A whole study file."""

    study: Annotated[SettingsTable, Field(description="How the study is run.")] = SettingsTable()
    parameters: Annotated[dict[str, ParameterTable], Field(description="What may be varied, by name.")]
    simulators: Annotated[dict[str, SimulatorTable], Field(description="What is run, by name.")]
    constraints: Annotated[
        dict[str, ConstraintTable], Field(description="Outputs that must stay within bounds, by name.")
    ] = {}


PARAMETER_TABLES: dict[str, type[Table]] = {
    "real": RealTable,
    "integer": IntegerTable,
    "choice": ChoiceTable,
}


def read_tables(text: str) -> StudyTables:
    """The tables of a study file, or one StudyFileError that names every key at fault."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise StudyFileError("The study file is not valid TOML: it is nested too deeply.", hint=HINT) from None
    except ValueError as error:  # also a number of more digits than Python reads
        raise StudyFileError(f"The study file is not valid TOML: {error}.", hint=HINT) from error
    try:
        return StudyTables.model_validate(content)
    except ValidationError as error:
        faults = [_fault_in_words(fault) for fault in error.errors(include_url=False)]
    raise faults_error(faults)


def faults_error(faults: list[str]) -> StudyFileError:
    listed = "".join(f"\n  {fault}" for fault in dict.fromkeys(faults))
    return StudyFileError(f"The study file has faults:{listed}\n", hint=HINT)


def key_of(*parts: str | int) -> str:
    """The dotted key as one would write it in the file."""
    return ".".join(
        str(part) if isinstance(part, int) or re.fullmatch(r"[\w-]+", part) else repr(part) for part in parts
    )


def _fault_in_words(fault: ErrorDetails) -> str:
    location = list(fault["loc"])
    table = _table_at(location)
    if table is ChoiceTable and location[-1] == "unit":
        return f"{key_of('parameters', location[1], 'unit')} is not possible. {CHOICE_HAS_NO_UNIT}"
    allowed = known_keys(table)
    if location[0] == "parameters" and len(location) > 2:
        del location[2]  # the kind of parameter, which is not a key
    if location[0] == "simulators" and location[2:3] == ["outputs"]:
        del location[4:5]  # the kind of entry, likewise
    return f"{key_of(*location)} {_words(fault, allowed)}"


def _words(fault: ErrorDetails, allowed: list[str]) -> str:
    kinds = "type = 'real', 'integer' or 'choice'"
    context = fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return "is missing; add it."
        case "extra_forbidden":
            return f"is not a known key; the known ones here are {', '.join(allowed)}."
        case "union_tag_not_found" | "union_tag_invalid":
            return f"must say {kinds}."
        case "literal_error":
            return f"is {shown(fault['input'])}, but must be {context.get('expected')}."
        case "value_error":
            return f"is {shown(fault['input'])}, but {context.get('error')}."
        case "greater_than":
            return f"is {shown(fault['input'])}, but must be greater than {context.get('gt')}."
        case "less_than_equal":
            return f"is {shown(fault['input'])}, but must be at most {context.get('le')}."
        case "greater_than_equal":
            return f"is {shown(fault['input'])}, but must be at least {context.get('ge')}."
        case kind if kind in TYPE_WORDS:
            return f"is {shown(fault['input'])}, but must be {TYPE_WORDS[kind]}."
        case _:
            return f"is {shown(fault['input'])}, which cannot be used here."


TYPE_WORDS = {
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


def _table_at(location: list[str | int]) -> type[Table]:
    """The table in which the last key of a location stands."""
    match location:
        case ["study", _, *_]:
            return SettingsTable
        case ["parameters", _, str(kind), _, *_] if kind in PARAMETER_TABLES:
            return PARAMETER_TABLES[kind]
        case ["simulators", _, "fidelity", _]:
            return FidelityTable
        case ["simulators", _, "fidelity", "knobs", _, _]:
            return KnobTable
        case ["simulators", _, "outputs", _, "table", _]:
            return OutputTable
        case ["simulators", _, _]:
            return SimulatorTable
        case ["constraints", _, _]:
            return ConstraintTable
        case _:
            return StudyTables
