"""When does ``stop = "settled"`` stop? ``python experiments/settled.py [--problems momf_park] [--seeds 2]``.

Runs imoca-p until the front has settled, or to one and a half times the last cost of the calibration, and says what it
spent, on the search and on verification, and what the hypervolume of the recommended designs truly lacks then.
Beside it stands the cost at which the front first came within 1 % of what 200 designs can reach; a study that stopped
before goes on, without the rule, until then. Results go to experiments/results/settled.json. Two seeds of the five
problems take about two minutes of CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.calibration.problems import find_case
from imoca import Study
from imoca.files import write_whole
from imoca.snapshot import bill
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import SMALLEST_START, attainable_difference, score

RESULTS = Path(__file__).parent / "results" / "settled.json"
CHOSEN_BY = ("branin_currin", "momf_park", "ackley_rosenbrock_sphere")  # problems by which the limits were chosen
PROBLEMS = (*CHOSEN_BY, "momf_branin_currin", "network_on_chip")
WITHIN = 0.01  # share of the true hypervolume
LATEST = 1.5  # times the last cost of the calibration, for the search
COLUMNS = ("problem", "seed", "within 1 % at", "search ended at", "times as much", "verification", "lacks then")


def measure(name: str, seed: int) -> dict[str, object]:
    """In a process of its own."""
    case = find_case(name)
    benchmark = case.problem.benchmark()
    latest = LATEST * case.costs[-1] + sum(simulator.full_cost for simulator in benchmark.problem.simulators)
    with Study(benchmark.problem, seed=seed) as study:
        study.optimize(latest, stop="settled", progress=False)
        snapshot = study.snapshot()
        n_trials, lacking = len(snapshot.trials), _lacking(benchmark, study, len(snapshot.trials), seed)
        within = _first_within(benchmark, study, seed, n_trials)
        while within is None and study.cost_spent < latest:
            study.optimize(trials=len(study.trials) + 1, progress=False)
            within = _first_within(benchmark, study, seed, len(study.trials), len(study.trials))
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
    print(row, flush=True)
    return row


def _lacking(benchmark: Benchmark, study: Study, n: int, seed: int) -> float:
    """What the front after ``n`` trials truly lacks of what as many designs can reach, a share of the hypervolume."""
    return score(benchmark, study.table().rows(slice(n)), seed).hypervolume_difference - attainable_difference(
        benchmark
    )


def _first_within(benchmark: Benchmark, study: Study, seed: int, n: int, first: int | None = None) -> float | None:
    """What the search had cost when it first came near."""
    costs = bill(study.table())
    spent = (costs.spent.sum(axis=1) * ~costs.is_verification).cumsum()
    start = first or max(SMALLEST_START, study.problem.space.n_parameters + 1)
    near = (m for m in range(start, n + 1) if _lacking(benchmark, study, m, seed) <= WITHIN)
    found = next(near, None)
    return None if found is None else float(spent[found - 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=2, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(name, seed) for name in given.problems for seed in range(given.seeds)]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        found = list(pool.map(measure, *zip(*work, strict=True)))
    print(f"\n| {' | '.join(COLUMNS)} |\n" + "|---" * len(COLUMNS) + "|")
    for row in found:
        cells = [row[column] for column in COLUMNS[:-1]]
        shown = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells]
        print(f"| {' | '.join(shown)} | {100.0 * float(str(row['lacks then'])):.2f} % |")
    record = {"command": "python " + " ".join(sys.argv), "versions": dict(versions()), "runs": found}
    write_whole(RESULTS, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
