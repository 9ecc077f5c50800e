"""What it costs to find the front: ``python experiments/cost_to_front.py [main | settings] [--seeds 10]``.

For every row (problem, method, settings) and seed a study runs up to a budget. After each trial the front is recovered
from the posterior means at full accuracy, its designs are evaluated truly, and their hypervolume compared with that of
the true front. Reported is the cost, initial design included, from which on the gap stays below 1 %; a study that did
not get there counts as infinite. ``main`` is the table of the README, ``settings`` the comparison of initial designs
and fidelity reduction behind docs/decisions. Results go to experiments/results/ with versions and seeds.
"""

from __future__ import annotations

import argparse
import json
import platform
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from imoca import Study, Trial
from imoca.benchmarks.benchmark import Benchmark
from imoca.benchmarks.problems.branin_currin import branin_currin
from imoca.benchmarks.problems.trap import trap
from imoca.pareto.indicators import hypervolume

WITHIN = 0.01
BENCHMARKS = {"branin_currin": branin_currin, "trap": trap}
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    problem: str
    method: str
    budget: float
    settings: dict[str, Any] = field(default_factory=dict)


TABLES = {
    "main": [
        Row("branin_currin", "imoca-t", 40),
        Row("branin_currin", "imoca-p", 7),
        Row("branin_currin", "imoca-e", 12),
        Row("branin_currin", "mesmo", 56),
        Row("branin_currin", "naive-cfmo", 36),
        Row("branin_currin", "random", 60),
        Row("trap", "imoca-p", 19),
    ],
    "settings": [
        Row("branin_currin", "imoca-p", 12, {"initial_design": "paper"}),
        Row("branin_currin", "imoca-p", 30, {"fidelity_reduction": True}),
        Row("branin_currin", "imoca-t", 6, {"fidelity_reduction": False}),
        Row("branin_currin", "imoca-e", 20, {"fidelity_reduction": True}),
        Row("branin_currin", "imoca-t", 40, {"initial_design": "paper"}),
        Row("branin_currin", "imoca-e", 12, {"initial_design": "paper"}),
    ],
}


def gap(benchmark: Benchmark, study: Study) -> float:
    designs = [benchmark.problem.space.encode(point.parameters) for point in study.pareto_front()]
    if not designs:
        return 1.0
    return (
        1.0 - hypervolume(benchmark.true_values(np.array(designs)), benchmark.reference_point) / benchmark.hypervolume
    )


def cost_to_front(row: Row, seed: int) -> dict[str, float | None]:
    """One study; the cost from which on the gap stays within 1 %, the last gap and the number of trials."""
    benchmark = BENCHMARKS[row.problem]()
    study = Study(benchmark.problem, method=row.method, seed=seed, **row.settings)  # type: ignore[arg-type]
    reached = float("inf")
    last_gap = 1.0

    def record(_: Trial) -> None:
        nonlocal reached, last_gap
        last_gap = gap(benchmark, study)
        if last_gap > WITHIN:
            reached = float("inf")
        else:
            reached = min(reached, study.cost_spent)

    study.optimize(row.budget, on_trial=record, progress=False)
    cost = reached if np.isfinite(reached) else None
    return {"seed": seed, "cost": cost, "last_gap": last_gap, "n_trials": len(study.trials)}


def as_line(row: dict[str, Any]) -> str:
    costs = [np.inf if run["cost"] is None else run["cost"] for run in row["runs"]]
    settings = json.dumps(row["settings"]) if row["settings"] else "default"
    last = np.median([run["last_gap"] for run in row["runs"]])
    return (
        f"| {row['problem']} | {row['method']} | {settings} | {row['budget']:g} "
        f"| {np.median(costs):.1f} | {max(costs):.1f} | {last:.2%} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", default="main", choices=TABLES)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    path = RESULTS / f"cost_to_front_{options.table}.json"
    record: dict[str, Any] = {
        "command": f"python experiments/cost_to_front.py {options.table} --seeds {options.seeds}",
        "versions": {name: version(name) for name in ("imoca", "numpy", "scipy", "moocore")}
        | {"python": platform.python_version()},
        "rows": [],
    }
    RESULTS.mkdir(exist_ok=True)
    if path.exists():  # a run that was cut off goes on where it stopped
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["command"] == record["command"] and stored["versions"] == record["versions"]:
            record = stored
    print("| problem | method | settings | budget | median cost within 1 % | worst | median last gap |")
    print("|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.processes) as pool:
        for row in TABLES[options.table]:
            done = [old for old in record["rows"] if {key: old[key] for key in asdict(row)} == asdict(row)]
            if done:
                print(as_line(done[0]), flush=True)
                continue
            runs = list(pool.map(cost_to_front, [row] * options.seeds, range(options.seeds)))
            record["rows"].append(asdict(row) | {"runs": runs})
            print(as_line(record["rows"][-1]), flush=True)
            path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
