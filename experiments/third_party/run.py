"""Methods against each other on simulators that other people wrote: ``python experiments/third_party/run.py antenna``.

Every method may spend the same; what a run costs is declared in the study file (CPU seconds of its fidelity, measured
once), so that a busy machine changes nothing. Only designs that were run at full accuracy count. The methods that
recommend by prediction keep a tenth of the budget back, imoca-p-half a half, with which designs of their front are run
at full accuracy, chosen by ``study.verify``; the others run at full accuracy anyway. A search whose questions took
three CPU minutes ends, and what is left of its budget goes to designs of its front as well: only BoTorch's MOMF takes
so long. Simulator runs are kept in experiments/runs/third_party and never repeated. Results go to
experiments/results/third_party/NAME.jsonl; what is there is not done again. Methods of BoTorch need imoca[peers].
OMP_NUM_THREADS=1 is wise.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from importlib.metadata import version
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.third_party.nsga2 import evolve
from experiments.third_party.records import (
    HALF,
    RESULTS,
    FullRun,
    Outcome,
    RunRecord,
    front_volume,
    label,
    read_records,
    write_records,
)
from experiments.third_party.simulators import CACHE, EXAMPLES, Example
from imoca import Study
from imoca.problem import FidelityValue, Problem
from imoca.snapshot import bill
from imoca.trials import Trial, TrialTable
from imoca_lab.harness.results import versions

METHODS = ("imoca-p", HALF, "botorch-momf", "botorch-qlognehvi", "nsga2", "random")
# Of the budget, to verify what is recommended; by methods that recommend designs that they did not run so.
KEPT_BACK = {"imoca-p": 0.1, HALF: 0.5, "botorch-momf": 0.1}
MOST_SECONDS = 180.0  # of CPU time, that the questions of one run may take
LITTLE = 1e-9  # full runs; costs are sums


def full_cost(problem: Problem) -> float:
    """Of one design, all simulators."""
    return sum(simulator.full_cost for simulator in problem.simulators) + problem.setup_cost


def run_study(problem: Problem, method: str, seed: int, budget: float) -> Outcome:
    """No question is asked with less left than it may cost, so that no method spends more than another."""
    seconds = 0.0

    def noted(_: Trial, took: float) -> bool:
        nonlocal seconds
        seconds += took
        return seconds < MOST_SECONDS

    search = budget * (1.0 - KEPT_BACK.get(method, 0.0))
    with Study(problem, method="imoca-p" if method == HALF else method, seed=seed) as study:
        study.optimize(search - full_cost(problem) + LITTLE, on_question=noted, progress=False)
        n = int((budget - study.cost_spent + LITTLE) / full_cost(problem))
        if method in KEPT_BACK and n:
            study.verify(n=n, progress=False)
        return outcome_of(study.table(), seconds)


def outcome_of(table: TrialTable, seconds: float) -> Outcome:
    spent = bill(table).by_trial.cumsum()
    return Outcome(
        spent=float(spent[-1]),
        questions=len(table),
        failures=sum(bool(trial.failures) for trial in table.trials),
        runs={
            simulator.name: dict(Counter(map(label, _asked(table, simulator.name))))
            for simulator in table.problem.simulators
            if simulator.fidelity.has_knob
        },
        cpu_seconds=round(seconds, 1),
        full_runs=tuple(
            FullRun.rounded(float(spent[trial.number]), trial.parameters, trial.values)
            for trial in table.verified.trials
        ),
    )


def _asked(table: TrialTable, simulator: str) -> list[FidelityValue]:
    """The fidelities at which it was asked; verification leaves out what was run at full accuracy before."""
    return [trial.fidelities[simulator] for trial in table.trials if simulator in trial.fidelities]


def run_nsga2(problem: Problem, population: int, seed: int, budget: float) -> Outcome:
    each = full_cost(problem)
    n = int((budget + LITTLE) / each)
    answers = list(islice(evolve(problem, population, seed), n))
    return Outcome(
        spent=n * each,
        questions=n,
        failures=sum(answer.values is None for answer in answers),
        runs={s.name: {label(s.fidelity.target): n} for s in problem.simulators if s.fidelity.has_knob},
        cpu_seconds=0.0,  # its questions take next to nothing
        full_runs=tuple(
            FullRun.rounded((i + 1) * each, answer.parameters, answer.values)
            for i, answer in enumerate(answers)
            if answer.values is not None
        ),
    )


def run_method(example: Example, problem: Problem, method: str, seed: int) -> RunRecord:
    if method == "nsga2":
        outcome = run_nsga2(problem, example.population, seed, example.budget)
    else:
        outcome = run_study(problem, method, seed, example.budget)
    made = versions() | {"pymoo": version("pymoo"), example.package: example.version()}
    return RunRecord(example.name, method, seed, example.budget, command(example.name), made, outcome)


def command(name: str) -> str:
    return f"python experiments/third_party/run.py {name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("example", choices=list(EXAMPLES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--seeds", type=int, default=5, help="so many, from 0 on")
    parser.add_argument("--cache", type=Path, default=CACHE)
    given = parser.parse_args()
    example = EXAMPLES[given.example]
    problem, path = example.problem(given.cache), RESULTS / f"{example.name}.jsonl"
    for seed in range(given.seeds):
        for method in given.methods:
            records = read_records(path)
            if (method, seed) in {record.key for record in records}:
                continue
            record = run_method(example, problem, method, seed)
            write_records(path, [*records, record])
            volume, found = front_volume(problem, example.reference, record.outcome.full_runs), record.outcome
            print(f"{method} {seed}: {found.questions} questions, {found.cpu_seconds} s, {volume:.4g}", flush=True)


if __name__ == "__main__":
    main()
