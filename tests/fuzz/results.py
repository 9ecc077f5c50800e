"""result.json of a program: an answer of finite numbers, exactly those that were written, or a failure."""

from __future__ import annotations

import contextlib
import json
import math
import random
from pathlib import Path
from typing import Any

from fuzz.case import expect
from fuzz.mutate import mutated_content, mutated_text
from imoca import Objective, Simulator
from imoca.problem.simulator import Command
from imoca.runners import Job, run_job
from imoca.wording import LONGEST_REASON

RESULT = '{"drag": 0.021, "lift": -1.5e-3, "cost": 310}'


def run(rng: random.Random, folder: Path) -> None:
    content = mutated_text(rng, RESULT)
    if rng.random() < 0.4:
        with contextlib.suppress(ValueError):  # numbers of too many digits
            content = json.dumps(mutated_content(rng, json.loads(RESULT))).encode()
    (folder / "prepared").write_bytes(content)
    outputs = [Objective("drag", "minimize"), Objective("lift", "maximize")]
    simulator = Simulator("s", outputs, Command(["cp", "prepared", "result.json"]))
    answer = run_job(Job(0, simulator, {"x": 1.0}, None, 1, folder, folder / "run"))
    for reason in answer.failures.values():
        expect(len(reason) <= LONGEST_REASON, f"a reason of {len(reason)} characters")
    expect(bool(answer.values) is not bool(answer.failures), "neither an answer nor a failure, or both")
    if not answer.values:
        return
    pairs: list[tuple[str, Any]] = json.loads(content, object_pairs_hook=list)
    expect(len(dict(pairs)) == len(pairs), "of a key that stands twice one was taken")
    written = dict(pairs)
    for name, value in {**answer.values, **({"cost": answer.costs["s"]} if answer.costs else {})}.items():
        expect(math.isfinite(value), f"{name} is {value}")
        told = written[name] if isinstance(written[name], list) else [written[name]]  # a pair: with its standard error
        believed = [value, answer.errors.get(name, 0.0)][: len(told)]
        expect(believed == [float(each) for each in told], f"{name} is {believed}, but {written[name]!r} was written")
