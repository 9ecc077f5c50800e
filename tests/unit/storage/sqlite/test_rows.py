"""Rows whose sums fit, but that are not ours: refused with what is wrong."""

import json
import sqlite3
from typing import Any

import pytest

from imoca.storage.sqlite.rows import answer_text, question_text, read_answer, read_definition, read_trial
from imoca.trials import Answer, Candidate, Trial

TRIAL = Trial.asked(3, Candidate({"a": 0.1, "c": "x"}, {"s": None}, {"f": (0.5, -1.0)}, {"s": (0.5, 2.0)}), None, True)
ANSWER = Answer({"f": 1.0}, {"s": 2.0}, {"t": "exploded"}, {"s": 0.5}, ("u",))


def test_what_was_written_is_read() -> None:
    assert read_trial(3, question_text(TRIAL), None) == TRIAL
    assert read_answer(answer_text(ANSWER)) == ANSWER


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("parameters", None),
        ("parameters", [1.0]),
        ("parameters", {"a": [1.0]}),
        ("parameters", {"a": float("nan")}),
        ("fidelities", "s"),
        ("fitted", {"f": ["x"]}),
        ("fitted", {"f": [float("inf")]}),
        ("launched", 1),
        ("declared", {"s": [1.0]}),
        ("declared", {"s": [1.0, "2.0"]}),
    ],
)
def test_a_question_that_is_none_is_refused(key: str, value: Any) -> None:
    text = json.dumps(json.loads(question_text(TRIAL)) | {key: value})
    with pytest.raises(sqlite3.DatabaseError, match="a question cannot be read"):
        read_trial(3, text, None)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("values", None),
        ("values", {"f": "1.0"}),
        ("values", {"f": float("nan")}),
        ("costs", {"s": float("inf")}),
        ("failures", {"t": 1}),
        ("failures", ["t"]),
        ("pending", "u"),
        ("further", {}),
    ],
)
def test_an_answer_that_is_none_is_refused(key: str, value: Any) -> None:
    text = json.dumps(json.loads(answer_text(ANSWER) or "") | {key: value})
    with pytest.raises(sqlite3.DatabaseError, match="an answer cannot be read"):
        read_answer(text)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "[" * 100_000, '{"problem": 1, "method": 1}'], ids=lambda t: t[:9]
)
def test_a_definition_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(sqlite3.DatabaseError, match="the definition of the study cannot be read"):
        read_definition(text)
