"""What does a measured front cost, searched for first, then measured? ``python experiments/search_then_verify.py``.

As a user would go about it: imoca-p searches until its front has settled, but no longer than four designs cost at full
accuracy, or for 150 questions, then ``study.verify`` runs as many designs of its front as the rest of the budget pays
for. The first cost from which on the median hypervolume of the designs that were run at full accuracy stays within 3 %
of the best that any method's ends with, beside that of the best method that only knows full accuracy (of
experiments/results/paper, of experiments/results/peers where the paper does not have the problem). The budget is half
of its cost. Studies are kept in experiments/runs/search_then_verify, so that a further call goes on; results go to
experiments/results/search_then_verify.json.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.reaching import median_of, record, steps_of
from experiments.verified import INDICATOR, SAME_AT_FULL_ACCURACY, WITHIN
from imoca import Study
from imoca.files import write_whole
from imoca.snapshot import bill
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.curves import all_series, curve_of
from imoca_lab.harness.results import read_results
from imoca_lab.harness.run_spec import ProblemChoice
from imoca_lab.harness.scoring import score

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "search_then_verify", ROOT / "results" / "search_then_verify.json"
SEARCH = 3.9  # full designs' cost, at the most: from four on imoca-p would begin with full runs by itself
QUESTIONS = 150  # at the most: on the rocket they cost a hundredth of a full run, and its front never settles


@dataclass(frozen=True)
class Case:
    problem: ProblemChoice
    budget: float  # half of what the best method pays that only knows full accuracy


CASES = {
    case.problem.label: case
    for case in (
        Case(ProblemChoice("branin_currin"), 26.0),
        Case(ProblemChoice("trap"), 26.0),
        Case(ProblemChoice("ackley_rosenbrock_sphere"), 52.5),
        Case(ProblemChoice("momf_park"), 13.5),
        Case(ProblemChoice("rocket", setting="per_objective"), 26.0),
        Case(ProblemChoice("circuit", setting="per_objective", backend="pwl"), 400.0),
    )
}


def measure(name: str, seed: int) -> dict[str, Any]:
    """In a process of its own: what designs at full accuracy lack, after the search and after each that was added."""
    kept = RUNS / name / f"seed-{seed}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    benchmark = CASES[name].problem.benchmark()
    with Study(benchmark.problem, seed=seed) as study:
        most = SEARCH * sum(each.full_cost for each in benchmark.problem.simulators)
        study.optimize(most, trials=QUESTIONS, stop="settled", progress=False)
        n_search = len(study.table())
        study.verify(budget=CASES[name].budget, progress=False)
        table = study.table()
    spent, looks = bill(table).by_trial.cumsum(), range(n_search, len(table) + 1)
    lacking = [score(benchmark, table.rows(slice(n)), seed).verified_hypervolume_difference for n in looks]
    track = {"spent": [float(spent[n - 1]) for n in looks], "lacking": lacking}
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(track))
    print(f"{name}, seed {seed}: lacks {lacking[-1]:.4f} at {spent[-1]:.4g}", flush=True)
    return track


def row_of(name: str, tracks: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, Any]:
    there = SAME_AT_FULL_ACCURACY.get(name, name)
    paper, peers = (all_series(read_results([ROOT / "results" / folder])) for folder in ("paper", "peers"))
    series = [each for each in paper if each.problem == there] or [each for each in peers if each.problem == there]
    rivals = [curve_of(each, INDICATOR) for each in series if each.is_single_fidelity]
    median = median_of([steps_of(track) for track in tracks])
    best = 1.0 - min(float(median.values[-1]), *(float(curve.median[-1]) for curve in rivals))
    limit = 1.0 - (1.0 - WITHIN) * best
    costs = {curve.method: curve.as_steps.settled_within(limit) for curve in rivals}
    rival = min(costs, key=lambda method: (costs[method], method))
    ours = median.settled_within(limit)
    return {
        "problem": name,
        "seeds": len(tracks),
        "lacking at most": round(limit, 4),
        "rival": rival,
        "rival cost": round(costs[rival], 3),
        "cost": None if math.isinf(ours) else round(ours, 3),
        "ends at": round(float(median.costs[-1]), 3),
        "lacks there": round(float(median.values[-1]), 4),
    }


def table_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """As docs/results.md shows them."""
    return [
        f"| {row['problem']} | {row['seeds']} | {100.0 * row['lacking at most']:.2g} % | {row['rival']}:"
        f" {row['rival cost']:.3g} | {_ours(row)} | {100.0 * row['lacks there']:.2g} % at {row['ends at']:.3g} |"
        for row in rows
    ]


def _ours(row: Mapping[str, Any]) -> str:
    if row["cost"] is None:
        return f"> {row['ends at']:.3g} | –"
    return f"{row['cost']:.3g} | {100.0 * row['cost'] / row['rival cost']:.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(name, seed) for name in given.problems for seed in range(given.seeds)]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        tracks = dict(zip(work, pool.map(measure, *zip(*work, strict=True)), strict=True))
    rows = [row_of(name, [tracks[name, seed] for seed in range(given.seeds)]) for name in given.problems]
    print("\n".join(table_rows(rows)))
    record(RESULTS, rows, ["problem"])


if __name__ == "__main__":
    main()
