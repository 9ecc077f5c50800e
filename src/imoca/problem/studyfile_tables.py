"""The shape of a study file, and its faults in plain words.

Only shape is checked here: which keys, which types. Whether low is less than high is for the classes to say.
"""

import re
import tomllib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from imoca.errors import StudyFileError
from imoca.problem.names import is_number

SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
HINT = "Correct the study file at the keys named; nothing was run."


class Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _check_scalars(values: object) -> object:
    if not isinstance(values, list) or not all(isinstance(value, str | int | float) for value in values):
        raise ValueError("must be a list of strings, numbers or booleans")
    return values


def _check_timeout(value: object) -> object:
    if is_number(value) or (isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?[smhd]", value.strip())):
        return value
    raise ValueError('must be a number of seconds, or such as "90s", "15m", "2h"')


def _check_cost(value: object) -> object:
    is_list = isinstance(value, list) and all(is_number(entry) for entry in value)
    is_function = isinstance(value, dict) and list(value) == ["function"] and isinstance(value["function"], str)
    if is_list or is_function or is_number(value) or isinstance(value, str):
        return value
    raise ValueError(
        'must be an expression in quotes, "measured", a number, a list of one number per level,'
        ' or { function = "module:name" }'
    )


Scalars = Annotated[list[bool | int | float | str], BeforeValidator(_check_scalars)]


class RealTable(Table):
    type: Literal["real"]
    low: float
    high: float
    log: bool = False


class IntegerTable(Table):
    type: Literal["integer"]
    low: int
    high: int


class ChoiceTable(Table):
    type: Literal["choice"]
    values: Scalars


class CostFunctionTable(Table):
    function: str


CostEntry = Annotated[str | float | list[float] | CostFunctionTable, BeforeValidator(_check_cost)]


class FidelityTable(Table):
    low: float | None = None
    high: float | None = None
    log: bool = False
    target: float | None = None
    levels: Scalars | None = None
    cost: CostEntry | None = None


class SimulatorTable(Table):
    command: list[str] | None = None
    function: str | None = None
    outputs: dict[str, Literal["minimize", "maximize", "constraint"]] = {}
    fidelity: FidelityTable | None = None
    cost: CostEntry | None = None
    full_cost: float = 1.0
    timeout: Annotated[float | str, BeforeValidator(_check_timeout)] | None = None
    retries: int | None = None


class ConstraintTable(Table):
    simulator: str
    lower: float | None = None
    upper: float | None = None


ParameterTable = Annotated[RealTable | IntegerTable | ChoiceTable, Field(discriminator="type")]


class StudyTables(Table):
    """A whole study file."""

    study: dict[str, Any] = {}
    parameters: dict[str, ParameterTable]
    simulators: dict[str, SimulatorTable]
    constraints: dict[str, ConstraintTable] = {}


PARAMETER_TABLES: dict[str, type[Table]] = {
    "real": RealTable,
    "integer": IntegerTable,
    "choice": ChoiceTable,
}


def read_tables(text: str) -> StudyTables:
    """The tables of a study file, or one StudyFileError that names every key at fault."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StudyFileError(f"The study file is not valid TOML: {error}.", hint=HINT) from error
    try:
        return StudyTables.model_validate(content)
    except ValidationError as error:
        faults = [_fault_in_words(fault) for fault in error.errors(include_url=False)]
    raise faults_error(faults)


def faults_error(faults: list[str]) -> StudyFileError:
    listed = "".join(f"\n  {fault}" for fault in dict.fromkeys(faults))
    return StudyFileError(f"The study file has faults:{listed}\n", hint=HINT)


def seconds(timeout: float | str | None) -> float | None:
    """A timeout such as "2h" in seconds."""
    if isinstance(timeout, str):
        return float(timeout.strip()[:-1]) * SECONDS[timeout.strip()[-1]]
    return timeout


def key_of(*parts: str | int) -> str:
    """The dotted key as one would write it in the file."""
    return ".".join(
        str(part) if isinstance(part, int) or re.fullmatch(r"[\w-]+", part) else repr(part) for part in parts
    )


def _fault_in_words(fault: ErrorDetails) -> str:
    location = list(fault["loc"])
    allowed = list(_table_at(location).model_fields)
    if location[0] == "parameters" and len(location) > 2:
        del location[2]  # the kind of parameter, which is not a key
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
            return f"is {fault['input']!r}, but must be {context.get('expected')}."
        case "value_error":
            return f"is {fault['input']!r}, but {context.get('error')}."
        case kind if kind in TYPE_WORDS:
            return f"is {fault['input']!r}, but must be {TYPE_WORDS[kind]}."
        case _:
            return f"is {fault['input']!r}, which cannot be used here."


TYPE_WORDS = {
    "float_type": "a number",
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
        case ["parameters", _, str(kind), _, *_] if kind in PARAMETER_TABLES:
            return PARAMETER_TABLES[kind]
        case ["simulators", _, "fidelity", _]:
            return FidelityTable
        case ["simulators", _, _]:
            return SimulatorTable
        case ["constraints", _, _]:
            return ConstraintTable
        case _:
            return StudyTables
