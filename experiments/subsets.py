"""Is it worth leaving simulators out? ``python experiments/subsets.py [--problems trap] [--seeds 10]``.

Cost to the front of imoca-p that runs at every design all simulators (``evaluate="all"``), and one that runs what is
worth its price (``"best"``), on problems with a simulator per objective: at equal costs of full runs, and with the
dearest costing ten times the cheapest (in the order of the simulators for even seeds, in reverse for odd ones, the
others between them; their mean is 1, so that budgets compare); and with a set-up cost of 0, 0.5 and 2 full runs per
question. Studies are kept in experiments/runs/subsets, so that a further call goes on; results go to
experiments/results/subsets.json.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.reaching import record
from imoca.files import write_whole
from imoca.methods import MethodSettings
from imoca.problem import Problem
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.curves import HYPERVOLUME_DIFFERENCE, all_series, convergence_costs, curve_of
from imoca_lab.harness.drive import Suggestions, drive, open_study
from imoca_lab.harness.results import RunResult, from_line, to_line
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec
from imoca_lab.harness.single_run import result_of

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "subsets", ROOT / "results" / "subsets.json"
CASES = {  # a problem with a simulator per objective, and a budget within which imoca-p finds its front
    "branin_currin": (ProblemChoice("branin_currin"), 9.0),
    "trap": (ProblemChoice("trap"), 16.0),
    "ackley_rosenbrock_sphere": (ProblemChoice("ackley_rosenbrock_sphere"), 16.0),
    "network_on_chip": (ProblemChoice("network_on_chip", setting="per_objective"), 8.0),
    "rocket": (ProblemChoice("rocket", setting="per_objective"), 4.0),
    "qv": (ProblemChoice("qv"), 60.0),
}
MOST_TRIALS = 400
N_QUESTIONS = 40  # about as many as such a budget is enough for; set-up costs come on top
Prices = Literal["equal", "ten to one"]
EVALUATE = ("all", "best")


def priced(problem: Problem, prices: Prices, setup_cost: float, seed: int) -> Problem:
    """The problem with other costs of full runs; those of a thousandth, which are formulas, stay as they are."""
    simulators = list(problem.simulators)
    dear = [s for s, simulator in enumerate(simulators) if simulator.full_cost == 1.0]
    if prices == "ten to one":
        costs = np.geomspace(10.0, 1.0, len(dear))
        costs *= len(dear) / costs.sum()
        for s, cost in zip(dear, costs if seed % 2 == 0 else costs[::-1], strict=True):
            simulators[s] = dataclasses.replace(simulators[s], full_cost=float(cost))
    return Problem(problem.parameters, simulators, setup_cost=setup_cost, cost_relative_to=problem.cost_relative_to)


def run(name: str, prices: Prices, setup_cost: float, evaluate: Literal["all", "best"], seed: int) -> str:
    """One line of the harness's results, in a process of its own."""
    folder = RUNS / name / f"{prices.replace(' ', '-')}-setup-{setup_cost:g}" / evaluate / f"seed-{seed}"
    kept = folder / "result.json"
    if not kept.exists():
        problem, budget = CASES[name]
        method = MethodChoice("imoca-p", MethodSettings(evaluate=evaluate))
        spec = RunSpec(problem, method, seed, budget + N_QUESTIONS * setup_cost, trials=MOST_TRIALS, checkpoints=40)
        benchmark = problem.benchmark()
        benchmark = dataclasses.replace(benchmark, problem=priced(benchmark.problem, prices, setup_cost, seed))
        folder.mkdir(parents=True, exist_ok=True)
        suggestions = Suggestions(folder / "suggestions.jsonl")
        with open_study(spec, benchmark.problem, folder / "study.db") as study:
            trials = drive(spec, study, suggestions)
        result = result_of(spec, "python experiments/subsets.py", benchmark, trials, suggestions.seconds())
        write_whole(kept, to_line(result))
        print(f"{name}, {prices}, set-up {setup_cost:g}, {evaluate}, seed {seed}: {result.scores[-1]}", flush=True)
    return kept.read_text(encoding="utf-8")


def costs_to_the_front(lines: list[str]) -> dict[str, float]:
    """By the value of evaluate, as the harness defines it: both against the better of the two."""
    runs: list[RunResult] = [from_line(line) for line in lines]
    found = convergence_costs([curve_of(each, HYPERVOLUME_DIFFERENCE) for each in all_series(runs)])
    return {method.removeprefix("imoca-p-"): cost for method, cost in found.items()}


def table_rows(summary: Sequence[dict[str, Any]]) -> list[str]:
    """As docs/results.md shows them."""
    return [
        f"| {row['problem']} | {row['prices']} | {row['setup']:g} | {row['seeds']} | {row['all']:.3g} |"
        f" {row['best']:.3g} | {row['best'] / row['all']:.2f} |"
        for row in summary
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--setups", nargs="+", type=float, default=[0.0, 0.5, 2.0])
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    rows = [
        (name, prices, setup)
        for setup in given.setups
        for name in given.problems
        for prices in (("equal", "ten to one") if setup == 0.0 else ("equal",))
    ]
    work = [(*row, evaluate, seed) for row in rows for seed in range(given.seeds) for evaluate in EVALUATE]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        lines = list(pool.map(run, *zip(*work, strict=True)))
    summary = []
    for row in rows:
        costs = costs_to_the_front([line for each, line in zip(work, lines, strict=True) if each[:3] == row])
        summary.append({"problem": row[0], "prices": row[1], "setup": row[2], "seeds": given.seeds, **costs})
    print(
        "\n| problem | full runs cost | set-up | seeds | all | best | best / all |\n|---|---|---:|---:|---:|---:|---:|"
    )
    print("\n".join(table_rows(summary)))
    record(RESULTS, summary, ["problem", "prices", "setup"])


if __name__ == "__main__":
    main()
