"""Questions that tell what a knob buys: a few designs at several fidelities each, for three full runs at the most.

Two designs in three full runs go up to full accuracy; how their errors fall tells what the others, run at two cheap
settings only, would have been wrong by. So errors are seen at many designs, for the price of few full runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods.initial_design import candidate, sobol_designs
from imoca.models.cost import cost_model
from imoca.problem.fidelity import Fidelity, Knobs
from imoca.problem.problem import Problem
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate

FULL_RUNS = 3.0  # that all of it may cost, per simulator
FEWEST_FULL = 2  # designs that are run at full accuracy
SHARE_OF_FULL = 2 / 3  # of what it may cost; the rest is for cheap runs
MOST_DESIGNS = 16
ENOUGH = 6  # designs at a pair of settings, before a dearer pair is taken
DEAREST = 0.35  # of a full run: a setting that costs more is no cheap one
ROUNDING = 1e-9
SAME = 1e-9  # between two z of one setting
SMALLEST = 1e-300  # what is divided by
MOST_STEPS = 3  # settings below full accuracy, where these are in order
CONTINUOUS = np.linspace(0.0, 0.75, 7)  # z of a continuous knob


@dataclass(frozen=True)
class Plan:
    """For one simulator."""

    steps: tuple[float, ...]  # z below full accuracy, by price; all are run at the first designs
    prices: tuple[float, ...]  # of them, as shares of a full run
    n_full: int  # designs that are run at all of them, and at full accuracy
    left: float  # full runs that may go to further designs

    def pair(self, nearest: int | None = None) -> tuple[tuple[float, float], int] | None:
        """Two steps for further designs, the cheapest and another, and for how many; None if there is no other.

        The other is the ``nearest`` to full accuracy, or where steps are in order the dearest that enough designs can
        be run at.
        """
        if len(self.steps) == 1:
            return None
        most = MOST_DESIGNS - self.n_full
        others = range(1, len(self.steps))
        counts = {i: min(most, int(self.left / (self.prices[0] + self.prices[i]) + ROUNDING)) for i in others}
        other = max([i for i in others if counts[i] >= ENOUGH], default=1) if nearest is None else nearest
        return (self.steps[0], self.steps[other]), counts[other]


def knobbed(problem: Problem) -> list[int]:
    """Positions of the simulators that have something to be calibrated."""
    return [s for s, simulator in enumerate(problem.simulators) if simulator.fidelity.has_knob]


def first_questions(table: TrialTable, seed: int) -> list[Candidate]:
    """One design at the ends of every knob: from then on prices are known, also where they are measured."""
    return [
        question for s in knobbed(table.problem) for z in (0.0, 1.0) for question in _missing(table, s, seed, [(0, z)])
    ]


def further_questions(table: TrialTable, seed: int, full_runs: float = FULL_RUNS) -> list[Candidate]:
    """The next ones, once all before have their answers; none at the end. What was asked already is left out."""
    questions = []
    for s in knobbed(table.problem):
        plan = planned(table, s, full_runs)
        if plan is None:
            continue
        first = _missing(table, s, seed, [(i, z) for i in range(plan.n_full) for z in (*plan.steps, 1.0)])
        is_ordered = table.problem.simulators[s].fidelity.is_ordered
        pair = None if first else plan.pair(None if is_ordered else _nearest(table, s, plan.steps))
        questions += first
        if pair is not None:
            both, n = pair
            questions += _missing(table, s, seed, [(plan.n_full + i, z) for i in range(n) for z in both])
    return questions


def _nearest(table: TrialTable, s: int, steps: Sequence[float]) -> int | None:
    """The step but the first whose answers were nearest to full accuracy, all outputs counted alike."""
    columns = [j for j, output in enumerate(table.problem.outputs) if output in table.problem.simulators[s].outputs]
    is_full = table.z[:, s] == 1.0
    misses = np.full(len(steps), np.inf)
    for i, step in enumerate(steps[1:], start=1):
        pairs = [
            (a, b)
            for a in np.flatnonzero(np.abs(table.z[:, s] - step) < SAME)
            for b in np.flatnonzero(is_full & (table.x == table.x[a]).all(axis=1))
        ]
        apart = np.array([table.values[a, columns] - table.values[b, columns] for a, b in pairs])
        if len(apart) and not np.isnan(apart).all():
            scale = np.maximum(np.abs(table.values[is_full][:, columns]).max(axis=0, initial=0.0), SMALLEST)
            misses[i] = np.nanmax(np.abs(apart / scale))
    return int(misses.argmin()) if np.isfinite(misses).any() else None


def planned(table: TrialTable, s: int, full_runs: float = FULL_RUNS) -> Plan | None:
    """None where even the cheapest setting is so dear that two designs cannot be compared."""
    fidelity = table.problem.simulators[s].fidelity
    settings = steps_of(fidelity)
    prices = prices_of(table, s, settings)
    order = np.argsort(prices, kind="stable")
    return plan(settings[order], prices[order], fidelity.is_ordered, full_runs)


def plan(settings: Array, prices: Array, is_ordered: bool, full_runs: float) -> Plan | None:  # (m,), (m,) increasing
    """Prices are shares of a full run."""
    kept = [i for i in range(len(prices)) if prices[i] <= DEAREST] or [0]
    if is_ordered and len(kept) > MOST_STEPS:
        kept = [kept[i] for i in np.linspace(0, len(kept) - 1, MOST_STEPS).round().astype(int)]
    reserve = 3.0 * prices[0]  # for further designs
    most_full = min(int(full_runs / (1.0 + prices[0]) + ROUNDING), MOST_DESIGNS)  # at the cheapest setting only
    n_full = min(max(int(SHARE_OF_FULL * full_runs + ROUNDING), FEWEST_FULL), most_full)
    while len(kept) > 1 and n_full * (1.0 + prices[kept].sum()) + reserve > full_runs:
        kept.pop()
    if len(kept) == 1:  # no other setting tells of further designs
        n_full = most_full
    left = full_runs - n_full * (1.0 + float(prices[kept].sum()))
    if n_full < FEWEST_FULL:
        return None
    return Plan(tuple(settings[kept].tolist()), tuple(prices[kept].tolist()), n_full, left)


def steps_of(fidelity: Fidelity) -> Array:
    """z of settings below full accuracy that are worth a look; of several knobs one is turned up at a time."""
    if fidelity.is_continuous:
        return CONTINUOUS
    if not isinstance(fidelity, Knobs):
        return fidelity.grid(len(CONTINUOUS))[:-1]
    lowest = np.zeros(len(fidelity.parts), dtype=np.int64)
    settings = [tuple(lowest.tolist())]
    for i, (_, levels) in enumerate(fidelity.parts):
        last = len(levels.values) - 1
        for level in dict.fromkeys((last // 2, last)):
            turned = lowest.copy()
            turned[i] = level
            settings.append(tuple(turned.tolist()))
    numbers = {tuple(position): k for k, position in enumerate(fidelity.positions.tolist())}
    return np.unique([numbers[setting] for setting in settings]) / (len(numbers) - 1)


def prices_of(table: TrialTable, s: int, z: Array) -> Array:  # (m,)
    """Of a mean design, as shares of a full run."""
    costs = cost_model(table, s).ratio(table.problem.spread_designs, np.append(z, 1.0)).mean(axis=0)
    return np.asarray(costs[:-1] / costs[-1])


def _missing(table: TrialTable, s: int, seed: int, wanted: list[tuple[int, float]]) -> list[Candidate]:
    """Questions to one simulator about numbered designs, but for those that it was asked."""
    designs = sobol_designs(table.problem, max(i for i, _ in wanted) + 1, np.random.default_rng(seed))
    name = table.problem.simulators[s].name
    asked = [(trial.parameters, trial.fidelities[name]) for trial in table.trials if name in trial.fidelities]
    questions = []
    for i, each in wanted:
        z = np.full(len(table.problem.simulators), np.nan)
        z[s] = each
        question = candidate(table.problem, designs[i], z)
        if (question.parameters, question.fidelities[name]) not in asked:
            questions.append(question)
    return questions
