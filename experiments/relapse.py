"""Does a recommended front come and go? ``python experiments/relapse.py [--problems momf_park] [--seeds 10]``.

Runs imoca-p as far as the calibration does, and after every question asks for the recommended front, as it is and with
nothing kept of what was recommended before, and for the hypervolume that its designs truly lack. A relapse is the
largest loss from one question to the next, after the front first came within 5 % of what 200 designs can reach.
Studies and what was measured on them are kept in experiments/runs/relapse, so that a further call goes on. Results go
to experiments/results/relapse.json; three seeds of the six problems take about eight minutes of two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.calibration.judging import trials_of_study
from experiments.calibration.problems import find_case
from imoca.files import write_whole
from imoca.models.surrogates import DEFAULT_MODEL
from imoca.snapshot import recommendation
from imoca.trials import TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import SMALLEST_START, attainable_difference, score

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "relapse", ROOT / "results" / "relapse.json"
PROBLEMS = ("branin_currin", "trap", "momf_branin_currin", "momf_park", "network_on_chip", "ackley_rosenbrock_sphere")
WITHIN, LOSS = 0.05, 0.02  # shares of the true hypervolume
DIGITS = 5


def differences(benchmark: Benchmark, table: TrialTable, seed: int, n_kept: int) -> list[float]:
    """The share of the hypervolume that the front lacks after every question from the first model on."""
    first = max(SMALLEST_START, table.problem.space.n_parameters + 1)
    with patch.object(recommendation, "MOST_KEPT", n_kept):
        scores = [score(benchmark, table.rows(slice(n)), seed) for n in range(first, len(table) + 1)]
    return [round(each.hypervolume_difference, DIGITS) for each in scores]


def relapse(lacking: list[float], attainable: float) -> float | None:
    """None if the front never came near, or only at the last question."""
    near = np.flatnonzero(np.array(lacking) <= attainable + WITHIN)
    if not len(near) or near[0] == len(lacking) - 1:
        return None
    return float(np.diff(lacking)[near[0] :].max())


def measure(name: str, seed: int) -> dict[str, object]:
    """In a process of its own."""
    case = find_case(name)
    benchmark, folder = case.problem.benchmark(), RUNS / f"{name}-{seed}"
    kept = folder / "measured.json"
    if not kept.exists():
        table = trials_of_study(case, DEFAULT_MODEL, seed, benchmark, folder)
        lacking = {
            "with memory": differences(benchmark, table, seed, recommendation.MOST_KEPT),
            "without": differences(benchmark, table, seed, 0),
        }
        write_whole(kept, json.dumps(lacking))
    lacking = json.loads(kept.read_text(encoding="utf-8"))
    attainable = attainable_difference(benchmark)
    losses = {way: relapse(each, attainable) for way, each in lacking.items()}
    print(f"{name}, seed {seed}: " + ", ".join(f"{way} {loss}" for way, loss in losses.items()), flush=True)
    return {"problem": name, "seed": seed, "attainable": attainable, "lacking": lacking, "largest loss": losses}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(name, seed) for seed in range(given.seeds) for name in given.problems]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        found = list(pool.map(measure, *zip(*work, strict=True)))
    print("\n| recommendation | runs that came near | largest loss below 2 % | median | largest |\n" + "|---" * 5 + "|")
    for way in ("with memory", "without"):
        losses = [each["largest loss"][way] for each in found]  # type: ignore[index]
        known = np.array([loss for loss in losses if loss is not None])
        print(
            f"| {way} | {len(known)} of {len(losses)} | {100.0 * np.mean(known < LOSS):.0f} % "
            f"| {100.0 * np.median(known):.2f} % | {100.0 * known.max():.1f} % |"
        )
    record = {"command": "python " + " ".join(sys.argv), "versions": dict(versions()), "runs": found}
    write_whole(RESULTS, json.dumps(record, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
