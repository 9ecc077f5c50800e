"""What the exponent of the fidelity kernel is worth: predictions at full accuracy from cheap data, with and without it.

``python experiments/settling.py``: the paper's product kernel (a = 1), and the same with a >= 1 learned, are fitted to
the same data. Errors of the mean at z = 1 over 256 other designs, in standard deviations of the truth, and the share of
the designs within two predicted standard deviations; medians over five seeds. The data are 40 designs at fidelities up
to 0.5, one in ten above, and on some problems the first 80 questions of imoca-p. Results go to
experiments/results/settling.json. About five minutes.
"""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np

import imoca_lab
from imoca.arrays import Array
from imoca.methods import candidate, get_method
from imoca.methods.initial_design import sobol_designs
from imoca.models import output_data
from imoca.models.fitting import MAX_ITERATIONS, climbed, fit
from imoca.models.gp import GaussianProcess
from imoca.models.product import ProductForm
from imoca.problem import Problem
from imoca.runners import Job, run_job
from imoca.trials import Answer, Trial, TrialTable
from imoca_lab.benchmark import Benchmark

PROBLEMS = {
    "branin_currin": {},
    "ackley_rosenbrock_sphere": {},
    "momf_branin_currin": {},
    "momf_park": {},
    "trap": {},
    "rocket": {"setting": "per_objective"},
    "circuit": {"setting": "per_objective", "backend": "pwl"},
}
ASKED_BY_IMOCA = ("branin_currin", "rocket")
N_DATA, N_ASKED, N_TESTED = 40, 80, 256
HIGHEST, SHARE_ABOVE = 0.5, 0.1
SEEDS = range(5)
COLUMNS = ("error, a = 1", "within 2 sd, a = 1", "error, a learned", "within 2 sd, a learned", "a")
RESULTS = Path(__file__).parent / "results" / "settling.json"


def cheap_trials(benchmark: Benchmark, seed: int) -> list[Trial]:
    problem, rng = benchmark.problem, np.random.default_rng(seed)
    trials = []
    for number, x in enumerate(sobol_designs(problem, N_DATA, rng)):
        highest = 1.0 if rng.random() < SHARE_ABOVE else HIGHEST
        question = candidate(problem, x, highest * rng.random(len(problem.simulators)))
        trials.append(answered(problem, Trial.asked(number, question)))
    return trials


def asked_trials(benchmark: Benchmark, seed: int) -> list[Trial]:
    problem, method = benchmark.problem, get_method("imoca-p")
    trials: list[Trial] = []
    for number in range(N_ASKED):
        trials.append(answered(problem, Trial.asked(number, method.suggest(TrialTable.encode(problem, trials), seed))))
    return trials


def answered(problem: Problem, trial: Trial) -> Trial:
    values: dict[str, float] = {}
    costs: dict[str, float] = {}
    for simulator in problem.simulators:
        fidelity = trial.fidelities[simulator.name]
        answer = run_job(Job(trial.number, simulator, trial.parameters, fidelity, 1, Path(), Path()))
        values |= answer.values
        costs |= answer.costs
    return trial.answered(Answer(values, costs))


def fit_without_settling(x: Array, z: Array, values: Array) -> GaussianProcess:
    form, n_columns = ProductForm(), x.shape[1]
    prior = form.prior(n_columns)
    prior.high[n_columns] = 0.0  # of the exponent's logarithm, which is never below
    logs = climbed(form, prior, prior.mean, MAX_ITERATIONS, x, z, values, np.zeros(len(z))).x
    return GaussianProcess.condition(x, z, values, form.kernel(logs, n_columns))


def compare(problem: Problem, trials: list[Trial], tested: Array, truth: Array) -> dict[str, list[float]]:
    """Per objective the error and the share within two deviations, without and with the exponent, and the exponent."""
    found = {}
    for column, objective in enumerate(problem.objectives):
        if not problem.simulator_of(objective.name).fidelity.has_knob:
            continue
        data = output_data(TrialTable.encode(problem, trials), column)
        true = (truth[:, column] - data.centre) / data.scale
        row = []
        with_settling = fit(data.x, data.z, data.values, ProductForm())
        for process in (fit_without_settling(data.x, data.z, data.values), with_settling):
            mean, variance = process.mean_and_variance_at_target(tested)
            row.append(math.sqrt(float(np.mean((mean - true) ** 2))) / float(true.std()))
            row.append(float(np.mean(np.abs(mean - true) <= 2.0 * np.sqrt(variance))))
        settling = math.exp(float(with_settling.kernel.to_logs()[data.x.shape[1]]))
        found[objective.name] = [*row, settling]
    return found


def main() -> None:
    rows = {}
    for name, options in PROBLEMS.items():
        benchmark = imoca_lab.get(name, **options)
        tested = sobol_designs(benchmark.problem, N_TESTED, np.random.default_rng(1000))
        truth = benchmark.true_values(tested)
        for asker in (cheap_trials, *([asked_trials] if name in ASKED_BY_IMOCA else [])):
            runs = [compare(benchmark.problem, asker(benchmark, seed), tested, truth) for seed in SEEDS]
            for objective in runs[0]:
                medians = np.median([run[objective] for run in runs], axis=0).round(4).tolist()
                data = "cheap" if asker is cheap_trials else "imoca-p"
                rows[f"{name}, {data}: {objective}"] = dict(zip(COLUMNS, medians, strict=True))
                print(f"{name}, {data}: {objective}", rows[f"{name}, {data}: {objective}"])
    made = {"seeds": len(SEEDS), "versions": {name: version(name) for name in ("imoca", "numpy", "scipy")}}
    RESULTS.write_text(json.dumps({**made, "medians": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
