"""The file that describes a comparison: groups of problems, methods and seeds, expanded into runs."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from imoca.errors import ImocaError, MethodError, StudyFileError
from imoca.studyfile import TYPE_WORDS, Duration, MethodSettingsTable, Table, key_of, known_keys, seconds
from imoca_lab.harness.drive import open_study
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec

N_CHECKPOINTS = 40
HINT = "Correct the file at the keys named; nothing was run."


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _listed_seeds(value: object) -> object:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return list(range(value)) if is_count else value  # type: ignore[call-overload]


class ProblemTable(Table):
    """A problem by name, with options."""

    name: str
    setting: str | None = None
    cost: str | None = None
    variant: str | None = None
    backend: str | None = None

    def choice(self) -> ProblemChoice:
        return ProblemChoice(**self.model_dump())


class MethodTable(MethodSettingsTable):
    """A method by name, with settings."""

    name: str

    def choice(self) -> MethodChoice:
        return MethodChoice(self.name, self.method_settings())


class GroupTable(Table):
    """Every method on every problem with every seed, up to one budget."""

    problems: Annotated[list[Annotated[ProblemTable, BeforeValidator(_named)]], Field(min_length=1)]
    methods: Annotated[list[Annotated[MethodTable, BeforeValidator(_named)]], Field(min_length=1)]
    seeds: Annotated[list[Annotated[int, Field(ge=0)]], BeforeValidator(_listed_seeds), Field(min_length=1)]
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    time: Duration | None = None
    trials: Annotated[int, Field(ge=1)] | None = None
    checkpoints: Annotated[int, Field(ge=2)] | None = None  # else those of the file


class ComparisonTables(Table):
    """A whole file."""

    checkpoints: Annotated[int, Field(ge=2)] = N_CHECKPOINTS
    groups: Annotated[list[GroupTable], Field(min_length=1)]


def read_runs(path: Path) -> list[RunSpec]:
    """All runs of a file in its order, or one StudyFileError that names everything at fault."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyFileError(f"{path} cannot be read: {error.strerror}.", hint="Check the path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyFileError(f"{path} is not valid TOML: {error}.", hint=HINT) from error
    try:
        tables = ComparisonTables.model_validate(content)
    except ValidationError as error:
        raise _faults_error(path, [_in_words(fault) for fault in error.errors(include_url=False)]) from None
    try:
        runs = expand(tables)
    except MethodError as error:
        raise _faults_error(path, [f"{error.message} {error.hint}"]) from None
    if faults := [*_repeated(runs), *_impossible(runs)]:
        raise _faults_error(path, faults)
    return runs


def expand(tables: ComparisonTables) -> list[RunSpec]:
    """Problem by problem, then seed by seed, so that every method has its first seeds early."""
    return [
        RunSpec(
            problem=problem.choice(),
            method=method.choice(),
            seed=seed,
            budget=group.budget,
            time=seconds(group.time),
            trials=group.trials,
            checkpoints=group.checkpoints or tables.checkpoints,
        )
        for group in tables.groups
        for problem in group.problems
        for seed in group.seeds
        for method in group.methods
    ]


def _repeated(runs: list[RunSpec]) -> list[str]:
    counts = Counter(run.id for run in runs)
    return [f"The run {id} is asked for {n} times; leave it in one group." for id, n in counts.items() if n > 1]


def _impossible(runs: list[RunSpec]) -> list[str]:
    """Unknown problems, methods, options and settings: what a study of them would refuse."""
    faults = []
    for problem in dict.fromkeys(run.problem for run in runs):
        try:
            described = problem.benchmark().problem
        except ImocaError as error:
            faults.append(f"{error.message} {error.hint}")
            continue
        for spec in {run.method: run for run in runs if run.problem == problem}.values():
            try:
                open_study(spec, described, None).close()
            except ImocaError as error:
                faults.append(f"{error.message} {error.hint}")
    return faults


def _faults_error(path: Path, faults: list[str]) -> StudyFileError:
    listed = "".join(f"\n  {fault}" for fault in dict.fromkeys(faults))
    return StudyFileError(f"{path} has faults:{listed}\n", hint=HINT)


TABLES: dict[str, type[Table]] = {"problems": ProblemTable, "methods": MethodTable}


def _in_words(fault: ErrorDetails) -> str:
    key, given, context = key_of(*fault["loc"]), repr(fault["input"]), fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return f"{key} is missing; add it."
        case "extra_forbidden":
            return f"{key} is not a known key; the known ones here are {', '.join(_known_keys(fault['loc']))}."
        case "too_short":
            return f"{key} is empty; name at least one."
        case "greater_than":
            return f"{key} is {given}, but must be greater than {context.get('gt')}."
        case "greater_than_equal":
            return f"{key} is {given}, but must be at least {context.get('ge')}."
        case "value_error":
            return f"{key} is {given}, but {context.get('error')}."
        case kind if kind in TYPE_WORDS:
            return f"{key} is {given}, but must be {TYPE_WORDS[kind]}."
        case _:
            return f"{key} is {given}, which cannot be used here."


def _known_keys(location: tuple[str | int, ...]) -> list[str]:
    """Of the table in which the last key of a location stands."""
    match location:
        case ("groups", _, str(what), _, _) if what in TABLES:
            return known_keys(TABLES[what])
        case ("groups", _, _):
            return known_keys(GroupTable)
        case _:
            return known_keys(ComparisonTables)
