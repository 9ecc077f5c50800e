"""Where do cheap runs pay, and where no longer? ``python experiments/growth/run.py [--seeds 5] [--processes 2]``.

One family of problems, DTLZ2 with a controlled error (family.py), from one member on along four ways: more parameters,
more objectives, less of a difference in cost, less of a correlation between cheapest and full runs. On each imoca-p and
EHI, which knows full accuracy only, of the same models. The cost at which the front that would be recommended,
evaluated truly, comes and stays within 5 % of the true one, thinned to as many designs. Runs are kept in
experiments/runs/growth, so that a further call goes on; results go to experiments/results/growth.json, the
picture to docs/results/growth.png, and the table to the terminal.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.growth.drawing import draw
from experiments.growth.family import Member
from experiments.reaching import median_of, reached, record, steps_of
from imoca import Study
from imoca.files import write_whole
from imoca.methods import MethodSettings, get_method
from imoca.snapshot import bill
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.scoring import attainable_difference, n_initial_trials

ROOT = Path(__file__).parents[1]
RUNS, RESULTS = ROOT / "runs" / "growth", ROOT / "results" / "growth.json"
PICTURE = ROOT.parent / "docs" / "results" / "growth.png"
METHODS = ("imoca-p", "ehi")
WAYS: dict[str, tuple[Member, ...]] = {
    "cost ratio": tuple(Member(cost_ratio=ratio) for ratio in (3.0, 10.0, 100.0, 1000.0)),
    "correlation": tuple(Member(correlation=r) for r in (1.0, 0.9, 0.7, 0.5, 0.3)),
    "parameters": tuple(Member(n_parameters=d) for d in (2, 5, 10, 20, 33)),
    "objectives": tuple(Member(n_parameters=10, n_objectives=k) for k in (2, 3, 6, 9)),
}
VALUES = {
    "cost ratio": "cost_ratio",
    "correlation": "correlation",
    "parameters": "n_parameters",
    "objectives": "n_objectives",
}
FULL_DESIGNS = 40  # that a budget pays for, beside two per parameter
MOST_TRIALS = 300  # where questions cost next to nothing
WITHIN = 0.05  # of the hypervolume of the true front, thinned


def budget_of(member: Member) -> float:
    """Twice as many full designs as there are parameters, and some."""
    return float(member.n_objectives * (2 * (member.n_parameters + 1) + FULL_DESIGNS))


def measure(member: Member, method: str, seed: int) -> dict[str, Any]:
    """In a process of its own."""
    label = f"d{member.n_parameters}-k{member.n_objectives}-c{member.cost_ratio:g}-r{member.correlation:g}"
    kept = RUNS / label / f"{method}-{seed}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    benchmark = member.benchmark()
    with Study(benchmark.problem, method=method, seed=seed) as study:
        study.optimize(budget_of(member), trials=MOST_TRIALS, progress=False)
        table = study.table()
        n_initial = n_initial_trials(get_method(method, MethodSettings()), table, seed)
    track = reached(benchmark, table, bill(table).by_trial.cumsum(), n_initial, seed)
    rounded = {name: [float(f"{value:.4g}") for value in values] for name, values in track.items()}
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(rounded))
    print(f"{label}, {method}, seed {seed}: {len(table)} trials, lacks {track['lacking'][-1]:.3g}", flush=True)
    return rounded


def row_of(way: str, member: Member, method: str, tracks: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, Any]:
    """Of the median: what it costs, None where it does not come so near, and what it lacks in the end."""
    median = median_of([steps_of(track) for track in tracks])
    limit = 1.0 - (1.0 - WITHIN) * (1.0 - attainable_difference(member.benchmark()))
    cost = median.settled_within(limit)
    return {
        "way": way,
        "value": getattr(member, VALUES[way]),
        "method": method,
        "seeds": len(tracks),
        "cost": None if math.isinf(cost) else round(cost, 3),
        "end": round(float(np.median([track["spent"][-1] for track in tracks])), 3),
        "lacking": round(float(median.values[-1]), 5),
        "limit": round(limit, 5),
    }


def table_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """As docs/results.md shows them, a line per problem."""
    lines = []
    for row in [row for row in rows if row["method"] == METHODS[0]]:
        same = {each["method"]: each for each in rows if (each["way"], each["value"]) == (row["way"], row["value"])}
        costs = [cost_words(same[method]) for method in METHODS]
        known = [same[method]["cost"] for method in METHODS]
        ratio = "–" if None in known else f"{known[0] / known[1]:.2f}"
        ends = [f"{100.0 * same[method]['lacking']:.2g} %" for method in METHODS]
        lines.append(f"| {row['way']} | {row['value']:g} | {row['seeds']} | {' | '.join((*costs, ratio, *ends))} |")
    return lines


def cost_words(row: Mapping[str, Any]) -> str:
    return f"> {row['end']:.3g}" if row["cost"] is None else f"{row['cost']:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS, help="of others: as it was")
    parser.add_argument("--seeds", type=int, default=5, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    members = list(dict.fromkeys(member for way in given.ways for member in WAYS[way]))
    work = [(member, method, seed) for seed in range(given.seeds) for member in members for method in given.methods]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        tracks = dict(zip(work, pool.map(measure, *zip(*work, strict=True)), strict=True))
    rows = [
        row_of(way, member, method, [tracks[member, method, seed] for seed in range(given.seeds)])
        for way in given.ways
        for member in WAYS[way]
        for method in given.methods
    ]
    record(RESULTS, rows, ["way", "value", "method"])
    published = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    print("\n".join(table_rows(published)))
    write_whole(PICTURE, draw(published, list(WAYS), METHODS))


if __name__ == "__main__":
    main()
