"""How long a study of 5,000 stored trials takes to open, to show its status and to accept an answer.

``python experiments/stored_study.py``; CPU seconds beyond imports, the smallest of five, with declared and with
measured costs. Results go to experiments/results/stored_study.json.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.cli.opening import open_to_read
from imoca.cli.status import summary
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials import Answer, Candidate

N_TRIALS = 5000
N_PARAMETERS = 6
N_REPEATS = 5
RESULTS = Path(__file__).parent / "results" / "stored_study.json"
SIMULATORS = ("flow", "structure")


def make_problem(cost: str) -> Problem:
    return Problem(
        [Real(f"x{i}", 0.0, 1.0) for i in range(N_PARAMETERS)],
        [
            Simulator(name, [Objective(f"{name} loss", "minimize")], fidelity=Fidelity.continuous(), cost=cost)
            for name in SIMULATORS
        ],
    )


def fill(path: Path, problem: Problem) -> None:
    rng, n_logs = np.random.default_rng(0), len(TruthAndErrorForm.knob().prior(N_PARAMETERS).mean)
    Study(problem, storage=path).close()
    storage = SQLiteStorage(path)
    storage._database._connection.execute("PRAGMA synchronous = OFF")  # while it is made, not while it is measured
    for _ in range(N_TRIALS):
        parameters = {f"x{i}": value for i, value in enumerate(rng.random(N_PARAMETERS).tolist())}
        fidelities = {name: float(rng.random()) for name in SIMULATORS}
        costs = {name: 0.1 + fidelities[name] for name in SIMULATORS}
        values = {f"{name} loss": float(rng.random()) for name in SIMULATORS}
        fitted = {f"{name} loss": tuple(rng.random(n_logs).tolist()) for name in SIMULATORS}
        storage.add(Candidate(parameters, fidelities, fitted), Answer(values, costs))
    storage.close()


def seconds_taken(path: Path) -> float:
    """Status, as the command line reads it, then one answer told by another connection."""
    asked = SQLiteStorage(path)
    question = asked.trials()[0]
    number = len(asked.trials())
    asked.append(number, Candidate(question.parameters, question.fidelities), False)
    asked.close()
    started = time.process_time()
    with open_to_read(path) as opened:
        summary(opened)
    with Study.load(path) as study:
        study.tell(number, question.values, question.costs)
    return time.process_time() - started


def main() -> None:
    seconds = {}
    for cost in ("0.1 + z", "measured"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.db"
            fill(path, make_problem(cost))
            seconds[cost] = min(seconds_taken(path) for _ in range(N_REPEATS))
        print(f"cost {cost!r}: {seconds[cost]:.2f} s")
    record = {
        "command": "OMP_NUM_THREADS=1 python experiments/stored_study.py",
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "versions": {name: version(name) for name in ("imoca", "numpy", "scipy")}
        | {"python": platform.python_version()},
        "n_trials": N_TRIALS,
        "cpu_seconds": seconds,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
