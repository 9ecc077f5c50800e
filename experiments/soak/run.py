"""One study for an hour while chance kills its driver, its workers and its page: ``python experiments/soak/run.py``.

``imoca run`` with four workers brings a study to 20,000 trials. At random moments the driver, a worker or one of two
pages gets SIGKILL and is started again; a visitor asks both pages for what a browser asks for, every second. In the end
the study is compared with what the driver's lines acknowledged and with what the simulator noted by itself. Results go
to experiments/results/soak.json, by command; the exit code is 1 unless nothing is missing. ``--seconds 60 --trials
200`` is a short one; ``--added 18000`` begins with so many results from elsewhere, so that a short one is of a large
study too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.soak.check import LINE, is_clean, judge
from experiments.soak.processes import Service, kill, wait_until, workers_of
from experiments.soak.simulators import truth
from experiments.soak.visitor import Visitor
from imoca.files import write_whole
from imoca.study.from_file import open_study
from imoca.studyfile import load_study_file
from imoca_lab.harness.results import versions

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "soak.json"
N_WORKERS = 4
EVERY = {"driver": 30.0, "worker": 15.0, "page": 60.0}  # seconds between two kills, on average
SAMPLE_SECONDS = 5.0
LOOK_SECONDS = 1.0
LATE = 1.0  # seconds
N_BANDS = 10  # of trials, in the table of memory
FIGURES = ("front", "cost", "fidelities", "trust", "convergence")
STUDY = """
[study]
name = "soak"
method = "random"
budget = 1e6
workers = {workers}

[parameters]
x = {{ type = "real", low = 0.0, high = 1.0 }}
y = {{ type = "real", low = 0.0, high = 1.0 }}

