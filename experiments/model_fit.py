"""How well the models of finished runs predict full accuracy, where a run stalls: ``python experiments/model_fit.py``.

Reads the databases that ``imoca bench run experiments/paper.toml`` leaves in experiments/runs. Per objective, over 256
random designs and over the recommended ones: the error of the posterior mean and its bias, in standard deviations of
the truth, the share of designs within two predicted standard deviations, and the rank correlation with the truth.
Results go to experiments/results/model_fit.json. About two minutes.
"""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, believe
from imoca.methods.initial_design import sobol_designs
from imoca.snapshot import recommend
from imoca_lab.harness.drive import open_study
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec

CIRCUIT = ProblemChoice("circuit", setting="per_objective", backend="pwl")
RUNS = [
    (CIRCUIT, "imoca-p"),
    (CIRCUIT, "ehi"),
    (ProblemChoice("dtlz1"), "imoca-p"),
    (ProblemChoice("dtlz1"), "imoca-e"),
]
SEED = 0
N_TESTED = 256
FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results" / "model_fit.json"


def fit_of(beliefs: Beliefs, x: Array, truth: Array) -> dict[str, dict[str, float]]:
    means, deviations = beliefs.means_and_deviations_at_target(x)
    found = {}
    for k, objective in enumerate(beliefs.problem.objectives):
        true = beliefs.data[k].standardised(truth[:, k])
        error = means[:, k] - true
        found[objective.name] = {
            "error": round(math.sqrt(float(np.mean(error**2))) / float(true.std()), 3),
            "bias": round(float(error.mean() / true.std()), 3),
            "within 2 sd": round(float(np.mean(np.abs(error) <= 2.0 * deviations[:, k])), 3),
            "rank correlation": round(float(spearmanr(means[:, k], true).statistic), 3),
        }
    return found


def main() -> None:
    rows = {}
    for problem, method in RUNS:
        spec = RunSpec(problem, MethodChoice(method), SEED, budget=math.inf)
        benchmark = problem.benchmark()
        database = FOLDER / "runs" / spec.id / "study.db"
        if not database.exists():
            raise SystemExit(f"There is no {database}: imoca bench run experiments/paper.toml makes it.")
        with open_study(spec, benchmark.problem, database) as study:
            table = study.table()
        beliefs = believe(table)
        if beliefs is None:
            raise SystemExit(f"{database} has no answered trials yet.")
        recommended = [point.parameters for point in recommend(table, SEED)]
        designs = {
            "random": sobol_designs(benchmark.problem, N_TESTED, np.random.default_rng(1000)),
            "recommended": np.array([benchmark.problem.space.encode(each) for each in recommended]),
        }
        for name, x in designs.items():
            rows[f"{spec.id}, {len(table)} trials, {name} designs"] = fit_of(beliefs, x, benchmark.true_values(x))
    made = {name: version(name) for name in ("imoca", "numpy", "scipy")}
    RESULTS.write_text(json.dumps({"versions": made, "fits": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
