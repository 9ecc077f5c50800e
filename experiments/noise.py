"""What decides between measured designs whose values scatter? ``python experiments/noise.py [--seeds 10]``.

Branin-Currin with normal noise at every fidelity, told as standard errors: a share of the range of each function on its
front. A study by imoca-p, then eight designs verified. The front of the same trials is recommended three times: verified
designs count with what was measured, with what is predicted of them, or with what was measured less what of its
error the model explains. Truth is known: what hypervolume do the designs lack that are recommended, and how far from the
truth is the value that counts, in standard errors? The same study with its errors not told, by the third way, shows
what telling them brings. Results go to experiments/results/noise.json; ten seeds take about 20 minutes of two cores.
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
from unittest.mock import patch

import numpy as np

from imoca import Study
from imoca.files import write_whole
from imoca.methods.beliefs import Beliefs, without_answers
from imoca.snapshot import recommendation
from imoca.snapshot.prediction import in_units
from imoca.trials import TrialTable
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import score
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
    signs = verified.problem.signs
    columns = [in_units(beliefs, j, each.mean_at_target(verified.x)) for j, each in enumerate(beliefs.modelled)]
    return replace(verified, values=np.column_stack(columns) * signs)


WAYS: dict[str, Counting] = {
    "measured": as_measured,
    "predicted": as_predicted,
    "measured less error": recommendation._as_believed,
}


def noisy_study(noise: float, seed: int, is_told: bool) -> Study:
    """With runs that scatter, the same way for the same seed whether that is told or not."""
    rng = np.random.default_rng([seed, 1])

    def scattering(name: str, run: Callable[[float, float, float], float]) -> Callable[..., object]:
        error = noise * RANGES[name]

        def simulator(x1: float, x2: float, z: float) -> object:
            value = run(x1, x2, z) + error * rng.standard_normal()
            return {name: (value, error) if is_told else value}

        return simulator

    problem = problem_on_the_square(scattering("branin", branin), scattering("currin", currin))  # type: ignore[arg-type]
    return Study(problem, seed=seed)


def measure(noise: float, seed: int, is_told: bool) -> dict[str, object]:
    """In a process of its own."""
    benchmark = branin_currin()
    with noisy_study(noise, seed, is_told) as study:
        study.optimize(BUDGET, progress=False)
        study.verify(n=N_VERIFIED, progress=False)
        table = study.table()
    beliefs = recommendation.believe_answers(table)
    assert beliefs is not None
    verified = without_answers(table, beliefs.set_aside).verified
    truth, errors = benchmark.true_values(verified.x), noise * np.array(list(RANGES.values()))
    judged = replace(benchmark, problem=table.problem)
    found: dict[str, object] = {}
    for way, counting in WAYS.items():
        with patch.object(recommendation, "_as_believed", counting):
            front = recommendation.recommended(table, beliefs, seed)
            lacking = score(judged, table, seed).hypervolume_difference
        apart = (counting(beliefs, verified).values - truth) / errors
        chosen = np.array([table.problem.space.encode(point.parameters) for point in front if point.verified])
        found[way] = {
            "front lacks": round(lacking, DIGITS),
            "designs": len(front),
            "verified": len(chosen),
            "verified that another verified one truly dominates": n_dominated(benchmark.true_values(chosen), truth),
            "off by": round(float(np.sqrt((apart**2).mean())), DIGITS),
        }
    print(noise, seed, is_told, found, flush=True)
    return {"noise": noise, "seed": seed, "told": is_told, "trials": len(table), "ways": found}


def n_dominated(values: np.ndarray, others: np.ndarray) -> int:  # (n, K), (m, K)
    return int(((others[:, None] >= values).all(axis=2) & (others[:, None] > values).any(axis=2)).any(axis=0).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(noise, seed, told) for seed in range(given.seeds) for noise in NOISES for told in (True, False)]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        found = list(pool.map(measure, *zip(*work, strict=True)))
    print(found)
    record = {"command": "python " + " ".join(sys.argv), "versions": dict(versions()), "runs": found}
    write_whole(RESULTS, json.dumps(record, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
