"""At which fidelities simulators were run, and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from imoca.arrays import Array
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Continuous, Fidelity, Knobs
from imoca.problem.simulator import Simulator
from imoca.report.labels import plain_number
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.trial import SimulatorState
from imoca.wording import with_unit

N_BANDS = 5  # of a continuous fidelity, from low to full accuracy
MOST_PANELS = 4  # simulators whose runs are drawn one by one; more are counted in a map
N_TICKS = 5  # on the axis of a continuous fidelity
FULL_ACCURACY = "full"
FULL = "full accuracy"  # where there is room for it


@dataclass(frozen=True)
class FidelityRecord:
    """Which fidelity a simulator that has one was run at, over the trials."""

    simulator: str
    trials: tuple[int, ...]
    costs_before: tuple[float, ...]  # spent by the study before the trial
    settings: tuple[FidelityValue, ...]  # in the simulator's own units
    z: tuple[float, ...]  # the same from 0, cheapest, to 1, full accuracy
    is_failed: tuple[bool, ...]
    costs: tuple[float, ...]  # of the runs, in full-fidelity runs; NaN where unknown, 0 of what still runs
    tick_z: tuple[float, ...]  # where an axis of z is labelled
    tick_labels: tuple[str, ...]  # with the settings there
    unit: str | None = None  # of the settings


@dataclass(frozen=True)
class CostRecord:
    """Where a simulator's share of the cost went."""

    simulator: str
    bands: tuple[str, ...]
    costs: tuple[float, ...]  # in full-fidelity runs
    n_runs: tuple[int, ...]
    wasted: float  # by attempts that were lost or failed and tried again


def fidelity_records(snapshot: Snapshot) -> tuple[FidelityRecord, ...]:
    table, trials = snapshot.table, snapshot.trials
    spent = snapshot.bill.by_trial
    before = np.cumsum(spent) - spent
    records = []
    for s, simulator in enumerate(snapshot.problem.simulators):
        if not simulator.fidelity.has_knob:
            continue
        rows = np.flatnonzero(table.states[:, s] != SimulatorState.NOT_RUN)
        tick_z, tick_labels = fidelity_ticks(simulator.fidelity)
        records.append(
            FidelityRecord(
                simulator.name,
                tuple(trials[i].number for i in rows),
                tuple(before[rows].tolist()),
                tuple(trials[i].fidelities[simulator.name] for i in rows),
                tuple(table.z[rows, s].tolist()),
                tuple((table.states[rows, s] == SimulatorState.FAILED).tolist()),
                tuple(snapshot.bill.spent[rows, s].tolist()),
                tick_z,
                tick_labels,
                simulator.fidelity.unit,
            )
        )
    return tuple(records)


@dataclass(frozen=True)
class FidelityMap:
    """Of many simulators side by side: a row each, a column per part of the way to full accuracy."""

    simulators: tuple[str, ...]
    bands: tuple[str, ...]
    n_runs: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[float, ...], ...]  # of what all of them cost together; of all runs where a cost is unknown
    is_of_cost: bool


def fidelity_map(records: Sequence[FidelityRecord]) -> FidelityMap:
    """Each simulator has a fidelity of its own, so that columns are shares of the way and no settings."""
    is_of_cost = all(cost == cost for record in records for cost in record.costs)
    counts, amounts = np.zeros((2, len(records), N_BANDS + 1))
    for row, record in enumerate(records):
        for z, cost in zip(record.z, record.costs, strict=True):
            counts[row, band_of(z)] += 1.0
            amounts[row, band_of(z)] += cost if is_of_cost else 1.0
    edges = [round(100.0 * i / N_BANDS) for i in range(N_BANDS + 1)]
    shares = amounts / (amounts.sum() or 1.0)
    return FidelityMap(
        tuple(record.simulator for record in records),
        (*(f"{low} to {high} %" for low, high in pairwise(edges)), FULL),
        tuple(tuple(map(int, row)) for row in counts),
        tuple(tuple(row) for row in shares.tolist()),
        is_of_cost,
    )


