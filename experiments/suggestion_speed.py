"""CPU seconds per suggestion, ours against BoTorch, in one run: ``make bench``.

One thread (the Makefile sets it), the same data for all: Branin-Currin at random designs and fidelities (at full
fidelity for the methods that know no other). A suggestion is everything from the data to the next question, the fit of
the models included. Medians over repeats with seeds of their own, after one call to warm up. Then ours alone as
observations grow, and with nine objectives on 33 variables.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from imoca import Fidelity, Objective, Problem, Real, Simulator
from imoca.arrays import Array
from imoca.methods import MethodSettings, get_method
from imoca.methods.method import Method
from imoca.snapshot import recommend
from imoca.trials import Answer, Trial, TrialTable
from imoca_lab.problems.branin_currin import branin_currin, branin_values, currin_values

OURS = ("imoca-t", "imoca-e", "imoca-p")
PEERS = {
    "botorch-momf": "BoTorch MOMF",
    "botorch-mesmo": "BoTorch MESMO-LB",
    "botorch-hvkg": "BoTorch MF-HVKG",
    "botorch-qlognehvi": "BoTorch qLogNEHVI",
    "botorch-qlognparego": "BoTorch qLogNParEGO",
    "botorch-jes": "BoTorch JES-LB",
}
SHARED = ("botorch-momf", "botorch-hvkg")  # the others know full fidelity only
GROWTH = (20, 50, 100, 200, 500, 1000, 2000, 3000)
N_VERY_MANY = 20_000
RESULTS = Path(__file__).parent / "results"


def data(n: int) -> tuple[Array, Array, Array]:
    """Designs in the unit square (n, 2), one fidelity for both objectives (n,), maximised values (n, 2)."""
    rng = np.random.default_rng(0)
    x, z = rng.random((n, 2)), rng.random(n)
    x1, x2 = 15.0 * x[:, 0] - 5.0, 15.0 * x[:, 1]
    pairs = [
        (branin_values(x1[i : i + 1], x2[i : i + 1], z[i])[0], currin_values(x1[i : i + 1], x2[i : i + 1], z[i])[0])
        for i in range(n)
    ]
    return x, z, -np.array(pairs)


def at_target(x: Array) -> Array:  # (n, 2) -> (n, 2)
    return branin_currin().true_values(x)


def as_trials(x: Array, z: Array, values: Array) -> list[Trial]:
    return [
        Trial(
            number=i,
            parameters={"x1": 15.0 * x[i, 0] - 5.0, "x2": 15.0 * x[i, 1]},
            fidelities={"branin": float(z[i]), "currin": float(z[i])},
            answer=Answer({"branin": -float(values[i, 0]), "currin": -float(values[i, 1])}),
        )
        for i in range(len(x))
    ]


def cpu_seconds(suggest: Callable[[int], object], repeats: int) -> float:
    suggest(0)
    taken = []
    for seed in range(1, repeats + 1):
        started = time.process_time()
        suggest(seed)
        taken.append(time.process_time() - started)
    return float(np.median(taken))


def asking(method: Method, problem: Problem, trials: list[Trial]) -> Callable[[int], object]:
    return lambda seed: method.suggest(TrialTable.encode(problem, trials), seed)


def ours(name: str, problem: Problem, trials: list[Trial], repeats: int) -> float:
    """Of a question by information, the dearer kind; P would ask some of these for full accuracy, by EHI."""
    method = get_method(name, MethodSettings(n_fronts=10, verify=0.0))
    return cpu_seconds(asking(method, problem, trials), repeats)


def against_botorch(repeats: int) -> dict[str, float]:
    x, z, values = data(50)
    problem, trials = branin_currin().problem, as_trials(x, z, values)
    seconds = {name: ours(name, problem, trials, 3 * repeats) for name in OURS}
    at_full = as_trials(x, np.ones(len(x)), at_target(x))
    for name, title in PEERS.items():
        peer, data_seen = (
            get_method(name, MethodSettings(initial_design="cheap" if name in SHARED else None)),
            trials if name in SHARED else at_full,
        )
        n = max(2, repeats // 3) if name == "botorch-hvkg" else repeats
        seconds[title] = cpu_seconds(asking(peer, problem, data_seen), n)
    return seconds


def growth() -> dict[str, dict[str, float]]:
    problem = branin_currin().problem
    table: dict[str, dict[str, float]] = {}
    for n in GROWTH:
        trials = as_trials(*data(n))
        table[str(n)] = {name: ours(name, problem, trials, 3) for name in OURS}
        print(f"| {n} | " + " | ".join(f"{table[str(n)][name]:.3f}" for name in OURS) + " |", flush=True)
    return table


def many_objectives() -> dict[str, float]:
    """Nine objectives of one simulator on 33 variables, 200 observations."""
    rng = np.random.default_rng(0)
    directions, x, z = rng.standard_normal((33, 9)), rng.random((200, 33)), rng.random(200)
    values = np.sin(0.6 * x @ directions) + 0.1 * (1.0 - z[:, None])
    objectives = [Objective(f"f{j}", "maximize") for j in range(9)]
    simulator = Simulator("s", objectives, fidelity=Fidelity.continuous(), cost="0.1 + z**2")
    problem = Problem([Real(f"x{i}", 0.0, 1.0) for i in range(33)], [simulator])
    trials = [
        Trial(
            number=i,
            parameters={f"x{k}": float(x[i, k]) for k in range(33)},
            fidelities={"s": float(z[i])},
            answer=Answer({f"f{j}": float(values[i, j]) for j in range(9)}),
        )
        for i in range(200)
    ]
    return {name: ours(name, problem, trials, 2) for name in OURS}


def front_of_very_many() -> dict[str, float]:
    """Recommended from so many trials: CPU seconds, and the most memory that the process, one of its own, ever held."""
    table = TrialTable.encode(branin_currin().problem, as_trials(*data(N_VERY_MANY)))
    started = time.process_time()
    recommend(table, 0)
    seconds = time.process_time() - started
    return {"seconds": seconds, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7, help="timed calls per method of BoTorch")
    options = parser.parse_args()
    seconds = against_botorch(options.repeats)
    peers = [name for name in seconds if name not in OURS]
    print("\nBranin-Currin, 50 observations, S = 10, CPU seconds per suggestion\n")
    print("| method | seconds | " + " | ".join(f"{peer} is slower by" for peer in peers) + " |")
    print("|---" * (2 + len(peers)) + "|")
    for name in OURS:
        ratios = " | ".join(f"{seconds[peer] / seconds[name]:.0f}x" for peer in peers)
        print(f"| {name} | {seconds[name]:.3f} | {ratios} |")
    for peer in peers:
        print(f"| {peer} | {seconds[peer]:.2f} |" + " |" * len(peers))
    print(f"\nE / T = {seconds['imoca-e'] / seconds['imoca-t']:.2f}")
    print("\nGrowth with the number of observations\n\n| n | " + " | ".join(OURS) + " |\n" + "|---" * 4 + "|")
    grown = growth()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        very_many = pool.submit(front_of_very_many).result()
    print(f"\nA front from {N_VERY_MANY} trials: {very_many['seconds']:.1f} s, {very_many['megabytes']:.0f} MB")
    many = many_objectives()
    print("\nNine objectives, 33 variables, 200 observations: ", {name: round(many[name], 2) for name in OURS})
    names = ("imoca", "numpy", "scipy", "torch", "botorch")
    record = {
        "command": f"make bench (repeats {options.repeats})",
        "versions": {name: version(name) for name in names} | {"python": platform.python_version()},
        "at 50 observations": seconds,
        "growth": grown,
        f"front of {N_VERY_MANY} trials": very_many,
        "nine objectives, 33 variables, 200 observations": many,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "suggestion_speed.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
