"""What do several workers cost? ``python experiments/parallel.py [--problems trap] [--seeds 10]``.

Studies by imoca-p with 1, 4 and 16 workers that answer as they finish, on simulators that take time in proportion to
their cost: cost to the front, of what has answered by then and with what still runs, and wall time, against one
worker; and how busy the workers are. Everything is the study's own but the workers and the clock. The clock counts the
CPU seconds of the process, which is all that choosing and storing takes, and jumps to the end of the next run when
there is nothing to do; workers compute at once and end when they would have. So what else the machine does is nothing
to it, and minutes are enough for days.

A full run of one simulator takes ``--full`` seconds, its cheaper ones by the cost declared in the problem. Budgets are
such that one worker finds the front. Results go to experiments/results/parallel.json, a file per study being
kept in experiments/runs/parallel, so that a further call goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.own_time import Clock
from experiments.reaching import reached, record, spent_to_the_front
from imoca import Problem, Study
from imoca.files import write_whole
from imoca.methods import get_method
from imoca.runners.base import Finished, Job
from imoca.runners.execution import run_job
from imoca.snapshot import bill
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.run_spec import ProblemChoice
from imoca_lab.harness.scoring import n_initial_trials

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "parallel", ROOT / "results" / "parallel.json"
CASES = {  # a problem, and a budget within which one worker finds its front
    "branin_currin": (ProblemChoice("branin_currin"), 9.0),
    "ackley_rosenbrock_sphere": (ProblemChoice("ackley_rosenbrock_sphere"), 14.0),
    "momf_park": (ProblemChoice("momf_park"), 3.0),
    "trap": (ProblemChoice("trap"), 14.0),
}
WORKERS = (1, 4, 16)


class VirtualWorkers:
    """A runner whose jobs end when a clock says so."""

    runs_here = False

    def __init__(self, problem: Problem, n_workers: int, full_seconds: float, clock: Clock) -> None:
        self._problem, self._n_workers, self._full_seconds, self._clock = problem, n_workers, full_seconds, clock
        self._ends: list[tuple[float, Job]] = []
        self._spans: list[tuple[float, float]] = []  # from when to when something ran

    def n_slots(self) -> int:
        return self._n_workers

    def submit(self, job: Job) -> None:
        start = self._clock.now()
        end = start + self._full_seconds * cost_of(self._problem, job)
        self._spans.append((start, end))
        self._ends.append((end, job))

    def collect(self, timeout: float) -> list[Finished]:
        """Those that have ended; if none has, the clock jumps to the end of the first."""
        self._ends.sort(key=lambda each: each[0])
        self._clock.sleep(max(0.0, self._ends[0][0] - self._clock.now()))
        now = self._clock.now()
        ended = [job for end, job in self._ends if end <= now]
        self._ends = [(end, job) for end, job in self._ends if end > now]
        return [Finished(job, run_job(job)) for job in ended]

    def busy(self) -> float:
        """The share of their time in which workers ran something, up to when the last run began.

        What comes then is the end of the budget: nobody else has anything to do.
        """
        first, last = self._spans[0][0], self._spans[-1][0]
        return sum(min(end, last) - start for start, end in self._spans) / (self._n_workers * (last - first))

    def cancel(self) -> None:
        self._ends.clear()

    def close(self) -> None:
        pass


def cost_of(problem: Problem, job: Job) -> float:
    """Of a run, in full runs."""
    s = problem.simulators.index(problem.simulator(job.simulator.name))
    x, z = problem.space.encode(job.parameters), job.simulator.fidelity.encode(job.fidelity)
    return problem.declared_costs(s, x, z)[0]


def run(name: str, n_workers: int, seed: int, full_seconds: float) -> dict[str, Any]:
    """One study, in a process of its own."""
    kept = RUNS / name / f"full-{full_seconds:g}" / f"workers-{n_workers}" / f"seed-{seed}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    choice, budget = CASES[name]
    benchmark, clock = choice.benchmark(), Clock()
    workers = VirtualWorkers(benchmark.problem, n_workers, full_seconds, clock)
    ends: list[tuple[int, float]] = []
    clock.install()
    began = clock.now()
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("imoca.study.study.make_runner", return_value=workers),
        Study(benchmark.problem, seed=seed, storage=f"{folder}/study.db") as study,
    ):
        study.optimize(budget, progress=False, on_trial=lambda trial: ends.append((trial.number, clock.now() - began)))
        wall = clock.now() - began
        table = study.table()
    order = np.array([number for number, _ in ends])
    ended = table.rows(order)
    n_initial = n_initial_trials(get_method("imoca-p"), table, seed)
    costs = bill(table).by_trial[order].cumsum()
    by_cost = reached(benchmark, ended, costs, n_initial, seed)
    at = dict(zip(costs.tolist(), (seconds for _, seconds in ends), strict=True))
    row = {
        "workers": n_workers,
        "seed": seed,
        "trials": len(table),
        "wall": wall,
        "busy": workers.busy(),
        "by cost": by_cost,
        "by time": {**by_cost, "spent": [at[cost] for cost in by_cost["spent"]]},
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(row))
    lacks = by_cost["lacking"][-1]
    print(f"{name}, {n_workers} workers, seed {seed}: busy {row['busy']:.0%}, lacks {lacks:.2%}", flush=True)
    return row


def summary_of(name: str, rows: Sequence[dict[str, Any]], full_seconds: float) -> list[dict[str, Any]]:
    by_workers = {str(n): [row for row in rows if row["workers"] == n] for n in WORKERS}
    by_workers = {n: own for n, own in by_workers.items() if own}
    costs = spent_to_the_front({n: [row["by cost"] for row in own] for n, own in by_workers.items()})
    times = spent_to_the_front({n: [row["by time"] for row in own] for n, own in by_workers.items()})
    busy = {n: float(np.median([row["busy"] for row in own])) for n, own in by_workers.items()}
    whole = {n: float(np.median([row["by cost"]["spent"][-1] for row in own])) for n, own in by_workers.items()}
    return [
        {
            "problem": name,
            "workers": int(n),
            "seeds": len(own),
            "cost": costs[n][0],
            "cost with what runs": min(int(n) * busy[n] * times[n][0] / full_seconds, whole[n]),  # the last end alone
            "seconds": times[n][0],
            "busy": busy[n],
            "cost by seed": costs[n][1:],
            "seconds by seed": times[n][1:],
        }
        for n, own in by_workers.items()
    ]


def table_rows(summary: Sequence[dict[str, Any]]) -> list[str]:
    """As docs/results.md shows them."""
    lines = []
    for row in summary:
        one = next(each for each in summary if each["problem"] == row["problem"] and each["workers"] == 1)
        named = f"| {row['problem']} | {row['workers']} | {row['seeds']} | {row['cost']:.3g} |"
        answered, begun = (row[each] / one[each] for each in ("cost", "cost with what runs"))
        compared = f" {answered:.2f} | {begun:.2f} | {one['seconds'] / row['seconds']:.1f} | {row['busy']:.0%} |"
        lines.append(named + compared)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--full", type=float, default=600.0, help="seconds that a full run of a simulator takes")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(name, n, seed, given.full) for name in given.problems for seed in range(given.seeds) for n in WORKERS]
    with ProcessPoolExecutor(given.processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = list(pool.map(run, *zip(*work, strict=True)))
    summary = []
    for name in given.problems:
        own = [row for each, row in zip(work, rows, strict=True) if each[0] == name]
        summary += summary_of(name, own, given.full)
    columns = ["problem", "workers", "seeds", "cost to the front", "over one worker's", "with what still runs"]
    print(f"\n| {' | '.join([*columns, 'times sooner', 'busy'])} |")
    print("|---" + "|---:" * 7 + "|\n" + "\n".join(table_rows(summary)))
    record(RESULTS, summary, ["problem", "workers"])


if __name__ == "__main__":
    main()
