"""Can BoTorch's methods answer with nine objectives? ``python experiments/peers_on_circuit.py``; needs imoca[peers].

The first suggestion of each on the circuit, after its initial design: CPU seconds on one thread, or what ended it.
A process each, which may take five CPU minutes and 16 GiB. Results go to experiments/results/peers_on_circuit.json.
"""

from __future__ import annotations

import json
import math
import os
import platform
import resource
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from imoca.methods import MethodSettings
from imoca_lab.harness.drive import open_study
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec

PROBLEM = ProblemChoice("circuit", setting="per_objective", backend="pwl")
METHODS = (
    MethodChoice("imoca-p"),
    MethodChoice("botorch-qlognparego"),
    MethodChoice("botorch-qlognehvi"),
    MethodChoice("botorch-jes"),
    MethodChoice("botorch-momf", MethodSettings(initial_design="cheap")),
    MethodChoice("botorch-hvkg", MethodSettings(initial_design="cheap")),
)
SEED = 0
MOST_SECONDS = 300
MOST_BYTES = 16 * 2**30
RESULTS = Path(__file__).parent / "results" / "peers_on_circuit.json"


def first_suggestion(choice: MethodChoice) -> float:
    """CPU seconds of the first question after the initial design; SIGXCPU or MemoryError where it takes too much."""
    spec = RunSpec(PROBLEM, choice, SEED, budget=math.inf)
    problem, method = PROBLEM.benchmark().problem, choice.method()
    with open_study(spec, problem, None) as study:
        while method.is_start(study.table(), SEED):
            study.optimize(math.nextafter(study.cost_spent, math.inf), progress=False)
        before = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(before) + MOST_SECONDS, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        study.ask()
        return time.process_time() - before


def outcome(number: int) -> str:
    child = subprocess.run(
        [sys.executable, __file__, str(number)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode == -signal.SIGXCPU:
        return f"none within {MOST_SECONDS} s"
    if child.returncode:
        return f"none: {child.stderr.splitlines()[-1]}"
    return child.stdout.strip()


def main() -> None:
    found = {}
    for number, choice in enumerate(METHODS):
        found[choice.label] = outcome(number)
        print(choice.label, found[choice.label], flush=True)
    made = {name: version(name) for name in ("imoca", "numpy", "botorch", "torch")}
    record = {
        "command": "python experiments/peers_on_circuit.py",
        "seed": SEED,
        "versions": made | {"python": platform.python_version()},
        "first suggestion": found,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(f"{first_suggestion(METHODS[int(sys.argv[1])]):.1f} s")
    else:
        main()
