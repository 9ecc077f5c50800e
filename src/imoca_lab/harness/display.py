"""How a comparison gets on: a bar with the time left on a terminal, a plain line per run elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from imoca.wording import duration, printable
from imoca_lab.harness.campaign import Outcome
from imoca_lab.harness.run_spec import RunSpec

Kind = tuple[str, str]  # problem and method: seeds of the same take about as long


class Clock:
    """Foresees how long the rest takes from what runs of the same kind took, else from the average of all."""

    def __init__(self, waiting: Sequence[RunSpec], n_processes: int) -> None:
        self._waiting = {spec.id: _kind(spec) for spec in waiting}
        self._since: dict[str, float] = {}
        self._took: dict[Kind, list[float]] = defaultdict(list)
        self._n_processes = n_processes

    def start(self, spec: RunSpec) -> None:
        self._since[spec.id] = time.monotonic()

    def end(self, outcome: Outcome) -> None:
        self._waiting.pop(outcome.spec.id, None)
        self._since.pop(outcome.spec.id, None)
        self._took[_kind(outcome.spec)].append(outcome.seconds)

    def seconds_left(self) -> float | None:
        """None before anything has ended."""
        known = [seconds for took in self._took.values() for seconds in took]
        if not known:
            return None
        now, average = time.monotonic(), sum(known) / len(known)
        left = 0.0
        for run, kind in self._waiting.items():
            took = self._took.get(kind)
            expected = sum(took) / len(took) if took else average
            left += max(0.0, expected - (now - self._since[run] if run in self._since else 0.0))
        return left / self._n_processes

    def in_words(self) -> str:
        left = self.seconds_left()
        return "" if left is None else f"about {duration(left)} left"


class PlainLines:
    """One line per finished run."""

    def __init__(self, waiting: Sequence[RunSpec], n_processes: int) -> None:
        self._clock = Clock(waiting, n_processes)
        self._n, self._n_ended = len(waiting), 0

    def __enter__(self) -> PlainLines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def started(self, spec: RunSpec) -> None:
        self._clock.start(spec)

    def ended(self, outcome: Outcome) -> None:
        self._n_ended += 1
        self._clock.end(outcome)
        line = f"{self._n_ended}/{self._n} {_words(outcome)}, {self._clock.in_words()}"
        print(printable(line), file=sys.stderr, flush=True)  # noqa: T201


class LiveBar:
    """A bar over all runs, what runs now, and lines for those that failed."""

    def __init__(self, waiting: Sequence[RunSpec], n_processes: int) -> None:
        self._clock = Clock(waiting, n_processes)
        self._running: list[str] = []
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._progress = Progress(*columns, console=Console(stderr=True))
        self._task = self._progress.add_task("", total=len(waiting))

    def __enter__(self) -> LiveBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def started(self, spec: RunSpec) -> None:
        self._clock.start(spec)
        self._running.append(spec.id)
        self._show()

    def ended(self, outcome: Outcome) -> None:
        self._clock.end(outcome)
        self._running.remove(outcome.spec.id)
        if outcome.failure is not None:
            self._progress.console.print(printable(_words(outcome)), markup=False, highlight=False)
        self._progress.advance(self._task)
        self._show()

    def _show(self) -> None:
        parts = [self._clock.in_words(), ", ".join(self._running)]
        self._progress.update(self._task, description=" · ".join(part for part in parts if part))


def make_display(waiting: Sequence[RunSpec], n_processes: int) -> LiveBar | PlainLines:
    is_live = sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return LiveBar(waiting, n_processes) if is_live else PlainLines(waiting, n_processes)


def _kind(spec: RunSpec) -> Kind:
    return spec.problem.label, spec.method.label


def _words(outcome: Outcome) -> str:
    how = "done" if outcome.failure is None else f"failed: {outcome.failure}"
    return f"{outcome.spec.id} {how} in {duration(outcome.seconds)}"
