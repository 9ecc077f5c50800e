"""How long a page takes that nobody has looked at yet: ``OMP_NUM_THREADS=1 python experiments/page_speed.py``.

Studies of two, three and nine objectives, each with a simulator of its own, on eight parameters, and one of 5,000
trials. Designs and fidelities are random (seed 0), every eighth trial runs at full accuracy, and trials remember
hyperparameters as asked ones do. CPU seconds on one thread, each study in a process of its own, imports not counted:
until the dashboard has made what a reader sees first (the verdict, the navigator with the front of today, figures that
need no model), until it has made all; and the report from nothing, with its size. Results go to
experiments/results/page_speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from imoca import Fidelity, Objective, Problem, Real, Simulator
from imoca.dashboard.figures import (
    NAVIGATOR,
    QUICK,
    RECORDS,
    TODAY,
    VERDICT,
    draw,
    navigator_json,
    today_json,
    verdict_json,
)
from imoca.dashboard.view import StudyView
from imoca.errors import FigureError
from imoca.methods.beliefs import believe
from imoca.report.page.contents import Introduction
from imoca.report.page.page import page_scripts, report_page
from imoca.snapshot.snapshot import Snapshot
from imoca.trials import Answer, Trial, TrialTable

STUDIES = ((2, 300), (3, 300), (9, 300), (2, 5000))  # objectives, trials
N_PARAMETERS = 8
FULL_EVERY = 8  # trials
FITS_AT = (16, 48, 144)  # trials after which hyperparameters are fitted, for all later trials to remember
RESULTS = Path(__file__).parent / "results" / "page_speed.json"
FIRST = (VERDICT, *QUICK, TODAY)


def problem_of(n_objectives: int) -> Problem:
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "minimize")], fidelity=Fidelity.continuous(), cost="0.05 + z**2")
        for j in range(n_objectives)
    ]
    return Problem([Real(f"x{i}", 0.0, 1.0) for i in range(N_PARAMETERS)], simulators)


def table_of(n_objectives: int, n_trials: int) -> TrialTable:
    """Objective j is a squared distance to a design of its own, bent; cheap runs err by a smooth function."""
    rng = np.random.default_rng(0)
    problem = problem_of(n_objectives)
    optima, waves = rng.random((n_objectives, N_PARAMETERS)), rng.standard_normal((N_PARAMETERS, n_objectives))
    trials: list[Trial] = []
    fitted: dict[str, tuple[float, ...]] = {}
    for i in range(n_trials):
        if i in FITS_AT:
            beliefs = believe(TrialTable.encode(problem, trials))
            fitted = {} if beliefs is None else beliefs.fitted
        x, z = rng.random(N_PARAMETERS), np.ones(n_objectives) if i % FULL_EVERY == 0 else rng.random(n_objectives)
        true = ((x - optima) ** 2).sum(axis=1) + 0.1 * np.sin(3.0 * x @ waves)
        values = true + 0.2 * (1.0 - z) * np.cos(2.0 * x @ waves)
        trials.append(
            Trial(
                number=i,
                parameters={f"x{k}": float(x[k]) for k in range(N_PARAMETERS)},
                fidelities={f"s{j}": float(z[j]) for j in range(n_objectives)},
                answer=Answer({f"f{j}": float(values[j]) for j in range(n_objectives)}),
                fitted=fitted,
            )
        )
    return TrialTable.encode(problem, trials)


def measure(n_objectives: int, n_trials: int) -> dict[str, object]:
    table = table_of(n_objectives, n_trials)
    page_scripts()  # plotly, read once per process
    seconds, faults = dashboard_seconds(Snapshot("imoca-p", 0, table))
    started = time.process_time()
    page = report_page(Snapshot("imoca-p", 0, table), Introduction("speed", budget=500.0))
    taken = time.process_time() - started
    return {
        "objectives": n_objectives,
        "trials": n_trials,
        "first figures": round(sum(seconds[name] for name in FIRST), 1),
        "all figures": round(sum(seconds.values()), 1),
        "report": round(taken, 1),
        "megabytes of the report": round(len(page.encode("utf-8")) / 1e6, 1),
        "left out": faults,
        "by figure": {name: round(each, 2) for name, each in seconds.items()},
    }


def dashboard_seconds(snapshot: Snapshot) -> tuple[dict[str, float], dict[str, str]]:
    """Per figure in the order in which the page makes them, what it adds to those before; and why one is not made."""
    view = StudyView(Path("speed.db"), 500.0)
    seconds, faults = {}, {}
    makers: dict[str, Callable[[], object]] = {name: partial(draw, name, snapshot) for name in RECORDS}
    makers[VERDICT] = partial(verdict_json, view, snapshot)
    makers[TODAY] = partial(today_json, view, snapshot)
    makers[NAVIGATOR] = partial(navigator_json, view, snapshot)
    for name in (*FIRST, NAVIGATOR, *(each for each in RECORDS if each not in FIRST)):
        started = time.process_time()
        try:
            makers[name]()
        except FigureError as error:
            faults[name] = str(error)
        seconds[name] = time.process_time() - started
    return seconds, faults


def table_rows(studies: Sequence[Mapping[str, Any]]) -> list[str]:
    """As docs/how-to/figures.md shows them."""
    columns = ("objectives", "trials", "first figures", "all figures", "report", "megabytes of the report")
    return ["| " + " | ".join(f"{study[column]:g}" for column in columns) + " |" for study in studies]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-results", action="store_true", help="print only")
    options = parser.parse_args()
    measured = []
    for study in STUDIES:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            measured.append(pool.submit(measure, *study).result())
        print(json.dumps(measured[-1]), flush=True)
    record = {
        "command": "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python experiments/page_speed.py",
        "threads": os.environ.get("OMP_NUM_THREADS", "all"),
        "versions": {name: version(name) for name in ("imoca", "numpy", "scipy", "moocore", "plotly")}
        | {"python": platform.python_version()},
        "studies": measured,
    }
    if not options.no_results:
        print("\n".join(table_rows(measured)))
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
