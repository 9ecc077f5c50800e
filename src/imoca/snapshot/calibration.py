"""What a knob buys: how far cheap runs are from full accuracy, and what they tell, by designs that were run at several.

Errors are seen where a design was run at full accuracy too. Where it was run at two cheaper settings only, its error is
that of the others scaled by how far the two differ: an error fades as one
(docs/explanation/what-the-model-believes.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray, IntArray
from imoca.methods.calibration import DEAREST, knobbed, prices_of
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Continuous, Fidelity, Knobs, Levels
from imoca.problem.problem import Problem
from imoca.trials.table import TrialTable
from imoca.wording import labelled, number

TELLS = 0.5  # share of the variance at full accuracy, from which on a run is worth having
EXACT = 0.99  # from which on a setting is as good as full accuracy
SMALLEST = 1e-300  # what is divided by
FEWEST = 2  # designs that were run at full accuracy and below
TITLES = ("simulator", "setting", "price", "output", "error", "of the spread", "tells")


@dataclass(frozen=True)
class Worth:
    """Of one output at one setting below full accuracy."""

    output: str
    unit: str | None
    error: float  # mean size, in the output's units
    spread: float  # standard deviation of the output over designs, at full accuracy
    told: float  # share of that variance which a run tells, between 0 and 1
    n_designs: int  # by which the error is known


@dataclass(frozen=True)
class SettingWorth:
    setting: FidelityValue
    z: float
    price: float  # share of a full run
    outputs: tuple[Worth, ...]

    @property
    def told(self) -> float:
        """Of the output that is worst."""
        return min(worth.told for worth in self.outputs)


@dataclass(frozen=True)
class KnobWorth:
    """Of one simulator; settings by price."""

    simulator: str
    settings: tuple[SettingWorth, ...]
    fidelity: Fidelity

    @property
    def lowest_useful(self) -> SettingWorth | None:
        """The cheapest that tells at least half of every output; None if none does."""
        return next((each for each in self.settings if each.told >= TELLS), None)

    @property
    def suggested(self) -> Fidelity | None:
        """The fidelity without what tells too little; None where it may stay, Fidelity.none() where nothing is left."""
        useful = self.lowest_useful
        if useful is None:
            return Fidelity.none()
        if useful is self.settings[0] and self.fidelity.is_ordered:
            return None
        return _without_useless(self.fidelity, useful, {each.z for each in self.settings if each.told < TELLS})

    @property
    def advice(self) -> tuple[str, ...]:
        """In sentences."""
        if not self.settings:
            return (f"{self.simulator}: nothing is known yet: no two designs were run at full accuracy and below.",)
        useful, first = self.lowest_useful, self.settings[0]
        if useful is None:
            return (
                f"{self.simulator}: no setting that was tried tells half of what a full run does: the knob is not worth"
                " having as it is. Run it at full accuracy only, or look for a cheaper model that knows more.",
            )
        words = [
            f"{self.simulator}: {number(each.setting)} tells too little of {_quoted(each)}."
            for each in self.settings
            if each.told < TELLS and each.price < useful.price
        ]
        if useful.price > DEAREST:
            words.append(
                f"{self.simulator}: the cheapest setting that tells enough, {number(useful.setting)}, costs"
                f" {_percent(useful.price)} of a full run: the knob saves little."
            )
        if first.told >= EXACT:
            words.append(
                f"{self.simulator}: {number(first.setting)} already tells {_percent(first.told)} of what a full run"
                " does: if it can be run cheaper still, let the knob go lower."
            )
        return tuple(words) or (f"{self.simulator}: its cheap end, {number(first.setting)}, is worth having.",)


@dataclass(frozen=True)
class Calibration:
    """Printed, it is a table with advice."""

    knobs: tuple[KnobWorth, ...]

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """What a table shows, under `TITLES`."""
        return tuple(
            (
                knob.simulator,
                number(each.setting),
                _percent(each.price),
                labelled(worth.output, worth.unit),
                number(worth.error),
                _percent(worth.error / worth.spread) if worth.spread > 0.0 else "-",
                _percent(worth.told),
            )
            for knob in self.knobs
            for each in knob.settings
            for worth in each.outputs
        )

    @property
    def advice(self) -> tuple[str, ...]:
        return tuple(words for knob in self.knobs for words in knob.advice)

    def __str__(self) -> str:
        lines = [TITLES, *self.rows] if self.rows else []
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        shown = ["  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*(line.rstrip() for line in shown), *self.advice])


def calibration(table: TrialTable) -> Calibration:
    return Calibration(tuple(_of_simulator(table, s) for s in knobbed(table.problem)))


def _of_simulator(table: TrialTable, s: int) -> KnobWorth:
    problem = table.problem
    simulator = problem.simulators[s]
    columns = [j for j, output in enumerate(problem.outputs) if output in simulator.outputs]
    rows = np.flatnonzero(~np.isnan(table.values[:, columns]).any(axis=1))
    designs, of_row = np.unique(table.x[rows], axis=0, return_inverse=True)
    z, at = np.unique(table.z[rows, s], return_inverse=True)
    values = np.full((len(designs), len(z), len(columns)), np.nan)
    values[of_row.ravel(), at.ravel()] = table.values[rows][:, columns]
    below = np.flatnonzero(z < 1.0)
    prices = prices_of(table, s, z[below]) if len(below) else np.empty(0)
    has_full = ~np.isnan(values[:, -1, 0]) if len(z) and z[-1] == 1.0 else np.zeros(len(designs), dtype=np.bool_)
    n_compared = (has_full[:, None] & ~np.isnan(values[:, below, 0])).sum(axis=0)
    by_price = [int(i) for i in np.argsort(prices, kind="stable") if n_compared[i] >= FEWEST]
    pair = _pair(values[:, :, 0], has_full, below[by_price])
    settings = []
    for i in by_price:
        outputs = tuple(_worth(problem, j, values[:, :, k], int(below[i]), pair) for k, j in enumerate(columns))
        setting = simulator.fidelity.decode(float(z[below[i]]))
        settings.append(SettingWorth(setting, float(z[below[i]]), float(prices[i]), outputs))
    return KnobWorth(simulator.name, tuple(settings), simulator.fidelity)


def _pair(values: Array, has_full: BoolArray, by_price: IntArray) -> tuple[int, int] | None:  # (n, m), (n,), (k,)
    """The two settings that most designs without a full run have in common, and some with one; the cheaper first."""
    is_there = ~np.isnan(values)
    counts = {
        (int(a), int(b)): int((is_there[:, a] & is_there[:, b] & ~has_full).sum())
        for i, a in enumerate(by_price)
        for b in by_price[i + 1 :]
        if (is_there[:, a] & is_there[:, b] & has_full).sum() >= FEWEST
    }
    best = max(counts, key=lambda pair: counts[pair], default=None)
    return best if best is not None and counts[best] else None


def _worth(problem: Problem, j: int, values: Array, step: int, pair: tuple[int, int] | None) -> Worth:  # (n, m)
    found = errors_at(values, step, pair)
    truths = found.truths
    spread = float(truths.std(ddof=1))
    lost = float(found.errors.var(ddof=1)) + found.variance
    told = 0.0 if spread == 0.0 else float(np.clip(1.0 - lost / spread**2, 0.0, 1.0))
    output = problem.outputs[j]
    return Worth(output.name, output.unit, found.typical, spread, told, len(truths))


@dataclass(frozen=True)
class Errors:
    """Of one output at one setting: seen at the first designs, guessed at the others."""

    errors: Array  # (n,)
    truths: Array  # (n,) at full accuracy, of the same designs
    n_seen: int
    variance: float  # of what is guessed

    @property
    def typical(self) -> float:
        """Mean size; few designs tell it better than a root mean square, which hangs on the largest."""
        is_guessed = np.arange(len(self.errors)) >= self.n_seen
        return float(np.sqrt(self.errors**2 + self.variance * is_guessed).mean())


def errors_at(values: Array, step: int, pair: tuple[int, int] | None) -> Errors:
    """Values (designs, settings) with full accuracy last; NaN where nothing was run."""
    errors, truths = values[:, step] - values[:, -1], values[:, -1]
    is_seen = ~np.isnan(errors)
    if pair is None:
        return Errors(errors[is_seen], truths[is_seen], int(is_seen.sum()), 0.0)
    differences = values[:, pair[0]] - values[:, pair[1]]
    of_cheapest = values[:, pair[0]] - values[:, -1]
    both = is_seen & ~np.isnan(differences)
    scale = _slope(errors[both], differences[both])
    left_over = errors[both] - scale * differences[both]
    others = ~is_seen & ~np.isnan(differences) & np.isnan(truths)
    guessed_truths = values[others, pair[0]] - _slope(of_cheapest[both], differences[both]) * differences[others]
    return Errors(
        np.append(errors[is_seen], scale * differences[others]),
        np.append(truths[is_seen], guessed_truths),
        int(is_seen.sum()),
        float(left_over @ left_over) / max(int(both.sum()) - 1, 1),
    )


def _slope(errors: Array, differences: Array) -> float:
    """By least squares, through the origin."""
    return float(errors @ differences) / max(float(differences @ differences), SMALLEST)


def _without_useless(fidelity: Fidelity, useful: SettingWorth, useless: set[float]) -> Fidelity | None:
    setting = useful.setting
    if isinstance(fidelity, Continuous) and isinstance(setting, float):
        low = float(f"{setting:.3g}")
        ends = (fidelity.low, low) if fidelity.is_target_low else (low, fidelity.high)
        return Continuous(*ends, fidelity.log, fidelity.is_target_low, unit=fidelity.unit)
    if isinstance(fidelity, Levels):
        z = fidelity.grid(len(fidelity.values))
        kept = [
            value
            for value, each in zip(fidelity.values, z, strict=True)
            if (each >= useful.z if fidelity.is_ordered else float(each) not in useless)
        ]
        if len(kept) == len(fidelity.values):
            return None
        return Levels(tuple(kept), unit=fidelity.unit, is_ordered=fidelity.is_ordered)
    if isinstance(fidelity, Knobs):
        chosen = fidelity.named(setting)
        parts = {name: levels.values[levels.values.index(chosen[name]) :] for name, levels in fidelity.parts}
        open_ones = {name: values for name, values in parts.items() if len(values) > 1}
        if all(parts[name] == levels.values for name, levels in fidelity.parts):
            return None
        return Fidelity.knobs(**open_ones) if len(open_ones) > 1 else None
    return None


def _quoted(setting: SettingWorth) -> str:
    return ", ".join(repr(worth.output) for worth in setting.outputs if worth.told < TELLS)


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.995 else f"{100.0 * share:.0f} %"
