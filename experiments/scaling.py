"""How long does a suggestion take as observations or objectives grow? ``python experiments/scaling.py``; imoca[peers].

CPU seconds of one suggestion on one thread, fit of the models included, beside BoTorch's methods on the same data:
Branin-Currin with ever more observations at random designs and fidelities, and DTLZ2 (experiments/growth/family.py)
with 50 observations and ever more objectives, in four parameters more. Methods that only know full accuracy have
answers at full accuracy. A process for each, after a suggestion from 20 observations to warm up, which may take two CPU
minutes and 16 GiB; a method that does not end in one size is not asked for the next. Results go to
experiments/results/scaling.json.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.growth.family import Member
from experiments.suggestion_speed import SHARED, as_trials, at_target, data
from imoca.files import write_whole
from imoca.methods import MethodSettings, get_method
from imoca.problem import Problem
from imoca.trials import Answer, Trial, TrialTable
from imoca_lab.harness.results import versions
from imoca_lab.problems.branin_currin import branin_currin

METHODS = ("imoca-p", "imoca-e", "botorch-momf", "botorch-mesmo", "botorch-hvkg", "botorch-qlognehvi")
SIZES = {"observations": (50, 200, 1000, 3000), "objectives": (2, 3, 5, 7, 9, 13)}
N_OBSERVATIONS = 50  # of every number of objectives
N_WARM = 20
MORE_PARAMETERS = 4  # than objectives
MOST_SECONDS = 120
MOST_BYTES = 16 * 2**30
RESULTS = Path(__file__).parent / "results" / "scaling.json"


def knows_fidelities(method: str) -> bool:
    return method.startswith("imoca") or method in SHARED


def settings_of(method: str) -> MethodSettings:
    """Ours ask by information, the dearer kind of question; BoTorch's begin with our start instead of their own."""
    if method.startswith("imoca"):
        return MethodSettings(verify=0.0)
    return MethodSettings(initial_design="cheap" if method in SHARED else None)


def observed(way: str, size: int, method: str) -> tuple[Problem, list[Trial]]:
    if way == "observations":
        x, z, values = data(size)
        if not knows_fidelities(method):
            z, values = np.ones(size), at_target(x)
        return branin_currin().problem, as_trials(x, z, values)
    member = Member(n_parameters=size + MORE_PARAMETERS, n_objectives=size)
    problem, rng = member.benchmark().problem, np.random.default_rng(0)
    x, z = rng.random((N_OBSERVATIONS, member.n_parameters)), rng.random(N_OBSERVATIONS)
    if not knows_fidelities(method):
        z = np.ones(N_OBSERVATIONS)
    names = [simulator.name for simulator in problem.simulators]
    return problem, [
        Trial(
            number=i,
            parameters=problem.space.decode(x[i]),
            fidelities=dict.fromkeys(names, float(z[i])),
            answer=Answer(dict(zip(names, member.values(x[i : i + 1], z[i])[0].tolist(), strict=True))),
        )
        for i in range(N_OBSERVATIONS)
    ]


def suggestion_seconds(way: str, size: int, name: str) -> float:
    """SIGXCPU or MemoryError where it takes too much."""
    method = get_method(name, settings_of(name))
    method.suggest(TrialTable.encode(*observed("observations", N_WARM, name)), 0)
    problem, trials = observed(way, size, name)
    before = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(before) + MOST_SECONDS, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    method.suggest(TrialTable.encode(problem, trials), 1)
    return time.process_time() - before


def outcome(way: str, size: int, method: str) -> float | str:
    child = subprocess.run(
        [sys.executable, __file__, way, str(size), method],
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode == -signal.SIGXCPU:
        return f"> {MOST_SECONDS}"
    if child.returncode:
        return child.stderr.strip().splitlines()[-1]
    return round(float(child.stdout), 3)


def measured(way: str) -> list[dict[str, Any]]:
    rows, is_over = [], dict.fromkeys(METHODS, False)
    for size in SIZES[way]:
        seconds: dict[str, float | str | None] = {}
        for method in METHODS:
            seconds[method] = None if is_over[method] else outcome(way, size, method)
            is_over[method] |= not isinstance(seconds[method], float)
            print(way, size, method, seconds[method], flush=True)
        rows.append({"way": way, "size": size, "seconds": seconds})
    return rows


def table_rows(rows: Sequence[Mapping[str, Any]], way: str) -> list[str]:
    """As docs/results.md shows them."""
    return [
        f"| {row['size']} | {' | '.join(_words(row['seconds'][method]) for method in METHODS)} |"
        for row in rows
        if row["way"] == way
    ]


def _words(seconds: float | str | None) -> str:
    match seconds:
        case None:
            return "–"
        case float():
            return f"{seconds:.0f}" if seconds >= 100.0 else f"{seconds:.2g}"
        case _:
            return seconds


def main() -> None:
    rows = [row for way in SIZES for row in measured(way)]
    content = {"command": "python experiments/scaling.py", "versions": dict(versions()), "rows": rows}
    write_whole(RESULTS, json.dumps(content, indent=1) + "\n")
    for way in SIZES:
        print("\n".join(table_rows(rows, way)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(suggestion_seconds(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
    else:
        main()
