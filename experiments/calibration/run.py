"""Are the error bars true? ``python experiments/calibration/run.py [--problems trap momf_park] [--seeds 3]``.

Runs imoca-p to three costs on every problem and seed, and measures what its model, and others fitted to the same
trials, promise at full accuracy: at the designs that the study recommends, at 256 random ones, and again after four of
the recommended designs were run at full accuracy. Studies are kept in experiments/runs/calibration: killed at any time,
the same command goes on, and what has its result is not run again. Results go to experiments/results/calibration, a
file per problem; ``python experiments/calibration/report.py`` makes tables and a figure of them.

All eleven problems with ten seeds should take three to four hours of two cores, most of it the circuit, DTLZ1 and the
panel; one seed of Branin-Currin ten seconds, of the rocket three minutes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.calibration.judging import judge_study, spec_of, trials_of_study
from experiments.calibration.models import BESIDE, MODELS, SEARCHING
from experiments.calibration.problems import CASES, Case, as_costs, find_case
from experiments.calibration.results import Calibration, CalibrationFolder
from imoca.errors import ImocaError
from imoca_lab.harness.campaign import ONE_THREAD
from imoca_lab.harness.results import versions

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "experiments" / "runs" / "calibration"
RESULTS = ROOT / "experiments" / "results" / "calibration"
N_SEEDS, N_PROCESSES = 10, 2
POLL_SECONDS = 1.0


@dataclass(frozen=True)
class Work:
    """One study, and the models that have no result on it yet."""

    case: Case
    search: str
    seed: int
    models: tuple[str, ...]
    command: str


def finish(work: Work) -> list[Calibration]:
    """In a process of its own: the study is run as far as it is not, then judged."""
    benchmark = work.case.problem.benchmark()
    folder = RUNS / work.search / spec_of(work.case, work.search, work.seed).id
    table = trials_of_study(work.case, work.search, work.seed, benchmark, folder)
    judged = judge_study(benchmark, table, work.case.costs, work.seed, work.search, work.models)
    return [
        Calibration(
            problem=work.case.problem,
            costs=work.case.costs,
            trials=work.case.trials,
            search=work.search,
            model=model,
            seed=work.seed,
            versions=versions(),
            command=work.command,
            moments=tuple(moments),
        )
        for model, moments in judged.items()
    ]


def waiting(
    cases: Sequence[Case], seeds: Sequence[int], search: str, models: Sequence[str], results: CalibrationFolder
) -> list[Work]:
    """One seed of every problem before the next seed, so that a run that is cut short has something of all."""
    command = " ".join(["python", "experiments/calibration/run.py", *sys.argv[1:]])
    found = []
    for seed in seeds:
        for case in cases:
            lacking = [m for m in models if not results.holds((case.label, search, m, seed), case.costs, case.trials)]
            if lacking:
                found.append(Work(case, search, seed, tuple(lacking), command))
    return found


def usable(models: Sequence[str]) -> list[str]:
    for name in models:
        if not MODELS[name].is_installed:
            print(
                f"{name} is left out: {MODELS[name].package} is not installed "
                "(pip install -c constraints-peers.txt -e '.[peers]'); started again with it, only it is added."
            )
    return [name for name in models if MODELS[name].is_installed]


def run_all(works: Sequence[Work], results: CalibrationFolder, n_processes: int) -> int:
    """The number of studies that failed, which stops no other."""
    os.environ.update(ONE_THREAD)  # before the processes load their libraries
    context = multiprocessing.get_context("spawn")
    n_failed, began = 0, time.monotonic()
    with ProcessPoolExecutor(n_processes, context, _end_with, (os.getpid(),)) as pool:
        futures: dict[Future[list[Calibration]], Work] = {pool.submit(finish, work): work for work in works}
        for n_ended, future in enumerate(as_completed(futures), 1):
            work = futures[future]
            label = f"[{n_ended}/{len(works)}, {time.monotonic() - began:.0f} s] {work.case.label}, seed {work.seed}"
            try:
                results.add(future.result())
                print(f"{label}: {', '.join(work.models)}", flush=True)
            except Exception as error:  # a benchmark, a simulator or a model may fail in any way
                n_failed += 1
                print(f"{label} FAILED: {type(error).__name__}: {error}", flush=True)
    return n_failed


def _end_with(parent: int) -> None:
    """A process whose parent was killed ends, for it would hold the study that the next call wants to continue."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    names = ", ".join(case.problem.name for case in CASES)
    parser.add_argument("--problems", nargs="+", default=[case.label for case in CASES], help=f"{names}; NAME:VARIANT")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="so many, from 0 on")
    parser.add_argument("--processes", type=int, default=N_PROCESSES)
    parser.add_argument("--model", choices=SEARCHING, default=SEARCHING[0], help="the study searches with it")
    parser.add_argument("--beside", nargs="*", choices=list(MODELS), default=BESIDE, help="judged on the same trials")
    parser.add_argument("--costs", nargs=3, type=float, help="instead of a problem's own")
    given = parser.parse_args()
    try:
        costs = None if given.costs is None else as_costs(given.costs)
        cases = [find_case(name, costs) for name in given.problems]
        results = CalibrationFolder(RESULTS)
    except ImocaError as error:
        raise SystemExit(f"{error.message} {error.hint}") from error
    models = usable(list(dict.fromkeys([given.model, *given.beside])))
    works = waiting(cases, range(given.seeds), given.model, models, results)
    print(f"{len(works)} studies to finish.")
    raise SystemExit(1 if works and run_all(works, results, given.processes) else 0)


if __name__ == "__main__":
    main()
