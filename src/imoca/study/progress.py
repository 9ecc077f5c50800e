"""A live display of a running study on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from imoca.trials import Trial

if TYPE_CHECKING:
    from imoca.study.study import Study

N_BANDS = 10  # cells of the picture that shows how often each fidelity was used
SHADES = " ▁▂▃▄▅▆▇█"


def is_terminal() -> bool:
    return sys.stderr.isatty()


class Progress:
    """Cost spent of the budget, how often each fidelity was used, the last answer, the time left."""

    def __init__(self, study: Study, budget: float) -> None:
        self._study = study
        self._budget = budget
        self._started = time.monotonic()
        self._spent_before = self._spent = study.cost_spent
        self._running: Trial | None = None
        self._last: Trial | None = None
        self._live = Live(console=Console(stderr=True), refresh_per_second=8, get_renderable=self._render)

    def __enter__(self) -> Progress:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running = None
        self._live.stop()

    def started(self, trial: Trial) -> None:
        self._running = trial

    def finished(self, trial: Trial) -> None:
        self._running, self._last = None, trial
        self._spent = self._study.cost_spent  # not while drawing: a learned cost takes a fit

    def _render(self) -> Panel:
        spent = self._spent
        grid = Table.grid(padding=(0, 2))
        grid.add_row("cost", ProgressBar(self._budget, min(spent, self._budget), width=40), self._numbers(spent))
        for simulator in self._study.problem.simulators:
            if simulator.fidelity.kind != "none":
                grid.add_row(Text(simulator.name), Text(self._fidelity_use(simulator.name)), "low → full accuracy")
        sentence = Text(self._sentence(), overflow="ellipsis", no_wrap=True)
        return Panel(Group(grid, sentence), title=Text(f"iMOCA · {len(self._study.trials)} trials"), width=100)

    def _numbers(self, spent: float) -> str:
        elapsed = time.monotonic() - self._started
        fresh = spent - self._spent_before
        text = f"{spent:.2f} of {self._budget:g} full-fidelity runs"
        if fresh > 0.0 and spent < self._budget:
            text += f", about {elapsed * (self._budget - spent) / fresh:.0f} s left"
        return text

    def _fidelity_use(self, name: str) -> str:
        fidelity = self._study.problem.simulator(name).fidelity
        counts = [0] * N_BANDS
        for trial in self._study.trials:
            z = fidelity.encode(trial.fidelities[name])
            counts[min(int(z * N_BANDS), N_BANDS - 1)] += 1
        most = max(1, *counts)
        return "".join(SHADES[-(-count * (len(SHADES) - 1) // most)] * 4 for count in counts)

    def _sentence(self) -> str:
        n_failed = sum(1 for trial in self._study.trials if trial.failures)
        failures = f"{n_failed} with failures · " if n_failed else ""
        if self._running is not None:
            return f"{failures}trial {self._running.number} is running at {_numbers(self._running.fidelities)}"
        if self._last is not None:
            return f"{failures}trial {self._last.number}: {_numbers(self._last.values)}"
        return "choosing the first design"


def _numbers(named: object) -> str:
    items = named.items() if isinstance(named, dict) else ()
    return ", ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in items)
