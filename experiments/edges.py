"""How near to the edge does the model of failures dare to go? ``python experiments/edges.py [--seeds 10]``.

Random runs of problems whose failures have a place, sharp or blurred, or none, and what the model says of 2000 other
designs at full accuracy: the mean of minus the logarithm of what it gave to what came; how many of those that run it is
sure of (0.95 and more); how many of those that it is sure of fail, and of those it is nearly sure of (0.8 to 0.95).
Results go to experiments/results/edges.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from imoca.arrays import Array, BoolArray
from imoca.files import write_whole
from imoca.models.failure import learn_failures
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.problems import cantilever, reactor

RESULTS = Path(__file__).parent / "results" / "edges.json"
SIZES = (20, 40, 80, 160)  # runs
N_JUDGED, SURE = 2000, 0.95
SHARE_CHEAP = 0.7  # of the runs, at the lowest fidelity, whose edge lies elsewhere
NEARLY_SURE = 0.8  # where a front on the edge is found
Rule = Callable[[Array, Array, np.random.Generator], BoolArray]  # (n, d), (n,) -> (n,) whether it fails


def a_spring(x: Array, z: Array, rng: np.random.Generator) -> BoolArray:
    """The cantilever that breaks, of 2 or of 64 pieces."""
    designs = cantilever.LOW + x * (cantilever.HIGH - cantilever.LOW)
    coarse, fine = (cantilever.root_stress(designs, cantilever.PIECES[i]) for i in (0, -1))
    return np.asarray(np.where(z == 1.0, fine, coarse) > cantilever.STRENGTH)


def a_tube(x: Array, z: Array, rng: np.random.Generator) -> BoolArray:
    """The reactor that runs away, in 16 or in 512 steps."""
    designs = reactor.LOW + x * (reactor.HIGH - reactor.LOW)
    coarse, fine = (reactor.outlets(designs, reactor.STEPS[i]).peak for i in (0, -1))
    return np.asarray(np.where(z == 1.0, fine, coarse) > reactor.HOTTEST)


def a_ball(x: Array, z: Array, rng: np.random.Generator) -> BoolArray:
    return np.asarray(((x - 0.5) ** 2).sum(axis=1) < (0.35 + 0.05 * (1.0 - z)) ** 2)


def a_blurred_half(x: Array, z: Array, rng: np.random.Generator) -> BoolArray:
    return np.asarray(x[:, 0] + 0.1 * rng.standard_normal(len(x)) > 0.6)


def chance(x: Array, z: Array, rng: np.random.Generator) -> BoolArray:
    return np.asarray(rng.random(len(x)) < 0.2)


def a_corner(x: Array, z: Array, rng: np.random.Generator) -> BoolArray:
    return np.asarray(x[:, :3].sum(axis=1) > 1.9)


CASES: dict[str, tuple[int, Rule]] = {
    "cantilever": (3, a_spring),
    "reactor": (3, a_tube),
    "a ball": (2, a_ball),
    "a corner of six dimensions": (6, a_corner),
    "a blurred half": (2, a_blurred_half),
    "chance": (2, chance),
}


def judged(name: str, n: int, seed: int) -> dict[str, float]:
    n_parameters, fails = CASES[name]
    rng = np.random.default_rng([seed, n])
    x, z = rng.random((n, n_parameters)), np.where(rng.random(n) < SHARE_CHEAP, 0.0, 1.0)
    model = learn_failures(x, z, fails(x, z, rng))
    at = rng.random((N_JUDGED, n_parameters))
    has_failed, said = fails(at, np.ones(N_JUDGED), rng), model.at_target(at)
    given = np.where(has_failed, said, 1.0 - said)
    is_sure = 1.0 - said >= SURE
    is_nearly = ~is_sure & (1.0 - said >= NEARLY_SURE)
    return {
        "log loss": float(-np.log(np.maximum(given, 1e-6)).mean()),
        "sure of those that run": float(is_sure[~has_failed].mean()),
        "of sure ones fail": share(has_failed[is_sure]),
        "of nearly sure ones fail": share(has_failed[is_nearly]),
    }


def share(is_so: BoolArray) -> float:
    return float(is_so.mean()) if len(is_so) else np.nan


def mean_of(values: list[float]) -> float | None:
    """Of the seeds in which there is any."""
    known = [value for value in values if not np.isnan(value)]
    return round(float(np.mean(known)), 4) if known else None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)
    rows = []
    print("| runs | of | log loss | sure of those that run | of sure ones fail | of nearly sure ones fail |")
    print("|---:|---" + "|---:" * 4 + "|")
    for name in CASES:
        for n in SIZES:
            found = [judged(name, n, seed) for seed in range(given.seeds)]
            row = {key: mean_of([each[key] for each in found]) for key in found[0]}
            shown = ("–" if value is None else f"{value:.3f}" for value in row.values())
            print(f"| {n} | {name} | " + " | ".join(shown) + " |", flush=True)
            rows.append({"case": name, "runs": n, "seeds": given.seeds, **row})
    content = {"command": "python " + " ".join(sys.argv), "versions": dict(versions()), "rows": rows}
    write_whole(given.output, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
