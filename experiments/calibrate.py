"""Does ``imoca calibrate`` tell the truth? ``python experiments/calibrate.py`` asks it, with ten seeds per problem.

Each seed calibrates with other designs, for at most three full runs per simulator, or ``--full-runs``. The truth is the
mean size of the error of every setting over other designs. How hard a problem is says ``designs needed``: of so many
the errors must be known exactly for their mean to be right nine times in ten; three full runs pay for two. Problems are
those of imoca_lab and the examples with simulators that other people wrote, whose runs are kept in
experiments/runs/third_party. Results, with their versions, go to experiments/results/calibrate.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.third_party.simulators import CACHE, EXAMPLES
from imoca import Study
from imoca.arrays import Array, BoolArray
from imoca.files import write_whole
from imoca.problem import Problem, Simulator
from imoca.runners import Job, run_job
from imoca.sobol import sobol_sequence
from imoca_lab.harness.results import versions
from imoca_lab.registry import get

RESULTS = Path(__file__).parent / "results" / "calibrate.json"
PROBLEMS = (
    "rocket",
    "branin_currin",
    "ackley_rosenbrock_sphere",
    "momf_branin_currin",
    "momf_park",
    "dtlz1",
    "qv",
    "trap",
    "network_on_chip",
)
FULL_RUNS = 3.0  # that a calibration costs at the most, unless told otherwise
FACTOR = 2.0  # within which a predicted error is counted as right
OFTEN_ENOUGH = 0.9
N_DRAWS = 400


def problem_called(name: str) -> Problem:
    return EXAMPLES[name].problem(CACHE) if name in EXAMPLES else get(name).problem


def true_errors(problem: Problem, simulator: Simulator, settings: list[Any], n_designs: int) -> dict[str, Array]:
    """Sizes (designs, outputs) by setting, over designs that no calibration uses; NaN where a run failed."""
    sequence = sobol_sequence(problem.space.n_parameters, np.random.default_rng(987654321))
    designs = problem.space.from_unit(sequence.random_base2(int(np.ceil(np.log2(n_designs))))[:n_designs])
    names = [output.name for output in simulator.outputs]

    def values(setting: Any) -> Array:
        runs = [
            run_job(Job(i, simulator, problem.space.decode(x), setting, 1, Path(), Path()))
            for i, x in enumerate(designs)
        ]
        return np.array([[run.values.get(name, np.nan) for name in names] for run in runs])

    full = values(simulator.fidelity.target)
    return {json.dumps(setting): np.abs(values(setting) - full) for setting in settings}


def are_right(predicted: Array, true: Array) -> BoolArray:
    """Within the factor, also where there is no error at all."""
    return np.asarray((predicted >= true / FACTOR) & (predicted <= true * FACTOR))


def designs_needed(errors: Sequence[Array]) -> int:  # of (designs, outputs) each
    """The fewest whose errors, known exactly, have a mean that is right nine times in ten, drawn again and again."""
    rng, known = np.random.default_rng(0), [each[~np.isnan(each).any(axis=1)] for each in errors]
    most = min(map(len, known))
    for n in range(1, most):
        is_right = [
            are_right(each[rng.permutation(len(each))[:n]].mean(axis=0), each.mean(axis=0))
            for _ in range(N_DRAWS)
            for each in known
        ]
        if np.concatenate(is_right).mean() >= OFTEN_ENOUGH:
            return n
    return most


def calibrated(problem: Problem, seed: int, full_runs: float) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Predicted errors, and what they cost per simulator in full runs of it."""
    with Study(problem, seed=seed) as study:
        found = study.calibrate(full_runs=full_runs, progress=False)
        spent = study.snapshot().bill.spent.sum(axis=0)
    predicted = [
        {
            "simulator": knob.simulator,
            "setting": each.setting,
            "output": worth.output,
            "error": worth.error,
            "price": each.price,
        }
        for knob in found.knobs
        for each in knob.settings
        for worth in each.outputs
    ]
    costs = {each.name: float(spent[s] / each.full_cost) for s, each in enumerate(problem.simulators)}
    return predicted, costs


def measured(name: str, n_seeds: int, n_designs: int, full_runs: float) -> dict[str, Any]:
    problem = problem_called(name)
    runs = [calibrated(problem, seed, full_runs) for seed in range(n_seeds)]
    settings: dict[str, list[Any]] = {}
    for predicted, _ in runs:
        for row in predicted:
            known = settings.setdefault(row["simulator"], [])
            if row["setting"] not in known:
                known.append(row["setting"])
    truth = {each: true_errors(problem, problem.simulator(each), settings[each], n_designs) for each in settings}

    def true_error(row: dict[str, Any]) -> float:
        names = [output.name for output in problem.simulator(row["simulator"]).outputs]
        sizes = truth[row["simulator"]][json.dumps(row["setting"])]
        return float(np.nanmean(sizes[:, names.index(row["output"])]))

    rows = [row for predicted, _ in runs for row in predicted]
    found, true = np.array([row["error"] for row in rows]), np.array([true_error(row) for row in rows])
    return {
        "seeds": n_seeds,
        "designs of the truth": n_designs,
        "predicted errors": len(rows),
        "within a factor of 2": float(are_right(found, true).mean()),
        "median of predicted over true": float(np.median(found[true > 0.0] / true[true > 0.0])),
        "most expensive calibration": max(cost for _, costs in runs for cost in costs.values()),
        "designs needed": designs_needed([sizes for each in truth.values() for sizes in each.values()]),
    }


TITLES = ("problem", "seeds", "predicted errors", "within a factor of 2", "dearest, in full runs", "designs needed")


def table_rows(results: dict[str, Any]) -> list[str]:
    """Of the page that shows them, in Markdown."""
    shown = [
        f"| {name} | {each['seeds']} | {each['predicted errors']} | {100.0 * each['within a factor of 2']:.0f} % |"
        f" {each['most expensive calibration']:.2f} | {each['designs needed']} |"
        for name, each in results.items()
        if name != "versions"
    ]
    return [f"| {' | '.join(TITLES)} |", "| --- | ---: | ---: | ---: | ---: | ---: |", *shown]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--designs", type=int, default=64)
    parser.add_argument("--full-runs", type=float, default=FULL_RUNS, help="that a calibration may cost, per simulator")
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in given.problems:
        key = name if given.full_runs == FULL_RUNS else f"{name}, {given.full_runs:g} full runs"
        results[key] = measured(name, given.seeds, given.designs, given.full_runs)
        print(key, json.dumps(results[key]), flush=True)
        write_whole(RESULTS, json.dumps({**results, "versions": versions()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
