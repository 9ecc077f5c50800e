"""What does it save to count hours? ``python experiments/cost_over_designs.py [--problems trap] [--seeds 10]``.

Problems whose runs cost ten times as much at one end of their first parameter as at the other: rising with it, or
falling. imoca-p that counts in full runs of a mean design, as it does by itself (``cost_relative_to="mean"``), against
one that counts every full run as 1, be the design dear or cheap, as the paper does (``"design"``). Both are judged by
what was really spent until the front is reached, in full runs of a mean design: hours, where that takes one.
Results go to experiments/results/cost_over_designs.json, each study being kept in experiments/runs/cost_over_designs,
so that a further call goes on.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, get_args

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.reaching import reached, record, spent_to_the_front
from imoca import Problem, Real, Study, Trial
from imoca.errors import ProblemError
from imoca.files import write_whole
from imoca.methods import get_method
from imoca.problem.cost import ExpressionCost
from imoca.snapshot import bill
from imoca.trials import TrialTable
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.run_spec import ProblemChoice
from imoca_lab.harness.scoring import n_initial_trials

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "cost_over_designs", ROOT / "results" / "cost_over_designs.json"
CASES = {  # a problem with costs that are formulas, and a budget within which imoca-p finds its front
    "branin_currin": (ProblemChoice("branin_currin"), 9.0),
    "ackley_rosenbrock_sphere": (ProblemChoice("ackley_rosenbrock_sphere"), 14.0),
    "momf_park": (ProblemChoice("momf_park"), 3.0),
}
Direction = Literal["rising", "falling"]
CostUnit = Literal["mean", "design"]


def varied(problem: Problem, direction: Direction, unit: CostUnit) -> Problem:
    """The problem with every cost multiplied by 1 to 10, on the way through the range of its first parameter."""
    first = problem.parameters[0]
    if not isinstance(first, Real):
        raise ProblemError(f"{first.name!r} is no real number.", hint="Choose another problem.")
    begin, end = (first.low, first.high) if direction == "rising" else (first.high, first.low)
    factor = f"10**(({first.name} - ({begin!r})) / ({end!r} - ({begin!r})))"
    simulators = []
    for simulator in problem.simulators:
        if not isinstance(simulator.cost, ExpressionCost):
            raise ProblemError(f"The cost of {simulator.name!r} is no formula.", hint="Choose another problem.")
        simulators.append(dataclasses.replace(simulator, cost=ExpressionCost(f"({simulator.cost.text}) * {factor}")))
    return Problem(problem.parameters, simulators, cost_relative_to=unit)


def run(name: str, direction: Direction, unit: CostUnit, seed: int) -> dict[str, Any]:
    """One study, in a process of its own."""
    kept = RUNS / name / direction / unit / f"seed-{seed}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    choice, budget = CASES[name]
    benchmark = choice.benchmark()
    hours = varied(benchmark.problem, direction, "mean")

    def is_affordable(trial: Trial, seconds: float) -> bool:
        costs = bill(TrialTable.encode(hours, study.trials))
        return costs.total + float(costs.expected.sum()) < budget

    with Study(varied(benchmark.problem, direction, unit), seed=seed) as study:
        study.optimize(1e6, progress=False, on_question=is_affordable)
        table = TrialTable.encode(hours, study.trials)
    spent = bill(table).by_trial.cumsum()
    judged = dataclasses.replace(benchmark, problem=hours)
    n_initial = n_initial_trials(get_method("imoca-p"), table, seed)
    way = reached(judged, table, spent, n_initial, seed)
    row = {"seed": seed, "trials": len(table), **way}
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(row))
    print(f"{name}, {direction}, {unit}, seed {seed}: lacks {way['lacking'][-1]:.2%}", flush=True)
    return row


def table_rows(summary: Sequence[dict[str, Any]]) -> list[str]:
    """As docs/results.md shows them."""
    return [
        f"| {row['problem']} | {row['direction']} | {row['seeds']} | {row['design']:.3g} | {row['mean']:.3g} |"
        f" {1.0 - row['mean'] / row['design']:.0%} |"
        for row in summary
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    cases = [(name, direction) for name in given.problems for direction in get_args(Direction)]
    work = [(*case, unit, seed) for case in cases for seed in range(given.seeds) for unit in get_args(CostUnit)]
    with ProcessPoolExecutor(given.processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = list(pool.map(run, *zip(*work, strict=True)))
    summary = []
    for case in cases:
        own = {
            unit: [row for each, row in zip(work, rows, strict=True) if each[:3] == (*case, unit)]
            for unit in get_args(CostUnit)
        }
        spent = spent_to_the_front(own)
        medians = {unit: spent[unit][0] for unit in spent}
        by_seed = {f"{unit} by seed": spent[unit][1:] for unit in spent}
        summary.append({"problem": case[0], "direction": case[1], "seeds": given.seeds, **medians, **by_seed})
    print("\n| problem | cost | seeds | every full run counts 1 | hours count | saved |\n|---|---|---:|---:|---:|---:|")
    print("\n".join(table_rows(summary)))
    record(RESULTS, summary, ["problem", "direction"])


if __name__ == "__main__":
    main()