def band_of(z: float) -> int:
    """Of a continuous fidelity: fifths of the way, and full accuracy by itself."""
    return N_BANDS if z == 1.0 else min(int(z * N_BANDS), N_BANDS - 1)


def fidelity_ticks(fidelity: Fidelity) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Where an axis of z is labelled, and with what: every level, or settings of two digits about evenly spaced."""
    settings = [fidelity.decode(float(z)) for z in _few(fidelity.grid(N_TICKS), fidelity)]
    if isinstance(fidelity, Continuous):
        inner = [float(f"{each:.2g}") for each in settings[1:-1] if isinstance(each, float)]
        inside = [each for each in inner if fidelity.low < each < fidelity.high]
        settings = list(dict.fromkeys([settings[0], *inside, settings[-1]]))
    words = [plain_number(each) if isinstance(each, float) else _setting_words(each) for each in settings]
    return tuple(fidelity.encode_all(settings).tolist()), tuple(words)


def _few(grid: Array, fidelity: Fidelity) -> Array:
    """All, but of several knobs so many that they can be told apart."""
    if not isinstance(fidelity, Knobs) or len(grid) <= N_TICKS:
        return grid
    return grid[np.linspace(0, len(grid) - 1, N_TICKS).round().astype(int)]


def _setting_words(setting: FidelityValue) -> str:
    """To the last digit; of several knobs their levels, in the order of the knobs."""
    return " / ".join(map(str, setting.values())) if isinstance(setting, Mapping) else str(setting)


def cost_records(snapshot: Snapshot) -> tuple[CostRecord, ...]:
    table, costs = snapshot.table, snapshot.bill
    costs.check_known()
    records = []
    for s, simulator in enumerate(snapshot.problem.simulators):
        names, place_of = _bands(simulator)
        totals, counts = np.zeros(len(names)), [0] * len(names)
        for i in np.flatnonzero(table.was_run[:, s]):
            band = place_of(float(table.z[i, s]))
            totals[band] += costs.spent[i, s] - costs.wasted[i, s]
            counts[band] += 1
        wasted = float(costs.wasted[:, s].sum())
        records.append(CostRecord(simulator.name, tuple(names), tuple(totals.tolist()), tuple(counts), wasted))
    return tuple(records)


def _bands(simulator: Simulator) -> tuple[list[str], Callable[[float], int]]:
    """Names of the fidelity bands, and the band of a fidelity z."""
    fidelity = simulator.fidelity
    if not fidelity.has_knob:
        return [FULL_ACCURACY], lambda z: 0
    if isinstance(fidelity, Knobs):
        return _bands_of_knobs(fidelity)
    if not fidelity.is_continuous:
        nodes = fidelity.grid(N_BANDS)
        return [
            with_unit(_setting_words(fidelity.decode(float(node))), fidelity.unit) for node in nodes
        ], lambda z: int(np.abs(nodes - z).argmin())
    edges = np.linspace(0.0, 1.0, N_BANDS + 1)
    names = [
        with_unit(f"{plain_number(float(low))} to {plain_number(float(high))}", fidelity.unit)  # type: ignore[arg-type]
        for low, high in pairwise(map(fidelity.decode, edges.tolist()))
    ]
    return [*names, FULL_ACCURACY], band_of


def _bands_of_knobs(fidelity: Knobs) -> tuple[list[str], Callable[[float], int]]:
    """Settings below full accuracy in the order in which all knobs are turned up, some at a time."""
    grid = fidelity.grid(N_BANDS)
    ends = [_setting_words(fidelity.decode(float(z))) for z in grid[:-1]]
    bands = np.array_split(np.arange(len(ends)), min(N_BANDS, len(ends)))
    names = [ends[band[0]] if len(band) == 1 else f"{ends[band[0]]} to {ends[band[-1]]}" for band in bands]
    number = np.concatenate([np.full(len(band), i) for i, band in enumerate(bands)])
    return [*names, FULL_ACCURACY], lambda z: len(bands) if z == 1.0 else int(number[np.abs(grid - z).argmin()])
