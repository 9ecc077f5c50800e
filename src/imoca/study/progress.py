"""What a running study shows: a live panel on a terminal, one plain line per finished trial elsewhere."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from imoca.snapshot.convergence import front_volume
from imoca.trials.table import TrialTable
from imoca.trials.trial import Run, RunState, SimulatorState, Trial
from imoca.wording import duration, named_numbers, printable

if TYPE_CHECKING:
    from imoca.study.study import Study

N_BANDS = 10  # cells of the picture that shows how often each fidelity was used
FRONT_SHARE = 20.0  # times as long as the front takes to compute, it is not computed again
N_SHOWN = 8  # running simulators listed
SHADES = " ▁▂▃▄▅▆▇█"
WIDTH = 100


class Progress(Protocol):
    """Shown while entered; told of every run and trial."""

    shows_failures: bool  # every one, with its reason

    def __enter__(self) -> object: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def run_started(self, run: Run) -> None: ...

    def run_ended(self, run: Run) -> None: ...

    def trial_finished(self, trial: Trial) -> None: ...


def progress_display(study: Study, budget: float | None, is_wanted: bool | None) -> Progress | None:
    """The live panel on a terminal; elsewhere plain lines, but only if they are wanted."""
    if is_wanted is not False and _is_live_terminal():
        return LivePanel(study, budget)
    return PlainLines(study, budget) if is_wanted else None


def _is_live_terminal() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


class PlainLines:
    """For pipes and batch logs."""

    shows_failures = True

    def __init__(self, study: Study, budget: float | None) -> None:
        self._study = study
        self._budget = budget

    def __enter__(self) -> PlainLines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def run_started(self, run: Run) -> None:
        pass

    def run_ended(self, run: Run) -> None:
        if run.state is RunState.FAILED and run.answer is not None:
            reason = run.answer.failures[run.simulator]
            self._print(f"trial {run.trial}: {run.simulator} failed (attempt {run.attempt}): {reason}")

    def trial_finished(self, trial: Trial) -> None:
        of_budget = "" if self._budget is None else f" of {self._budget:g}"
        found = named_numbers(trial.values) or "no answer"
        at = named_numbers(trial.fidelities)
        facts = [f"trial {trial.number} {trial.state}: {found}", *([f"at {at}"] if at else [])]
        self._print(" | ".join([*facts, f"cost {self._study.cost_spent:.2f}{of_budget}"]))

    def _print(self, line: str) -> None:
        print(printable(line), file=sys.stderr, flush=True)  # noqa: T201


class LivePanel:
    """Cost spent of the budget, use of each fidelity, volume found, what runs and for how long, the time left."""

    shows_failures = False

    def __init__(self, study: Study, budget: float | None) -> None:
        self._study = study
        self._budget = budget
        self._started = time.monotonic()
        self._table = study.table()  # renewed after every trial, not while drawing
        self._spent_before = self._spent = study.cost_spent
        self._front_in_words = ""
        self._next_front = 0.0  # when the front may be computed again
        self._running: dict[tuple[int, str], Run] = {}
        self._last: Trial | None = None
        self._live = Live(console=Console(stderr=True), refresh_per_second=4, get_renderable=self.render)

    def __enter__(self) -> LivePanel:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.clear()
        self._live.stop()

    def run_started(self, run: Run) -> None:
        self._table = self._study.table()
        self._running = {**self._running, (run.trial, run.simulator): run}

    def run_ended(self, run: Run) -> None:
        self._running = {key: other for key, other in self._running.items() if key != (run.trial, run.simulator)}

    def trial_finished(self, trial: Trial) -> None:
        self._last = trial
        self._table = self._study.table()
        self._spent = self._study.cost_spent  # a learned cost takes a fit
        started = time.monotonic()
        if started >= self._next_front:
            self._front_in_words = self._describe_front()
            ended = time.monotonic()
            self._next_front = ended + FRONT_SHARE * (ended - started)

    def render(self) -> Panel:
        grid = Table.grid(padding=(0, 2))
        if self._budget is not None:
            bar = ProgressBar(self._budget, min(self._spent, self._budget), width=40)
            grid.add_row("cost", bar, self._cost_in_words())
        for s, simulator in enumerate(self._study.problem.simulators):
            if simulator.fidelity.has_knob:
                name = Text(printable(simulator.name), overflow="ellipsis", no_wrap=True)
                grid.add_row(name, Text(fidelity_use(self._table, s)), "low → full accuracy")
        lines = [Text(printable(line), overflow="ellipsis", no_wrap=True) for line in self._lines()]
        n_finished = int(self._table.is_finished.sum())
        return Panel(Group(grid, *lines), title=Text(f"iMOCA · {n_finished} trials"), width=WIDTH)

    def _cost_in_words(self) -> str:
        text = f"{self._spent:.2f} of {self._budget:g} full-fidelity runs"
        fresh = self._spent - self._spent_before
        if fresh > 0.0 and self._budget is not None and self._spent < self._budget:
            elapsed = time.monotonic() - self._started
            text += f", about {duration(elapsed * (self._budget - self._spent) / fresh)} left"
        return text

    def _describe_front(self) -> str:
        snapshot = self._study.snapshot()
        front = snapshot.front
        n_verified = sum(point.verified for point in front)
        volume = front_volume(front, snapshot.table)
        return f"front: {snapshot.n_on_front} designs, {n_verified} verified, hypervolume {volume:.3f}" if front else ""

    def _lines(self) -> list[str]:
        n_failed = sum(1 for trial in self._table.trials if trial.failures)
        facts = [f"{n_failed} with failures"] if n_failed else []
        if self._front_in_words:
            facts.append(self._front_in_words)
        if self._last is not None:
            facts.append(f"trial {self._last.number}: {named_numbers(self._last.values) or 'no answer'}")
        now = time.time()
        runs = [
            f"running {duration(max(0.0, now - run.started))}: trial {run.trial}, {run.simulator} "
            f"at {named_numbers({'fidelity': self._table.trials[run.trial].fidelities[run.simulator]})}"
            for run in list(self._running.values())[:N_SHOWN]
        ]
        if not runs and self._spent < (self._budget or float("inf")):
            runs = ["choosing the next design"]
        return [" · ".join(facts), *runs]


def fidelity_use(table: TrialTable, s: int) -> str:
    """How often simulator ``s`` was asked at each tenth of its fidelity, as shades."""
    z = table.z[table.states[:, s] != SimulatorState.NOT_RUN, s]
    counts = np.histogram(z, N_BANDS, (0.0, 1.0))[0].tolist()
    most = max(1, *counts)
    return "".join(SHADES[-(-count * (len(SHADES) - 1) // most)] * 4 for count in counts)
