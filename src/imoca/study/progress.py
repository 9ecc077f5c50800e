"""What a running study shows: a live panel on a terminal or in a notebook, a line per finished trial elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from rich.console import Console, Group
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from imoca.problem.allowance import Allowance
from imoca.problem.problem import Problem
from imoca.snapshot.accounting import allowed_bill
from imoca.study.pace import time_left_words
from imoca.study.screens import Screen, live_screen
from imoca.trials.table import TrialTable
from imoca.trials.trial import Run, RunState, SimulatorState, Trial
from imoca.wording import duration, named_numbers, number, printable, with_error, with_unit

if TYPE_CHECKING:
    from imoca.study.study import Study

N_BANDS = 10  # cells of the picture that shows how often each fidelity was used
FRONT_SHARE = 20.0  # times as long as the front takes to compute, it is not computed again
N_SHOWN = 8  # running simulators listed
SHADES = " ▁▂▃▄▅▆▇█"
WIDTH = 100  # columns of the panel, if the terminal has so many
LONGEST_NAME = 20
LEFT, SPENT, ALL_SPENT = "grey50", "dodger_blue2", "green4"  # of a bar; seen on a black terminal and on a white one


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


def progress_display(study: Study, budget: Allowance | None, is_wanted: bool | None) -> Progress | None:
    """The live panel on a terminal or in a notebook; elsewhere plain lines, but only if they are wanted."""
    if is_wanted is not False and (screen := live_screen()) is not None:
        return LivePanel(study, budget, screen)
    return PlainLines(study, budget) if is_wanted else None


class PlainLines:
    """For pipes and batch logs."""

    shows_failures = True

    def __init__(self, study: Study, budget: Allowance | None) -> None:
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
        found = values_in_words(self._study.problem, trial)
        at = named_numbers(trial.fidelities, {s.name: s.fidelity.unit for s in self._study.problem.simulators})
        facts = [f"trial {trial.number} {trial.state}: {found}", *([f"at {at}"] if at else [])]
        self._print(" | ".join([*facts, f"{self._spent_words()}"]))

    def _spent_words(self) -> str:
        budget = self._budget
        if budget is None:
            return f"cost {self._study.cost_spent:.2f}"
        spent = allowed_bill(self._study.table(), budget, self._study.runs).total
        return f"spent {budget.spent_words(spent)}" if budget.is_time else f"cost {spent:.2f} of {budget.amount:g}"

    def _print(self, line: str) -> None:
        if sys.stderr.isatty():  # wrapped at words
            Console(stderr=True, color_system=None).print(Text(printable(line)))
        else:
            print(printable(line), file=sys.stderr, flush=True)  # noqa: T201


class LivePanel:
    """Cost spent of the budget, the time left, use of each fidelity, the front, what runs and for how long."""

    shows_failures = False

    def __init__(self, study: Study, budget: Allowance | None, screen: Screen) -> None:
        self._study = study
        self._budget = budget
        self._screen = screen
        self._table = study.table()  # renewed after every trial, not while drawing
        self._spent = allowed_bill(self._table, budget, study.runs).total
        self._time_left = ""
        self._finished: dict[int, float] = {}  # trials, and the seconds since the one before
        self._last_finish = time.monotonic()
        self._front_in_words = ""
        self._is_front_old = False
        self._next_front = 0.0  # when the front may be computed again
        self._running: dict[tuple[int, str], Run] = {}
        self._last: Trial | None = None
        self._is_over = False

    def __enter__(self) -> LivePanel:
        self._screen.start(self.render)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.clear()
        self._is_over = True
        if self._is_front_old:  # the last picture stays on the screen; who interrupts does not wait for a model
            self._front_in_words = self._describe_front() if kind is None else ""
        self._screen.stop()

    def run_started(self, run: Run) -> None:
        self._table = self._study.table()
        self._running = {**self._running, (run.trial, run.simulator): run}
        self._screen.changed()

    def run_ended(self, run: Run) -> None:
        self._running = {key: other for key, other in self._running.items() if key != (run.trial, run.simulator)}

    def trial_finished(self, trial: Trial) -> None:
        self._last = trial
        self._table = self._study.table()
        costs = allowed_bill(self._table, self._budget, self._study.runs)  # a learned cost takes a fit
        self._spent = costs.total
        started = time.monotonic()
        self._finished[trial.number] = started - self._last_finish
        self._last_finish = started
        if self._budget is not None:  # what a trial cost may be known better now
            steps = [(float(costs.by_trial[number]), seconds) for number, seconds in self._finished.items()]
            self._time_left = time_left_words(steps, self._budget.amount - self._spent)
        self._is_front_old = started < self._next_front
        if not self._is_front_old:
            self._front_in_words = self._describe_front()
            ended = time.monotonic()
            self._next_front = ended + FRONT_SHARE * (ended - started)
        self._screen.changed()

    def render(self) -> Panel:
        width = min(self._screen.width, WIDTH)
        cells = 4 if width >= WIDTH else 2  # of a band
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True, overflow="ellipsis", max_width=LONGEST_NAME)
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        if self._budget is not None:
            spent = min(self._spent, self._budget.amount)
            bar = ProgressBar(
                self._budget.amount,
                spent,
                width=N_BANDS * cells,
                style=LEFT,
                complete_style=SPENT,
                finished_style=ALL_SPENT,
            )
            grid.add_row("cost", bar, self._budget.spent_words(self._spent))
        for s, simulator in enumerate(self._study.problem.simulators):
            if simulator.fidelity.has_knob:
                grid.add_row(
                    Text(printable(simulator.name)), Text(fidelity_use(self._table, s, cells)), "low → full accuracy"
                )
        n_finished = int(self._table.is_finished.sum())
        title = Text(f"iMOCA · {n_finished} trial{'' if n_finished == 1 else 's'}")
        return Panel(Group(grid, *(Text(printable(line)) for line in self._lines())), title=title, width=width)

    def _describe_front(self) -> str:
        snapshot = self._study.snapshot()
        n_verified = sum(point.verified for point in snapshot.front)
        designs = "1 design" if snapshot.n_on_front == 1 else f"{snapshot.n_on_front} designs"
        return f"front: {designs}, {n_verified} verified at full accuracy" if snapshot.front else ""

    def _lines(self) -> list[str]:
        is_over = self._is_over or (self._budget is not None and self._spent >= self._budget.amount)
        n_failed = sum(1 for trial in self._table.trials if trial.failures)
        facts = [
            "" if is_over else self._time_left,
            self._front_in_words,
            f"{n_failed} with failures" if n_failed else "",
        ]
        lines = [" · ".join(filter(None, facts))]
        if self._last is not None:
            lines.append(f"trial {self._last.number}: {values_in_words(self._study.problem, self._last)}")
        lines += [self._run_in_words(run) for run in list(self._running.values())[:N_SHOWN]]
        if len(self._running) > N_SHOWN:
            lines.append(f"and {len(self._running) - N_SHOWN} more are running")
        if not self._running and not is_over:
            lines.append("choosing the next design")
        return [line for line in lines if line]

    def _run_in_words(self, run: Run) -> str:
        setting = self._table.trials[run.trial].fidelities[run.simulator]
        unit = self._study.problem.simulator(run.simulator).fidelity.unit
        at = "" if setting is None else f" at fidelity {with_unit(number(setting), unit)}"
        return f"running {duration(max(0.0, time.time() - run.started))}: trial {run.trial}, {run.simulator}{at}"


def values_in_words(problem: Problem, trial: Trial) -> str:
    values = {name: with_error(value, trial.errors.get(name)) for name, value in trial.values.items()}
    return named_numbers(values, {output.name: output.unit for output in problem.outputs}) or "no answer"


def fidelity_use(table: TrialTable, s: int, cells: int) -> str:
    """How often simulator ``s`` was asked at each tenth of its fidelity, as shades, so many cells wide each."""
    z = table.z[table.states[:, s] != SimulatorState.NOT_RUN, s]
    counts = np.histogram(z, N_BANDS, (0.0, 1.0))[0].tolist()
    most = max(1, *counts)
    return "".join(SHADES[-(-count * (len(SHADES) - 1) // most)] * cells for count in counts)
