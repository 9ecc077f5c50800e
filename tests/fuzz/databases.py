"""Databases and their write-ahead logs: refused in words, or read as they were."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from fuzz.case import expect, fill, make_database, run_imoca, toy_problem
from fuzz.mutate import mutated_bytes, mutated_content, mutated_text
from imoca import Study
from imoca.errors import ImocaError
from imoca.storage.sqlite.rows import checksum
from imoca.trials import Trial

ALLOWED = (0, 2, 3, 5)
SUMMED = {"study": ("definition",), "trials": ("number", "question", "answer")}


def run(rng: random.Random, folder: Path) -> None:
    match rng.randrange(3):
        case 0:
            _spoil_bytes(rng, folder)
        case 1:
            _spoil_log(rng, folder)
        case 2:
            _spoil_rows(rng, folder)
    for words in (("status", "--json"), ("export",), ("show", "1"), ("check",), ("doctor", "--json")):
        verb, *options = words
        numbers = [word for word in options if word.isdecimal()]
        others = [word for word in options if word not in numbers]
        code, _ = run_imoca(verb, str(folder / "toy.db"), *numbers, *others)
        expect(code in ALLOWED, f"imoca {verb} ended with {code}")
    code, _ = run_imoca("doctor", str(folder / "toy.db"), "-o", str(folder / "saved.db"))
    expect(code in ALLOWED, f"imoca doctor -o ended with {code}")


def _spoil_bytes(rng: random.Random, folder: Path) -> None:
    path = make_database(folder)
    whole = _trials(path)
    path.write_bytes(mutated_bytes(rng, path.read_bytes()))
    _compare(path, whole)


def _spoil_log(rng: random.Random, folder: Path) -> None:
    """SQLite itself cuts a log off where it is damaged, and says nothing: no answer that was acknowledged may go so."""
    source = folder / "source"
    source.mkdir()
    with Study(toy_problem(), method="random", storage=source / "toy.db") as study:
        fill(study, 4)
        with closing(sqlite3.connect(f"file:{source / 'toy.db'}?mode=ro", uri=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM trials").fetchall()  # while it reads on, nothing leaves the log
            fill(study, 4)
            for name in ("toy.db", "toy.db-wal", "toy.db-told"):
                shutil.copy(source / name, folder / name)
            whole = study.trials
    log = folder / "toy.db-wal"
    log.write_bytes(mutated_bytes(rng, log.read_bytes()))
    _compare(folder / "toy.db", whole)


def _spoil_rows(rng: random.Random, folder: Path) -> None:
    """With sums that fit, as somebody makes who means harm."""
    path = make_database(folder)
    table = rng.choice(list(SUMMED))
    columns = SUMMED[table]
    with closing(sqlite3.connect(path)) as connection, connection:
        row, *cells = rng.choice(connection.execute(f"SELECT rowid, {', '.join(columns)} FROM {table}").fetchall())  # noqa: S608
        i = rng.choice([k for k, cell in enumerate(cells) if isinstance(cell, str)])
        text = cells[i]
        if table == "study" and rng.random() < 0.5:
            content = json.loads(text)
            content["problem"] = _text(rng, content["problem"])
            text = json.dumps(content)
        elif rng.random() < 0.6:
            text = json.dumps(mutated_content(rng, json.loads(text)))
        else:
            text = _text(rng, text)
        cells[i] = text
        connection.execute(
            f"UPDATE {table} SET {columns[i]} = ?, checksum = ? WHERE rowid = ?",  # noqa: S608
            (text, checksum(*cells), row),
        )


def _text(rng: random.Random, text: str) -> str:
    return mutated_text(rng, text).decode("utf-8", "replace")


def _trials(path: Path) -> tuple[Trial, ...]:
    with Study.load(path, read_only=True) as study:
        return study.trials


def _compare(path: Path, whole: tuple[Trial, ...]) -> None:
    try:
        found = _trials(path)
    except ImocaError:
        return
    expect(found == whole, f"{len(found)} trials were read that are not the {len(whole)} that were stored")
