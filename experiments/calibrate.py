"""Does ``imoca calibrate`` tell the truth? ``python experiments/calibrate.py`` asks it, with ten seeds per problem.

Each seed calibrates with other designs, for at most three full runs per simulator. The truth is the mean size of the
error of every setting over other designs. Results, with their versions, go to experiments/results/calibrate.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from imoca import Study
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
FACTOR = 2.0  # within which a predicted error is counted as right


def true_errors(
    problem: Problem, simulator: Simulator, settings: list[Any], n_designs: int
) -> dict[str, dict[str, float]]:
    """Mean size by setting and output, over designs that no calibration uses."""
    sequence = sobol_sequence(problem.space.n_parameters, np.random.default_rng(987654321))
    designs = problem.space.from_unit(sequence.random_base2(int(np.ceil(np.log2(n_designs))))[:n_designs])
    names = [output.name for output in simulator.outputs]

    def values(setting: Any) -> np.ndarray:
        runs = [
            run_job(Job(i, simulator, problem.space.decode(x), setting, 1, Path(), Path()))
            for i, x in enumerate(designs)
        ]
        return np.array([[run.values.get(name, np.nan) for name in names] for run in runs])

    full = values(simulator.fidelity.target)
    found = {}
    for setting in settings:
        errors = np.nanmean(np.abs(values(setting) - full), axis=0)
        found[json.dumps(setting)] = dict(zip(names, errors.tolist(), strict=True))
    return found


def calibrated(problem: Problem, seed: int) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Predicted errors, and what they cost per simulator in full runs of it."""
    with Study(problem, seed=seed) as study:
        found = study.calibrate(progress=False)
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


def measured(name: str, n_seeds: int, n_designs: int) -> dict[str, Any]:
    problem = get(name).problem
    runs = [calibrated(problem, seed) for seed in range(n_seeds)]
    settings: dict[str, list[Any]] = {}
    for predicted, _ in runs:
        for row in predicted:
            known = settings.setdefault(row["simulator"], [])
            if row["setting"] not in known:
                known.append(row["setting"])
    truth = {each: true_errors(problem, problem.simulator(each), settings[each], n_designs) for each in settings}
    ratios = [
        (row["error"], truth[row["simulator"]][json.dumps(row["setting"])][row["output"]])
        for predicted, _ in runs
        for row in predicted
    ]
    is_right = [one == other or (other > 0.0 and 1.0 / FACTOR <= one / other <= FACTOR) for one, other in ratios]
    return {
        "seeds": n_seeds,
        "designs of the truth": n_designs,
        "predicted errors": len(ratios),
        "within a factor of 2": float(np.mean(is_right)),
        "median of predicted over true": float(np.median([one / other for one, other in ratios if other > 0.0])),
        "most expensive calibration": max(cost for _, costs in runs for cost in costs.values()),
    }


TITLES = ("problem", "seeds", "predicted errors", "within a factor of 2", "dearest, in full runs")


def table_rows(results: dict[str, Any]) -> list[str]:
    """Of the page that shows them, in Markdown."""
    shown = [
        f"| {name} | {each['seeds']} | {each['predicted errors']} | {100.0 * each['within a factor of 2']:.0f} % |"
        f" {each['most expensive calibration']:.2f} |"
        for name, each in results.items()
        if name != "versions"
    ]
    return [f"| {' | '.join(TITLES)} |", "| --- | ---: | ---: | ---: | ---: |", *shown]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--designs", type=int, default=64)
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in given.problems:
        results[name] = measured(name, given.seeds, given.designs)
        print(name, json.dumps(results[name]), flush=True)
        write_whole(RESULTS, json.dumps({**results, "versions": versions()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
