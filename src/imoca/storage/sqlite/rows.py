"""Trials, runs and definitions as rows of text; exact, for floats are written with all their digits."""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from types import UnionType
from typing import Any

from imoca.storage.definition import Definition
from imoca.studyfile.problem import problem_from_toml, storable_problem
from imoca.trials.trial import Answer, Candidate, Promise, Run, Trial
from imoca.wording import shown


def checksum(*cells: object) -> int:
    """Of everything in a row that may not change unseen: SQLite checks its pages' structure, not their content."""
    return zlib.crc32(repr(cells).encode("utf-8", errors="backslashreplace"))


def to_json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def definition_text(definition: Definition) -> str:
    content = {entry.name: getattr(definition, entry.name) for entry in fields(definition)}
    return to_json(content | {"problem": storable_problem(definition.problem), "settings": dict(definition.settings)})


@contextmanager
def _unreadable_in_words(what: str) -> Iterator[None]:
    """Rows whose checksums fit were written by somebody, but perhaps not by us."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise sqlite3.DatabaseError(f"{what} cannot be read ({type(error).__name__}: {error})") from error


@_unreadable_in_words("the definition of the study")
def read_definition(text: str) -> Definition:
    content = json.loads(text)
    _check(content, {"method": str, "seed": int, "settings": dict, "version": str})
    return Definition(**content | {"problem": problem_from_toml(content["problem"])})


def question_text(trial: Trial) -> str:
    return to_json(
        {
            "parameters": dict(trial.parameters),
            "fidelities": dict(trial.fidelities),
            "fitted": {name: list(logs) for name, logs in trial.fitted.items()},
            "launched": trial.is_launched,
            "declared": {name: list(costs) for name, costs in trial.declared.items()},
            "promised": {name: list(promise) for name, promise in trial.promised.items()},
            "worker": trial.worker,
            "thinking": trial.thinking,
        }
    )


def answer_text(answer: Answer | None) -> str | None:
    if answer is None:
        return None
    return to_json(
        {
            "values": dict(answer.values),
            "costs": dict(answer.costs),
            "failures": dict(answer.failures),
            "wasted": dict(answer.wasted),
            "pending": list(answer.pending),
            "errors": dict(answer.errors),
        }
    )


@_unreadable_in_words("an answer")
def read_answer(text: str | None) -> Answer | None:
    if text is None:
        return None
    content = json.loads(text)
    _check(content, dict.fromkeys(("values", "costs", "failures", "wasted"), dict) | {"pending": list})
    content = {"errors": {}} | content  # older rows have none, nor what was noted of them in the second place
    _check(content, {"errors": dict})
    for name in ("values", "costs", "wasted", "errors"):
        _check_all(content[name].values(), float | int)
    _check_all([*content["failures"].values(), *content["pending"]], str)
    return Answer(**content | {"pending": tuple(content["pending"])})


@_unreadable_in_words("a question")
def read_trial(number: int, question: str, answer: str | None) -> Trial:
    content = json.loads(question)
    _check(content, {"parameters": dict, "fidelities": dict, "fitted": dict, "launched": bool})
    settings = [
        level
        for setting in content["fidelities"].values()
        for level in (setting.values() if isinstance(setting, dict) else (setting,))  # of several knobs
    ]
    _check_all([*content["parameters"].values(), *settings], str | bool | int | float | None)
    _check_all([each for logs in content["fitted"].values() for each in logs], float | int)
    fitted = {name: tuple(logs) for name, logs in content["fitted"].items()}
    declared = {name: (run, full) for name, (run, full) in content.get("declared", {}).items()}  # older rows have none
    promised = {name: Promise(*ends) for name, ends in content.get("promised", {}).items()}  # likewise
    _check_all([each for costs in (*declared.values(), *promised.values()) for each in costs], float | int)
    worker, thinking = content.get("worker", ""), content.get("thinking", 0.0)  # likewise
    _check_all([worker], str)
    _check_all([thinking], float | int)
    candidate = Candidate(content["parameters"], content["fidelities"], fitted, declared, promised, worker, thinking)
    return Trial.asked(number, candidate, read_answer(answer), content["launched"])


def read_run(row: tuple[Any, ...]) -> Run:
    trial, simulator, attempt, started, folder, ended, answer = row
    return Run(trial, simulator, attempt, started, folder, ended, read_answer(answer))


def _check(content: Any, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        if not isinstance(content[name], kind):
            raise TypeError(f"{name} is {shown(content[name])}")


def _check_all(values: Iterable[object], kind: type | UnionType) -> None:
    """Numbers are finite: JSON as Python reads it knows others."""
    for value in values:
        if not isinstance(value, kind) or (isinstance(value, float) and not math.isfinite(value)):
            raise TypeError(f"{shown(value)} stands there")
