"""The journal as one storage reads it little by little, while others write."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from imoca.storage.definition import Definition
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.testing.storage import PROBLEM
from imoca.trials.trial import Answer, Candidate, Run


def test_a_reader_that_stays_sees_what_one_that_comes_new_sees(tmp_path: Path, rng: np.random.Generator) -> None:
    writer, reader = SQLiteStorage(tmp_path / "a.db"), SQLiteStorage(tmp_path / "a.db")
    writer.define(Definition(PROBLEM, "random", 0, {}))
    simulator = PROBLEM.simulators[0]
    for number in range(4):
        writer.append(number, Candidate({}, {simulator.name: simulator.fidelity.target}), is_launched=True)
    known: list[Run] = []
    for step in range(60):
        if known and rng.random() < 0.6:  # one of them ends, the newest most often
            at = len(known) - 1 if rng.random() < 0.5 else int(rng.integers(len(known)))
            known[at] = dataclasses.replace(
                known[at], ended=1000.0 + step, answer=Answer(failures={simulator.name: "x"})
            )
            writer.record(known[at])
        else:
            attempt = 1 + len(known)
            known.append(Run(int(rng.integers(4)), simulator.name, attempt, float(rng.integers(50)), f"run{attempt}"))
            writer.record(known[-1])
        if rng.random() < 0.5:
            with_all = SQLiteStorage(tmp_path / "a.db")
            assert sorted(reader.runs(), key=lambda run: run.attempt) == known
            assert reader.runs() == with_all.runs()
            with_all.close()
    assert [run.started for run in reader.runs()] == sorted(run.started for run in known)
    writer.close()
    reader.close()
