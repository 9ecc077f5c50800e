"""``imoca add``: results that exist already."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.opening import find_functions_beside, open_to_write
from imoca.cli.output import say
from imoca.cli.text import printable

if TYPE_CHECKING:
    from imoca.cli.old_data import OldResult
    from imoca.problem.accuracy import FidelityValue
    from imoca.problem.problem import Problem
    from imoca.study.study import Study
    from imoca.trials.trial import Trial

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[STUDY] FILE",
        help="Results as .csv or .json, - for CSV on stdin; see imoca export.",
        show_default=False,
    ),
]


def add(words: Words) -> None:
    """Add results that exist already.

    A CSV file has columns named as the parameters and outputs, fidelity.SIMULATOR, cost.SIMULATOR and, for standard
    errors, error.OUTPUT, as imoca export writes them. All rows are checked before the first is stored, and rows that
    are there already are left out.
    """
    if len(words) > 2:
        raise typer.BadParameter(f"Give a study and one file; {printable(words[2])!r} came too.")
    with open_to_write(Path(words[0]) if len(words) == 2 else None) as opened:
        find_functions_beside(opened)
        results = _read(opened.study.problem, words[-1])
        answered = [result for result in results if result.values]
        checked = _check(opened.study.problem, answered)
        known = _by_values(opened.study.trials)
        new = [result for result, trial in zip(answered, checked, strict=True) if not _is_known(result, trial, known)]
        for result in new:
            _add(opened.study, result)
        say(f"{len(new)} of {len(results)} results are added to {opened.database}.")
        if len(new) < len(answered):
            say(f"{len(answered) - len(new)} were there already.")
        if len(answered) < len(results):
            say(f"{len(results) - len(answered)} without values were left out.")


def _read(problem: Problem, name: str) -> list[OldResult]:
    from imoca.cli.old_data import read_csv, read_json

    path = Path(name)
    try:  # line ends as they are: they may stand in a cell
        text = (sys.stdin.buffer.read() if name == "-" else path.read_bytes()).decode("utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{printable(name)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise typer.BadParameter(f"{printable(name)} is not UTF-8 text; save it as UTF-8.") from None
    return read_json(text) if path.suffix.lower() == ".json" else read_csv(problem, text)


def _check(problem: Problem, results: list[OldResult]) -> list[Trial]:
    """Every result is tried out on a study in memory, so that a file is added whole or not at all."""
    from imoca.errors import ImocaError
    from imoca.study.study import Study

    checked = []
    with Study(problem, method="random") as trial_run:
        for result in results:
            try:
                checked.append(_add(trial_run, result))
            except ImocaError as error:
                raise type(error)(f"{result.place.capitalize()}: {error.message}", hint=error.hint) from error
    return checked


def _add(study: Study, result: OldResult) -> Trial:
    return study.add(result.parameters, result.fidelities, result.values, result.costs, result.failures, result.errors)


def _by_values(trials: Sequence[Trial]) -> dict[frozenset[tuple[str, float]], list[Trial]]:
    known: dict[frozenset[tuple[str, float]], list[Trial]] = {}
    for trial in trials:
        known.setdefault(frozenset(trial.values.items()), []).append(trial)
    return known


def _is_known(result: OldResult, trial: Trial, known: dict[frozenset[tuple[str, float]], list[Trial]]) -> bool:
    """The same answer to the same question is there already: adding a file again changes nothing."""
    from imoca.errors import TrialError

    alike = [
        other
        for other in known.get(frozenset(trial.values.items()), [])
        if other.failures.keys() == trial.failures.keys()
    ]
    same = [other for other in alike if other.parameters == trial.parameters and _is_close(other, trial)]
    if same and all(other.errors != trial.errors for other in same):
        raise TrialError(
            f"{result.place.capitalize()}: trial {same[0].number} is the same result with other standard errors.",
            hint="What was told first is kept. Take it out of the file; nothing of the file was added.",
        )
    return bool(same)


def _is_close(one: Trial, other: Trial) -> bool:
    """The same fidelities, but for the last digit, which encoding may change."""
    return one.fidelities.keys() == other.fidelities.keys() and all(
        _is_same_setting(value, other.fidelities[name]) for name, value in one.fidelities.items()
    )


def _is_same_setting(one: FidelityValue, other: FidelityValue) -> bool:
    return one == other or (isinstance(one, float) and isinstance(other, float) and math.isclose(one, other))
