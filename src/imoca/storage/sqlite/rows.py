"""Trials, runs and definitions as rows of text; exact, for floats are written with all their digits."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any

from imoca.storage.definition import Definition
from imoca.studyfile.problem import problem_from_toml, storable_problem
from imoca.trials.trial import Answer, Candidate, Run, Trial


def checksum(*cells: object) -> int:
    """Of everything in a row that may not change unseen: SQLite checks its pages' structure, not their content."""
    return zlib.crc32(repr(cells).encode("utf-8", errors="backslashreplace"))


def to_json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def definition_text(definition: Definition) -> str:
    content = {entry.name: getattr(definition, entry.name) for entry in fields(definition)}
    return to_json(content | {"problem": storable_problem(definition.problem), "settings": dict(definition.settings)})


def read_definition(text: str) -> Definition:
    content = json.loads(text)
    return Definition(**content | {"problem": problem_from_toml(content["problem"])})


def question_text(trial: Trial) -> str:
    return to_json(
        {
            "parameters": dict(trial.parameters),
            "fidelities": dict(trial.fidelities),
            "fitted": {name: list(logs) for name, logs in trial.fitted.items()},
            "launched": trial.is_launched,
            "declared": {name: list(costs) for name, costs in trial.declared.items()},
        }
    )


def answer_text(answer: Answer | None) -> str | None:
    return None if answer is None else answer_json(answer)


def answer_json(answer: Answer) -> str:
    return to_json(
        {
            "values": dict(answer.values),
            "costs": dict(answer.costs),
            "failures": dict(answer.failures),
            "wasted": dict(answer.wasted),
            "pending": list(answer.pending),
        }
    )


def read_answer(text: str | None) -> Answer | None:
    if text is None:
        return None
    content = json.loads(text)
    return Answer(**content | {"pending": tuple(content["pending"])})


def read_trial(number: int, question: str, answer: str | None) -> Trial:
    content = json.loads(question)
    fitted = {name: tuple(logs) for name, logs in content["fitted"].items()}
    declared = {name: (run, full) for name, (run, full) in content.get("declared", {}).items()}  # older rows have none
    candidate = Candidate(content["parameters"], content["fidelities"], fitted, declared)
    return Trial.asked(number, candidate, read_answer(answer), content["launched"])


def read_run(row: tuple[Any, ...]) -> Run:
    trial, simulator, attempt, started, folder, ended, answer = row
    return Run(trial, simulator, attempt, started, folder, ended, read_answer(answer))
