"""When does ``stop = "settled"`` stop? ``python experiments/settled.py [--problems momf_park] [--seeds 2]``.

Runs imoca-p until the front has settled, or to one and a half times the last cost of the calibration or its number of
trials, and says what it spent, on the search and on verification, and what the hypervolume of the recommended designs
truly lacks then. Beside it stands the cost at which the front first came within 1 % of what 200 designs can reach; a
study that stopped before goes on, without the rule, until then or to its limits. The front is looked at after every
question, or evenly over the cost where questions are many. Studies are kept in experiments/runs/settled, so that a
further call goes on; results go to experiments/results/settled.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.calibration.problems import CASES, find_case
from experiments.reaching import record
from imoca import Study
from imoca.files import write_whole
from imoca.snapshot import bill
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.scoring import SMALLEST_START, attainable_difference, checkpoint_sizes, score

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "settled", ROOT / "results" / "settled.json"
CHOSEN_BY = ("branin_currin", "momf_park", "ackley_rosenbrock_sphere")  # problems by which the limits were chosen
PROBLEMS = (*CHOSEN_BY, *(case.problem.name for case in CASES if case.problem.name not in CHOSEN_BY))
WITHIN = 0.01  # share of the true hypervolume
LATEST = 1.5  # times the last cost of the calibration, for the search
MOST_TRIALS = 150  # where the calibration has no limit of its own
N_LOOKS = 40  # at the front of a study
MOST_TIMES, MOST_LACKING = 1.5, 0.03  # what a rule to stop may spend, of the cost at which it might, and give away


def measure(name: str, seed: int) -> dict[str, Any]:
    """In a process of its own."""
    kept = RUNS / name / f"seed-{seed}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    case = find_case(name)
    benchmark, most_trials = case.problem.benchmark(), case.trials or MOST_TRIALS
    latest = LATEST * case.costs[-1] + sum(simulator.full_cost for simulator in benchmark.problem.simulators)
    with Study(benchmark.problem, seed=seed) as study:
        study.optimize(latest, trials=most_trials, stop="settled", progress=False)
        snapshot = study.snapshot()
        n_trials = len(snapshot.trials)
        within = _first_within(benchmark, study, seed, 0)
        if within is None and snapshot.movement.is_settled:
            study.optimize(latest, trials=most_trials, progress=False)
            within = _first_within(benchmark, study, seed, n_trials)
        lacking = _lacking(benchmark, study, n_trials, seed)
    search = snapshot.bill.total - snapshot.bill.verification
    row = {
        "problem": name,
        "seed": seed,
        "settled": snapshot.movement.is_settled,
        "within 1 % at": within,
        "search ended at": search,
        "times as much": None if within is None else search / within,
        "verification": snapshot.bill.verification,
        "lacks then": lacking,
        "trials": n_trials,
        "promises kept": f"{snapshot.verification.n_kept} of {snapshot.verification.n_measured}",
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(row))
    print(row, flush=True)
    return row


def _lacking(benchmark: Benchmark, study: Study, n: int, seed: int) -> float:
    """What the front after ``n`` trials truly lacks of what as many designs can reach, a share of the hypervolume."""
    return score(benchmark, study.table().rows(slice(n)), seed).hypervolume_difference - attainable_difference(
        benchmark
    )


def _first_within(benchmark: Benchmark, study: Study, seed: int, n_before: int) -> float | None:
    """What the search had cost when it was first seen near, after so many trials."""
    costs = bill(study.table())
    spent = (costs.spent.sum(axis=1) * ~costs.is_verification).cumsum()
    start = max(SMALLEST_START, study.problem.space.n_parameters + 1, n_before + 1)
    if start > len(spent):
        return None
    looks = checkpoint_sizes(spent, start, N_LOOKS) if len(spent) - start >= N_LOOKS else range(start, len(spent) + 1)
    found = next((n for n in looks if _lacking(benchmark, study, n, seed) <= WITHIN), None)
    return None if found is None else float(spent[found - 1])


def summary_of(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Per problem: medians over seeds, and the worst of what lacks where the rule stopped."""
    found = []
    for name in dict.fromkeys(run["problem"] for run in runs):
        own = [run for run in runs if run["problem"] == name]
        stopped = [run for run in own if run["settled"]]
        near = [run for run in stopped if run["within 1 % at"] is not None]
        times = float(np.median([run["times as much"] for run in near])) if near else None
        within = [run["within 1 % at"] for run in own if run["within 1 % at"] is not None]
        lacking = max((run["lacks then"] for run in stopped), default=None)
        found.append(
            {
                "problem": name,
                "seeds": len(own),
                "stopped": len(stopped),
                "within": float(np.median(within)) if within else None,
                "ended": float(np.median([run["search ended at"] for run in own])),
                "times": times,
                "lacking": lacking,
                "by seed": [[run["within 1 % at"], run["search ended at"], run["lacks then"]] for run in own],
                "is met": times is not None
                and lacking is not None
                and times <= MOST_TIMES
                and lacking <= MOST_LACKING
                and len(near) == len(own),
            }
        )
    return found


def table_rows(summary: Sequence[dict[str, Any]]) -> list[str]:
    """As docs/how-to/verify.md shows them."""
    return [
        f"| {row['problem']} | {row['seeds']} | {row['stopped']} | {_number(row['within'])} | {_number(row['ended'])} |"
        f" {_number(row['times'])} | {_percent(row['lacking'])} | {'yes' if row['is met'] else 'no'} |"
        for row in summary
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100.0 * value:.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS)
    parser.add_argument("--seeds", type=int, default=2, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(name, seed) for name in given.problems for seed in range(given.seeds)]
    with ProcessPoolExecutor(given.processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        runs = list(pool.map(measure, *zip(*work, strict=True)))
    summary = summary_of(runs)
    print("\n| problem | seeds | stopped | within 1 % at | search ended at | times as much | lacks at most | met |")
    print("|---|---:|---:|---:|---:|---:|---:|---|\n" + "\n".join(table_rows(summary)))
    record(RESULTS, summary, ["problem"])


if __name__ == "__main__":
    main()
