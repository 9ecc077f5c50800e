"""When simulators ran, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from imoca.problem.accuracy import FidelityValue
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import Run, RunState

LONGEST_PAUSE = 0.1  # of the time in which something ran; of a longer pause only a part is shown
SHOWN_PAUSE = 0.02
SHORTEST_PAUSE = 60.0  # seconds; less is how long a question takes


@dataclass(frozen=True)
class TimedRun:
    trial: int
    lane: int
    attempt: int
    start: float  # seconds since the first run started, pauses cut short
    end: float  # of one that has not ended: the last moment that is known
    seconds: float  # that it took
    state: RunState
    setting: FidelityValue
    z: float
    reason: str  # of a failure, else empty


@dataclass(frozen=True)
class TimelineRecord:
    """One lane per run of a simulator that went on at the same time."""

    lanes: tuple[str, ...]  # the simulator of each
    runs: tuple[TimedRun, ...]
    pauses: tuple[tuple[float, float], ...]  # where they are shown, and how many seconds they lasted
    began: float | None  # seconds since 1970


def timeline_record(snapshot: Snapshot) -> TimelineRecord:
    """Of the stored runs. Answers that were told or added have no time, and are none."""
    numbered = {trial.number: trial for trial in snapshot.trials}
    runs = sorted((run for run in snapshot.runs if run.trial in numbered), key=lambda run: (run.started, run.trial))
    if not runs:
        return TimelineRecord((), (), (), None)
    last = max(max(run.started, run.ended or run.started) for run in runs)
    pauses = _pauses(runs, last)
    lanes, lane_of = _lanes(snapshot, runs, last)
    timed = []
    for run, lane in zip(runs, lane_of, strict=True):
        simulator = snapshot.problem.simulator(run.simulator)
        setting = numbered[run.trial].fidelities[run.simulator]
        start, end = (_shown(moment, runs[0].started, pauses) for moment in (run.started, _end(run, last)))
        failures = run.answer.failures if run.answer else {}
        timed.append(
            TimedRun(
                *(run.trial, lane, run.attempt, start, end, _end(run, last) - run.started, run.state, setting),
                float(simulator.fidelity.encode_all([setting])[0]),
                failures.get(run.simulator, ""),
            )
        )
    shown = tuple((_shown(start, runs[0].started, pauses), end - start) for start, end, _ in pauses)
    return TimelineRecord(lanes, tuple(timed), shown, runs[0].started)


def _end(run: Run, last: float) -> float:
    """A clock that was set back ends no run before it starts."""
    return max(run.started, last if run.ended is None else run.ended)


def _pauses(runs: Sequence[Run], last: float) -> list[tuple[float, float, float]]:
    """Start and end of every long time in which nothing ran, and by how much it is cut."""
    gaps, busy, until = [], 0.0, runs[0].started
    for run in runs:
        if run.started > until:
            gaps.append((until, run.started))
        busy += max(0.0, _end(run, last) - max(run.started, until))
        until = max(until, _end(run, last))
    return [(a, b, b - a - SHOWN_PAUSE * busy) for a, b in gaps if b - a > max(SHORTEST_PAUSE, LONGEST_PAUSE * busy)]


def _shown(moment: float, first: float, pauses: Sequence[tuple[float, float, float]]) -> float:
    return moment - first - sum(cut for _, end, cut in pauses if moment >= end)


def _lanes(snapshot: Snapshot, runs: Sequence[Run], last: float) -> tuple[tuple[str, ...], list[int]]:
    """The simulator of each lane, simulators in their order, and the lane of each run: the first that is free."""
    free: dict[str, list[float]] = {simulator.name: [] for simulator in snapshot.problem.simulators}
    within = []
    for run in runs:
        ends = free[run.simulator]
        lane = next((i for i, end in enumerate(ends) if end <= run.started), len(ends))
        ends[lane : lane + 1] = [_end(run, last)]
        within.append((run.simulator, lane))
    names = [(name, lane) for name, ends in free.items() for lane in range(len(ends))]
    return tuple(name for name, _ in names), [names.index(each) for each in within]
