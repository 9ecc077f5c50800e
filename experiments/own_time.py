"""Does our own time count? ``python experiments/own_time.py [--seeds 10]``.

Branin-Currin with simulators that sleep: 20 ms for their cheapest run and 4 s for a full one, costs measured, in a
database. Wall time to the front of imoca-p that chooses several questions at once where runs are shorter than choosing
(as it does by itself), of one that chooses one at a time but counts its own time in the price of a question, and of one
that does neither; and the share of the wall time that is not the simulators'. The study goes on for the same wall
time in all three. What is scored is the front that would be recommended, evaluated truly, as of when each answer came.

The clock is one of ours, which counts the CPU seconds of the process and adds those that simulators sleep, without
sleeping: what else the machine does is nothing to it. ``--real`` sleeps, and reads the clock on the wall: for a machine
that does nothing else. Results go to experiments/results/own_time.json, or own_time_real.json, each study being kept
in experiments/runs/own_time, so that a further call goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from experiments.reaching import reached, record, spent_to_the_front
from imoca import Fidelity, Objective, Problem, Simulator, Study
from imoca.files import write_whole
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.problems.branin_currin import branin, branin_currin, currin

ROOT = Path(__file__).parent
RUNS, RESULTS = ROOT / "runs" / "own_time", ROOT / "results"
SHORTEST, LONGEST = 0.02, 4.0  # seconds of the cheapest run and of a full one
MODES = ("several at once", "one at a time", "own time not counted")
N_INITIAL = 12  # trials of the initial design


class Clock:
    """CPU seconds of this process, and those that somebody slept."""

    def __init__(self) -> None:
        self._slept = 0.0

    def sleep(self, seconds: float) -> None:
        self._slept += seconds

    def now(self) -> float:
        return time.process_time() + self._slept

    def install(self) -> None:
        """In the place of the clocks that a study reads."""
        patch.multiple(time, sleep=self.sleep, monotonic=self.now, perf_counter=self.now).start()


def slow_branin(x1: float, x2: float, z: float) -> float:
    time.sleep(SHORTEST + (LONGEST - SHORTEST) * z**6.5)
    return branin(x1, x2, z)


def slow_currin(x1: float, x2: float, z: float) -> float:
    time.sleep(SHORTEST + (LONGEST - SHORTEST) * z**2)
    return currin(x1, x2, z)


def sleeping_problem() -> Problem:
    runs = {"branin": slow_branin, "currin": slow_currin}
    simulators = [
        Simulator(name, [Objective(name, "minimize")], run, fidelity=Fidelity.continuous(), cost="measured")
        for name, run in runs.items()
    ]
    return Problem(branin_currin().problem.parameters, simulators)


def run(mode: str, seed: int, seconds: float, is_real: bool) -> dict[str, Any]:
    """One study, in a process of its own."""
    kept = RUNS / ("real" if is_real else "virtual") / mode.replace(" ", "-") / f"{seconds:g}-s-seed-{seed}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    if not is_real:
        Clock().install()
    if mode == "one at a time":
        patch("imoca.methods.thinking.MOST_AT_ONCE", 1).start()
    if mode == "own time not counted":
        patch("imoca.study.questions.are_costs_times", return_value=False).start()
    ends: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Study(sleeping_problem(), seed=seed, storage=f"{folder}/s.db") as study,
    ):
        began = time.monotonic()
        study.optimize(time=seconds, progress=False, on_trial=lambda trial: ends.append(time.monotonic() - began))
        wall = time.monotonic() - began
        table = study.table()
    simulated = float(np.nansum(table.costs))
    way = reached(branin_currin(), table, np.array(ends), N_INITIAL, seed)
    lacks = way["lacking"][-1]
    print(f"{mode}, seed {seed}: {len(table)} trials, {1 - simulated / wall:.0%} ours, lacks {lacks:.2%}", flush=True)
    row = {
        "mode": mode,
        "seed": seed,
        "trials": len(table),
        "wall": wall,
        "simulated": simulated,
        **way,
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(row))
    return row


def summary_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    by_mode = {mode: [row for row in rows if row["mode"] == mode] for mode in MODES}
    seconds = spent_to_the_front(by_mode)
    return [
        {
            "mode": mode,
            "seeds": len(own),
            "trials": float(np.median([row["trials"] for row in own])),
            "ours": float(np.median([1.0 - row["simulated"] / row["wall"] for row in own])),
            "seconds": seconds[mode][0],
            "seconds by seed": seconds[mode][1:],
        }
        for mode, own in by_mode.items()
    ]


def table_rows(summary: Sequence[dict[str, Any]]) -> list[str]:
    """As docs/results.md shows them."""
    return [
        f"| {row['mode']} | {row['seeds']} | {row['trials']:.0f} | {row['ours']:.0%} | {row['seconds']:.1f} |"
        for row in summary
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="so many, from 0 on")
    parser.add_argument("--seconds", type=float, default=90.0, help="wall time of a study")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--real", action="store_true", help="by the clock on the wall")
    given = parser.parse_args()
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    work = [(mode, seed, given.seconds, given.real) for seed in range(given.seeds) for mode in MODES]
    with ProcessPoolExecutor(given.processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = list(pool.map(run, *zip(*work, strict=True)))
    summary = summary_of(rows)
    print("\n| questions | seeds | trials | ours | seconds to the front |\n|---|---:|---:|---:|---:|")
    print("\n".join(table_rows(summary)))
    record(RESULTS / ("own_time_real.json" if given.real else "own_time.json"), summary, ["mode"])


if __name__ == "__main__":
    main()
