"""Is the stated probability of feasibility true? ``python experiments/feasibility.py [name ...] [--seeds 10]``.

Runs imoca-p on the problems with constraints and on those whose runs fail, and compares, at half of the budget and at
its end, how likely each recommended design was said to be feasible with whether it truly is at full accuracy. Designs
that were verified are left out: those are known. A table of bins per problem; of those above 0.95 at most 5 % should be
infeasible. Results go to experiments/results/feasibility.json, where those of other problems stay.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

import imoca_lab
from imoca import Study
from imoca.arrays import Array, BoolArray
from imoca.errors import SimulatorError
from imoca.files import write_whole
from imoca.snapshot import ParetoPoint
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions

BUDGETS = {
    "branin_currin_disc": 12.0,
    "c2_dtlz2": 12.0,
    "tanaka": 12.0,
    "osyczka_kundu": 20.0,
    "cantilever": 20.0,
    "reactor": 20.0,
}
MOMENTS = (0.5, 1.0)  # shares of the budget at which the front is judged
SURE, MOST_INFEASIBLE = 0.95, 0.05
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)  # of the bins, each with its upper end
RESULTS = Path(__file__).parent / "results" / "feasibility.json"
DIGITS = 4


@dataclass(frozen=True)
class Bin:
    """Designs of which much the same was said."""

    above: float
    up_to: float
    designs: int
    stated: float  # the mean of what was said
    feasible: float  # the share that truly is


def stated_and_true(benchmark: Benchmark, front: Sequence[ParetoPoint]) -> tuple[Array, BoolArray]:  # (n,), (n,)
    """Of the designs that were not verified."""
    predicted = [point for point in front if not point.verified]
    if not predicted or benchmark.is_feasible is None:
        return np.empty(0), np.empty(0, dtype=np.bool_)
    x = np.array([benchmark.problem.space.encode(point.parameters) for point in predicted])
    return np.array([point.feasibility for point in predicted]), benchmark.is_feasible(x)


def reliability(stated: Array, is_feasible: BoolArray) -> list[Bin]:
    """Empty bins are left out."""
    places = np.digitize(stated, EDGES[1:-1], right=True)
    bins = []
    for i, (above, up_to) in enumerate(pairwise(EDGES)):
        rows = places == i
        if rows.any():
            means = (round(float(each[rows].mean()), DIGITS) for each in (stated, is_feasible))
            bins.append(Bin(above, up_to, int(rows.sum()), *means))
    return bins


def measure(seed: int, name: str, budget: float) -> list[tuple[Array, BoolArray]]:
    """What was stated and what is true at each moment; in a process of its own."""
    logging.disable(logging.WARNING)
    benchmark, started = imoca_lab.get(name), time.process_time()
    found = []
    with Study(benchmark.problem, seed=seed) as study:
        for share in MOMENTS:
            with suppress(SimulatorError):  # a simulator that fails in most of its last runs ends the study
                study.optimize(share * budget, progress=False)
            found.append(stated_and_true(benchmark, study.pareto_front()))
            stated, is_feasible = found[-1]
            sure = stated > SURE
            print(
                f"{name} seed {seed} at {study.cost_spent:.3g}: {len(stated)} designs, {sure.sum()} sure,"
                f" {(~is_feasible[sure]).sum()} of them infeasible; {time.process_time() - started:.0f} CPU s",
                flush=True,
            )
    return found


def summary(name: str, found: Sequence[Sequence[tuple[Array, BoolArray]]]) -> dict[str, object]:
    """Over all seeds and moments, and of the sure ones also per seed: designs of one study err together."""
    stated = np.concatenate([pair[0] for study in found for pair in study])
    is_feasible = np.concatenate([pair[1] for study in found for pair in study])
    sure = stated > SURE
    per_seed = [np.concatenate([pair[1][pair[0] > SURE] for pair in study]) for study in found]
    infeasible = float((~is_feasible[sure]).mean()) if sure.any() else None
    print(f"\n{name}: {len(stated)} designs, of {sure.sum()} stated above {SURE} infeasible: {infeasible}")
    bins = reliability(stated, is_feasible)
    for each in bins:
        print(
            f"  {each.above:4} - {each.up_to:4}: {each.designs:5} designs, stated {each.stated}, true {each.feasible}"
        )
    return {
        "designs": len(stated),
        f"above {SURE}": int(sure.sum()),
        "infeasible of these": None if infeasible is None else round(infeasible, DIGITS),
        "target": MOST_INFEASIBLE,
        "by seed": [None if not len(each) else round(float((~each).mean()), DIGITS) for each in per_seed],
        "bins": [asdict(each) for each in bins],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("problems", nargs="*", metavar="problem", help=f"of {', '.join(BUDGETS)}; all unless given")
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--budget", type=float, help="for all problems; unless given 12 or 20")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    if unknown := set(given.problems) - set(BUDGETS):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(BUDGETS)}")
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    for name in given.problems or BUDGETS:
        budget = given.budget or BUDGETS[name]
        with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
            found = list(pool.map(partial(measure, name=name, budget=budget), range(given.seeds)))
        command = f"python experiments/feasibility.py {name} --seeds {given.seeds} --budget {budget:g}"
        record = {"command": command, "versions": dict(versions()), **summary(name, found)}
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        write_whole(RESULTS, json.dumps(kept | {name: record}, indent=1) + "\n")


if __name__ == "__main__":
    main()
