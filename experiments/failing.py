"""Does a study learn where runs fail? ``python experiments/failing.py [name ...] [--seeds 10] [--budget 20]``.

Runs imoca-p on the cantilever and the reactor, of which a third and two fifths of the designs fail and whose fronts lie
on the edge, and counts: how much of the cost went into failed runs after the twentieth failure, how many recommended
designs fail at full accuracy, how many of those that were said to run with a probability above 0.95 do, and what the
recommended front lacks. Results go to experiments/results/failing.json, where those of other problems stay.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

import imoca_lab
from imoca import Study
from imoca.arrays import BoolArray
from imoca.errors import SimulatorError
from imoca.files import write_whole
from imoca.snapshot import bill
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import score

PROBLEMS = ("cantilever", "reactor")
RESULTS = Path(__file__).parent / "results" / "failing.json"
N_FAILURES, SURE = 20, 0.95
DIGITS = 4


def measure(seed: int, name: str, budget: float) -> dict[str, float]:
    """In a process of its own."""
    logging.disable(logging.WARNING)
    benchmark, started = imoca_lab.get(name), time.process_time()
    with Study(benchmark.problem, seed=seed) as study:
        with suppress(SimulatorError):  # a simulator that fails in most of its last runs ends the study
            study.optimize(budget, progress=False)
        table, front = study.table(), study.pareto_front()
    has_failed = np.array([bool(trial.failures) for trial in table.trials])
    later = np.cumsum(has_failed) - has_failed >= N_FAILURES
    costs = bill(table).by_trial
    study_cost = float(costs.sum())
    x = np.array([benchmark.problem.space.encode(point.parameters) for point in front])
    fails = ~benchmark.is_feasible(x) if len(x) and benchmark.is_feasible else np.empty(0, dtype=np.bool_)
    is_sure = np.array([point.feasibility > SURE for point in front], dtype=np.bool_)
    found = {
        "seed": seed,
        "trials": len(table),
        "spent": study_cost,
        "failed": int(has_failed.sum()),
        "cost share of failures": float(costs[has_failed].sum() / costs.sum()),
        "cost share after 20": float(costs[later & has_failed].sum() / costs[later].sum()) if later.any() else np.nan,
        "recommended": len(front),
        "of them fail": share(fails),
        "sure to run": int(is_sure.sum()),
        "of these fail": share(fails[is_sure]),
        "lacking": score(benchmark, table, seed).hypervolume_difference,
        "CPU seconds": time.process_time() - started,
    }
    print(f"{name}: " + ", ".join(f"{name} {value:.{DIGITS}g}" for name, value in found.items()), flush=True)
    return {name: None if np.isnan(value) else round(value, DIGITS) for name, value in found.items()}  # type: ignore[misc]


def share(is_so: BoolArray) -> float:
    return float(is_so.mean()) if len(is_so) else np.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("problems", nargs="*", metavar="problem", help=f"of {', '.join(PROBLEMS)}; all unless given")
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--budget", type=float, default=20.0)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    if unknown := set(given.problems) - set(PROBLEMS):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(PROBLEMS)}")
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    for name in given.problems or PROBLEMS:
        with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
            found = list(pool.map(partial(measure, name=name, budget=given.budget), range(given.seeds)))
        command = f"python experiments/failing.py {name} --seeds {given.seeds} --budget {given.budget:g}"
        record = {"command": command, "versions": dict(versions()), "runs": found}
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        write_whole(RESULTS, json.dumps(kept | {name: record}, indent=1) + "\n")


if __name__ == "__main__":
    main()
