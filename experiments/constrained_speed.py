"""What constraints and failures cost a suggestion: ``OMP_NUM_THREADS=1 python experiments/constrained_speed.py``.

CPU seconds of a question of imoca-p, on one thread: Branin-Currin at random designs and fidelities, then the same
answers with a constraint from each simulator, with a failure beside every fourth answer, and with both. A suggestion is
everything from the data to the next question, the fit of the models included. Medians over repeats with seeds of their
own, after one call to warm up. Both together should take at most twice as long as neither. Results go to
experiments/results/constrained_speed.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.suggestion_speed import cpu_seconds, data
from imoca import Constraint, Fidelity, Objective, Problem, Real, Simulator
from imoca.files import write_whole
from imoca.methods import MethodSettings, get_method
from imoca.trials import Answer, Trial, TrialTable
from imoca_lab.harness.results import versions
from imoca_lab.problems.branin_currin_disc import distance

METHOD = "imoca-p"
BY_INFORMATION = MethodSettings(verify=0.0)  # the dearer kind of question; others are for full accuracy, by EHI
SIZES = (20, 50, 100, 200)
FAILED_BEYOND = 8.0  # of x1: so that failures have a place
AT_MOST = 2.0
RESULTS = Path(__file__).parent / "results" / "constrained_speed.json"


@dataclass(frozen=True)
class Setting:
    """What is known beside two objectives."""

    has_constraints: bool
    has_failures: bool


SETTINGS = {
    "neither": Setting(False, False),
    "constraints": Setting(True, False),
    "failures": Setting(False, True),
    "both": Setting(True, True),
}


def problem_of(setting: Setting) -> Problem:
    limits = [[Constraint("distance", upper=50.0)], [Constraint("sum", upper=18.0)]]
    costs = {"branin": "0.05 + z**6.5", "currin": "0.1 + z**2"}
    simulators = [
        Simulator(
            name,
            [Objective(name, "minimize"), *(limit if setting.has_constraints else ())],
            fidelity=Fidelity.continuous(),
            cost=cost,
        )
        for (name, cost), limit in zip(costs.items(), limits, strict=True)
    ]
    return Problem([Real("x1", -5.0, 10.0), Real("x2", 0.0, 15.0)], simulators)


def trials_of(setting: Setting, n: int) -> list[Trial]:
    """So many answers, and beside every fourth of them a run of Branin's simulator that failed."""
    unit, z, values = data(n)
    trials: list[Trial] = []
    for u, fidelity, value in zip(unit, z, -values, strict=True):
        x1, x2 = 15.0 * float(u[0]) - 5.0, 15.0 * float(u[1])
        answers = {"branin": float(value[0]), "currin": float(value[1])}
        if setting.has_constraints:
            answers |= {"distance": distance(x1, x2, float(fidelity)), "sum": x1 + x2 - 2.0 * (1.0 - float(fidelity))}
        fidelities = {"branin": float(fidelity), "currin": float(fidelity)}
        trials.append(Trial(len(trials), {"x1": x1, "x2": x2}, fidelities, answer=Answer(answers)))
    for i in range(n // 4 if setting.has_failures else 0):
        u = np.random.default_rng([1, i]).random(3)
        x1 = FAILED_BEYOND + (10.0 - FAILED_BEYOND) * float(u[0])
        answer = Answer({}, failures={"branin": "broken"})
        trials.append(Trial(len(trials), {"x1": x1, "x2": 15.0 * float(u[1])}, {"branin": float(u[2])}, answer=answer))
    return trials


def seconds(setting: Setting, n: int, repeats: int) -> float:
    table, method = TrialTable.encode(problem_of(setting), trials_of(setting, n)), get_method(METHOD, BY_INFORMATION)
    return cpu_seconds(lambda seed: method.suggest(table, seed), repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--repeats", type=int, default=9, help="timed suggestions of each")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of answers")
    given = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    print("| answers | " + " | ".join(SETTINGS) + " | both / neither |\n" + "|---" * (len(SETTINGS) + 2) + "|")
    for n in given.sizes:
        taken = {name: seconds(setting, n, given.repeats) for name, setting in SETTINGS.items()}
        ratio = taken["both"] / taken["neither"]
        print(f"| {n} | " + " | ".join(f"{each:.3f}" for each in taken.values()) + f" | {ratio:.2f} |", flush=True)
        found[str(n)] = {name: round(each, 4) for name, each in (taken | {"both / neither": ratio}).items()}
    command = f"python experiments/constrained_speed.py --repeats {given.repeats}"
    record = {"command": command, "versions": dict(versions()), "at most": AT_MOST, "CPU seconds": found}
    write_whole(RESULTS, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
