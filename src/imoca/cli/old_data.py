"""Results that exist already, from CSV or JSON as ``imoca export`` writes them or as a user types them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from imoca.cli.text import from_spreadsheet_cell
from imoca.errors import TrialError
from imoca.json_text import read_json as parsed_json
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Fidelity, Levels
from imoca.problem.parameters import Choice, Parameter, Value
from imoca.problem.problem import Problem
from imoca.trials.columns import trial_columns
from imoca.wording import shown

TABLES = ("parameters", "fidelities", "values", "costs", "failures", "errors")
IGNORED_TABLES = ("number", "state", "not_run", "pending", "promised", "runs", "units")


@dataclass(frozen=True)
class OldResult:
    """One result, and where it stood; its content is for the study to check."""

    place: str  # such as "row 3"
    parameters: Mapping[str, Value]
    fidelities: Mapping[str, FidelityValue]
    values: Mapping[str, float]
    costs: Mapping[str, float]
    failures: Mapping[str, str]
    errors: Mapping[str, float]


def read_csv(problem: Problem, text: str) -> list[OldResult]:
    """One row per result; columns by the names of parameters and outputs, ``fidelity.NAME``, ``cost.NAME``, ..."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    try:
        lines = [[from_spreadsheet_cell(cell) for cell in line] for line in reader]
    except csv.Error as error:
        raise TrialError(
            f"Line {reader.line_num} of the file is no CSV: {error}.",
            hint="A quote that is not closed is often the reason. Give one row per result, cells between commas.",
        ) from None
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines:
        return []
    places = _places(problem)
    known = {column.title for column in trial_columns(problem)}
    titles = [title if title in known else title.strip() for title in lines[0]]
    _check_titles(titles, places, known)
    results = []
    for i, line in enumerate(lines[1:], start=1):
        if len(line) != len(titles):
            raise TrialError(
                f"Row {i} has {len(line)} cells, but the first line names {len(titles)} columns.",
                hint="Give every row one cell per column, empty where there is nothing.",
            )
        results.append(_result(f"row {i}", places, dict(zip(titles, line, strict=True))))
    return results


def read_json(text: str) -> list[OldResult]:
    """A list of objects with parameters, fidelities, values and costs."""
    try:
        content = parsed_json(text)
    except ValueError as error:
        raise TrialError(f"The file is not JSON that can be used: {error}.", hint=JSON_HINT) from None
    if not isinstance(content, list):
        raise TrialError("The JSON is not a list.", hint=JSON_HINT)
    return [_entry(f"entry {i}", entry) for i, entry in enumerate(content, start=1)]


JSON_HINT = 'Write a list such as [{"parameters": {"x": 1.5}, "fidelities": {"cfd": 0.1}, "values": {"drag": 0.02}}].'

Read = Callable[[str], Any]  # what a cell says; None if it says nothing


@dataclass(frozen=True)
class Place:
    """Where the cells of a column belong, and how they are read."""

    table: str
    name: str
    read: Read
    knob: str | None = None  # of several, whose settings together are one entry of the table


def _places(problem: Problem) -> dict[str, Place]:
    """Per column title."""
    places: dict[str, Place] = {}
    for column in trial_columns(problem):
        match column.kind:
            case "parameter":
                parameter = next(each for each in problem.parameters if each.name == column.name)
                places[column.title] = Place("parameters", column.name, _parameter_reader(parameter))
            case "value":
                places[column.title] = Place("values", column.name, _number)
            case "error":
                places[column.title] = Place("errors", column.name, _number)
            case "fidelity":
                read = _fidelity_reader(problem.simulator(column.name).fidelity, column.knob)
                places[column.title] = Place("fidelities", column.name, read, column.knob)
            case "cost":
                places[column.title] = Place("costs", column.name, _number)
            case "failure":
                places[column.title] = Place("failures", column.name, lambda cell: cell if cell.strip() else None)
    return places


def _check_titles(titles: Sequence[str], places: Mapping[str, object], ignored: Container[str]) -> None:
    unknown = [title for title in titles if title not in places and title not in ignored]
    repeated = sorted({title for title in titles if titles.count(title) > 1})
    if unknown or repeated:
        raise TrialError(
            f"The first line names {'unknown' if unknown else 'repeated'} columns {unknown or repeated}.",
            hint=f"The columns are {list(places)}.",
        )


def _result(place: str, places: Mapping[str, Place], cells: Mapping[str, str]) -> OldResult:
    tables: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
    for title, cell in cells.items():
        if title not in places:
            continue
        at = places[title]
        try:
            content = at.read(cell)
        except ValueError:
            raise TrialError(
                f"{place.capitalize()}: column {title!r} holds {shown(cell)}.", hint="A number is needed there."
            ) from None
        if content is not None and at.knob is not None:
            tables[at.table].setdefault(at.name, {})[at.knob] = content
        elif content is not None:
            tables[at.table][at.name] = content
    return OldResult(place, *(tables[table] for table in TABLES))


def _entry(place: str, entry: object) -> OldResult:
    if not isinstance(entry, dict):
        raise TrialError(f"{place.capitalize()} is not a table.", hint=JSON_HINT)
    known = (*TABLES, *IGNORED_TABLES)
    if unknown := [key for key in entry if key not in known]:
        raise TrialError(f"{place.capitalize()} holds unknown keys {unknown}.", hint=f"The keys are {list(TABLES)}.")
    tables = [entry.get(table, {}) for table in TABLES]
    if not all(isinstance(table, dict) for table in tables):
        raise TrialError(f"{place.capitalize()}: {', '.join(TABLES)} must be tables.", hint=JSON_HINT)
    return OldResult(place, *tables)


def _parameter_reader(parameter: Parameter) -> Read:
    return _one_of(parameter.values) if isinstance(parameter, Choice) else _number


def _fidelity_reader(fidelity: Fidelity, knob: str | None) -> Read:
    own = dict(fidelity.knobs_apart)[knob]
    return _one_of(own.values) if isinstance(own, Levels) else _number


def _number(cell: str) -> float | None:
    return float(cell) if cell.strip() else None


def _one_of(values: Sequence[Value]) -> Read:
    """The value that is written so, perhaps with blanks around it; anything else is text for the study to refuse."""
    written = {str(value): value for value in values}

    def read(cell: str) -> Value | None:
        word = cell if cell in written else cell.strip()
        return written.get(word, word) if word or word in written else None

    return read
