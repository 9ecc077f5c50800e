"""Does a study learn where runs fail? ``python experiments/failing.py [--seeds 10] [--budget 20]``.

Runs imoca-p on the cantilever, a third of whose designs break and whose front lies on the edge, and counts: how much of
the cost went into failed runs after the twentieth failure, how many recommended designs break at full accuracy, how
many of those that were said to run with a probability above 0.95 do, and what the recommended front lacks. Results go
to experiments/results/failing.json.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

import imoca_lab
from imoca import Study
from imoca.errors import SimulatorError
from imoca.files import write_whole
from imoca.snapshot import bill
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import score
from imoca_lab.problems.cantilever import is_whole

RESULTS = Path(__file__).parent / "results" / "failing.json"
N_FAILURES, SURE = 20, 0.95
DIGITS = 4


def measure(seed: int, budget: float) -> dict[str, float]:
    """In a process of its own."""
    logging.disable(logging.WARNING)
    benchmark = imoca_lab.get("cantilever")
    with Study(benchmark.problem, seed=seed) as study:
        with suppress(SimulatorError):  # a simulator that fails in most of its last runs ends the study
            study.optimize(budget, progress=False)
        table, front = study.table(), study.pareto_front()
    has_failed = np.array([bool(trial.failures) for trial in table.trials])
    later = np.cumsum(has_failed) - has_failed >= N_FAILURES
    costs = bill(table).by_trial
    study_cost = float(costs.sum())
    x = np.array([benchmark.problem.space.encode(point.parameters) for point in front])
    breaks = ~is_whole(x)
    is_sure = np.array([point.feasibility > SURE for point in front])
    found = {
        "seed": seed,
        "trials": len(table),
        "spent": study_cost,
        "failed": int(has_failed.sum()),
        "cost share of failures": float(costs[has_failed].sum() / costs.sum()),
        "cost share after 20": float(costs[later & has_failed].sum() / costs[later].sum()) if later.any() else np.nan,
        "recommended": len(front),
        "of them break": float(breaks.mean()),
        "sure to run": int(is_sure.sum()),
        "of these break": float(breaks[is_sure].mean()) if is_sure.any() else np.nan,
        "lacking": score(benchmark, table, seed).hypervolume_difference,
    }
    print(", ".join(f"{name} {value:.{DIGITS}g}" for name, value in found.items()), flush=True)
    return {name: None if np.isnan(value) else round(value, DIGITS) for name, value in found.items()}  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--budget", type=float, default=20.0)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        found = list(pool.map(partial(measure, budget=given.budget), range(given.seeds)))
    record = {"command": "python " + " ".join(sys.argv), "versions": dict(versions()), "runs": found}
    write_whole(RESULTS, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
