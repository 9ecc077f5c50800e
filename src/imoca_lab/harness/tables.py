"""The tables of a comparison on one problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from imoca_lab.harness.curves import HYPERVOLUME_DIFFERENCE, INDICATORS, Series, quantile, steps_of
from imoca_lab.harness.statistics import SignTest, sign_test
from imoca_lab.harness.text_table import TextTable

NOTHING = "–"
WITHIN = (0.05, 0.01)  # of the hypervolume that so many designs of the true front have
OVERSHOOT = 1.05  # a run that ended just before a cost still counts there
BANDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of fidelity
MOST_SIMULATORS = 3  # listed one by one


def quality_table(series: Sequence[Series], indicator: str) -> TextTable:
    """An indicator at a few costs that all methods reached, or that the longest-running reached, and at the end."""
    costs = table_costs(series)
    medians: list[list[float]] = []
    rows = []
    for each in series:
        spreads = [_spread_at(each, indicator, cost) for cost in costs] + [_final_spread(each, indicator)]
        medians.append([spread[1] if spread else math.nan for spread in spreads])
        shown = [_spread_words(spread, indicator) for spread in spreads]
        rows.append((each.method, str(len(each.runs)), *shown, f"{end_cost(each):.3g}"))
    return TextTable(
        INDICATORS[indicator].capitalize() if indicator != "average_distance" else INDICATORS[indicator],
        "Median over seeds [quartiles], less is better; the best median of a column is bold. Costs are in "
        "full-fidelity runs of one simulator, the initial design included; – where a method has no value at that cost.",
        ("method", "seeds", *(f"at cost {cost:g}" for cost in costs), "at its end", "end cost"),
        tuple(rows),
        _best(medians, first_column=2),
    )


def cost_table(series: Sequence[Series], reference: str) -> TextTable:
    """What it costs to come close, tests against the reference method, and what a suggestion takes."""
    against = next((each for each in series if each.method == reference), None)
    reached = {each.method: [costs_to_within(each, share) for share in WITHIN] for each in series}
    medians = [[float(quantile(np.array(costs), 0.5)) for costs in reached[each.method]] for each in series]
    rows = []
    for each, median in zip(series, medians, strict=True):
        costs = [f"{_number(m)} ({_number(max(c))})" for m, c in zip(median, reached[each.method], strict=True)]
        tests = (NOTHING, NOTHING) if against is None or each is against else _tests(each, against)
        n_trials = int(np.median([len(run.costs) for run in each.runs]))
        rows.append((each.method, *costs, *tests, f"{suggestion_seconds(each):.2g}", str(n_trials)))
    return TextTable(
        "Cost to come close, and tests",
        "Median (worst) cost from which on the recovered front keeps 95 % and 99 % of the hypervolume that the stored "
        "true front has when thinned to 200 designs; inf where that was not reached. Against "
        f"{reference}: seeds better, worse and tied in the hypervolume difference at the largest cost both reached, "
        "and in the cost to 99 %, each with the two-sided p-value of a sign test. CPU seconds: median over suggestions "
        "after the initial design, one thread.",
        (
            *("method", "cost to 95 %", "cost to 99 %", "difference, better/worse/ties", "cost, better/worse/ties"),
            *("CPU s per suggestion", "trials"),
        ),
        tuple(rows),
        _best(medians, first_column=1),
    )


def fidelity_table(series: Sequence[Series]) -> TextTable:
    """Which fidelities were chosen after the initial design."""
    rows = []
    for each in [each for each in series if not each.is_single_fidelity]:
        names = list(each.runs[0].fidelities)
        groups = [(name, [name]) for name in names]
        if len(names) > MOST_SIMULATORS:
            groups = [(f"all {len(names)}", names)]
        for label, members in groups:
            chosen = np.array(
                [z for run in each.runs for name in members for z in run.fidelities[name][run.n_initial :]]
            )
            chosen = chosen[~np.isnan(chosen)]  # without those that were left out
            inner = np.histogram(chosen[chosen < 1.0], BANDS)[0]
            shares = np.array([*inner, (chosen == 1.0).sum()]) / max(len(chosen), 1)
            rows.append((each.method, label, *(f"{share:.0%}" for share in shares)))
    bands = [f"{low:g} ≤ z < {high:g}" for low, high in pairwise(BANDS)]
    return TextTable(
        "Chosen fidelities",
        "Share of the trials after the initial design, all seeds together; methods that only know z = 1 are left out.",
        ("method", "simulator", *bands, "z = 1"),
        tuple(rows),
    )


def costs_to_within(series: Series, share: float) -> list[float]:
    """Per seed."""
    return [
        steps_of(run, HYPERVOLUME_DIFFERENCE).settled_within(1.0 - (1.0 - share) * (1.0 - run.attainable_difference))
        for run in series.runs
    ]


def suggestion_seconds(series: Series) -> float:
    """Median over all suggestions that were more than the initial design; NaN if none was timed."""
    seconds = [s for run in series.runs for s in run.seconds[run.n_initial :] if not math.isnan(s)]
    return float(np.median(seconds)) if seconds else math.nan


def end_cost(series: Series) -> float:
    return float(np.median([run.costs[-1] for run in series.runs]))


def table_costs(series: Sequence[Series]) -> list[float]:
    """Half of the smallest end and all of it, and half of the largest if that is far beyond; in round numbers."""
    ends = [end_cost(each) for each in series]
    costs = [min(ends) / 2.0, min(ends)] + ([max(ends) / 2.0] if max(ends) > 3.0 * min(ends) else [])
    return list(dict.fromkeys(float(f"{cost:.2g}") for cost in costs))


def compare(each: Series, other: Series, value: Callable[[Series, int], float]) -> SignTest:
    """Of a number per seed, over the seeds both have."""
    seeds = [sorted(run.spec.seed for run in one.runs) for one in (each, other)]
    common = [seed for seed in seeds[0] if seed in seeds[1]]
    return sign_test([value(each, seed) for seed in common], [value(other, seed) for seed in common])


def _tests(each: Series, against: Series) -> tuple[str, str]:
    common_end = min(end_cost(each), end_cost(against)) * OVERSHOOT

    def difference(series: Series, seed: int) -> float:
        run = next(run for run in series.runs if run.spec.seed == seed)
        value = steps_of(run, HYPERVOLUME_DIFFERENCE).at(common_end)
        return math.inf if math.isnan(value) else value

    def cost(series: Series, seed: int) -> float:
        costs = costs_to_within(series, WITHIN[-1])
        return next(c for c, run in zip(costs, series.runs, strict=True) if run.spec.seed == seed)

    return _test_words(compare(each, against, difference)), _test_words(compare(each, against, cost))


def _test_words(test: SignTest) -> str:
    return f"{test.n_better}/{test.n_worse}/{test.n_ties} (p = {test.p_value:.2g})"


Spread = tuple[float, float, float]  # quartile, median, quartile


def _spread_at(series: Series, indicator: str, cost: float) -> Spread | None:
    if cost > OVERSHOOT * end_cost(series):
        return None
    return _spread([steps.at(cost) for steps in series.steps(indicator)])


def _final_spread(series: Series, indicator: str) -> Spread | None:
    return _spread([float(steps.values[-1]) for steps in series.steps(indicator)])


def _spread(values: Sequence[float]) -> Spread | None:
    if any(math.isnan(value) for value in values):
        return None
    column = np.array(values)
    return float(quantile(column, 0.25)), float(quantile(column, 0.5)), float(quantile(column, 0.75))


def _spread_words(spread: Spread | None, indicator: str) -> str:
    if spread is None:
        return NOTHING
    low, median, high = spread
    if "hypervolume" in indicator:
        return f"{100 * median:.3g} % [{100 * low:.3g}, {100 * high:.3g}]"
    return f"{_number(median)} [{_number(low)}, {_number(high)}]"


def _number(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.3g}"


def _best(medians: Sequence[Sequence[float]], first_column: int) -> frozenset[tuple[int, int]]:
    """The least of each column, if it is a number."""
    marked = set()
    for j, column in enumerate(zip(*medians, strict=True)):
        finite = [value for value in column if math.isfinite(value)]
        marked |= {(i, first_column + j) for i, value in enumerate(column) if finite and value == min(finite)}
    return frozenset(marked)
