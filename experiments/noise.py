"""By what are measured designs compared whose values scatter? ``python experiments/noise.py [--seeds 10]``.

Branin-Currin with normal noise at every fidelity, of so many percent of each function's range along the front, told as
standard errors or not. A study by imoca-p, then eight designs verified. The front of the same trials is recommended
three times: verified designs count with what was measured, with what is predicted of them, or with what was measured
less what the model explains of its error. The truth is known: what share of the hypervolume do the recommended designs
lack, how many verified designs of the front are beaten by another verified one, and how far from the truth is the value
that counts, in standard errors? Results go to experiments/results/noise.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from imoca import Study
from imoca.arrays import Array
from imoca.files import write_whole
from imoca.methods.beliefs import Beliefs, without_answers
from imoca.pareto import estimate_hypervolume
from imoca.snapshot import recommendation
from imoca.snapshot.prediction import in_units
from imoca.trials import TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.problems.branin_currin import branin, branin_currin, currin, problem_on_the_square

RESULTS = Path(__file__).parent / "results" / "noise.json"
RANGES = {"branin": 17.0, "currin": 5.0}  # of each along the true front, about
NOISES = (0.02, 0.1)  # of these ranges
BUDGET, N_VERIFIED = 6.0, 8
DIGITS = 4

Counting = Callable[[Beliefs, TrialTable], TrialTable]


def as_measured(beliefs: Beliefs, verified: TrialTable) -> TrialTable:
    return verified


def as_predicted(beliefs: Beliefs, verified: TrialTable) -> TrialTable:
    columns = [in_units(beliefs, j, each.mean_at_target(verified.x)) for j, each in enumerate(beliefs.modelled)]
    return replace(verified, values=np.column_stack(columns) * verified.problem.signs)


WAYS: dict[str, Counting] = {
    "measured": as_measured,
    "predicted": as_predicted,
    "measured less error": recommendation.as_believed,
}


def noisy_study(noise: float, seed: int, is_told: bool) -> Study:
    rng = np.random.default_rng([seed, 1])

    def scattering(name: str, run: Callable[[float, float, float], float]) -> Callable[..., Any]:
        error = noise * RANGES[name]

        def simulator(x1: float, x2: float, z: float) -> dict[str, object]:
            value = run(x1, x2, z) + error * rng.standard_normal()
            return {name: (value, error) if is_told else value}

        return simulator

    return Study(problem_on_the_square(scattering("branin", branin), scattering("currin", currin)), seed=seed)


def measure(noise: float, seed: int, is_told: bool) -> dict[str, Any]:
    """In a process of its own."""
    benchmark = branin_currin()
    with noisy_study(noise, seed, is_told) as study:
        study.optimize(BUDGET, progress=False)
        study.verify(n=N_VERIFIED, progress=False)
        table = study.table()
    found = {way: judged(benchmark, table, counting, seed, noise) for way, counting in WAYS.items()}
    print(f"{100 * noise:g} %, seed {seed}, {'told' if is_told else 'not told'}: {found}", flush=True)
    return {"noise": noise, "seed": seed, "told": is_told, "trials": len(table), "ways": found}


def judged(
    benchmark: Benchmark, table: TrialTable, counting: Counting, seed: int, noise: float
) -> dict[str, float | int]:
    with patch.object(recommendation, "as_believed", counting):
        beliefs = recommendation.believe_answers(table)
        front = recommendation.recommended(table, beliefs, seed)
    if beliefs is None:
        raise RuntimeError("no answers")
    verified = without_answers(table, beliefs.set_aside).verified
    truth, errors = benchmark.true_values(verified.x), noise * np.array(list(RANGES.values()))
    x = np.array([table.problem.space.encode(point.parameters) for point in front])
    values, is_verified = benchmark.true_values(x), np.array([point.verified for point in front])
    volume = estimate_hypervolume(values, benchmark.reference_point, np.random.default_rng(0)).volume
    apart = (counting(beliefs, verified).values - truth) / errors
    return {
        "lacks": round(1.0 - volume / benchmark.hypervolume, DIGITS),
        "designs": len(front),
        "verified": int(is_verified.sum()),
        "beaten": n_beaten(values[is_verified], truth),
        "off by": round(float(np.sqrt((apart**2).mean())), DIGITS),
    }


def n_beaten(values: Array, others: Array) -> int:  # (n, K), (m, K)
    """How many are dominated by one of the others."""
    is_beaten = (others[:, None] >= values).all(axis=2) & (others[:, None] > values).any(axis=2)
    return int(is_beaten.any(axis=0).sum())


def table_of(found: list[dict[str, Any]]) -> str:
    """In Markdown: medians and the worst of what is lacking, shares, root mean squares."""
    lines = ["| noise | errors | verified designs count as | lacks, median | worst | designs | beaten | off by |"]
    lines.append("|---" * 8 + "|")
    for noise in NOISES:
        for is_told in (True, False):
            runs = [each for each in found if (each["noise"], each["told"]) == (noise, is_told)]
            for way in WAYS:
                ways = [each["ways"][way] for each in runs]
                lacks = [100.0 * each["lacks"] for each in ways]
                beaten, verified = (sum(each[name] for each in ways) for name in ("beaten", "verified"))
                off_by = float(np.sqrt(np.mean([each["off by"] ** 2 for each in ways])))
                lines.append(
                    f"| {100 * noise:g} % | {'told' if is_told else 'not told'} | {way} | {np.median(lacks):.1f} % "
                    f"| {max(lacks):.1f} % | {np.median([each['designs'] for each in ways]):.0f} "
                    f"| {beaten} of {verified} | {off_by:.2f} |"
                )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(noise, seed, told) for seed in range(given.seeds) for noise in NOISES for told in (True, False)]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        found = list(pool.map(measure, *zip(*work, strict=True)))
    print(f"\n{table_of(found)}")
    record = {"command": "python " + " ".join(sys.argv), "versions": dict(versions()), "runs": found}
    write_whole(RESULTS, json.dumps(record, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
