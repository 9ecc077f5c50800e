"""What the rows of an older database become. A conversion that was ever released is never edited."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid

from imoca.storage.sqlite.rows import checksum, to_json

NOT_RUN = "not run"  # up to version 2 the failure of a simulator that an added result did not cover
MOVED = (  # where functions that a stored problem may name are found since version 3
    (
        re.compile(r"\bimoca\.benchmarks\.problems\.(circuit|network_on_chip|panel|rocket):"),
        r"imoca_lab.problems.\1.problem:",
    ),
    (re.compile(r"\bimoca\.benchmarks\.problems\."), "imoca_lab.problems."),
)


def convert_to_version_3(connection: sqlite3.Connection) -> None:
    """A simulator that was not run is listed as such and no longer failed; benchmarks have moved."""
    for number, question, answer in connection.execute("SELECT number, question, answer FROM trials").fetchall():
        if answer is not None:
            text = _with_not_run(answer)
            connection.execute(
                "UPDATE trials SET answer = ?, checksum = ? WHERE number = ?",
                (text, checksum(number, question, text), number),
            )
    for *cells, answer in connection.execute(
        "SELECT trial, simulator, attempt, started, folder, ended, answer FROM runs"
    ).fetchall():
        if answer is not None:
            text = _with_not_run(answer)
            connection.execute(
                "UPDATE runs SET answer = ?, checksum = ? WHERE trial = ? AND simulator = ? AND attempt = ?",
                (text, checksum(*cells, text), *cells[:3]),
            )
    for (definition,) in connection.execute("SELECT definition FROM study").fetchall():
        for old, new in MOVED:
            definition = old.sub(new, definition)
        connection.execute("UPDATE study SET definition = ?, checksum = ?", (definition, checksum(definition)))


def convert_to_version_4(connection: sqlite3.Connection) -> None:
    """Only the simulators that were asked have a fidelity, and an answer says which of them are still to come."""
    for number, question, answer in connection.execute("SELECT number, question, answer FROM trials").fetchall():
        if answer is None:
            continue
        content, asked = json.loads(answer), json.loads(question)
        not_run = content.pop("not_run")
        asked["fidelities"] = {name: value for name, value in asked["fidelities"].items() if name not in not_run}
        texts = to_json(asked), to_json(content | {"pending": []})
        connection.execute(
            "UPDATE trials SET question = ?, answer = ?, checksum = ? WHERE number = ?",
            (*texts, checksum(number, *texts), number),
        )
    for *cells, answer in connection.execute(
        "SELECT trial, simulator, attempt, started, folder, ended, answer FROM runs"
    ).fetchall():
        if answer is not None:
            content = json.loads(answer)
            del content["not_run"]
            text = to_json(content | {"pending": []})
            connection.execute(
                "UPDATE runs SET answer = ?, checksum = ? WHERE trial = ? AND simulator = ? AND attempt = ?",
                (text, checksum(*cells, text), *cells[:3]),
            )


def convert_to_version_5(connection: sqlite3.Connection) -> None:
    """Answers are counted from now on, and a driver tells how long it has lasted."""
    (n_answers,) = connection.execute("SELECT COUNT(answer) FROM trials").fetchone()
    cells = (uuid.uuid4().hex, 0, n_answers)
    connection.execute("INSERT INTO keeping VALUES (1, ?, ?, ?, ?)", (*cells, checksum(*cells)))
    for owner in connection.execute("SELECT pid, host, born, since, seen, token, lasted FROM owner").fetchall():
        connection.execute("UPDATE owner SET checksum = ?", (checksum(*owner),))


def _with_not_run(answer: str) -> str:
    content = json.loads(answer)
    failures = content["failures"]
    content["not_run"] = [name for name, reason in failures.items() if reason == NOT_RUN]
    content["failures"] = {name: reason for name, reason in failures.items() if reason != NOT_RUN}
    return to_json(content)
