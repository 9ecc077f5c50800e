"""Should an error's length scales know of the truth's? ``python experiments/alike.py [--seeds 3] [--problems ...]``.

imoca-p with three priors: length scales of truth and error that know nothing of each other; those of an error like the
truth's, one by one; and, as it is, like the truth's or all in all shorter. On members of the family of
experiments/growth/family.py, in five and ten parameters, on one whose errors are unlike its truth (unlike.py), and on
small problems. What the front that would be
recommended, evaluated truly, lacks of the true hypervolume at the end, and the cost at which it comes and stays within
1 and 5 % of the true one, thinned to as many designs. Results go to experiments/results/alike.json.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.growth.family import Member
from experiments.reaching import reached, record, steps_of
from experiments.unlike import unlike
from imoca import Study
from imoca.methods import MethodSettings, get_method
from imoca.models import truth_and_error
from imoca.models.form import Prior
from imoca.snapshot import bill
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.scoring import attainable_difference, n_initial_trials
from imoca_lab.registry import get

RESULTS = Path(__file__).parent / "results" / "alike.json"
N_CHECKPOINTS = 12
LIMITS: dict[str, tuple[float, int]] = {  # a budget, and the most trials
    "five parameters": (8.0, 200),
    "ten parameters": (6.0, 250),
    "unlike": (6.0, 150),
    "trap": (10.0, 200),
    "branin_currin": (6.0, 200),
    "momf_park": (1.0, 120),
    "network_on_chip": (4.0, 100),
}
OWN: dict[str, Callable[[], Benchmark]] = {
    "five parameters": Member().benchmark,
    "ten parameters": Member(n_parameters=10).benchmark,
    "unlike": unlike,
}
PRIORS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "apart": lambda: patch.object(Prior, "with_likeness", lambda prior, _: prior),
    "alike": lambda: patch.object(truth_and_error, "LENGTH_RATIOS", (truth_and_error.LENGTH_RATIOS[0], 0.0)),
    "as it is": nullcontext,
}


def measure(problem: str, prior: str, seed: int) -> dict[str, Any]:
    """In a process of its own."""
    benchmark = OWN[problem]() if problem in OWN else get(problem)
    budget, most = LIMITS[problem]
    with PRIORS[prior](), Study(benchmark.problem, method="imoca-p", seed=seed) as study:
        study.optimize(budget, trials=most, progress=False)
        table = study.table()
        n_initial = n_initial_trials(get_method("imoca-p", MethodSettings()), table, seed)
        track = reached(benchmark, table, bill(table).by_trial.cumsum(), n_initial, seed, N_CHECKPOINTS)
    attainable = 1.0 - attainable_difference(benchmark)
    within = [steps_of(track).settled_within(1.0 - (1.0 - share) * attainable) for share in (0.01, 0.05)]
    row = {
        "problem": problem,
        "prior": prior,
        "seed": seed,
        "to 1 %": None if math.isinf(within[0]) else round(within[0], 3),
        "to 5 %": None if math.isinf(within[1]) else round(within[1], 3),
        "spent": round(track["spent"][-1], 3),
        "lacking": round(track["lacking"][-1], 4),
    }
    print(row, flush=True)
    return row


def table_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """As docs/decisions/0014 shows them, a line per problem and prior: costs of every seed, – where it never does."""
    lines = []
    for problem in LIMITS:
        for prior in PRIORS:
            same = [row for row in rows if (row["problem"], row["prior"]) == (problem, prior)]
            costs = [" ".join(_cost_words(row[limit]) for row in same) for limit in ("to 1 %", "to 5 %")]
            lacking = " ".join(f"{100.0 * row['lacking']:.2g}" for row in same)
            lines.append(f"| {problem} | {prior} | {' | '.join(costs)} | {lacking} |")
    return lines


def _cost_words(cost: float | None) -> str:
    return "–" if cost is None else f"{cost:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--problems", nargs="+", default=list(LIMITS), choices=list(LIMITS))
    parser.add_argument("--seeds", type=int, default=3, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(problem, prior, seed) for problem in given.problems for seed in range(given.seeds) for prior in PRIORS]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        rows = list(pool.map(measure, *zip(*work, strict=True)))
    record(RESULTS, rows, ["problem", "prior", "seed"])
    print("\n".join(table_rows(json.loads(RESULTS.read_text(encoding="utf-8"))["rows"])))


if __name__ == "__main__":
    main()
