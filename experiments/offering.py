"""How surely should a recommended design hold its constraints? ``python experiments/offering.py [name ...]``.

Runs imoca-p on the problems with constraints and recommends, at half of the budget and at its end, the designs that
hold all constraints with a probability of 0.5, 0.7 and so on as the model sees it: what share of the true feasible
hypervolume they lack, and how many of those that are predicted are infeasible at full accuracy. The questions are the
same for all. Results go to experiments/results/offering.json, where those of other problems stay.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

import imoca_lab
from experiments.feasibility import BUDGETS, MOMENTS, stated_and_true
from imoca import Study
from imoca.files import write_whole
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import score

PROBLEMS = ("branin_currin_disc", "c2_dtlz2", "tanaka", "osyczka_kundu")
PROBABILITIES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
WANTED = "imoca.methods.beliefs.LOG_FEASIBLE_TO_OFFER"
RESULTS = Path(__file__).parent / "results" / "offering.json"
Found = list[tuple[float, float, float, float]]  # moment, probability wanted, lacking, share infeasible


def measure(seed: int, name: str, budget: float) -> Found:
    """In a process of its own."""
    logging.disable(logging.WARNING)
    benchmark, found = imoca_lab.get(name), []
    with Study(benchmark.problem, seed=seed) as study:
        for moment in MOMENTS:
            study.optimize(moment * budget, progress=False)
            for wanted in PROBABILITIES:
                with patch(WANTED, float(np.log(wanted))):
                    lacking = score(benchmark, study.table(), seed).hypervolume_difference
                    _, is_feasible = stated_and_true(benchmark, study.snapshot().front)
                infeasible = float(1.0 - is_feasible.mean()) if len(is_feasible) else np.nan
                found.append((moment, wanted, lacking, infeasible))
    return found


def summary(name: str, runs: list[Found]) -> list[dict[str, float]]:
    rows = []
    for moment in MOMENTS:
        for wanted in PROBABILITIES:
            own = np.array([each[2:] for run in runs for each in run if each[:2] == (moment, wanted)])
            lacking, infeasible = np.mean(own[:, 0]), np.nanmean(own[:, 1])
            print(f"{name} at {moment:g} of the budget, {wanted}: lacks {lacking:.1%}, infeasible {infeasible:.0%}")
            row = {"moment": moment, "wanted": wanted, "lacking": lacking, "infeasible": infeasible}
            rows.append({key: round(float(value), 4) for key, value in row.items()})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("problems", nargs="*", metavar="problem", help=f"of {', '.join(PROBLEMS)}; all unless given")
    parser.add_argument("--seeds", type=int, default=5, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    if unknown := set(given.problems) - set(PROBLEMS):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(PROBLEMS)}")
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    for name in given.problems or PROBLEMS:
        with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
            runs = list(pool.map(partial(measure, name=name, budget=BUDGETS[name]), range(given.seeds)))
        command = f"python experiments/offering.py {name} --seeds {given.seeds}"
        record = {"command": command, "versions": dict(versions()), "rows": summary(name, runs)}
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        write_whole(RESULTS, json.dumps(kept | {name: record}, indent=1) + "\n")


if __name__ == "__main__":
    main()