[simulators.s]
function = "simulators:simulate"
outputs = {{ f = "minimize", g = "minimize" }}
fidelity = {{ low = 0.0, high = 1.0 }}
cost = "0.01 + z"
retries = 3
"""


class Soak:
    def __init__(self, folder: Path, n_added: int, n_trials: int, seconds: float, seed: int) -> None:
        (folder / "study.toml").write_text(STUDY.format(workers=N_WORKERS), encoding="utf-8")
        shutil.copy(HERE / "simulators.py", folder)
        self._folder, self._n_trials = folder, n_trials
        self._chance = random.Random(seed)  # noqa: S311
        self._n_added = n_added
        add_old_results(folder, n_added, self._chance)
        self._begun = time.monotonic()
        self._end = self._begun + seconds
        self._driver = Service(folder, "driver", "run")
        self._pages = {name: self._page(name, port) for name, port in (("lasting", 8771), ("killed", 8772))}
        self._is_over = threading.Event()
        self._memory: list[tuple[int, str, float]] = []  # trials, whose, megabytes
        self._n_workers_killed = 0
        self._longest_start = 0.0  # seconds until a page answers
        self._faults: list[str] = []

    def run(self) -> dict[str, Any]:
        visitors = [threading.Thread(target=self._visit, args=(name,)) for name in self._pages]
        for each in visitors:
            each.start()
        try:
            self._drive()
        finally:
            self._is_over.set()
            for each in visitors:
                each.join()
            for page, _ in self._pages.values():
                page.kill()
        os.kill(self._driver.pid, signal.SIGINT)
        exit_code = self._driver.wait()
        return self._results(exit_code)

    def _drive(self) -> None:
        """Kill and start again until the time is up, then leave the driver in peace until it has its trials."""
        due = {what: self._begun + self._pause(what) for what in ("driver", "worker")}
        n_done, sample = 0, 0.0
        while time.monotonic() < self._end or n_done < self._n_trials:
            wait_until(min([time.monotonic() + 0.5, *due.values()]))
            self._driver.keep_alive()
            if time.monotonic() < self._end:
                for what, moment in due.items():
                    if moment <= time.monotonic():
                        due[what] = time.monotonic() + self._pause(what)
                        self._strike(what)
            else:
                due = {}
            if time.monotonic() - sample > SAMPLE_SECONDS:
                n_done, sample = self._n_added + self._n_shown(), time.monotonic()
                self._weigh(n_done)

    def _strike(self, what: str) -> None:
        if what == "driver":
            self._driver.kill()
            self._driver.keep_alive()
        elif workers := workers_of(self._driver.pid):
            self._n_workers_killed += kill(self._chance.choice(workers))

    def _pause(self, what: str) -> float:
        return self._chance.expovariate(1.0 / EVERY[what])

    def _visit(self, name: str) -> None:
        """Look every second; the killed page is killed here, so that no question is under way."""
        page, visitor = self._pages[name]
        self._await(visitor)
        chance = random.Random(name)  # noqa: S311
        due = time.monotonic() + chance.expovariate(1.0 / EVERY["page"])
        while not self._is_over.is_set():
            if name == "killed" and due <= time.monotonic() < self._end:
                due = time.monotonic() + chance.expovariate(1.0 / EVERY["page"])
                page.kill()
            if page.keep_alive():
                self._await(visitor)
            try:
                visitor.look(FIGURES)
            except Exception as error:
                self._faults.append(f"{name} page: {type(error).__name__}: {error}")
            self._is_over.wait(LOOK_SECONDS)

    def _await(self, visitor: Visitor) -> None:
        started = time.monotonic()
        while not visitor.knock() and not self._is_over.is_set():
            time.sleep(0.05)
        self._longest_start = max(self._longest_start, time.monotonic() - started)

    def _page(self, name: str, port: int) -> tuple[Service, Visitor]:
        return Service(self._folder, name, "dashboard", "soak.db", "--port", str(port)), Visitor(port)

    def _n_shown(self) -> int:
        output = self._driver.output
        return len(LINE.findall(output.read_text(encoding="utf-8", errors="replace"))) if output.exists() else 0

    def _weigh(self, n_done: int) -> None:
        services = {"driver": self._driver} | {f"{name} page": page for name, (page, _) in self._pages.items()}
        for name, service in services.items():
            if (megabytes := service.megabytes()) is not None:
                self._memory.append((n_done, name, megabytes))

    def _results(self, exit_code: int) -> dict[str, Any]:
        killed, _ = self._pages["killed"]
        return {
            "seconds": round(time.monotonic() - self._begun),
            "kills": {"driver": self._driver.n_kills, "workers": self._n_workers_killed, "page": killed.n_kills},
            "lives that ended by themselves": {
                "driver": len(self._driver.exits),
                "pages": sum(len(page.exits) for page, _ in self._pages.values()),
            },
            "exit code after Ctrl-C": exit_code,
            **judge(self._folder, self._driver.output),
            "megabytes": self._megabytes(),
            "seconds until a page that was started answers, at most": round(self._longest_start, 2),
            "seconds of an answer": {name: _times(visitor) for name, (_, visitor) in self._pages.items()},
            "answers later than a second": sum(
                s > LATE for _, visitor in self._pages.values() for times in visitor.seconds.values() for s in times
            ),
            "answers that did not come": sum(visitor.n_missing for _, visitor in self._pages.values()),
            "faults": self._faults[:20],
        }

    def _megabytes(self) -> dict[str, dict[str, float]]:
        """The largest seen of each process while the study had so many trials."""
        width = max(1, self._n_trials // N_BANDS)
        found: dict[str, dict[str, float]] = {}
        for n, name, megabytes in self._memory:
            band = found.setdefault(f"from {n // width * width} trials", {})
            band[name] = max(band.get(name, 0.0), round(megabytes, 1))
        return found


def add_old_results(folder: Path, n: int, chance: random.Random) -> None:
    with open_study(load_study_file(folder / "study.toml"), storage=folder / "soak.db") as study:
        for _ in range(n):
            design = {"x": chance.random(), "y": chance.random()}
            study.add(design, {"s": 1.0}, truth(**design))


def _times(visitor: Visitor) -> dict[str, dict[str, float]]:
    return {
        what: {
            "answers": len(times),
            "median": round(median(times), 4),
            "99 of 100": round(quantiles(times, n=100, method="inclusive")[-1] if len(times) > 1 else times[0], 4),
            "largest": round(max(times), 4),
        }
        for what, times in visitor.seconds.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--added", type=int, default=0, help="of which results that are there before")
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long chance kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    wish = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    print(f"It runs in {folder}.", flush=True)
    found = Soak(folder, wish.added, wish.trials, wish.seconds, wish.seed).run()
    options = f"--trials {wish.trials} --added {wish.added} --seconds {wish.seconds:g} --seed {wish.seed}"
    command = f"python experiments/soak/run.py {options}"
    runs = json.loads(wish.output.read_text(encoding="utf-8")) if wish.output.exists() else {}
    runs[command] = {"versions": versions(), **found}
    write_whole(wish.output, json.dumps(runs, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    if is_clean(found):
        shutil.rmtree(folder)
        return 0
    print(f"Something is missing; the study is kept in {folder}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
