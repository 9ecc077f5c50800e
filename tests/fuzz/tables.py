"""Files for `imoca add`: added whole and as they are, or refused in words and nothing added."""

from __future__ import annotations

import json
import random
from pathlib import Path

from fuzz.case import expect, make_database, run_imoca, toy_problem
from fuzz.mutate import NASTY, mutated_content, mutated_text
from imoca import Choice, Objective, Problem, Real, Simulator, Study
from imoca.errors import ImocaError

REFUSED = 2


def run(rng: random.Random, folder: Path) -> None:
    if rng.random() < 0.3:
        _there_and_back(rng, folder)
    else:
        _spoil(rng, folder)


def _spoil(rng: random.Random, folder: Path) -> None:
    path = make_database(folder)
    suffix = rng.choice(["csv", "json"])
    _, exported = run_imoca("export", str(path), f"--{suffix}")
    content = mutated_text(rng, exported)
    if suffix == "json" and rng.random() < 0.6:
        content = json.dumps(mutated_content(rng, json.loads(exported))).encode()
    (folder / f"old.{suffix}").write_bytes(content)
    with Study(toy_problem(), method="random", storage=folder / "other.db"):
        pass
    code, _ = run_imoca("add", str(folder / "other.db"), str(folder / f"old.{suffix}"))
    expect(code in (0, REFUSED), f"imoca add ended with {code}")
    with Study.load(folder / "other.db", read_only=True) as study:
        expect(not (code and study.trials), f"{len(study.trials)} results were added of a file that was refused")
        json.dumps([dict(trial.values) for trial in study.trials], allow_nan=False)


def _there_and_back(rng: random.Random, folder: Path) -> None:
    """Whatever names and choices are: what is exported and added is the same, or refused."""
    words = [*NASTY, "number", "state", "cost.s", "trial.number", "x", "fidelity.s", "f", "value.f"]
    names = [word for word in rng.sample(words, 4) if len(word) < 50]
    values = [word for word in rng.sample(words, 5) if len(word) < 50]
    try:
        parameters = [Real(name, -1.0, 1.0) for name in names[:-1]]
        output = rng.choice(["f", *names])
        simulator = Simulator("s", [Objective(output, "minimize")])
        problem = Problem([*parameters, Choice(names[-1], values)], [simulator])
    except (ImocaError, IndexError):
        return
    for name in ("one.db", "other.db"):
        with Study(problem, method="random", seed=rng.randrange(99), storage=folder / name) as study:
            for i in range(0 if name == "other.db" else 5):
                study.tell(study.ask(), {output: rng.choice([0.1 * i, 1e150, -5e-324])}, {"s": 1.0 + i})
    suffix = rng.choice(["csv", "json"])
    code, _ = run_imoca("export", str(folder / "one.db"), "-o", str(folder / f"trials.{suffix}"))
    expect(code == 0, f"imoca export ended with {code}")
    code, _ = run_imoca("add", str(folder / "other.db"), str(folder / f"trials.{suffix}"))
    expect(code == 0 or (code == REFUSED and suffix == "csv"), f"imoca add ended with {code}")
    if code == 0:
        with Study.load(folder / "one.db") as one, Study.load(folder / "other.db") as other:
            before = [(trial.parameters, trial.values, trial.costs) for trial in one.trials]
            after = [(trial.parameters, trial.values, trial.costs) for trial in other.trials]
            expect(before == after, "what was added is not what was exported")
