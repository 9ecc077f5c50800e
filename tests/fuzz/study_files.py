"""Study files: refused in words, or read, checked and written again without a change."""

from __future__ import annotations

import contextlib
import math
import random
import tomllib
from pathlib import Path

import tomli_w

from fuzz.case import STUDY, expect, run_imoca
from fuzz.mutate import mutated_content, mutated_text
from imoca import Problem, Study
from imoca.errors import CostError, ImocaError, ProblemError, TrialError
from imoca.studyfile import problem_from_toml, problem_to_toml

REFUSED = 3


def run(rng: random.Random, folder: Path) -> None:
    path = folder / "study.toml"
    path.write_bytes(_mutated(rng))
    code, _ = run_imoca("check", str(path), "--json", "--elsewhere")
    expect(code in (0, REFUSED), f"imoca check ended with {code}")
    if code:
        return
    problem = problem_from_toml(path.read_text(encoding="utf-8"))
    expect(problem_from_toml(problem_to_toml(problem)) == problem, "a problem is not what was written of it")
    try:
        _use(rng, problem, folder / "toy.db")
    except ImocaError as error:
        expect(
            isinstance(error, CostError | ProblemError), f"a file in order cannot be used: {error}"
        )  # when evaluated
        return
    code, _ = run_imoca("status", str(folder / "toy.db"), "--json")
    expect(code == 0, f"imoca status ended with {code}")


def _use(rng: random.Random, problem: Problem, database: Path) -> None:
    with Study(problem, method="random", storage=database) as study:
        study.ask(2)
        expect(study.cost_spent == 0.0, "something was spent before anything was answered")
        values = {output.name: rng.uniform(0.1, 0.9) for output in problem.outputs}
        with contextlib.suppress(TrialError):  # such values may be declared impossible
            study.tell(0, values, {simulator.name: rng.choice([1.0, 1e300]) for simulator in problem.simulators})
        expect(math.isfinite(study.cost_spent), f"{study.cost_spent} was spent")
        repr(study)
    with Study.load(database, read_only=True) as again:
        expect(again.problem == problem, "a stored problem is not what it was")
        expect(again.trials[1].answer is None, "a trial was answered by nobody")


def _mutated(rng: random.Random) -> bytes:
    if rng.random() < 0.3:
        return mutated_text(rng, STUDY)
    with contextlib.suppress(Exception):  # what TOML cannot say
        return tomli_w.dumps(mutated_content(rng, tomllib.loads(STUDY))).encode("utf-8", "replace")
    return mutated_text(rng, STUDY)
