"""Can the simulators be run? Asked before anything is, so that a slip of the pen does not cost a run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from shutil import which
from typing import Any

from imoca.errors import ProblemError
from imoca.problem.accuracy import FIDELITY_NAME
from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Command, Simulator
from imoca.runners.program import CORES, FIDELITY, PLACEHOLDERS, found_program

PLACEHOLDER = re.compile(r"(?<!\$)\{([^\W\d][\w.-]*)\}")  # neither ${HOME} nor a{3}
BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
NAMES_OF_FIDELITIES = ("z", "level", "levels", "fidelities")  # what others call {fidelity}


def check_runnable(problem: Problem, study_folder: Path, *, is_here: bool = True) -> None:
    """An error if some simulator cannot be run: on this machine, or as far as can be told from here."""
    for simulator in problem.simulators:
        if simulator.run is None:
            raise ProblemError(
                f"Simulator {simulator.name!r} has nothing to run.",
                hint="Give Simulator(..., run=function) or a command, or use ask and tell and run it yourself.",
            )
    check_simulators(problem, study_folder, is_here=is_here)


def check_simulators(problem: Problem, study_folder: Path, *, is_here: bool = True) -> None:
    """The same, but a simulator may have nothing to run: then its answers are told."""
    for simulator in problem.simulators:
        run = simulator.run
        if isinstance(run, Command):
            _check_placeholders(simulator, run, problem.space.names)
            if is_here:
                _check_program(simulator, run.arguments[0], study_folder)
        elif isinstance(run, FunctionReference):
            if is_here:
                _check_signature(simulator, run.resolve(), problem.space.names)
        elif run is not None:
            _check_signature(simulator, run, problem.space.names)


def _check_program(simulator: Simulator, program: str, study_folder: Path) -> None:
    found = found_program(program, study_folder)
    if which(found) is not None or ("{" in program and found == program):  # one that is filled in is found later
        return
    if Path(found).is_file():
        raise ProblemError(
            f"Simulator {simulator.name!r}: the program {found!r} may not be executed.",
            hint=f"Make it executable with chmod +x {found}, or name what runs it: "
            '["python", "solver.py"], ["sh", "solver.sh"].',
        )
    raise ProblemError(
        f"Simulator {simulator.name!r}: the program {program!r} is not there.",
        hint=f"Give a program on the PATH, or a path from {study_folder}.",
    )


def _check_placeholders(simulator: Simulator, command: Command, parameters: Sequence[str]) -> None:
    knobs = simulator.fidelity.names
    fidelity = knobs if len(knobs) > 1 else (FIDELITY,)
    known = [*parameters, *PLACEHOLDERS, *fidelity, *([CORES] if CORES in simulator.resources.declared else [])]
    for argument in command.arguments:
        if any(character.isspace() for character in argument):
            continue  # a script in an argument, where braces may mean anything
        for name in PLACEHOLDER.findall(argument):
            if name not in known:
                is_fidelity = FIDELITY in known and name in NAMES_OF_FIDELITIES
                near = [FIDELITY] if is_fidelity else get_close_matches(name, known, n=1)
                guess = f"Did you mean {{{near[0]}}}? " if near else ""
                raise ProblemError(
                    f"Simulator {simulator.name!r}: its command has {{{name}}}, which nothing fills in.",
                    hint=f"{guess}There are {', '.join(f'{{{each}}}' for each in known)};"
                    f" written with spaces, {{ {name} }}, braces stay as they are.",
                )


def _check_signature(simulator: Simulator, function: Callable[..., Any], parameters: Sequence[str]) -> None:
    """Against the names that the function is called with; one without a signature, such as a built-in, passes."""
    try:
        signature = inspect.signature(function, follow_wrapped=False)  # a wrapper takes what it takes
    except (TypeError, ValueError):
        return
    given = [*parameters, *simulator.fidelity.names]
    try:
        signature.bind(**dict.fromkeys(given))
    except TypeError:
        called = getattr(function, "__name__", type(function).__name__)
        faults, remedies = _misfits(signature, given)
        raise ProblemError(
            f"Simulator {simulator.name!r}: its function {called}({', '.join(signature.parameters)}) {faults}.",
            hint=" ".join([f"It is called as {called}({', '.join(f'{name}=...' for name in given)}).", *remedies]),
        ) from None


def _misfits(signature: inspect.Signature, given: Sequence[str]) -> tuple[str, list[str]]:
    """What is wrong with a signature, in words that follow the function's name, and what to do."""
    needed = [name for name, each in signature.parameters.items() if each.default is each.empty]
    kinds = {name: each.kind for name, each in signature.parameters.items()}
    is_open = inspect.Parameter.VAR_KEYWORD in kinds.values()
    refused = [name for name in given if name not in kinds and not is_open]
    wanted = [name for name in needed if kinds[name] in BY_NAME and name not in given]
    placed = [name for name in needed if kinds[name] is inspect.Parameter.POSITIONAL_ONLY]
    faults = [
        *([f"takes no {_quoted(refused)}"] if refused else []),
        *([f"needs {_quoted(wanted)}, which nothing gives it"] if wanted else []),
        *([f"takes {_quoted(placed)} by position only"] if placed else []),
    ]
    return " and ".join(faults), _remedies(refused, wanted)


def _remedies(refused: Sequence[str], wanted: Sequence[str]) -> list[str]:
    if FIDELITY_NAME in wanted:
        return ["z is the fidelity: declare one, such as Fidelity.continuous(), or give z a default."]
    only = list(wanted) if len(refused) == len(wanted) == 1 else []
    meant = {name: get_close_matches(name, wanted, n=1) or only for name in refused}
    renamed = [f"Rename {near[0]!r} to {name!r}." for name, near in meant.items() if near]
    about_fidelity = ["z is the fidelity: take it, or declare none."] if FIDELITY_NAME in refused else []
    return [*renamed, *about_fidelity] or ["Name its parameters so, or take them all with **design."]


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)
